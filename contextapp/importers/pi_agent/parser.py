"""Walks a pi session, entry by entry. In a branched file the entries older than its head are the parent's: they are told as
copies, and their bills are shown and not added up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.heads import begun_values
from contextapp.importers.identity import Fact, safe_key
from contextapp.importers.pi_agent.entries import read_entry
from contextapp.importers.walking import Item, walk

FORMAT_NAME = "pi_agent"
_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution"})


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


def recognise(head: bytes, name: str) -> bool:
    return any(_is_head(value) or _is_entry(value) for value in begun_values(head)[:5])


def _is_head(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session" and {"id", "cwd", "timestamp"} <= value.keys()


def _is_entry(value: Any) -> bool:
    message = value.get("message") if isinstance(value, dict) and value.get("type") == "message" else None
    return (
        isinstance(message, dict)
        and str(message.get("role")) in _ROLES
        and {"api", "toolCallId"} & message.keys() != set()
    )


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name
        self._conversation: Conversation | None = None
        self._branched_at: datetime | None = None
        self._natives: list[str] = []  # of entries, "" for those that a compaction can't name as its last
        self._paths: dict[str, str] = {}  # call -> the path it names, until its result

    def skip(self) -> None:
        self._natives.append("")

    def items(self, value: Any, place: str) -> Iterator[Item]:
        for entry in value if isinstance(value, list) else [value]:
            yield self._item(entry)

    def _item(self, entry: Any) -> Item:
        native = self._name(entry)
        conversation = self._of(entry)
        if not isinstance(entry, dict):
            return Item(entry, native, conversation, partial(_unfit, entry))
        if _is_head(entry):
            return Item(entry, native, conversation, partial(_head, entry))
        read = partial(read_entry, entry, native, self._through(entry), self._changed(entry))
        if self._branched_at is not None:
            return Item(entry, native, conversation, partial(_copied, read, self._branched_at))
        return Item(entry, native, conversation, read)

    def _name(self, entry: Any) -> str:
        given = entry.get("id") if isinstance(entry, dict) and not _is_head(entry) else None
        native = given if isinstance(given, str) and given else f"place:{len(self._natives)}"
        is_told = isinstance(entry, dict) and entry.get("type") in ("message", "compaction")
        self._natives.append(native if is_told else "")
        return native

    def _of(self, entry: Any) -> Conversation:
        if self._conversation is None:
            native = str(entry["id"]) if _is_head(entry) else ""
            key = f"{FORMAT_NAME}:{safe_key(native)}" if native else file_key(FORMAT_NAME, self._source)
            created: Json = {"agent": "pi"}
            if _is_head(entry):
                parent = entry.get("branchedFrom") or entry.get("parentSession")
                if isinstance(parent, str) and parent:
                    created["branched_from"] = parent
                    self._branched_at = _moment(entry)
            head = SessionHead(key=key, native_id=native or key, agent="pi")
            self._conversation = Conversation(format_name=FORMAT_NAME, head=head, created=created, has_ids=True)
        return self._conversation

    def _through(self, entry: Json) -> str:
        """The last entry before the first that is kept: by its number among the entries, or by its id."""
        if entry.get("type") != "compaction":
            return ""
        kept = entry.get("firstKeptEntryIndex")
        if not isinstance(kept, int) or isinstance(kept, bool):
            named = entry.get("firstKeptEntryId")
            kept = self._natives.index(named) if isinstance(named, str) and named in self._natives else 0
        return next((native for native in reversed(self._natives[: max(kept, 0)]) if native), "")

    def _changed(self, entry: Json) -> str:
        message = entry.get("message")
        if not isinstance(message, dict):
            return ""
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            arguments = part.get("arguments") if isinstance(part, dict) else None
            if isinstance(arguments, dict) and isinstance(arguments.get("path"), str):
                self._paths[str(part.get("id"))] = arguments["path"]
        return self._paths.pop(str(message.get("toolCallId")), "")


def _moment(entry: Json) -> datetime | None:
    try:
        return fields.moment(entry, "timestamp")
    except UnfitLine:  # the reading of the head says so
        return None


def _unfit(value: Any) -> Said:
    raise UnfitLine("wrong_type", detail=f"expected an entry, found {kind_of(value)}")


def _head(entry: Json) -> Said:
    told = (("cwd", fields.string(entry, "cwd")), ("model", fields.string(entry, "modelId")))
    return Said(folded="head", at=fields.moment(entry, "timestamp"), told=told)


def _copied(read: partial[Said], branched_at: datetime) -> Said:
    said = read()
    if said.at is None or said.at >= branched_at:
        return said
    return replace(said, facts=tuple(_copy(fact) for fact in said.facts))


def _copy(fact: Fact) -> Fact:
    more: Json = {"copied": True}
    if fact.type == events.USAGE_REPORTED:
        more["quality"] = "cumulative"
    return replace(fact, payload=fact.payload | more)


FORMAT = Format(
    name=FORMAT_NAME,
    label="pi",
    looked_for='a pi session (a line of type "session" with "id" and "cwd", then entries)',
    recognise=recognise,
    parse=parse,
)
