"""Records of type `user`: what a person typed, what tools answered, and what the harness said in the user's place."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.claude_code.assistant import content_blocks
from contextapp.importers.claude_code.harness_text import command_line, harness_kind, resource, split_reminders
from contextapp.importers.claude_code.reading import Calls, Reading, TitleRank, first_line
from contextapp.importers.claude_code.results import result_facts
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

_INTERRUPTED = "[Request interrupted by user"
_EMPTY = "empty_message"


def read_user(record: Json, calls: Calls) -> Reading:
    message = fields.required_mapping(record, "message")
    blocks = content_blocks(message)
    if fields.flag(record, "isCompactSummary"):
        return _read_summary(blocks)
    record_id = fields.string(record, "uuid")
    facts: list[Fact] = []
    closed: list[str] = []
    prompt = _Prompt(record_id)
    ends_turn = False
    results = sum(block.get("type") == "tool_result" for block in blocks)
    structured = record.get("toolUseResult") if results == 1 else None
    for number, block in enumerate(blocks):
        path = f"message.content[{number}]"
        kind = fields.required_string(block, "type", path=f"{path}.type")
        if kind == "tool_result":
            made = result_facts(block, structured, calls, path, f"{record_id}:{number}")
            facts += made
            closed += [fact.payload["call_id"] for fact in made if fact.type == events.TOOL_COMPLETED]
        elif kind == "text":
            text = fields.string(block, "text", path=f"{path}.text")
            if text.startswith(_INTERRUPTED):
                ends_turn = True
                facts += [resource("interrupt", text, title=text.strip("[]"), record_id=record_id), _interrupted()]
            else:
                facts += prompt.sort_text(text, record)
        elif kind in ("image", "document"):
            prompt.pictures.append(media.from_anthropic(block))
        else:
            facts.append(Fact(events.IMPORT_UNKNOWN, {"record_type": f"user/{kind}", "record": block}, "audit"))
    spoken = prompt.fact()
    if spoken:
        facts.append(spoken)
    starts = spoken is not None and not results and not fields.flag(record, "isMeta")
    return Reading(
        tuple(facts),
        folded=_EMPTY,
        starts_turn=starts,
        ends_turn=ends_turn,
        closed=tuple(closed),
        title=prompt.title(),
        title_rank=prompt.rank() if starts or prompt.command else TitleRank.NONE,
    )


class _Prompt:
    """The person's own words of one record, gathered from its blocks; the rest of its texts leave as harness resources."""

    def __init__(self, record_id: str) -> None:
        self.record_id = record_id
        self.texts: list[str] = []
        self.pictures: list[Json] = []
        self.command = ""

    def sort_text(self, text: str, record: Json) -> list[Fact]:
        facts = []
        for part, is_reminder in split_reminders(text):
            kind = "system_reminder" if is_reminder else harness_kind(part, record)
            if not kind:
                self.texts.append(part)
                continue
            fact = resource(kind, part, record_id=self.record_id)
            if kind == "slash_command":
                self.command = self.command or command_line(text)
            facts.append(fact)
        return facts

    def fact(self) -> Fact | None:
        if not self.texts and not self.pictures:
            return None
        payload: Json = {"text": "\n\n".join(self.texts), "message_id": self.record_id}
        if self.pictures:
            payload["media"] = self.pictures
        return Fact(events.USER_MESSAGE, payload)

    def title(self) -> str:
        return next(filter(None, map(first_line, self.texts)), self.command)

    def rank(self) -> TitleRank:
        if self.texts:
            return TitleRank.PROMPT
        return TitleRank.COMMAND_WITH_WORDS if " " in self.command else TitleRank.COMMAND


def _read_summary(blocks: list[Json]) -> Reading:
    text = "\n\n".join(fields.string(block, "text") for block in blocks if block.get("type") == "text")
    payload = {"part": "summary", "summary": text, "by": "claude-code"}
    return Reading((Fact(events.SESSION_COMPACTED, payload),))


def _interrupted() -> Fact:
    return Fact(events.TURN_COMPLETED, {"stop_reason": "interrupted"})
