"""The settings of a project: who is in, with which keys, how it masks, what it keeps, and the trail of all that."""

from __future__ import annotations
