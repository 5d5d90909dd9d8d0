"""The fold over what tools do: open calls, approvals, files, commands, failures, phase. Each function gives changed fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from contextapp.engine.events import Event, Payload
from contextapp.engine.observations import families
from contextapp.engine.observations.verdicts import exit_code_in, verdict_line
from contextapp.engine.projection.conversation import Changes, plan_of
from contextapp.engine.projection.payloads import arguments_of, flag, id_of, list_of, short, text_of, whole
from contextapp.engine.projection.state import (
    LINE_CHARS,
    MAX_BATCH,
    MAX_CALLED_TOOLS,
    MAX_COMMANDS,
    MAX_DENIALS,
    MAX_FILES,
    MAX_OPEN_CALLS,
    MAX_PLAN,
    Call,
    Command,
    Denial,
    FileState,
    SessionState,
)
from contextapp.engine.values import Phase

_PHASES = {
    families.READ: Phase.DIAGNOSING,
    families.SEARCH: Phase.DIAGNOSING,
    families.LIST: Phase.DIAGNOSING,
    families.WEB: Phase.DIAGNOSING,
    families.EDIT: Phase.EDITING,
    families.TEST: Phase.VERIFYING,
}
_LOOKING = frozenset({families.READ, families.SEARCH, families.LIST, families.WEB})


def tool_requested(state: SessionState, event: Event, payload: Payload) -> Changes:
    name, arguments = short(text_of(payload, "name"), LINE_CHARS), arguments_of(payload)
    call_id = id_of(payload, "call_id")
    family = families.call_family(name, arguments)
    if _is_shell(name):
        subject = short(families.command_of(arguments), LINE_CHARS)
    else:
        paths = families.paths_of(arguments)
        subject = short("\n".join(_relative(path, state.cwd) for path in paths), 20 * LINE_CHARS)
    call = Call(call_id, name, event.seq, family=family, subject=subject)
    changes: Changes = {
        "open_calls": (*state.open_calls, call)[-MAX_OPEN_CALLS:],
        "batch_seqs": (*(state.batch_seqs if state.batch_step == state.step else ()), event.seq)[:MAX_BATCH],
        "batch_step": state.step,
        "phase": _phase(state, name, family),
    }
    if name and name not in state.called_tools:
        changes["called_tools"] = (*state.called_tools, name)[-MAX_CALLED_TOOLS:]
    if call_id in state.cleared_calls:  # the id is used again: what was cleared is another call
        changes["cleared_calls"] = tuple(cleared for cleared in state.cleared_calls if cleared != call_id)
    todos = list_of(arguments, "todos") or list_of(arguments, "plan")
    if name.casefold() in families.PLANNING and todos:
        changes |= {"plan": plan_of(todos)[:MAX_PLAN], "plan_seq": event.seq}
    return changes


def _phase(state: SessionState, name: str, family: str) -> str:
    if state.phase_explicit:
        return state.phase
    if name.casefold() in families.PLANNING:
        return Phase.PLANNING.value if not state.phase else state.phase
    if family in _LOOKING and state.phase == Phase.EDITING:
        return state.phase  # looking something up amid edits is part of editing
    found = _PHASES.get(family)
    return found.value if found else state.phase


def _relative(path: str, cwd: str) -> str:
    root = cwd.rstrip("/")
    if root and path.startswith(root + "/"):
        path = path[len(root) + 1 :]
    return path.removeprefix("./") or path


def tool_completed(state: SessionState, event: Event, payload: Payload) -> Changes:
    call_id = id_of(payload, "call_id")
    call = next((call for call in state.open_calls if call.call_id == call_id), None)
    changes: Changes = {"turn_fresh": False}
    if call is None:
        return changes
    changes["latest_observation_seq"] = event.seq
    changes |= _answered(state, call, event.seq)
    if flag(payload, "pending"):
        waiting = replace(call, pending=True)
        changes["open_calls"] = tuple(waiting if other is call else other for other in state.open_calls)
        return changes
    changes["open_calls"] = tuple(other for other in state.open_calls if other is not call)
    return changes | _outcome(state, event, payload, call)


def _answered(state: SessionState, call: Call, seq: int) -> Changes:
    """The newest answer's calls are kept together with what answered them."""
    return {"batch_seqs": (*state.batch_seqs, seq)[:MAX_BATCH]} if call.seq in state.batch_seqs else {}


