"""One source in another harness's window: how it became a row, and what it counts. Text is counted once and then let go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from contextapp.engine.events import Event, Payload
from contextapp.engine.ledger import Row
from contextapp.engine.observations.media import media_tokens
from contextapp.engine.observations.text import first_line, number
from contextapp.engine.projection.payloads import list_of, mapping_of, payload_of, text_of, whole
from contextapp.engine.reasons import Reason
from contextapp.engine.tokens import TokenCounter
from contextapp.engine.values import Action, Bucket, Method, Mode, Trust

TITLE_CHARS = 80


@dataclass(slots=True)
class Item:
    """A source. `uncounted` is text nobody counted yet; `whole_share` is the whole's size by the part that was sent."""

    source_id: str
    kind: str
    trust: Trust
    first_seq: int
    last_seq: int
    bucket: Bucket = Bucket.TRANSCRIPT
    role: str = "user"
    title: str = ""
    reason: Reason = Reason.OBSERVED_SENT
    action: Action = Action.KEEP
    mode: Mode = Mode.FULL
    detail: str = ""
    call_id: str = ""
    whole_share: float = 1.0
    media: int = 0  # tokens of pictures and files, by kind
    counted: int = 0
    uncounted: list[str] = field(default_factory=list)
    row: Row | None = None

    def add(self, text: str, seq: int) -> None:
        if text:
            self.uncounted.append(text)
        self.last_seq = max(self.last_seq, seq)
        self.row = None

    def tokens(self, counter: TokenCounter) -> int:
        if self.uncounted:
            self.counted += sum(counter.count(text) for text in self.uncounted)
            self.uncounted.clear()
        return self.counted + self.media

    def included(self, order: int, counter: TokenCounter) -> Row:
        """Its row; made anew only when the source or its place changed."""
        if self.row is None or self.row.order != order:
            tokens = self.tokens(counter)
            self.row = Row(
                source_id=self.source_id,
                source_kind=self.kind,
                bucket=self.bucket,
                rank=0,
                action=self.action,
                mode=self.mode,
                reason=self.reason,
                trust=self.trust,
                before_tokens=round(tokens * self.whole_share),
                after_tokens=tokens,
                method=Method.ESTIMATED if self.media else counter.method,
                role=self.role,
                title=self.title,
                events=(self.first_seq, self.last_seq),
                order=order,
                detail=self.detail,
            )
        return self.row


def excluded(
    items: Iterable[Item],
    counter: TokenCounter,
    *,
    source_id: str,
    kind: str,
    reason: Reason,
    title: str = "",
    displaced_by: str = "",
) -> Row:
    """One row for sources of the same fate."""
    gone = list(items)
    return Row(
        source_id=source_id,
        source_kind=kind,
        bucket=gone[0].bucket if gone else Bucket.TRANSCRIPT,
        rank=0,
        action=Action.SUMMARIZE if reason == Reason.HARNESS_COMPACTED else Action.DROP,
        mode=Mode.NONE,
        reason=reason,
        trust=min((item.trust for item in gone), key=lambda trust: trust.level, default=Trust.UNTRUSTED),
        before_tokens=sum(item.tokens(counter) for item in gone),
        after_tokens=0,
        method=counter.method,
        title=title,
        events=(min(item.first_seq for item in gone), max(item.last_seq for item in gone)) if gone else None,
        displaced_by=displaced_by,
        count=len(gone),
    )


def not_recorded(kind: str, bucket: Bucket, title: str, counter: TokenCounter) -> Row:
    """A source that was surely there and that the file does not hold."""
    return Row(
        source_id=f"not_recorded:{kind}",
        source_kind=kind,
        bucket=bucket,
        rank=0,
        action=Action.DROP,
        mode=Mode.NONE,
        reason=Reason.NOT_RECORDED,
        trust=Trust.TRUSTED,
        before_tokens=0,
        after_tokens=0,
        method=counter.method,
        title=title,
    )


