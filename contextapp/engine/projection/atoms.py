"""Transcript messages and atoms as values. An atom is the smallest piece kept or dropped as a whole."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`slot` is the call's place in the log (`<seq>`): ids may be re-used, slots never."""

    call_id: str
    name: str
    arguments: str  # canonical JSON text
    seq: int


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the neutral transcript. `first_seq..last_seq` are the events it was joined from.

    role: user, assistant, tool, or summary (a compaction standing in for its range).
    """

    role: str
    text: str
    first_seq: int
    last_seq: int
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    call_id: str = ""  # of a tool message
    call_seq: int = 0  # the tool.requested it answers
    tool_name: str = ""
    is_error: bool = False
    denied: bool = False
    pending: bool = False
    artifact: str = ""  # sha256 of the whole content, when it is stored apart
    size_chars: int = 0  # of the whole content, when text is a part of it
    media: tuple[str, ...] = ()  # short descriptions: "image/png 120 KB 9f2c…"
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Atom:
    """Messages that go together, in log order. `kind`: user, assistant, call_group, denial (a call group of which a call was
    denied), summary."""

    kind: str
    messages: tuple[Message, ...]
    is_open: bool = False  # holds a call that still waits for its result

    @property
    def first_seq(self) -> int:
        return self.messages[0].first_seq

    @property
    def last_seq(self) -> int:
        return max(message.last_seq for message in self.messages)


@dataclass(frozen=True, slots=True)
class Refused:
    """An event that can't stand in a transcript, and the reason code for it."""

    first_seq: int
    last_seq: int
    kind: str
    reason: str
    text: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Transcript:
    """The repaired transcript of a range of events: no orphan call or result stands in `atoms`."""

    atoms: tuple[Atom, ...]
    refused: tuple[Refused, ...]
