"""Stable facts that commands show: the package manager, and the command that runs the tests. Only commands that succeeded, and
more than once, say what a project does."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from contextapp.engine import events as kinds
from contextapp.engine.events import Event
from contextapp.engine.observations.families import tool_family
from contextapp.memory.extracting.contract import Found, Place

TIMES = 2  # once is an attempt
MOST_PLACES = 4
_MANAGERS = {
    "pnpm": ("install", "add", "i", "run", "test"),
    "yarn": ("install", "add", "run", "test"),
    "npm": ("install", "ci", "i", "run", "test"),
    "bun": ("install", "add", "run", "test"),
    "uv": ("sync", "add", "run", "pip", "lock"),
    "poetry": ("install", "add", "run", "lock"),
    "pipenv": ("install", "run", "lock"),
    "pip": ("install",),
    "cargo": ("build", "test", "add", "run"),
    "go": ("build", "test", "mod", "get"),
    "bundle": ("install", "exec"),
    "composer": ("install", "require"),
}
_TESTS = re.compile(
    r"^(?:(?:uv|poetry|pipenv)\s+run\s+)?(?:python3?\s+-m\s+)?pytest\b|^(?:pnpm|npm|yarn|bun)\s+(?:run\s+)?test\b|"
    r"^(?:make|just|task)\s+(?:test|check)\b|^(?:npx\s+)?(?:vitest|jest|mocha)\b|^cargo\s+(?:nextest|test)\b|^go\s+test\b|"
    r"^(?:\./)?gradlew?\s+test\b|^mvn\s+(?:\S+\s+)*test\b|^bundle\s+exec\s+rspec\b|^phpunit\b|^tox\b|^nox\b",
)


@dataclass(slots=True)
class _Seen:
    """Calls by the fact they show."""

    places: dict[str, list[int]] = field(default_factory=dict)

    def add(self, what: str, seq: int) -> None:
        self.places.setdefault(what, []).append(seq)

    def most(self) -> tuple[str, list[int]] | None:
        """What was shown most, the earliest of equal ones; None below TIMES."""
        best = max(self.places.items(), key=lambda entry: (len(entry[1]), -entry[1][0]), default=None)
        return best if best is not None and len(best[1]) >= TIMES else None


class Facts:
    name = "extractor:facts"

    def extract(self, events: Sequence[Event]) -> tuple[Found, ...]:
        managers, tests = _Seen(), _Seen()
        for seq, command in _succeeded(events):
            if (manager := _manager(command)) is not None:
                managers.add(manager, seq)
            if (test := _test(command)) is not None:
                tests.add(test, seq)
        found = []
        if (shown := managers.most()) is not None:
            found.append(_found(f"The package manager is {shown[0]}.", "package_manager", shown))
        if (shown := tests.most()) is not None:
            found.append(_found(f"Tests run with `{shown[0]}`.", "test_command", shown))
        return tuple(found)


def _found(claim: str, key: str, shown: tuple[str, list[int]]) -> Found:
    places = tuple(Place(seq, "input.command") for seq in shown[1][-MOST_PLACES:])
    return Found(claim, "fact", "repeated", places, conflict_key=key, value=shown[0])


def _succeeded(events: Sequence[Event]) -> Iterator[tuple[int, str]]:
    """(seq of the call, one simple command of it) for commands whose result was no error."""
    asked: dict[str, tuple[int, str]] = {}
    for event in events:
        payload = event.payload
        if event.type == kinds.TOOL_REQUESTED and tool_family(str(payload.get("name", ""))) == "command":
            given = payload.get("input")
            command = given.get("command") if isinstance(given, dict) else None
            if isinstance(command, str) and isinstance(payload.get("call_id"), str):
                asked[payload["call_id"]] = (event.seq, command)
        elif event.type == kinds.TOOL_COMPLETED and payload.get("call_id") in asked:
            seq, command = asked.pop(payload["call_id"])
            if not payload.get("is_error") and payload.get("exit_code") in (0, None) and not payload.get("pending"):
                yield from ((seq, part) for part in _parts(command))


def _parts(command: str) -> Iterator[str]:
    """The simple commands of a line, without what they are piped into."""
    for part in re.split(r"&&|;|\n", command):
        yield part.split("|")[0].split(">")[0].strip()


def _manager(command: str) -> str | None:
    try:
        words = shlex.split(command)
    except ValueError:
        return None  # quotes that do not close: no simple command
    if len(words) < 2 or words[0] not in _MANAGERS or words[1] not in _MANAGERS[words[0]]:
        return None
    return words[0]


def _test(command: str) -> str | None:
    """The command that runs all tests: without the names of single ones."""
    match = _TESTS.match(command)
    return None if match is None else " ".join(match.group().split())
