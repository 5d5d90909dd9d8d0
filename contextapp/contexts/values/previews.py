"""What a draft of a policy would do to one recorded step, as pages show it. Figures only; nothing of it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PreviewStep:
    """A recorded step that a preview can be made of."""

    session_id: UUID
    number: int
    title: str
    model: str
    started_at: datetime | None


@dataclass(frozen=True, slots=True)
class BucketPreview:
    bucket: str
    allotted_before: int
    allotted_after: int
    used_before: int
    used_after: int

    @property
    def change(self) -> int:
        return self.used_after - self.used_before


@dataclass(frozen=True, slots=True)
class Preview:
    """One step under the policy in force and under another. `dropped` and `returned` count sources; `reduced` those that
    stand in both, with fewer tokens, and `grown` with more. A verdict other than ok has its `overflow` in words."""

    step: PreviewStep
    window_tokens: int
    method: str
    number_before: int
    buckets: tuple[BucketPreview, ...]
    total_before: int
    total_after: int
    verdict_before: str
    verdict_after: str
    guilty_bucket: str
    dropped: int
    returned: int
    reduced: int
    grown: int
    build_ms: int
