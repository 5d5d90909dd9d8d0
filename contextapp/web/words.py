"""The words and signs of recorded values on the pages, in the reader's language. A value of a newer engine shows as it is."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from contextapp.engine import reasons

Words = Mapping[str, str | Promise]

BUCKETS: Words = {
    "instructions": _("instructions"),
    "memory": _("memory"),
    "tool_schemas": _("tool schemas"),
    "mcp_resources": _("MCP resources"),
    "transcript": _("transcript"),
    "reserve": _("reserve"),
    "overhead": _("overhead"),
    "margin": _("margin"),
    "preamble": _("preamble"),
    "correction": _("counting correction"),
    "unexplained": _("unexplained"),
}
# One letter beside each pattern, so that neither colour nor pattern is ever the only sign.
LETTERS: Mapping[str, str] = {
    "instructions": "I",
    "memory": "M",
    "tool_schemas": "T",
    "mcp_resources": "R",
    "transcript": "S",
    "reserve": "V",
    "overhead": "o",
    "margin": "g",
    "preamble": "p",
    "correction": "c",
    "unexplained": "u",
}
MARKS: Words = {
    "compaction": _("compaction"),
    "overflow": _("overflow"),
    "denial": _("denial"),
    "injection": _("injection"),
    "error": _("error"),
}
MODES: Words = {
    "full": _("full"),
    "excerpt": _("excerpt"),
    "summary": _("summary"),
    "reference": _("reference"),
    "none": _("excluded"),
}
SIGNS: Mapping[str, str] = {"full": "■", "excerpt": "◧", "summary": "▨", "reference": "▢", "none": "×"}
TRUSTS: Words = {"trusted": _("trusted"), "fact": _("fact"), "untrusted": _("untrusted")}
PHASES: Words = {
    "diagnosing": _("diagnosing"),
    "planning": _("planning"),
    "editing": _("editing"),
    "verifying": _("verifying"),
    "summarizing": _("summarizing"),
    "blocked": _("blocked"),
}
ORIGINS: Words = {"built": _("built"), "observed": _("observed"), "simulated": _("simulated")}
ROLES: Words = {
    "system": _("system"),
    "user": _("user"),
    "assistant": _("assistant"),
    "tool": _("tool"),
    "summary": _("summary"),
}
CONSTRAINT_KINDS: Words = {
    "prohibition": _("prohibition"),
    "approval": _("needs approval"),
    "verification": _("needs verification"),
    "preference": _("preference"),
}
# Kinds of sources and parts of a request: an open set, of which these are known.
SOURCE_KINDS: Words = {
    "assistant_message": _("assistant message"),
    "constraint": _("constraint"),
    "denial": _("denial"),
    "evidence": _("evidence"),
    "goal": _("goal"),
    "instruction": _("instruction"),
    "instructions": _("instructions"),
    "memory": _("memory"),
    "resource": _("resource"),
    "resources": _("resources"),
    "safety": _("safety policy"),
    "search": _("search result"),
    "state": _("state block"),
    "summary": _("summary"),
    "system_prompt": _("system prompt"),
    "thinking": _("thinking"),
    "tool": _("tool"),
    "tool_result": _("tool result"),
    "tool_schemas": _("tool schemas"),
    "tools": _("tools"),
    "trailing": _("trailing block"),
    "transcript": _("transcript"),
    "user_message": _("user message"),
}
STATUSES: Words = {
    "pending": _("pending"),
    "in_progress": _("in progress"),
    "completed": _("completed"),
    "cancelled": _("cancelled"),
}
ITEM_KINDS: Words = {
    "user": _("user"),
    "assistant": _("assistant"),
    "thinking": _("thinking"),
    "call": _("call"),
    "result": _("result of an earlier call"),
    "denial": _("denied"),
    "compaction": _("compaction"),
    "resource": _("resource"),
    "instructions": _("instructions"),
    "tools": _("tools"),
    "constraint": _("constraint"),
    "retrieval": _("retrieval"),
    "error": _("error"),
    "redacted": _("erased"),
    "unknown": _("unknown event"),
}
WAYS_OUT: Words = {
    "compact_history": _("compact the older history"),
    "lend_unused": _("let buckets lend what they do not use"),
    "raise_bucket": _("raise the bucket's share in the policy"),
    "shorten_instructions": _("shorten the instructions"),
    "shorten_message": _("shorten the message"),
    "shorten_floor": _("shorten what must be there at every call"),
    "larger_window": _("use a model with a larger window"),
}
VERDICTS: Words = {
    "verified": _("Verified"),
    "unanchored": _("Under no checkpoint"),
    "tampered": _("Tampered with"),
    "diverged": _("Diverged from what was signed"),
}
# What each kind of job does. A test holds it against the kinds that the apps register.
JOB_KINDS: Words = {
    "compaction.compact": _("Compact a session"),
    "memory.embed": _("Embed memory records"),
    "contexts.counterfactual": _("Measure the effect of a memory record"),
    "contexts.index_session": _("Rebuild turns and steps of a session"),
    "contexts.simulate_session": _("Simulate every step of a session"),
    "eventlog.checkpoint": _("Sign a checkpoint of the log"),
    "eventlog.derive": _("Read a session for search"),
    "eventlog.retention": _("Erase what is kept no longer"),
    "eventlog.verify": _("Verify the log"),
    "import.run": _("Import transcripts"),
    "memory.age": _("Let memory expire"),
    "memory.extract": _("Look for memory in a session"),
    "memory.take_proposals": _("Take memory proposals of a session"),
}


def word(table: Words, value: str) -> str:
    return str(table.get(value, value.replace("_", " ")))


def sentence(reason: str) -> str:
    """The reason's sentence in the language of the page."""
    return reasons.sentence(reason, get_language() or "en")
