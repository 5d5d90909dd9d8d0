"""The choke point for secrets: rules, the scan, and what becomes of a payload."""

from __future__ import annotations
