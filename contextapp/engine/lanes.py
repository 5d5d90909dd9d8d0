"""Isolation: a source's form becomes a block in its trust lane, fenced where it is quoted, and gets its price in tokens.

The only place where source text turns into request text. Never shortens anything.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from contextapp.engine import isolation
from contextapp.engine.kept import Kept
from contextapp.engine.observations.text import clean
from contextapp.engine.request.frame import message_frame
from contextapp.engine.request.neutral import Block
from contextapp.engine.sources.source import Form, Source
from contextapp.engine.tokens import TokenCounter

_blocks: Kept[Block] = Kept()


@dataclass(frozen=True, slots=True)
class Rendered:
    """A source in one form, as it would stand in the request."""

    source: Source
    form: Form
    block: Block
    tokens: int

    @property
    def cost(self) -> int:
        """Tokens with the frame of a message of its own."""
        return self.tokens + message_frame(len(self.block.calls))


class Lanes:
    """Renders and prices for one build; a form that is asked for again is not made again."""

    def __init__(self, *, secret: bytes, session_id: str, counter: TokenCounter) -> None:
        self._secret = secret
        self._session_id = session_id
        self.method = counter.method
        self._counter = counter
        self._made: dict[tuple[str, str], Rendered | None] = {}

    def full(self, source: Source) -> Rendered:
        """The source in the fullest form it may have."""
        found = self._made.get((source.id, ""))
        if found is None:
            found = self._made[source.id, ""] = self.render(source, source.form)
        return found

    def lower(self, source: Source, rung: str) -> Rendered | None:
        """The source on that rung; None where there is none or where it would save nothing."""
        key = (source.id, rung)
        if key not in self._made:
            form = source.lower(rung)
            made = self.render(source, form) if form else None
            self._made[key] = made if made and made.tokens < self.full(source).tokens else None
        return self._made[key]

    def render(self, source: Source, form: Form) -> Rendered:
        block = self._tools_block(source) if source.tools else self._kept_block(source, form)
        return Rendered(source, form, block, self.count(block))

    def _kept_block(self, source: Source, form: Form) -> Block:
        key = (
            self._secret, self._session_id, source.id, source.role, source.part, source.trust, source.events,
            source.call_id, source.fence_label, form.text, form.calls,
        )  # fmt: skip
        return _blocks.of(key, 2 * len(form.text), lambda: self._block(source, form))

    def _block(self, source: Source, form: Form) -> Block:
        text = clean(form.text)
        if source.fence_label:
            label = clean(source.fence_label)
            text = isolation.fence(text, secret=self._secret, session_id=self._session_id, label=label)
        return Block(
            role=source.role,
            part=source.part,
            trust=source.trust.value,
            text=text,
            source_id=source.id,
            events=source.events,
            calls=tuple((call_id, clean(name), clean(arguments)) for call_id, name, arguments in form.calls),
            call_id=source.call_id,
        )

    def _tools_block(self, source: Source) -> Block:
        return Block(
            source.role, source.part, source.trust.value, "", source.id, events=source.events, tools=source.tools
        )

    def count(self, block: Block) -> int:
        """Tokens of everything in the block that the model reads."""
        total = self._counter.count(block.text)
        for _, name, arguments in block.calls:
            total += self._counter.count(name) + self._counter.count(arguments)
        for tool in block.tools:
            total += self._counter.count(json.dumps(tool, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
        return total

    def count_text(self, text: str) -> int:
        return self._counter.count(text)
