"""Messages of a rollout: what a person typed, what the model answered, and what Codex said in either's place."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.codex.content import read_parts
from contextapp.importers.codex.injected import injected_fact, notice
from contextapp.importers.codex.reading import Effect, Reading
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.identity import Fact

_ROLES = ("user", "developer", "system", "assistant")


def read_message(item: Json) -> Reading:
    role = fields.required_string(item, "role", path="payload.role")
    if role not in _ROLES:
        detail = f"{role[:60]!r} is none of {', '.join(_ROLES)}"
        raise UnfitLine("unknown_role", field="payload.role", detail=detail)
    if role == "assistant":
        return _answer(item)
    facts, spoken = sort_parts(item, role, "payload.content")
    if spoken is not None:
        text = str(spoken.payload["text"])
        return Reading((*facts, spoken), effect=Effect.PROMPT, said=(text,), title=text)
    said = tuple(str(fact.payload["text"]) for fact in facts if fact.type == events.INSTRUCTIONS_LOADED)
    return Reading(tuple(facts), folded="empty_message", said=said)


def sort_parts(item: Json, role: str, path: str) -> tuple[list[Fact], Fact | None]:
    """What Codex put in, part by part, and the person's words of the rest as one message."""
    record_id = fields.string(item, "id", path="payload.id")
    texts, pictures = read_parts(item.get("content"), path)
    facts: list[Fact] = []
    own: list[str] = []
    for text in texts:
        fact = injected_fact(text, role, record_id)
        if fact is not None:
            facts.append(fact)
        elif text.strip():
            own.append(text)
    if not own and not pictures:
        return facts, None
    payload: Json = {"text": "\n\n".join(own), "message_id": record_id}
    return facts, Fact(events.USER_MESSAGE, payload | ({"media": pictures} if pictures else {}))


def _answer(item: Json) -> Reading:
    texts, pictures = read_parts(item.get("content"), "payload.content")
    if not texts and not pictures:
        return Reading(folded="empty_message")
    payload: Json = {"message_id": "", "text": "\n\n".join(texts), "model": ""}
    for name in ("phase",):
        if value := fields.string(item, name, path=f"payload.{name}"):
            payload[name] = value
    return Reading((Fact(events.MODEL_MESSAGE, payload),), effect=Effect.ANSWER)


def read_reasoning(item: Json) -> Reading:
    """The summary, and the thought itself where it is not encrypted."""
    texts = [text for name in ("summary", "content") for text in read_parts(item.get(name), f"payload.{name}")[0]]
    text = "\n\n".join(texts)
    payload = {"message_id": "", "text": text, "model": "", "redacted": not text}
    return Reading((Fact(events.MODEL_THINKING, payload),), effect=Effect.ANSWER)


def read_agent_message(item: Json) -> Reading:
    """What one agent of a team told another: it enters the window, and nobody vouches for it."""
    texts, _ = read_parts(item.get("content"), "payload.content")
    author = fields.string(item, "author", path="payload.author")
    record_id = fields.string(item, "id", path="payload.id")
    title = f"message from {author}" if author else "agent message"
    return Reading((notice("agent_message", "\n\n".join(texts), record_id, title=title),))