def _outcome(state: SessionState, event: Event, payload: Payload, call: Call) -> Changes:
    shelled = _is_shell(call.name)
    content = text_of(payload, "content")
    code = whole(payload, "exit_code")
    if code is None and shelled:
        code = exit_code_in(content)
    failed = flag(payload, "is_error") or code not in (None, 0)
    changes: Changes = {}
    if shelled and call.subject:
        command = Command(call.subject, event.seq, code, failed)
        changes["commands"] = (*state.commands, command)[-MAX_COMMANDS:]
        if call.family == families.READ and not failed:
            changes |= _seen(state, families.path_of_command(call.subject), event.seq, is_edit=False)
    elif call.subject and not failed and call.family in (families.READ, families.EDIT):
        is_edit = call.family == families.EDIT
        changes |= _seen(state, call.subject.split("\n"), event.seq, is_edit=is_edit)
    label = _label(call.name, call.subject)
    return changes | _failure(state, event.seq, label, content if failed else None)


def _is_shell(name: str) -> bool:
    return families.tool_family(name) in (families.COMMAND, families.TEST)


def _label(name: str, subject: str) -> str:
    return short(" ".join(f"{name} {subject}".split()), 120)


def _failure(state: SessionState, seq: int, label: str, content: str | None) -> Changes:
    """The latest failure stands until the same thing succeeds."""
    if content is not None:
        return {"latest_failure_seq": seq, "latest_failure": short(f"{label}: {verdict_line(content)}", LINE_CHARS)}
    if state.latest_failure.startswith(f"{label}: "):
        return {"latest_failure_seq": 0, "latest_failure": ""}
    return {}


def _seen(state: SessionState, paths: Iterable[str], seq: int, *, is_edit: bool, sha256: str = "") -> Changes:
    files = {file.path: file for file in state.files}
    for path in paths:
        name = short(path, LINE_CHARS)
        held = files.pop(name, FileState(name))  # the newest stand at the end
        if is_edit:
            files[name] = replace(held, modified_seq=seq, sha256=sha256)
        else:
            files[name] = replace(held, read_seq=seq)
    changes: Changes = {"files": tuple(files.values())[-MAX_FILES:]}
    return changes | {"has_modified": True} if is_edit and files else changes


def file_changed(state: SessionState, event: Event, payload: Payload) -> Changes:
    path = text_of(payload, "path").strip()
    if not path:
        return {}
    digest = short(text_of(payload, "sha256"), 64)
    return _seen(state, [_relative(path, state.cwd)], event.seq, is_edit=True, sha256=digest)


def permission_requested(state: SessionState, event: Event, payload: Payload) -> Changes:
    return _approval(state, id_of(payload, "call_id"), "pending")


def _approval(state: SessionState, call_id: str, approval: str) -> Changes:
    call = next((call for call in state.open_calls if call.call_id == call_id), None)
    if call is None:
        return {}
    decided = replace(call, approval=approval)
    return {"open_calls": tuple(decided if other is call else other for other in state.open_calls)}


def permission_resolved(state: SessionState, event: Event, payload: Payload) -> Changes:
    call_id = id_of(payload, "call_id")
    if payload.get("decision") != "denied":
        return _approval(state, call_id, "allowed") if payload.get("decision") == "allowed" else {}
    call = next((call for call in state.open_calls if call.call_id == call_id), None)
    tool = _label(call.name, call.subject) if call else short(text_of(payload, "tool"), LINE_CHARS)
    denial = Denial(call_id, tool, short(text_of(payload, "reason"), LINE_CHARS), event.seq)
    changes: Changes = {"denials": (*state.denials, denial)[-MAX_DENIALS:]}
    if call:
        changes["open_calls"] = tuple(other for other in state.open_calls if other is not call)
        changes |= _answered(state, call, event.seq)
    return changes


def verification_completed(state: SessionState, event: Event, payload: Payload) -> Changes:
    command = short(text_of(payload, "command"), LINE_CHARS)
    passed = payload.get("passed") is True
    changes: Changes = {"phase": Phase.VERIFYING.value} if not state.phase_explicit else {}
    if command:
        ran = Command(command, event.seq, None, not passed)
        changes["commands"] = (*state.commands, ran)[-MAX_COMMANDS:]
    said = text_of(payload, "summary") or "verification failed"
    return changes | _failure(state, event.seq, _label(command, ""), None if passed else said)


def phase_changed(state: SessionState, event: Event, payload: Payload) -> Changes:
    phase = payload.get("phase")
    known = isinstance(phase, str) and phase in {item.value for item in Phase}
    return {"phase": phase, "phase_explicit": True} if known else {}
