"""The summary that needs no model: read off the state and the events, always available, the same each time.

What tools printed is taken up only where it tells how a command ended, and never where it reads like an order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from contextapp.engine import isolation
from contextapp.engine.compaction.plan import Plan
from contextapp.engine.compaction.summary import (
    COMMANDS,
    CONSTRAINTS,
    DECISIONS,
    DENIED,
    EARLIER,
    FAILED,
    GOAL,
    INSPECTED,
    MODIFIED,
    NEXT,
    OPEN,
    SECTIONS,
    Line,
    Summary,
    sections_of,
)  # fmt: skip
from contextapp.engine.compaction.survival import Duty
from contextapp.engine.observations import families
from contextapp.engine.observations.text import head
from contextapp.engine.observations.verdicts import verdict_line
from contextapp.engine.projection.atoms import Atom, Message, ToolCall
from contextapp.engine.projection.payloads import payload_of, short, text_of
from contextapp.engine.projection.state import SessionState
from contextapp.engine.sources.results import arguments_of
from contextapp.engine.values import Trust

_MOST = {INSPECTED: 40, COMMANDS: 20, DECISIONS: 12, FAILED: 12, DENIED: 20, OPEN: 20, GOAL: 24, EARLIER: 1}
_REQUEST_CHARS, _LINE_CHARS, _EARLIER_CHARS = 160, 200, 4_000
_RUNS = frozenset({families.TEST, families.COMMAND})
_DECISION = re.compile(
    r"\b(?:because|decided|instead of|rather than|so that|turns out|the (?:cause|reason|fix) (?:is|was)|root cause|chose"
    r"|will use)\b"
    r"|因为|决定|改用|而不是|原因是|根因|为了",
    re.I,
)
_NEXT = re.compile(
    r"\b(?:next|now (?:i|we|let)|then i(?:['’]ll| will)|remaining|still need)\b|接下来|下一步|然后", re.I
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\s|$)|[。！？]|$|\n)")
_ASKED = {"en": "asked and answered: {}", "zh": "已提出并已答复：{}"}
_LATEST = {"en": "latest request: {}", "zh": "最近的请求：{}"}


def summarise(plan: Plan, state: SessionState, owed: Duty) -> Summary:
    """`owed` goes in whole; everything else by its section's limit, the newest first to stay."""
    language = "zh" if state.language == "zh" else "en"
    earlier = {} if plan.earlier is None else sections_of(payload_of(plan.earlier).get("sections"))
    fresh = _read(plan.atoms, state, plan.last_seq, language)
    sections: dict[str, tuple[Line, ...]] = {}
    omitted: dict[str, int] = {}
    for section in SECTIONS:
        merged = _merged(section, earlier.get(section, ()), fresh.get(section, ()))
        most = _MOST.get(section, len(merged))
        sections[section], omitted[section] = tuple(merged[max(0, len(merged) - most) :]), max(0, len(merged) - most)
    sections |= {CONSTRAINTS: owed.constraints, MODIFIED: owed.files}
    if plan.earlier is not None and not earlier:  # another writer's, without sections: its words are kept
        text = short(text_of(payload_of(plan.earlier), "summary"), _EARLIER_CHARS)
        sections[EARLIER] = (Line(text, (plan.earlier.seq,)),)
    return Summary(
        first_seq=1,
        last_seq=plan.last_seq,
        sections=MappingProxyType({name: lines for name, lines in sections.items() if lines}),
        trust=lowest_trust(plan, state),
        language=language,
        omitted=MappingProxyType({name: count for name, count in omitted.items() if count}),
    )


def lowest_trust(plan: Plan, state: SessionState) -> Trust:
    """Of what it stands for: quoted text anywhere in the range, or a summary of such, makes it quoted."""
    if 0 < state.first_untrusted_seq <= plan.last_seq:
        return Trust.UNTRUSTED
    said = "" if plan.earlier is None else text_of(payload_of(plan.earlier), "trust")
    is_quoted = plan.earlier is not None and said not in (Trust.FACT.value, Trust.TRUSTED.value)
    return Trust.UNTRUSTED if is_quoted else Trust.FACT