def user_item(event: Event) -> Item:
    text = text_of(payload_of(event), "text")
    item = Item(f"event:{event.seq}", "user_message", Trust.TRUSTED, event.seq, event.seq)
    item.title = first_line(text, TITLE_CHARS)
    item.media = media_tokens(list_of(payload_of(event), "media"))
    item.add(text, event.seq)
    return item


def result_item(event: Event, label: str) -> Item:
    """A tool result as the harness let it through: whole, cut by the harness, or a range of a file."""
    payload = payload_of(event)
    item = Item(f"event:{event.seq}", "tool_result", Trust.UNTRUSTED, event.seq, event.seq, role="tool")
    item.title = label or text_of(payload, "name")
    item.media = media_tokens(list_of(payload, "media"))
    text = text_of(payload, "content")
    item.add(text, event.seq)
    _note_cut(item, payload, len(text))
    return item


def _note_cut(item: Item, payload: Payload, shown_chars: int) -> None:
    read, cut = mapping_of(payload, "read_range"), mapping_of(payload, "cut")
    first, last, total = (whole(read, name) for name in ("first_line", "last_line", "total_lines"))
    if cut:
        shown, size = whole(cut, "shown_chars") or shown_chars, whole(cut, "total_chars")
        if size is not None and size <= shown:
            return
        item.reason = Reason.HARNESS_TRUNCATED
        item.detail = (
            f"{number(shown)} of {number(size)} characters" if size else f"{number(shown)} characters of a cut result"
        )
        item.whole_share = size / shown if size and shown > 0 else 1.0
    elif first is not None and last is not None and total is not None and (first > 1 or last < total):
        first = max(1, first)  # a harness may count from 0
        item.reason = Reason.READ_RANGE
        item.detail = f"lines {number(first)}-{number(last)} of {number(total)}"
        item.whole_share = max(1.0, total / max(1, last - first + 1))
    else:
        return
    item.action, item.mode = Action.TRUNCATE, Mode.EXCERPT


def resource_item(event: Event) -> Item:
    payload = payload_of(event)
    item = Item(f"resource:{event.seq}", "resource", Trust.UNTRUSTED, event.seq, event.seq, Bucket.MCP_RESOURCES)
    text = text_of(payload, "text")
    named = text_of(payload, "title") or text_of(payload, "path") or text_of(payload, "kind")
    item.title = first_line(named or text, TITLE_CHARS)
    item.add(text, event.seq)
    return item


def summary_items(event: Event, covers: tuple[int, int], mark: str) -> list[Item]:
    """What stands in the place of a range: one text, or the messages of the history that replaced it, as they were sent."""
    payload = payload_of(event)
    source_id = f"summary:{covers[0]}-{covers[1]}{mark}"
    title = f"Summary of events {number(covers[0])} to {number(covers[1])}"
    messages = [entry for entry in list_of(payload, "replacement") if isinstance(entry, Mapping)]
    sent = [entry for entry in messages if text_of(entry, "text").strip() or list_of(entry, "media")]
    if not sent:
        return [_summary_item(event, source_id, title, "user", text_of(payload, "summary"))]
    items = []
    for place, entry in enumerate(sent):
        text, role = text_of(entry, "text"), text_of(entry, "role") or "user"
        item = _summary_item(event, f"{source_id}.{place}" if place else source_id, title, role, text)
        item.title = first_line(text, TITLE_CHARS) or title
        item.media = media_tokens(list_of(entry, "media"))
        items.append(item)
    return items


def _summary_item(event: Event, source_id: str, title: str, role: str, text: str) -> Item:
    item = Item(source_id, "summary", Trust.UNTRUSTED, event.seq, event.seq, reason=Reason.HARNESS_SUMMARY)
    item.action, item.mode = Action.SUMMARIZE, Mode.SUMMARY
    item.role, item.title = role, title
    item.add(text, event.seq)
    return item
