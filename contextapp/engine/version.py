"""The engine's version. A change that alters any golden output must raise it; ledgers keep the version they were made with."""

from __future__ import annotations

ENGINE_VERSION = "0.3.0"
