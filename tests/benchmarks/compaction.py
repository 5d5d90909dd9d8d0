"""What a deterministic summary keeps of recorded sessions over 60,000 tokens: `python -m tests.benchmarks.compaction --json`.

Each session is summarised again and again as its log passes another 60,000 tokens, as if no harness had compacted it. Where
the transcript holds its own tool's summary, that one is held to the same questions at the same place.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from contextapp.engine import compaction
from contextapp.engine.compaction.summary import sections_of
from contextapp.engine.compaction.survival import duty, words_of
from contextapp.engine.events import SESSION_COMPACTED, TOOL_REQUESTED, USER_MESSAGE, Event
from contextapp.engine.projection.fold import Fold
from contextapp.engine.projection.payloads import payload_of, text_of
from contextapp.engine.projection.state import SessionState
from contextapp.engine.sources.relevance import identifiers
from contextapp.engine.tokens import weight
from tests.benchmarks import report
from tests.benchmarks.report import Limit, Options, progress
from tests.recorded import DATA, recorded

LIMITS: dict[str, Limit] = {
    "constraint_survival": ("=", 100),
    "file_survival": ("=", 100),
    "bigger_than_source": ("=", 0),
}
FOLDERS = ("claude_code", "codex_cli", "openai_chat", "openhands_v1", "openhands_v0", "swe_agent", "pi_agent")
EVERY_TOKENS = 60_000
QUICK_SESSIONS = 12
LATER_EVENTS = 400


@dataclass(slots=True)
class Found:
    sessions: int = 0
    compactions: int = 0
    before: int = 0
    after: int = 0
    constraints: list[bool] = field(default_factory=list)
    files: list[bool] = field(default_factory=list)
    identifiers: list[bool] = field(default_factory=list)
    bigger: int = 0
    taken_ms: list[float] = field(default_factory=list)
    their_after: list[int] = field(default_factory=list)
    their_constraints: list[bool] = field(default_factory=list)
    their_files: list[bool] = field(default_factory=list)
    our_constraints_there: list[bool] = field(default_factory=list)
    our_files_there: list[bool] = field(default_factory=list)
    our_after_there: list[int] = field(default_factory=list)


def measure(options: Options) -> dict[str, float]:
    found = Found()
    data = options.data or DATA
    for folder in FOLDERS:
        if (data / folder).is_dir():
            for name, events in recorded(folder, data):
                if options.quick and found.sessions >= QUICK_SESSIONS:
                    break
                if _session(events, found):
                    progress(f"{name}: {found.compactions} compactions so far")
    if not found.compactions:
        raise RuntimeError(
            f"no recorded session under {data} passed {EVERY_TOKENS} tokens; there is nothing to measure"
        )
    figures = {
        "sessions": float(found.sessions),
        "compactions": float(found.compactions),
        "tokens_before": float(found.before),
        "tokens_after": float(found.after),
        "saved_percent": round(100 - 100 * found.after / found.before, 1),
        "bigger_than_source": float(found.bigger),
        "summarise_ms_p50": report.median(found.taken_ms),
        "summarise_ms_p99": report.percentile(found.taken_ms, 99),
    }
    shares = {
        "constraint_survival": found.constraints,
        "file_survival": found.files,
        "identifier_visible": found.identifiers,
        "harness_constraint_survival": found.their_constraints,
        "harness_file_survival": found.their_files,
        "beside_harness_constraint_survival": found.our_constraints_there,
        "beside_harness_file_survival": found.our_files_there,
    }
    figures |= {name: round(100 * sum(held) / len(held), 2) for name, held in shares.items() if held}
    if found.their_after:
        figures["harness_summary_tokens_p50"] = report.median(found.their_after)
        figures["beside_harness_summary_tokens_p50"] = report.median(found.our_after_there)
    return figures


def _session(events: Sequence[Event], found: Found) -> bool:
    """True when it was long enough to be summarised."""
    own = [event for event in events if event.type != SESSION_COMPACTED]
    seen = found.compactions
    log: list[Event] = []  # as it would stand with our summaries, numbered anew
    fold, last = Fold(), 0
    for place, event in enumerate(own):
        event = replace(event, seq=len(log) + 1)
        log.append(event)
        fold.feed(event)
        if fold.state().weight - last >= EVERY_TOKENS:
            last = fold.state().weight
            summary = _summarised(fold.state(), log, own[place + 1 : place + 1 + LATER_EVENTS], found)
            if summary is not None:
                log.append(summary)
                fold.feed(summary)
    if found.compactions > seen:
        found.sessions += 1
        _beside(events, found)
    return found.compactions > seen


def _summarised(state: SessionState, log: Sequence[Event], later: Sequence[Event], found: Found) -> Event | None:
    mark = state.summary_mark
    since = log[mark.covers_to :] if mark else log
    started = time.perf_counter()
    made = compaction.plan(state, since)
    if not isinstance(made, compaction.Plan):
        return None
    earlier = sections_of(payload_of(made.earlier).get("sections")) if made.earlier else {}
    owed = duty(state, made.last_seq, [(name, line) for name, lines in earlier.items() for line in lines], since)
    summary = compaction.summarise(made, state, owed)
    fates = compaction.survival(summary, owed, state)
    found.taken_ms.append((time.perf_counter() - started) * 1000)
    text = summary.text()
    found.compactions += 1
    found.before += made.weight
    found.after += weight(text)
    found.bigger += weight(text) >= made.weight
    found.constraints += [fate.fate != "lost" for fate in fates if fate.kind == "constraint"]
    found.files += [fate.fate != "lost" for fate in fates if fate.kind == "file"]
    found.identifiers += _visible(made, text, log[made.last_seq :], later)
    payload = {
        "part": "whole", "summary": text, "covers": [1, made.last_seq], "trust": summary.trust.value,
        "sections": summary.to_dict(), "by": "deterministic",
    }  # fmt: skip
    return Event(len(log) + 1, SESSION_COMPACTED, payload)


def _visible(made: compaction.Plan, text: str, tail: Sequence[Event], later: Sequence[Event]) -> Iterator[bool]:
    """Of the identifiers that the range held and the session used again later: does the model still see each one?"""
    in_range = {name for atom in made.atoms for message in atom.messages for name in identifiers(_spoken(message))}
    used = {name for event in later for name in identifiers(_asked(event))} & in_range
    stays = text + "\n".join(_asked(event) or text_of(payload_of(event), "content") for event in tail)
    return (name in stays for name in sorted(used))


def _spoken(message: object) -> str:
    return " ".join((message.text, *(call.arguments for call in message.calls)))  # type: ignore[attr-defined]


def _asked(event: Event) -> str:
    """What the user or the model said or asked for."""
    if event.type == TOOL_REQUESTED:
        return str(payload_of(event).get("input"))
    return text_of(payload_of(event), "text") if event.type in (USER_MESSAGE, "model.message") else ""


def _beside(events: Sequence[Event], found: Found) -> None:
    """At each place where the harness wrote a summary: what of the same duty stands in its text, and in ours."""
    fold = Fold()
    log: list[Event] = []
    for event in events:
        summary = text_of(payload_of(event), "summary") if event.type == SESSION_COMPACTED else ""
        if not summary.strip():
            if event.type != SESSION_COMPACTED:
                renumbered = replace(event, seq=len(log) + 1)
                log.append(renumbered)
                fold.feed(renumbered)
            continue
        state = fold.state()
        made = compaction.plan(state, log)
        if not isinstance(made, compaction.Plan):
            continue
        owed = duty(state, made.last_seq, (), log)
        ours, theirs = compaction.summarise(made, state, owed).text(), " ".join(summary.split())
        found.their_after.append(weight(summary))
        found.our_after_there.append(weight(ours))
        plain = " ".join(ours.split())
        for line in owed.constraints:
            words = " ".join(words_of(line).split())
            found.their_constraints.append(words in theirs)
            found.our_constraints_there.append(words in plain)
        for line in owed.files:
            name = line.text.rsplit("/", 1)[-1]
            found.their_files.append(name in theirs)
            found.our_files_there.append(name in plain)


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("compaction", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
