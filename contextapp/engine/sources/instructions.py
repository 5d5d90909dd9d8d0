"""The safety policy and the instruction files in force, weakest level first. Reads no disk: files arrive as events."""

from __future__ import annotations

import re

from contextapp.engine.events import Event
from contextapp.engine.inputs import BuildInputs
from contextapp.engine.observations.text import clean, head, number
from contextapp.engine.policy import Policy
from contextapp.engine.projection.payloads import is_erased, payload_of, text_of, visible
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.named import named_events
from contextapp.engine.sources.permission import is_denied
from contextapp.engine.sources.source import RANK_INSTRUCTIONS, RANK_SAFETY, Form, Source
from contextapp.engine.values import Action, Bucket, Mode, Trust

LEVELS = ("global", "project", "directory", "session", "safety")  # weak to strong
_RULE_LINE = re.compile(
    r"\b(?:must|never|always|do not|don't|only|forbidden|required|approval|approve|confirm|verify|ask before|run .*tests?)\b"
    r"|不要|不得|不能|禁止|必须|只能|务必|确认|批准|验证",
    re.IGNORECASE,
)


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """The safety policy, then every instruction from weak to strong; of two with the same text the stronger stays."""
    events = named_events(inputs, inputs.state.instruction_seqs)
    ordered = sorted(events, key=lambda event: (_strength(event), event.seq))
    found: list[Source] = []
    seen: set[str] = set()
    for event in reversed(ordered):
        source = _source(event, inputs, policy, seen)
        seen.add(source.whole)
        found.append(source)
    return (_safety(policy), *reversed(found))


def _safety(policy: Policy) -> Source:
    return Source(
        id="safety:policy",
        kind="safety",
        bucket=Bucket.INSTRUCTIONS,
        rank=RANK_SAFETY,
        trust=Trust.TRUSTED,
        reason=Reason.SAFETY_POLICY,
        form=Form(clean(policy.safety_text)),
        role="system",
        part="safety",
        title="safety",
        pinned=True,
        compressible=False,
        refusal=None if policy.safety_text.strip() else Reason.EMPTY,
    )


def _level(event: Event) -> str:
    level = text_of(payload_of(event), "level")
    return level if level in LEVELS else "session"


def _strength(event: Event) -> int:
    return LEVELS.index(_level(event))


def _source(event: Event, inputs: BuildInputs, policy: Policy, seen: set[str]) -> Source:
    payload = payload_of(event)
    level, name, path = _level(event), text_of(payload, "name"), text_of(payload, "path")
    text = text_of(payload, "text")
    is_safety = level == "safety"
    return Source(
        id=f"instruction:{level}:{path or name or event.seq}",
        kind="safety" if is_safety else "instruction",
        bucket=Bucket.INSTRUCTIONS,
        rank=RANK_SAFETY if is_safety else RANK_INSTRUCTIONS,
        trust=Trust.FACT if _is_readme(name or path) else Trust.TRUSTED,
        reason=Reason.SAFETY_POLICY if is_safety else Reason.INSTRUCTION,
        form=_form(level, name or path, text, policy.limits.instruction_file_chars),
        role="system",
        part="safety" if is_safety else "instructions",
        title=f"{level}:{name}" if name else level,
        events=(event.seq, event.seq),
        pinned=True,
        compressible=False,
        whole=text,
        refusal=_refusal(event, path, text, inputs, policy, seen),
    )


def _is_readme(name: str) -> bool:
    return name.rsplit("/", 1)[-1].casefold().startswith("readme")


def _refusal(event: Event, path: str, text: str, inputs: BuildInputs, policy: Policy, seen: set[str]) -> Reason | None:
    if is_erased(event):
        return Reason.ERASED
    if not visible(event) or is_denied(path, policy, inputs.workspace_root):
        return Reason.NOT_PERMITTED
    if not text.strip():
        return Reason.EMPTY
    return Reason.DUPLICATE if text in seen else None


def _form(level: str, name: str, text: str, limit: int) -> Form:
    heading = f"# {'Background' if _is_readme(name) else 'Instructions'} ({level}{': ' + name if name else ''})"
    if len(text) <= limit:
        return Form(f"{heading}\n{text}")
    kept = _shortened(text, limit)
    shown = f"{number(len(kept))} of {number(len(text))} characters shown; lines with rules were kept"
    return Form(
        f"{heading}\n{kept}\n[{shown}]", Mode.EXCERPT, Action.TRUNCATE, Reason.INSTRUCTION_FILE_LIMIT, detail=shown
    )


def _shortened(text: str, limit: int) -> str:
    """The start of the file and, from the rest, the lines that hold prohibitions, approvals and verifications."""
    rules_limit = limit // 2
    start = head(text, limit - rules_limit)
    rules: list[str] = []
    size = 0
    for line in text[len(start) :].splitlines():
        if _RULE_LINE.search(line) and size + len(line) + 1 <= rules_limit:
            rules.append(line)
            size += len(line) + 1
    return "\n".join([start, *rules])
