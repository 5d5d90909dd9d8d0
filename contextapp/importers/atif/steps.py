"""One step of an ATIF trajectory to the facts it states: a prompt, an answer with its calls and their results, or a note.
Changes nothing."""

from __future__ import annotations

import json
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields, media
from contextapp.importers.arrays import answers
from contextapp.importers.atif.own import carried
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.conversation import Said, instruction
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact

SOURCES = ("system", "user", "agent")


def read_step(value: Any, name: str, path: str, model: str, was_answered: bool) -> Said:
    """`name` is the step's message id; `was_answered` says that an answer stands before it."""
    step = fields.as_mapping(value, path.rstrip("."))
    at = fields.moment(step, "timestamp")
    source = fields.required_string(step, "source", path=f"{path}source")
    if source not in SOURCES:
        detail = f"{source[:60]!r} is none of {', '.join(SOURCES)}"
        raise UnfitLine("wrong_value", field=f"{path}source", detail=detail)
    text, attached = parts_of(step.get("message"), f"{path}message")
    beside, is_instead = carried(step, path)
    if is_instead:
        return Said(beside, at=at)
    if source == "agent":
        facts = _agent(step, text, attached, name, path, model)
    elif source == "user":
        payload: Json = {"text": text, "message_id": name} | ({"media": attached} if attached else {})
        facts = (Fact(events.USER_MESSAGE, payload), *_loose(step, name, path))
    else:
        facts = _system(step, text, name, path, was_answered)
    if fields.flag(step, "is_copied_context"):
        facts = tuple(Fact(fact.type, fact.payload | {"copied": True}, fact.visibility, fact.native) for fact in facts)
    return Said((*facts, *beside), folded="empty_step", at=at)


def parts_of(content: Any, path: str) -> tuple[str, list[Json]]:
    """A text, or parts of text and pictures; a picture is named by its path, which is not opened."""
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        raise UnfitLine("wrong_type", field=path, detail=f"expected a string or an array, found {kind_of(content)}")
    texts: list[str] = []
    attached: list[Json] = []
    for number, value in enumerate(content):
        part = fields.as_mapping(value, f"{path}[{number}]")
        kind = fields.required_string(part, "type", path=f"{path}[{number}].type")
        source = part.get("source")
        if kind == "text":
            texts.append(fields.string(part, "text", path=f"{path}[{number}].text"))
        elif isinstance(source, dict):
            media_type = fields.string(source, "media_type", path=f"{path}[{number}].source.media_type")
            place = fields.string(source, "path", path=f"{path}[{number}].source.path")
            attached.append(media.from_url(place, media_type or f"{kind}/unknown"))
        else:
            texts.append(json.dumps(part, ensure_ascii=False))
    return "\n\n".join(texts), attached


def _agent(step: Json, text: str, attached: list[Json], name: str, path: str, model: str) -> tuple[Fact, ...]:
    model = fields.string(step, "model_name", path=f"{path}model_name") or model
    calls = [_call(value, f"{path}tool_calls[{n}]", f"{name}:{n}", name, model) for n, value in _calls(step, path)]
    results = _results(step, path)
    if fields.count(step, "llm_call_count", path=f"{path}llm_call_count") == 0:
        return tuple(_dispatch(calls, results, text, name, path))
    facts: list[Fact] = []
    if reasoning := fields.string(step, "reasoning_content", path=f"{path}reasoning_content"):
        facts.append(answers.thinking(reasoning, name, model))
    if text or attached or not calls:
        said = answers.message(text, name, model)
        facts.append(Fact(said.type, said.payload | ({"media": attached} if attached else {})))
    known = [str(call.payload["call_id"]) for call in calls]
    answered = [_result(result, f"{path}observation.results[{n}]", known, name) for n, result in enumerate(results)]
    return (*facts, *calls, *_bill(step, name, path, model), *answered)


def _calls(step: Json, path: str) -> enumerate[Any]:
    return enumerate(fields.items(step, "tool_calls", path=f"{path}tool_calls"))


def _call(value: Any, path: str, fallback: str, message_id: str, model: str) -> Fact:
    call = fields.as_mapping(value, path)
    name = fields.required_string(call, "function_name", path=f"{path}.function_name")
    call_id = fields.string(call, "tool_call_id", path=f"{path}.tool_call_id") or fallback
    return answers.call(call_id, name, answers.arguments_of(call.get("arguments")), message_id, model)


