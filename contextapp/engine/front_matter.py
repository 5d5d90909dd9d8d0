"""Front matter of an instruction file: simple scalars and lists between two `---` lines, read by one small strict rule set.

What it can't mean (nested mappings, block texts) is named as unread and stays in the file's text. Never guesses a type: every
scalar is text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from contextapp.engine.errors import InvalidInput
from contextapp.engine.observations.text import clean

MOST_LINES = 400
MOST_LINE_CHARS = 2_000
_KEY = re.compile(r"(?P<key>[A-Za-z_][A-Za-z0-9_.-]{0,63})[ \t]*:(?:[ \t]+(?P<value>\S.*)|[ \t]*)")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<item>\S.*)|[ \t]*)")
_COMMENT = re.compile(r"[ \t]*(?:#.*)?")
_TRAILING_COMMENT = re.compile(r"[ \t]+#.*$")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_PLAIN = re.compile(r"[^\s,\[\]{}\"'#&*!|>%@`][^,\[\]{}]*")
_PLAIN_SAFE = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./ -]*")
_UNREADABLE_VALUE = ("|", ">", "{", "&", "*", "!", "%", "@", "`")  # YAML that is more than a scalar or a list


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`unread`: keys whose values are more than this reader takes. `body`: the text behind the closing line."""

    scalars: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    body: str = ""


def normal(text: str) -> str:
    """The text without a byte order mark and with one kind of line end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read(text: str) -> FrontMatter:
    """The front matter and body of a text; a text without any is all body. InvalidInput where it breaks its own form."""
    lines = normal(text).split("\n")
    if lines[0].rstrip() != "---":
        return FrontMatter(body="\n".join(lines))
    end = next((place for place, line in enumerate(lines[1:], start=1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        if len(lines) > 1 and _KEY.fullmatch(lines[1][:MOST_LINE_CHARS]):
            raise InvalidInput(f"front matter begins with {lines[1][:80]!r} and never ends; close it with a line `---`")
        return FrontMatter(body="\n".join(lines))  # a ruler that happens to come first
    if end > MOST_LINES:
        raise InvalidInput(f"front matter of {end - 1} lines; at most {MOST_LINES} are read, move the rest to the body")
    entries = _Entries()
    for number, line in enumerate(lines[1:end], start=2):
        entries.take(line, number)
    return entries.made("\n".join(lines[end + 1 :]))


class _Entries:
    """Lines taken one by one; `_open` is the key whose list or nested value may go on."""

    def __init__(self) -> None:
        self._scalars: dict[str, str] = {}
        self._lists: dict[str, list[str]] = {}
        self._unread: list[str] = []
        self._open = ""

    def take(self, line: str, number: int) -> None:
        if len(line) > MOST_LINE_CHARS:
            raise InvalidInput(
                f"front matter line {number} has {len(line)} characters; at most {MOST_LINE_CHARS} are read"
            )
        if _COMMENT.fullmatch(line):
            return
        item = _ITEM.fullmatch(line)
        if item and self._open in self._lists:
            self._lists[self._open].append(_scalar(item["item"] or "", number))
        elif (item or line[0] in " \t") and self._open:
            self._give_up(self._open)
        elif found := _KEY.fullmatch(line):
            self._enter(found["key"], (found["value"] or "").rstrip(), number)
        else:
            raise InvalidInput(
                f"front matter line {number} is {line[:80]!r}; write `key: value` or `key:` and `- items`"
            )

    def _enter(self, key: str, value: str, number: int) -> None:
        if key in self._scalars or key in self._lists or key in self._unread:
            raise InvalidInput(f"front matter line {number} gives {key!r} again; keep one of them")
        self._open = key
        if not value or value.startswith("#"):
            self._lists[key] = []
        elif value.startswith("["):
            items = _inline(value)
            if items is None:
                self._unread.append(key)
            else:
                self._lists[key] = items
        elif value.startswith(_UNREADABLE_VALUE):
            self._unread.append(key)
        else:
            self._scalars[key] = _scalar(value, number)

    def _give_up(self, key: str) -> None:
        """The value goes on in a form that is not read: nothing of it counts."""
        self._scalars.pop(key, None)
        self._lists.pop(key, None)
        if key not in self._unread:
            self._unread.append(key)

    def made(self, body: str) -> FrontMatter:
        lists = {key: tuple(items) for key, items in self._lists.items()}
        return FrontMatter(dict(self._scalars), lists, tuple(self._unread), body)


def _scalar(text: str, number: int) -> str:
    quoted = _DOUBLE.match(text) or _SINGLE.match(text)
    if quoted:
        if not _COMMENT.fullmatch(text, quoted.end()):
            raise InvalidInput(
                f"front matter line {number} goes on behind the quoted {quoted[0][:80]}; quote all of it"
            )
        return _unquoted(quoted[0], number)
    if text[:1] in ('"', "'"):
        raise InvalidInput(f"front matter line {number} opens a quote in {text[:80]!r} and never closes it")
    return _TRAILING_COMMENT.sub("", text).rstrip()


def _unquoted(token: str, number: int) -> str:
    if token[0] == "'":
        return token[1:-1].replace("''", "'")
    try:
        return clean(str(json.loads(token, strict=False)))
    except ValueError as error:
        raise InvalidInput(f"front matter line {number} holds {token[:80]}, which no JSON text is") from error


def _inline(text: str) -> list[str] | None:
    """The items of `[a, "b"]`; None for a list that nests, runs on or can't be taken apart."""
    items: list[str] = []
    place = 1
    while True:
        place = _blank(text, place)
        if text[place : place + 1] == "]":
            return items if _COMMENT.fullmatch(text, place + 1) else None
        found = _DOUBLE.match(text, place) or _SINGLE.match(text, place) or _PLAIN.match(text, place)
        if found is None:
            return None
        token = found[0]
        try:
            items.append(_unquoted(token, 0) if token[0] in "\"'" else token.rstrip())
        except InvalidInput:
            return None
        place = _blank(text, found.end())
        if text[place : place + 1] == ",":
            place += 1
        elif text[place : place + 1] != "]":
            return None


def _blank(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\t"):
        place += 1
    return place


def write(front: FrontMatter) -> str:
    """The text that `read` takes back to the same scalars, lists and body; what was unread is not in it."""
    lines = ["---"]
    lines += [f"{key}: {_written(value)}" for key, value in front.scalars.items()]
    for key, items in front.lists.items():
        lines += [f"{key}:", *(f"  - {_written(item)}" for item in items)]
    return "\n".join([*lines, "---", front.body])


def _written(value: str) -> str:
    return value if _PLAIN_SAFE.fullmatch(value) and value == value.strip() else json.dumps(value)
