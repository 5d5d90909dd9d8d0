"""The window of another harness, kept up event by event: what entered it, what a compaction took out, what was cleared. Asks
nothing of later events, so the ledger of a call is made before the first event of its answer is fed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.engine.inputs import ModelProfile
from contextapp.engine.ledger import Row
from contextapp.engine.observations.families import call_label
from contextapp.engine.observations.text import first_line
from contextapp.engine.observed import items as made
from contextapp.engine.observed.items import TITLE_CHARS, Item
from contextapp.engine.observed.ranges import Range
from contextapp.engine.observed.residue import billed_input, preamble_of, residue_of
from contextapp.engine.observed.standing import Standing
from contextapp.engine.projection.answers import Answer, Joiner
from contextapp.engine.projection.calls import is_model_part
from contextapp.engine.projection.payloads import (
    arguments_of,
    canonical,
    flag,
    id_of,
    is_erased,
    list_of,
    payload_of,
    text_of,
    visible,
    whole,
)
from contextapp.engine.projection.standing import covered_to
from contextapp.engine.reasons import Reason
from contextapp.engine.tokens import TokenCounter
from contextapp.engine.values import Bucket, Trust

SOURCES = frozenset(
    {
        kinds.USER_MESSAGE, kinds.MODEL_DELTA, kinds.MODEL_MESSAGE, kinds.MODEL_THINKING, kinds.TOOL_REQUESTED,
        kinds.TOOL_COMPLETED, kinds.RESOURCE_INCLUDED, kinds.INSTRUCTIONS_LOADED, kinds.TOOLS_AVAILABLE,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ObservedLedger:
    """Included rows + preamble + correction + unexplained = total, which is the billed input; without usage the rows are the
    total and the residue is empty."""

    rows: tuple[Row, ...]
    buckets: Mapping[str, Mapping[str, int]]
    total_tokens: int
    residue: Mapping[str, int]
    step: int
    estimated_tokens: int
    window_tokens: int | None


class ObservedWindow:
    """Feed the whole session in order; ask for a ledger right before the first event of a model call is fed."""

    def __init__(self, preamble: int | None = None) -> None:
        self.preamble = preamble  # known since the first call whose bill is known
        self._is_anchored = preamble is not None
        self._standing = Standing()
        self._items: list[Item] = []
        self._dropped: list[Item] = []  # thinking of closed turns
        self._cleared: list[Item] = []
        self._erased: list[Item] = []
        self._ranges: list[Range] = []
        self._results: dict[str, Item] = {}
        self._labels: dict[str, str] = {}
        self._joiner = Joiner()
        self._answers: dict[int, Item] = {}
        self._steps: dict[str, Callable[[Event], None]] = {
            kinds.USER_MESSAGE: self._say,
            kinds.TOOL_COMPLETED: self._result,
            kinds.RESOURCE_INCLUDED: lambda event: self._items.append(made.resource_item(event)),
            kinds.INSTRUCTIONS_LOADED: self._standing.feed,
            kinds.TOOLS_AVAILABLE: self._standing.feed,
        }

    def feed(self, event: Event) -> None:
        """Takes an event in. What the model could not see, and what is no source, changes nothing."""
        if event.type == kinds.COMPACTION_WITHDRAWN:
            self._withdraw(whole(payload_of(event), "seq") or 0)
        elif not visible(event):
            if event.type == kinds.SESSION_COMPACTED:
                self._compact(event)
        elif event.type == kinds.SESSION_COMPACTED:
            self._compact(event)
        elif event.type not in SOURCES:
            return
        elif is_erased(event):
            self._erased.append(Item(f"event:{event.seq}", "erased", Trust.UNTRUSTED, event.seq, event.seq))
        elif event.type in self._steps:
            self._steps[event.type](event)
        elif is_model_part(event):
            self._part(event)

    def _say(self, event: Event) -> None:
        if not flag(payload_of(event), "queued"):
            self._joiner.interrupt(is_user=True)
            thoughts = [item for item in self._items if item.kind == "thinking"]
            if thoughts:
                self._dropped += thoughts
                self._items = [item for item in self._items if item.kind != "thinking"]
        self._items.append(made.user_item(event))

    def _result(self, event: Event) -> None:
        self._joiner.interrupt(is_user=False)
        call_id = id_of(payload_of(event), "call_id")
        item = made.result_item(event, self._labels.get(call_id, ""))
        item.call_id = call_id
        self._results[call_id] = item
        self._items.append(item)

    def _part(self, event: Event) -> None:
        answer, is_new = self._joiner.place(event)
        payload = payload_of(event)
        if event.type == kinds.MODEL_THINKING:
            self._think(event)
            return
        item = self._answer_item(answer, is_new)
        if event.type == kinds.TOOL_REQUESTED:
            call = answer.add(event)
            name, arguments = text_of(payload, "name"), arguments_of(payload)
            label = call_label(name, arguments, TITLE_CHARS)
            if call:
                self._labels[call.call_id] = label
            item.title = item.title or label
            item.add(f"{name} {canonical(arguments)}", event.seq)
            return
        text = text_of(payload, "text")
        streamed = "".join(answer.deltas)
        answer.add(event)
        if event.type == kinds.MODEL_DELTA or text != streamed:  # else it repeats what was streamed
            item.add(text, event.seq)
        item.title = first_line(streamed + text if event.type == kinds.MODEL_DELTA else text, TITLE_CHARS) or item.title

    def _think(self, event: Event) -> None:
        text = text_of(payload_of(event), "text")
        if text.strip():
            item = Item(f"thinking:{event.seq}", "thinking", Trust.FACT, event.seq, event.seq, role="assistant")
            item.title = first_line(text, TITLE_CHARS)
            item.add(text, event.seq)
            self._items.append(item)

    def _answer_item(self, answer: Answer, is_new: bool) -> Item:
        item = None if is_new else self._answers.get(answer.first_seq)
        if item is None:
            item = Item(
                f"event:{answer.first_seq}", "assistant_message", Trust.FACT, answer.first_seq, answer.first_seq
            )
            item.role = "assistant"
            self._answers[answer.first_seq] = item
            self._items.append(item)
        return item

    def _compact(self, event: Event) -> None:
        payload = payload_of(event)
        part = payload.get("part")
        if part == "cleared":
            self._clear({id_of({"id": call_id}, "id") for call_id in list_of(payload, "cleared_call_ids")})
            return
        awaited = self._ranges[-1] if self._ranges and self._ranges[-1].summary is None else None
        if part == "summary" and awaited and not self._answered_since(awaited):
            awaited.seqs = (*awaited.seqs, event.seq)
        elif is_erased(event):
            return
        else:
            awaited = self._close(event)
        if part != "boundary" and visible(event) and text_of(payload, "summary").strip():
            standing_in = made.summary_items(event, awaited.covers, awaited.mark)
            awaited.summary = standing_in[0]
            self._items[:0] = standing_in

    def _answered_since(self, range_: Range) -> bool:
        return any(item.kind == "assistant_message" and item.first_seq > range_.seqs[0] for item in self._items)

    def _close(self, event: Event) -> Range:
        """Takes everything the compaction covers out of the window."""
        self._is_anchored = False
        covers = list_of(payload_of(event), "covers")
        first = whole({"first": covers[0]}, "first") if len(covers) == 2 else None
        last = covered_to(event, payload_of(event))
        gone: list[Item] = []
        for name in ("_items", "_dropped", "_cleared", "_erased"):
            held: list[Item] = getattr(self, name)
            gone += [item for item in held if item.last_seq <= last or item.kind == "summary"]
            setattr(self, name, [item for item in held if item.last_seq > last and item.kind != "summary"])
        gone.sort(key=lambda item: item.first_seq)
        self._joiner = Joiner()
        covered = (max(1, min(first or 1, last)), last)
        mark = f"@{event.seq}" if any(other.covers == covered for other in self._ranges) else ""
        range_ = Range(event.seq, covered, (event.seq,), gone, mark)
        self._ranges.append(range_)
        return range_

    def _clear(self, call_ids: set[str]) -> None:
        self._is_anchored = False
        gone = {id(self._results[call_id]) for call_id in call_ids if call_id in self._results}
        self._cleared += [item for item in self._items if id(item) in gone]
        self._items = [item for item in self._items if id(item) not in gone]

    def _withdraw(self, seq: int) -> None:
        """A compaction that no longer counts gives back what it took; only the newest one can."""
        if not self._ranges or seq not in self._ranges[-1].seqs:
            return
        range_ = self._ranges.pop()
        kept = [item for item in self._items if item.kind != "summary" or item.first_seq not in range_.seqs]
        self._items = sorted((*range_.items, *kept), key=lambda item: item.first_seq)

    def ledger(
        self,
        step_number: int,
        usage: Mapping[str, Any] | None,
        calibration: float,
        counter: TokenCounter,
        profile: ModelProfile,
    ) -> ObservedLedger:
        """What stood in the window for the call that comes next. `calibration` is the model's factor, billed by counted."""
        included = [item.included(order, counter) for order, item in enumerate((*self._standing.items(), *self._items))]
        estimated = sum(row.after_tokens for row in included)
        billed = billed_input(usage)
        if billed is not None and not self._is_anchored:
            self._anchor(preamble_of(billed, estimated, calibration))
        used = {bucket.value: 0 for bucket in Bucket}
        for row in included:
            used[row.bucket] += row.after_tokens
        return ObservedLedger(
            rows=(*included, *self._excluded(counter)),
            buckets={name: {"allotted": 0, "used": tokens} for name, tokens in used.items()},
            total_tokens=estimated if billed is None else billed,
            residue=residue_of(estimated, billed, calibration, self.preamble or 0),
            step=step_number,
            estimated_tokens=estimated,
            window_tokens=profile.window_tokens,
        )

    def _anchor(self, found: int) -> None:
        """At the first call, and again after a compaction or a clearing: history from before the file started may go with it,
        and what went was no constant."""
        self.preamble = found if self.preamble is None else min(self.preamble, found)
        self._is_anchored = True

    def _excluded(self, counter: TokenCounter) -> Iterator[Row]:
        yield from self._standing.missing(counter)
        for range_ in self._ranges:
            yield from range_.rows(counter)
        for item in self._cleared:
            yield made.excluded(
                [item],
                counter,
                source_id=item.source_id,
                kind=item.kind,
                reason=Reason.HARNESS_CLEARED,
                title=item.title,
            )
        for gone, reason in ((self._dropped, Reason.THINKING_DROPPED), (self._erased, Reason.ERASED)):
            if gone:
                source_id = f"{gone[0].kind}:{gone[0].first_seq}-{gone[-1].last_seq}"
                yield made.excluded(gone, counter, source_id=source_id, kind=gone[0].kind, reason=reason)
