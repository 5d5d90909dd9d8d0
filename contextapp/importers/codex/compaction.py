"""A compaction: the history that took the place of everything before it, as the model got it. Summarises nothing itself."""

from __future__ import annotations

import json

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.codex.content import read_parts
from contextapp.importers.codex.messages import sort_parts
from contextapp.importers.codex.reading import Copy, Effect, Reading
from contextapp.importers.contract import Json
from contextapp.importers.identity import Fact

BY = "codex"
OPAQUE = frozenset({"compaction", "compaction_summary", "context_compaction"})


def read_compacted(payload: Json) -> Reading:
    """`replacement` keeps the new history message by message; `summary` is the same as one text. Instructions that Codex put in
    again come as instructions. Before there was a history, `message` was all that the rollout kept."""
    history = fields.items(payload, "replacement_history", path="payload.replacement_history")
    facts: list[Fact] = []
    entries: list[Json] = []
    for number, value in enumerate(history):
        path = f"payload.replacement_history[{number}]"
        item = fields.as_mapping(value, path)
        kind = fields.string(item, "type", path=f"{path}.type")
        role = fields.string(item, "role", path=f"{path}.role")
        if kind in OPAQUE:
            entries.append({"role": "compaction", "text": "", "redacted": True})
        elif kind != "message":
            entries.append({"role": kind, "text": json.dumps(item, ensure_ascii=False)})
        elif role == "assistant":
            entries.append({"role": role, "text": "\n\n".join(read_parts(item.get("content"), f"{path}.content")[0])})
        else:
            put_in, spoken = sort_parts(item, role, f"{path}.content")
            facts += put_in
            entries += [{"role": role, **_spoken(spoken)}] if spoken else []
    summary = "\n\n".join(str(entry["text"]) for entry in entries if entry["text"])
    summary = summary or fields.string(payload, "message", path="payload.message")
    compacted: Json = {"part": "whole" if summary.strip() else "boundary", "by": BY, "summary": summary}
    if history:
        compacted["replacement"] = entries
    return Reading((Fact(events.SESSION_COMPACTED, compacted), *facts), effect=Effect.COMPACTION)


def _spoken(fact: Fact) -> Json:
    return {name: value for name, value in fact.payload.items() if name in ("text", "media")}


def read_boundary(payload: Json) -> Reading:
    """Told again by an event; only where no history came with it does it stand alone."""
    fact = Fact(events.SESSION_COMPACTED, {"part": "boundary", "by": BY})
    return Reading((fact,), folded="repeated", effect=Effect.COMPACTION, copy=Copy.COMPACTION)