def _read(atoms: Sequence[Atom], state: SessionState, last_seq: int, language: str) -> Mapping[str, Sequence[Line]]:
    """What the range itself says, section by section, in log order."""
    runs, failed = _runs(atoms)
    spoken = [message for atom in atoms for message in atom.messages if message.role == "assistant" and message.text]
    return {
        GOAL: [*_goal(state, last_seq, language), *_requests(atoms, state, language)],
        INSPECTED: [
            Line(file.path, (file.read_seq,), file.path)
            for file in state.files
            if 0 < file.read_seq <= last_seq and not file.modified_seq
        ],
        COMMANDS: runs,
        FAILED: failed,
        DECISIONS: _sentences(spoken, _DECISION),
        DENIED: [
            Line(short(f"{denial.tool}: {denial.reason or '-'}", _LINE_CHARS), (denial.seq,), f"{denial.seq}")
            for denial in state.denials
            if denial.seq <= last_seq
        ],
        OPEN: [
            Line(f"[{status or 'open'}] {text}", (state.plan_seq,), text)
            for text, status in state.plan
            if status.casefold() not in ("done", "completed", "cancelled")
        ],
        NEXT: _sentences(spoken[-1:], _NEXT)[-1:],
    }


def _goal(state: SessionState, last_seq: int, language: str) -> Iterable[Line]:
    if state.goal is None or state.goal.seq > last_seq:
        return
    yield Line(state.goal.text, (state.goal.seq,), "goal")
    if state.goal.seq < state.goal.latest_seq <= last_seq:
        yield Line(_LATEST[language].format(state.goal.latest_text), (state.goal.latest_seq,), "latest")


def _requests(atoms: Sequence[Atom], state: SessionState, language: str) -> Iterable[Line]:
    """What else the user asked for in the range: answered, since what is not answered is not in it."""
    told = {state.goal.seq, state.goal.latest_seq} if state.goal else set()
    for atom in atoms:
        message = atom.messages[0]
        if atom.kind == "user" and message.first_seq not in told and message.text.strip():
            text = short(" ".join(message.text.split()), _REQUEST_CHARS)
            yield Line(_ASKED[language].format(text), (message.first_seq,), str(message.first_seq))


def _runs(atoms: Sequence[Atom]) -> tuple[list[Line], list[Line]]:
    """(commands with their latest outcome, calls that failed and never passed later). One line for each command."""
    passed: dict[str, Line] = {}
    failed: dict[str, Line] = {}
    for atom in atoms:
        calls = {call.seq: call for message in atom.messages for call in message.calls}
        for message in atom.messages:
            call = calls.get(message.call_seq)
            if message.role != "tool" or call is None or message.denied:
                continue
            label, outcome = _label(call), _outcome(message)
            line = Line(f"{label} -> {outcome}" if outcome else label, (call.seq,), label)
            if message.is_error:
                passed.pop(label, None)
                failed[label] = line
            elif families.call_family(call.name, arguments_of(call)) in _RUNS:
                failed.pop(label, None)
                passed.pop(label, None)
                passed[label] = line
            else:
                failed.pop(label, None)
    return list(passed.values()), list(failed.values())


def _label(call: ToolCall) -> str:
    return families.call_label(call.name, arguments_of(call), _LINE_CHARS)


def _outcome(message: Message) -> str:
    """The line that tells how it ended; nothing where that line reads like an order."""
    line = verdict_line(message.text, _LINE_CHARS)
    return "" if isolation.scan(line) else isolation.neutralise(line)


def _sentences(messages: Sequence[Message], wanted: re.Pattern[str]) -> list[Line]:
    """Sentences of the model's own words that say why, or what comes next."""
    found: dict[str, Line] = {}
    for message in messages:
        for sentence in _SENTENCE.findall(head(message.text, 8_000)):
            text = " ".join(sentence.split()).lstrip("-*# ")
            if 20 <= len(text) <= 2 * _LINE_CHARS and wanted.search(text) and not isolation.scan(text):
                found[text] = Line(short(text, _LINE_CHARS), (message.first_seq,), text[:80])
    return list(found.values())


def _merged(section: str, earlier: Sequence[Line], fresh: Sequence[Line]) -> list[Line]:
    """The earlier summary's lines, then the new ones; what both tell stands once, as the newer tells it."""
    if section in (OPEN, NEXT):  # what was open then was done since, or is open still and stands among the new
        return list(fresh)
    told = {line.key or line.text for line in fresh}
    return [*(line for line in earlier if (line.key or line.text) not in told), *fresh]
