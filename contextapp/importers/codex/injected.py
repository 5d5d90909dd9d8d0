"""Texts that Codex put into messages: instructions that hold at every request, and notices. Never takes them for a person's
words, nor words for them: only the marks that Codex itself writes are known."""

from __future__ import annotations

import re

from contextapp.engine.events import INSTRUCTIONS_LOADED, RESOURCE_INCLUDED
from contextapp.importers.identity import Fact, content_hash

_TAG = re.compile(r"\s*<([A-Za-z][A-Za-z_-]*(?: instructions)?)(?: [^<>]*)?>")
_AGENTS = re.compile(r"\s*# AGENTS\.md instructions(?: for (?P<folder>[^\n]+))?")
_STANDING = frozenset(
    {
        "environment_context", "user_instructions", "INSTRUCTIONS", "permissions instructions", "collaboration_mode",
        "recommended_plugins", "plugins_instructions", "skills_instructions", "apps_instructions", "app-context",
        "multi_agent_mode", "personality_spec", "model_switch", "realtime_conversation", "environments_instructions",
    }
)  # fmt: skip
_NOTICES = {
    "subagent_notification": "subagent_notification",
    "turn_aborted": "interrupt",
    "user_action": "review",
    "user_shell_command": "user_shell",
    "skill": "skill",
    "hook_prompt": "hook_feedback",
}


def injected_fact(text: str, role: str, record_id: str) -> Fact | None:
    """The fact of a text that Codex wrote; None for a person's own words."""
    if found := _AGENTS.match(text):
        folder = (found["folder"] or "").strip()
        return instruction(text, "project", "AGENTS.md", path=f"{folder.rstrip('/')}/AGENTS.md" if folder else "")
    tag = found[1] if (found := _TAG.match(text)) else ""
    if role in ("developer", "system"):
        return instruction(text, "global", tag or f"{role} message {content_hash(text)[:8]}")
    if tag in _STANDING:
        return instruction(text, "project", tag)
    return notice(_NOTICES[tag], text, record_id) if tag in _NOTICES else None


def instruction(text: str, level: str, name: str, *, path: str = "") -> Fact:
    payload = {"id": f"{level}:{path or name}", "level": level, "name": name, "path": path, "text": text}
    return Fact(INSTRUCTIONS_LOADED, payload)


def notice(kind: str, text: str, record_id: str, *, title: str = "", visibility: str = "model") -> Fact:
    named = title or kind.replace("_", " ")
    payload = {"id": record_id, "kind": kind, "title": named, "text": text, "by": "harness"}
    return Fact(RESOURCE_INCLUDED, payload, visibility)
