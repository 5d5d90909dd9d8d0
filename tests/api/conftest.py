from __future__ import annotations

from tests.api.client import agent, stranger

__all__ = ["agent", "stranger"]
