"""Histories that harnesses cut, summarise, clear and repeat at random: the window stays what was asked."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from contextapp.engine import events as kinds
from tests.importers.otlp.payloads import Json, chat, said, span
from tests.importers.otlp.telling import of_type, told, window_of

# What a harness does to its history before the next call.
MOVES = st.lists(
    st.tuples(
        st.sampled_from(["ask", "tool", "clear", "summarise", "slide", "cut_middle", "repeat_words"]), st.integers(1, 4)
    ),
    min_size=1,
    max_size=12,
)


class Harness:
    """Keeps a history as some real ones do; `spans` has each call with the history as it was then."""

    def __init__(self) -> None:
        self.history: list[Json] = []
        self.spans: list[Json] = []
        self.texts: list[list[str]] = []
        self._count = 0

    def move(self, kind: str, size: int) -> None:
        if kind == "summarise" and len(self.history) > size + 1:
            self.history = [said("user", f"summary {len(self.spans)}"), *self.history[-size:]]
        elif kind == "slide" and len(self.history) > size + 1:
            self.history = self.history[-size:]
        elif kind == "cut_middle" and len(self.history) > size + 2:
            self.history = [self.history[0], *self.history[-size:]]
        elif kind == "clear":
            for message in self.history[:-size]:
                if message["role"] == "tool":
                    message["parts"] = [{**message["parts"][0], "response": CLEARED}]
        self.history.append(said("user", "go on" if kind == "repeat_words" else self._word("question")))
        if kind == "tool":
            call_id = self._word("toolu")
            part = {"type": "tool_call", "id": call_id, "name": "ls", "arguments": {"n": size}}
            self._call({"role": "assistant", "parts": [part]})
            given = {"type": "tool_call_response", "id": call_id, "response": self._word("result")}
            self.history.append({"role": "tool", "parts": [given]})
        self._call(said("assistant", self._word("answer")))

    def _word(self, kind: str) -> str:
        self._count += 1
        return f"{kind} {self._count}"

    def _call(self, answer: Json) -> None:
        self.spans.append(span(len(self.spans), chat(json.loads(json.dumps(self.history)), answer, **SYSTEM)))
        self.history.append(answer)
        self.texts.append([_text(part) for message in self.history for part in message["parts"]])


def _text(part: Json) -> str:
    if part["type"] == "tool_call":
        return f'ls{{"n":{part["arguments"]["n"]}}}'
    return str(part.get("content", part.get("response"))).replace(" ", "")


CLEARED = "[cleared]"
SYSTEM = {"gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]'}


def _is_shown(text: str) -> bool:
    return text != CLEARED  # a cleared result leaves the window, and the event says what was shown in its place


@settings(max_examples=40, deadline=None)
@given(MOVES)
def test_the_window_holds_what_was_asked_and_answered(moves: list[tuple[str, int]]) -> None:
    harness = Harness()
    for kind, size in moves:
        harness.move(kind, size)

        window = window_of(told(*harness.spans))

        held = "\n\n".join(window).replace(" ", "").split("\n\n")
        assert sorted(filter(_is_shown, held)) == sorted(filter(_is_shown, harness.texts[-1]))


@settings(max_examples=40, deadline=None)
@given(MOVES)
def test_no_answer_is_told_twice_and_none_is_lost(moves: list[tuple[str, int]]) -> None:
    harness = Harness()
    for kind, size in moves:
        harness.move(kind, size)

    found = told(*harness.spans)

    steps = {one["message_id"] for one in of_type(found, kinds.MODEL_MESSAGE)}
    steps |= {one["message_id"] for one in of_type(found, kinds.TOOL_REQUESTED)}
    assert len(steps) == len(harness.spans)
    assert len({event.event_id for event in found}) == len(found)


@settings(max_examples=40, deadline=None)
@given(MOVES, st.randoms(use_true_random=False))
def test_spans_in_any_order_are_told_without_losing_a_word(moves: list[tuple[str, int]], random: object) -> None:
    harness = Harness()
    for kind, size in moves:
        harness.move(kind, size)
    spans = list(harness.spans)
    random.shuffle(spans)  # type: ignore[attr-defined]

    found = told(*spans, *harness.spans)

    said_in_all = {text for texts in harness.texts for text in texts}
    stored = json.dumps([event.payload for event in found]).replace(" ", "").replace("'", '"')
    assert [text for text in said_in_all if not text.startswith("ls") and text not in stored] == []
    assert len([one for one in found if one.payload.get("record_type") == "otlp.call"]) == len(spans)
