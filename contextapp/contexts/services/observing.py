"""Keeps up the window of another harness while its session is read, and leaves a ledger at every recorded model call.

What the bill says beyond our count is split afterwards, in `residue.py`: usage comes after the call, the factor after the
session. Re-reading a session from its start gives the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contextapp.contexts.counts import Counts
from contextapp.contexts.models import Ledger, LedgerBody, Step
from contextapp.contexts.models.ledgers import Origin
from contextapp.contexts.packing import Body, pack_body
from contextapp.contexts.walk import StepDraft
from contextapp.engine.events import Event
from contextapp.engine.inputs import ModelProfile
from contextapp.engine.ledger import Ledger as EngineLedger
from contextapp.engine.observed import ObservedWindow
from contextapp.engine.values import Verdict
from contextapp.engine.version import ENGINE_VERSION
from contextapp.eventlog import selectors as log
from contextapp.eventlog.models import Session
from contextapp.policy.profiles import method_for, profile_for

HARNESS_POLICY = 0  # no version of ours: the harness decided by rules of its own


@dataclass(frozen=True, slots=True)
class _Seen:
    """The ledger of one call as it was before its answer; the rows are packed at once, they are the large part."""

    step: StepDraft
    buckets: dict[str, dict[str, int]]
    estimated_tokens: int
    window_tokens: int | None
    tokenizer: str
    body: bytes


class Observer:
    """One session's window. `note_step` before the first event of an answer is fed, `feed` for every event."""

    def __init__(self, session: Session) -> None:
        self._model = session.model
        self._session_window = session.model_window_tokens
        self._window = ObservedWindow()
        self._seen: list[_Seen] = []
        self._profiles: dict[str, tuple[ModelProfile, Counts]] = {}

    @classmethod
    def resumed(cls, session: Session) -> Observer:
        """The window after the events that are indexed already."""
        observer = cls(session)
        for event in log.iter_events(session.id, upto_seq=session.indexed_seq):
            observer.feed(event)
        return observer

    def feed(self, event: Event) -> None:
        self._window.feed(event)

    def note_step(self, step: StepDraft) -> None:
        profile, counts = self._profile(step.model or self._model)
        found = self._window.ledger(step.number, None, 1.0, counts.counter, profile)
        ledger = EngineLedger(
            rows=found.rows,
            buckets=found.buckets,
            floor_tokens=0,
            overhead_tokens=0,
            margin_tokens=0,
            total_tokens=found.estimated_tokens,
            window_tokens=found.window_tokens or 0,
        )
        self._seen.append(
            _Seen(
                step=step,
                buckets={name: dict(figures) for name, figures in found.buckets.items()},
                estimated_tokens=found.estimated_tokens,
                window_tokens=found.window_tokens,
                tokenizer=profile.tokenizer,
                body=pack_body(Body(ledger, method=counts.method)),
            )
        )

    def store(self, session: Session, steps: dict[int, Step]) -> int:
        """Write the ledgers of the page's steps; in the caller's transaction."""
        seen, self._seen = self._seen, []
        made = Ledger.objects.bulk_create(
            [self._ledger(session, steps[entry.step.number], entry) for entry in seen],
            update_conflicts=True,
            unique_fields=["step", "origin", "policy_number", "engine_version"],
            update_fields=["verdict", "window_tokens", "total_tokens", "buckets", "header"],
        )
        LedgerBody.objects.bulk_create(
            [LedgerBody(ledger=ledger, rows=entry.body) for ledger, entry in zip(made, seen, strict=True)],
            update_conflicts=True,
            unique_fields=["ledger"],
            update_fields=["rows"],
        )
        for _profile, counts in self._profiles.values():
            counts.save()
        return len(made)

    def _ledger(self, session: Session, step: Step, seen: _Seen) -> Ledger:
        return Ledger(
            step=step,
            session=session,
            step_number=step.number,
            origin=Origin.OBSERVED,
            policy_number=HARNESS_POLICY,
            engine_version=ENGINE_VERSION,
            verdict=Verdict.OK,
            window_tokens=seen.window_tokens,
            total_tokens=seen.estimated_tokens,
            buckets=seen.buckets,
            header=_header(seen),
        )

    def _profile(self, model: str) -> tuple[ModelProfile, Counts]:
        found = self._profiles.get(model)
        if found is None:
            profile = profile_for(model)
            if model == self._model and self._session_window:
                profile = ModelProfile(model, self._session_window, tokenizer=profile.tokenizer)
            found = self._profiles[model] = (profile, Counts(profile.tokenizer, method_for(model)))
        return found


def _header(seen: _Seen) -> dict[str, Any]:
    """The payload of context.built as far as an observed call has one; the calibration is filled in with the residue."""
    step = seen.step
    return {
        "modelId": step.model,
        "providerCapabilities": {"maxContextTokens": seen.window_tokens},
        "tokensByBucket": {name: figures["used"] for name, figures in seen.buckets.items()},
        "overheadTokens": 0,
        "totalTokens": seen.estimated_tokens,
        "step": step.number,
        "turn": step.turn,
        "phase": step.phase,
        "logSeq": step.log_seq,
        "policyVersion": HARNESS_POLICY,
        "engineVersion": ENGINE_VERSION,
        "tokenizer": seen.tokenizer,
        "calibration": 0,
    }
