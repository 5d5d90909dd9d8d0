"""The closed lists of memory as doors offer them: (value, label). The models own them."""

from __future__ import annotations

from contextapp.memory.models.choices import MemoryKind, MemoryScope, ReasonCode

KINDS = tuple(MemoryKind.choices)
SCOPES = tuple(MemoryScope.choices)
REASONS = tuple(ReasonCode.choices)
