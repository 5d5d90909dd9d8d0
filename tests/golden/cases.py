"""Golden cases: a folder with a log and a setting, and the request and ledger they come to. Judges nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from contextapp.engine.builder import build
from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs, Built, MemoryRevision, ModelProfile
from contextapp.engine.policy import Policy
from contextapp.engine.projection.fold import project
from contextapp.engine.request import openai
from contextapp.engine.tokens import TiktokenCounter

FOLDER = Path(__file__).parent
CASES = sorted(path.parent.name for path in FOLDER.glob("*/events.jsonl"))
SECRET = b"golden cases share one secret"


def made(case: str) -> dict[str, str]:
    """The text of request.json and ledger.json as the engine makes them now."""
    built = built_of(case)
    ledger = {"header": built.header, "ledger": built.ledger.to_dict(), "overflow": _overflow(built)}
    body = openai.render(built.request) if built.request else None
    return {"request.json": _json({"sha256": built.request_sha256, "body": body}), "ledger.json": _json(ledger)}


def built_of(case: str) -> Built:
    inputs, policy = loaded(case)
    return build(inputs, policy, TiktokenCounter(inputs.profile.tokenizer))


def loaded(case: str) -> tuple[BuildInputs, Policy]:
    folder = FOLDER / case
    lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    events = tuple(Event(**json.loads(line)) for line in lines)
    setting = json.loads((folder / "policy.json").read_text(encoding="utf-8"))
    state = project(events)
    inputs = BuildInputs(
        project_id="golden",
        session_id=case,
        step=state.step + 1,
        turn=state.turn,
        state=state,
        events=events,
        memory=tuple(MemoryRevision(**revision) for revision in setting["memory"]),
        profile=ModelProfile(**setting["profile"]),
        fence_secret=SECRET,
        as_of=setting["as_of"],
        workspace_root=setting["workspace_root"],
    )
    return inputs, Policy.from_dict(setting["policy"])


def kept(case: str, name: str) -> str:
    return (FOLDER / case / name).read_text(encoding="utf-8")


def _overflow(built: Built) -> dict[str, Any] | None:
    if built.overflow is None:
        return None
    found = built.overflow
    return {
        "kind": found.kind,
        "bucket": found.bucket,
        "required": found.required_tokens,
        "available": found.available_tokens,
        "floor": found.floor_tokens,
        "free": found.free_tokens,
        "waysOut": [[way.action, way.bucket, way.tokens] for way in found.ways_out],
        "sources": list(found.sources),
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
