"""Orders in the dress of customs (D15-D24): deferred acts, data in names and links, marks waved through. A table, no verdict."""

from __future__ import annotations

SOURCES: tuple[tuple[str, int, str], ...] = ()
