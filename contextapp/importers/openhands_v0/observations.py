"""Observations of an OpenHands V0 history to facts. An observation belongs to the action that it names as its cause."""

from __future__ import annotations

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Json
from contextapp.importers.conversation import Said, instruction, unknown
from contextapp.importers.identity import Fact
from contextapp.importers.openhands_v0.actions import denied, included
from contextapp.importers.openhands_v0.shapes import call_id_of

_NOTHING = {"null": "no_observation", "condense": "condensation_note"}
_RESULTS = frozenset(
    {
        "run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "mcp", "think", "delegate", "chat",
        "success", "task_tracking", "download",
    }
)  # fmt: skip
# States in which the agent waits for a person or is over.
_RESTS = frozenset({"awaiting_user_input", "finished", "stopped", "rejected", "error", "paused", "rate_limited"})


def read_observation(event: Json, native: str, cause: str, had_prompt: bool) -> Said:
    """`cause` is the call that this answers, or "" when it answers none."""
    at = fields.moment(event, "timestamp")
    name = fields.required_string(event, "observation")
    extras = fields.mapping(event, "extras") or {}
    if name in _NOTHING:
        return Said(folded=_NOTHING[name], at=at)
    if name == "agent_state_changed":
        state = fields.string(extras, "agent_state", path="extras.agent_state")
        rests = had_prompt and state in _RESTS
        return Said(
            (Fact(events.TURN_COMPLETED, {"stop_reason": state}),) if rests else (), folded="agent_state", at=at
        )
    if name == "recall":
        return Said(_recalled(extras, native), folded="nothing_recalled", at=at)
    call_id = call_id_of(event) or cause
    text = fields.string(event, "content") or fields.string(event, "message")
    if name == "user_rejected" and call_id:
        return Said((denied(call_id, text), answers.result(call_id, text, is_error=True)), at=at)
    if call_id and (name in _RESULTS or name == "error" or call_id_of(event)):
        return Said(_result(event, name, extras, call_id), at=at)
    if name in ("error", "user_rejected"):
        return Said((included("harness_error", "error of the harness", text, native),), at=at)
    if name in _RESULTS:
        return Said((included("user_action", f"result of {name}", text, native, by="user"),), at=at)
    return Said((unknown(f"observation/{name}", event),), at=at)


def _result(event: Json, name: str, extras: Json, call_id: str) -> tuple[Fact, ...]:
    metadata = fields.mapping(extras, "metadata", path="extras.metadata") or {}
    parts = [fields.string(metadata, "prefix"), fields.string(event, "content"), fields.string(metadata, "suffix")]
    code = metadata.get("exit_code", extras.get("exit_code"))
    is_code = isinstance(code, int) and not isinstance(code, bool) and code != -1  # -1: still running, or not known
    failed = name == "error" or event.get("success") is False
    pictures = [url for url in fields.items(extras, "image_urls", path="extras.image_urls") if isinstance(url, str)]
    shot = extras.get("screenshot")
    if isinstance(shot, str) and shot:
        pictures.append(shot)
    result = answers.result(
        call_id,
        "".join(parts),
        is_error=failed,
        exit_code=code if is_code else None,
        media=[media.from_url(url, "image/unknown") if ":" in url[:12] else _shot(url) for url in pictures],
    )
    return (result, *_changed(event, name, extras, call_id, failed))


def _shot(data: str) -> Json:
    return media.from_base64(data, "image/png")


def _changed(event: Json, name: str, extras: Json, call_id: str, failed: bool) -> tuple[Fact, ...]:
    path = extras.get("path")
    refused = fields.string(event, "content").startswith(("ERROR", "[File not found"))
    if name not in ("edit", "write") or failed or refused or not isinstance(path, str) or not path:
        return ()
    is_new = extras.get("prev_exist") is False and not extras.get("old_content")
    payload = {"path": path, "operation": "created" if is_new else "edited", "call_id": call_id}
    return (Fact(events.FILE_CHANGED, payload),)


def _recalled(extras: Json, native: str) -> tuple[Fact, ...]:
    """What the harness put beside the user's message: instructions of the repository, and knowledge it thought would fit."""
    facts: list[Fact] = []
    for name in ("repo_instructions", "additional_agent_instructions", "conversation_instructions"):
        if text := fields.string(extras, name, path=f"extras.{name}"):
            facts.append(instruction(text, name, "project"))
    knowledge = fields.items(extras, "microagent_knowledge", path="extras.microagent_knowledge")
    for number, value in enumerate(knowledge):
        place = f"extras.microagent_knowledge[{number}]"
        agent = fields.as_mapping(value, place)
        title = fields.string(agent, "name", path=f"{place}.name")
        text = fields.string(agent, "content", path=f"{place}.content")
        facts.append(included("microagent", title, text, f"{native}:{number}"))
    return tuple(facts)