def _results(step: Json, path: str) -> list[Any]:
    observation = fields.mapping(step, "observation", path=f"{path}observation") or {}
    return fields.items(observation, "results", path=f"{path}observation.results")


def _result(value: Any, path: str, calls: list[str], name: str) -> Fact:
    """The result of the call it names, or of the only one; what answers no call was shown to the model all the same."""
    result = fields.as_mapping(value, path)
    given = fields.string(result, "source_call_id", path=f"{path}.source_call_id")
    call_id = given or (calls[0] if len(calls) == 1 else "")
    text, attached = parts_of(result.get("content"), f"{path}.content")
    if not call_id:
        return _note("observation", "observation", text, name)
    return answers.result(call_id, text, media=attached, subagents=result.get("subagent_trajectory_ref"))


def _note(kind: str, title: str, text: str, name: str) -> Fact:
    payload = {"id": name, "kind": kind, "title": title, "path": "", "text": text, "by": "harness"}
    return Fact(events.RESOURCE_INCLUDED, payload)


def _loose(step: Json, name: str, path: str) -> list[Fact]:
    results = _results(step, path)
    return [_result(result, f"{path}observation.results[{n}]", [], name) for n, result in enumerate(results)]


def _dispatch(calls: list[Fact], results: list[Any], text: str, name: str, path: str) -> list[Fact]:
    """A step in which no model was called: the harness ran the tools, and the model may have seen what came of it."""
    lines = [text, *(f"{call.payload['name']} {json.dumps(call.payload['input'])}" for call in calls)]
    for number, value in enumerate(results):
        result = fields.as_mapping(value, f"{path}observation.results[{number}]")
        lines.append(parts_of(result.get("content"), f"{path}observation.results[{number}].content")[0])
    title = ", ".join(str(call.payload["name"]) for call in calls) or "step without a model"
    return [_note("harness_call", title, answers.joined(lines), name)]


def _bill(step: Json, name: str, path: str, model: str) -> tuple[Fact, ...]:
    """Here the prompt's tokens count the cached ones in. A step of several calls has one bill for all of them."""
    metrics = fields.mapping(step, "metrics", path=f"{path}metrics")
    if metrics is None:
        return ()
    prompt = fields.count(metrics, "prompt_tokens", path=f"{path}metrics.prompt_tokens")
    output = fields.count(metrics, "completion_tokens", path=f"{path}metrics.completion_tokens")
    if prompt is None and output is None:
        return ()
    read = fields.count(metrics, "cached_tokens", path=f"{path}metrics.cached_tokens") or 0
    extra = metrics.get("extra")
    wrote = fields.count(extra, "cache_creation_input_tokens") if isinstance(extra, dict) else None
    several = (fields.count(step, "llm_call_count", path=f"{path}llm_call_count") or 1) > 1
    payload = {
        "message_id": name,
        "model": model,
        "input_uncached": max((prompt or 0) - read - (wrote or 0), 0),
        "cache_read": read,
        "cache_write": wrote or 0,
        "output": output or 0,
        "reasoning": fields.count(extra, "reasoning_tokens") if isinstance(extra, dict) else None,
        "quality": "cumulative" if several else "exact",
    }
    return (Fact(events.USAGE_REPORTED, payload, native=name),)


def _system(step: Json, text: str, name: str, path: str, was_answered: bool) -> tuple[Fact, ...]:
    """Instructions, until the agent has answered; later a note of the harness, or a compaction that says it is one."""
    extra = fields.mapping(step, "extra", path=f"{path}extra") or {}
    management = extra.get("context_management")
    seen = [
        parts_of(one.get("content"), f"{path}observation")[0] for one in _results(step, path) if isinstance(one, dict)
    ]
    if isinstance(management, dict) and management.get("type") == "compaction":
        summary = answers.joined(seen) or text
        payload = {
            "part": "whole" if summary else "boundary",
            "summary": summary,
            "by": "harness",
            "trust": "untrusted",
        }
        return (Fact(events.SESSION_COMPACTED, payload),)
    if was_answered:
        return (_note("system_message", "message of the system", answers.joined([text, *seen]), name),)
    return (*((instruction(text, f"system-{name}"),) if text else ()), *_loose(step, name, path))
