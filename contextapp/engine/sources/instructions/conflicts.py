"""Where instruction files of one request contradict each other, found by rule: the same key with another value, the same order
with and without a "not", and choices that exclude each other. Says it side by side and settles only front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contextapp.engine.front_matter import FrontMatter
from contextapp.engine.kept import Kept
from contextapp.engine.projection.constraints import readable_lines
from contextapp.engine.projection.instructions import BINDING_LISTS, front_of
from contextapp.engine.sources.instructions.actions import side_of
from contextapp.engine.sources.instructions.files import File

MOST_SHOWN = 20
VALUE_CHARS = 160

# Choices of which a project makes one. Said as a rule in one file and otherwise in another, they contradict each other.
_CHOICES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("indentation", (("tabs", r"\btabs?\b|制表符"), ("spaces", r"\bspaces?\b|空格"))),
    ("quotes", (("single quotes", r"\bsingle[- ]quotes?\b|单引号"), ("double quotes", r"\bdouble[- ]quotes?\b|双引号"))),
    ("package manager", tuple((name, rf"\b{name}\b") for name in ("npm", "yarn", "pnpm", "bun"))),
    ("python packages", tuple((name, rf"\b{name}\b") for name in ("pip", "poetry", "uv", "pipenv", "conda"))),
    ("test runner", tuple((name, rf"\b{name}\b") for name in ("pytest", "unittest", "jest", "vitest", "mocha"))),
    ("history", (("rebase", r"\brebas\w+\b"), ("merge commits", r"\bmerge commits?\b"))),
    ("language of answers", (
        ("English", r"\b(?:answer|respond|reply|speak)\b.*\bEnglish\b|用英[文语](?:回答|回复|交流|沟通)"),
        ("Chinese", r"\b(?:answer|respond|reply|speak)\b.*\bChinese\b|用中文(?:回答|回复|交流|沟通)"),
    )),
    ("default branch", tuple((name, rf"\bbranch\b.*\b{name}\b|\b{name}\b branch") for name in ("main", "master"))),
    ("names", (("camelCase", r"\bcamel[- ]?case\b"), ("snake_case", r"\bsnake[_ -]?case\b"))),
)  # fmt: skip
_PATTERNS = tuple(
    (topic, tuple((value, re.compile(pattern, re.I)) for value, pattern in values)) for topic, values in _CHOICES
)
_CHOOSES = re.compile(
    r"^(?:please\s+)?(?:always\s+|only\s+|must\s+)?(?:use|prefer|indent|write|run|install|name|quote|answer|respond|reply|branch)\b"
    r"|^(?:请)?(?:始终|一律|只|必须)?(?:使用|用|采用|缩进)"
    r"|^(?:indentation|quotes?|package manager|test runner|naming|缩进)\s*[:：]",
    re.I,
)
_REFUSES = re.compile(r"\b(?:not|never|don['’]?t|avoid|instead of|rather than|over)\b|不要|不用|禁止|而不是|而非", re.I)
_KEYED = re.compile(
    r"[*_`]{0,2}(?P<key>[A-Za-z][A-Za-z0-9 _-]{1,40}|[一-鿿]{2,12})[*_`]{0,2}\s*[:：]\s*(?P<value>\S.{0,120})"
)
_REMARKS = frozenset(
    {
        "note", "notes", "example", "examples", "see", "see also", "tip", "warning", "important", "todo",
        "注意", "例如", "提示", "重要",
    }
)  # fmt: skip
_FORBIDS = re.compile(
    r"^(?:please\s+)?(?:you\s+)?(?:do\s+not|don['’]?t|never|must\s+not|should\s+not|avoid)\s+(?P<rest>.+)$"
    r"|^(?:请)?(?:不要|禁止|不得|严禁|请勿)(?P<zh>.+)$",
    re.I,
)
_DEMANDS = re.compile(
    r"^(?:please\s+)?(?:you\s+)?(?:always|must|should|make\s+sure\s+to|be\s+sure\s+to)\s+(?P<rest>.+)$"
    r"|^(?:请)?(?:必须|务必|始终|一定要|要)(?P<zh>.+)$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Said:
    """What one file says on a topic: `value` to compare by, `text` to show."""

    file: File
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """`said`: weakest first, nearest last. `settled`: the last one wins by rule; otherwise both stand, the nearer is meant."""

    topic: str
    said: tuple[Said, ...]
    settled: bool

    def detail_for(self, file: File) -> str:
        """For the row of one of its files: with whom, on what, and who prevails."""
        others = ", ".join(entry.file.label for entry in self.said if entry.file != file)
        prevails = "settled for" if self.settled else "nearest is"
        return f"conflict on {self.topic} with {others}; {prevails} {self.said[-1].file.label}"


_topics: Kept[tuple[tuple[str, str, str], ...]] = Kept()


def conflicts_of(files: Sequence[File]) -> tuple[Conflict, ...]:
    """Between these files, weakest first; background files instruct nobody and contradict nobody."""
    instructing = [file for file in files if not file.is_background]
    return (*_of_front_matter(instructing), *_of_prose(instructing))


def _of_front_matter(files: Sequence[File]) -> Iterator[Conflict]:
    """The same scalar key: the stronger level wins. Lists add up and never contradict."""
    by_key: dict[str, list[Said]] = {}
    for file in files:
        for key, value in _scalars(front_of(file.text)[0]):
            by_key.setdefault(key, []).append(Said(file, value, value))
    for key, said in by_key.items():
        if len({entry.value for entry in said}) > 1:
            yield Conflict(key, tuple(said), settled=True)


def _scalars(front: FrontMatter) -> list[tuple[str, str]]:
    """Descriptions tell files apart and settle nothing."""
    names = {"name", "title", "description", *BINDING_LISTS}
    return [(key, value) for key, value in front.scalars.items() if key.casefold() not in names]


def _of_prose(files: Sequence[File]) -> Iterator[Conflict]:
    by_topic: dict[str, list[Said]] = {}
    for file in files:
        for topic, value, text in _topics_of(front_of(file.text)[0].body):
            by_topic.setdefault(topic, []).append(Said(file, value, text))
    for topic, said in by_topic.items():
        last: dict[int, Said] = {entry.file.event.seq: entry for entry in said}
        within = {(entry.file.event.seq, entry.value) for entry in said}
        is_of_one_mind = len(within) == len(last)  # a file that says both speaks of two cases, not of a choice
        if is_of_one_mind and len({entry.value for entry in last.values()}) > 1:
            yield Conflict(topic, tuple(last.values()), settled=False)


def _topics_of(body: str) -> tuple[tuple[str, str, str], ...]:
    return _topics.of(body, len(body), lambda: tuple(_topics_in(body)))


def _topics_in(body: str) -> Iterator[tuple[str, str, str]]:
    """(topic, value, line) of each line that takes a side."""
    for line in readable_lines(body):
        text = line if len(line) <= VALUE_CHARS else line[: VALUE_CHARS - 1] + "…"
        yield from ((topic, value, text) for topic, value in _sides(line))


def _sides(line: str) -> Iterator[tuple[str, str]]:
    act = side_of(line)
    if act:
        yield act
        return
    if _CHOOSES.search(line) and not _REFUSES.search(line):
        for topic, values in _PATTERNS:
            found = [value for value, pattern in values if pattern.search(line)]
            if len(found) == 1:
                yield topic, found[0]
                return
    keyed = _KEYED.fullmatch(line)
    if keyed and keyed["key"].strip().casefold() not in _REMARKS:
        yield keyed["key"].strip().casefold(), _plain(keyed["value"])
    elif forbids := _FORBIDS.match(line):
        yield f"“{_plain(forbids['rest'] or forbids['zh'])}”", "no"
    elif demands := _DEMANDS.match(line):
        yield f"“{_plain(demands['rest'] or demands['zh'])}”", "yes"


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" \t.。!！*`").split())


def shown(conflicts: Sequence[Conflict]) -> str:
    """The block that sets them side by side, nearest last."""
    lines = ["# Where instructions differ (weakest first; the last one of each holds)"]
    for conflict in conflicts[:MOST_SHOWN]:
        lines.append(f"{conflict.topic}:")
        lines += [f"- {entry.file.label}: {entry.text}" for entry in conflict.said]
    if len(conflicts) > MOST_SHOWN:
        lines.append(f"and {len(conflicts) - MOST_SHOWN} more")
    return "\n".join(lines)
