"""Walks a SWE-agent trajectory: its history, then the steps that the history does not tell, then how the run ended. No times
are in it, and its bill is of the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from contextapp.engine import events
from contextapp.importers import fields
from contextapp.importers.arrays import answers
from contextapp.importers.contract import Format, Json, ParsedLine, SessionHead, Source, UnfitLine
from contextapp.importers.conversation import Conversation, Said, file_key
from contextapp.importers.decoding import kind_of
from contextapp.importers.identity import Fact
from contextapp.importers.swe_agent import history
from contextapp.importers.swe_agent.shapes import FORMAT_NAME, folder_of, list_of, model_of, recognise
from contextapp.importers.walking import Item, walk

_MEMBERS = ("history", "trajectory", "environment", "replay_config", "info")


def parse(source: Source) -> Iterator[ParsedLine]:
    return walk(source, _Opening(source.name))


class _Opening:
    def __init__(self, source_name: str) -> None:
        self._source = source_name

    def skip(self) -> None:
        """A trajectory is a document; lines are runs of their own."""

    def items(self, value: Any, place: str) -> Iterator[Item]:
        key = file_key(FORMAT_NAME, self._source, place)
        head = SessionHead(key=key, native_id=key, agent="swe-agent")
        conversation = Conversation(format_name=FORMAT_NAME, head=head, created={"agent": "swe-agent"})
        if not isinstance(value, dict):
            yield Item(value, "document", conversation, partial(_refuse, value))
            return
        yield from _Run(value, conversation).items()


def _refuse(value: Any) -> Said:
    raise UnfitLine("wrong_type", detail=f"expected a trajectory, found {kind_of(value)}")


@dataclass(slots=True)
class _Answer:
    """An answer of the history: which call it made, and whether its result is in the history."""

    action: Any
    content: Any
    call_id: str
    is_answered: bool = False


@dataclass(slots=True)
class _Run:
    document: Json
    conversation: Conversation
    _answers: list[_Answer] = field(default_factory=list)

    def items(self) -> Iterator[Item]:
        told = (("cwd", folder_of(self.document)), ("model", model_of(self.document)))
        for index, message in enumerate(list_of(self.document, "history")):
            read = self._reading(message, index)
            if index == 0:
                read = partial(_telling, read, told)
            yield Item(message, f"message:{index}", self.conversation, read)
        for number, step in enumerate(list_of(self.document, "trajectory")):
            yield Item(step, f"step:{number}", self.conversation, self._step(step, number))
        for name in ("environment", "replay_config"):
            if self.document.get(name) is not None:
                yield Item(self.document[name], name, self.conversation, partial(Said, folded="settings"))
        if self.document.get("info") is not None:
            yield Item(self.document["info"], "info", self.conversation, partial(_end, self.document["info"]))
        for name in [name for name in self.document if name not in _MEMBERS]:
            yield Item(self.document[name], name, self.conversation, partial(Said, folded="other_member"))

    def _reading(self, message: Any, index: int) -> partial[Said]:
        path = f"history[{index}]."
        if not isinstance(message, dict):
            return partial(_unfit_message, message, path)
        role = message.get("role")
        if message.get("is_demo") is True and role != "system":
            return partial(history.read_demonstration, message, index, path)
        if role == "system":
            return partial(history.read_system, message, index, path)
        if role == "assistant":
            self._answers.append(_Answer(message.get("action"), message.get("content"), _first_call(message, index)))
            return partial(history.read_answer, message, index, path)
        if role not in ("user", "tool"):
            return partial(_unfit_role, message, path)
        if not self._answers:
            return partial(history.read_task, message, index, path)
        last = self._answers[-1]
        given = list_of(message, "tool_call_ids")
        call_id = str(given[0]) if given else last.call_id
        if not call_id or (last.is_answered and not given):
            return partial(history.read_note, message, index, path)
        last.is_answered = True
        return partial(history.read_result, message, index, path, call_id)

    def _step(self, step: Any, number: int) -> partial[Said]:
        """The next answer that this step is about: if the history has its result, the step repeats it."""
        if not isinstance(step, dict):
            return partial(_unfit_message, step, f"trajectory[{number}].")
        same = [
            answer
            for answer in self._answers
            if answer.action == step.get("action") or answer.content == step.get("response")
        ]
        if not same:
            return partial(_own_step, step, number)
        answer = same[0]
        self._answers = self._answers[self._answers.index(answer) + 1 :]
        if answer.is_answered or not answer.call_id:
            return partial(Said, folded="repeats_history")
        return partial(_late_result, step, number, answer.call_id)


def _first_call(message: Json, index: int) -> str:
    calls = list_of(message, "tool_calls")
    if calls:
        given = calls[0].get("id") if isinstance(calls[0], dict) else None
        return given if isinstance(given, str) and given else f"m{index}:0"
    action = message.get("action")
    return f"m{index}:0" if isinstance(action, str) and action.strip() else ""


def _telling(read: partial[Said], told: tuple[tuple[str, str], ...]) -> Said:
    return replace(read(), told=told)


def _unfit_message(value: Any, path: str) -> Said:
    raise UnfitLine("wrong_type", field=path.rstrip("."), detail=f"expected an object, found {kind_of(value)}")


def _unfit_role(message: Json, path: str) -> Said:
    role = fields.required_string(message, "role", path=f"{path}role")
    raise UnfitLine(
        "unknown_role", field=f"{path}role", detail=f"{role[:60]!r} is none of assistant, system, tool, user"
    )


def _late_result(step: Json, number: int, call_id: str) -> Said:
    """The last result of a run: the model never saw it, so the history ends before it."""
    return Said(
        (answers.result(call_id, fields.string(step, "observation", path=f"trajectory[{number}].observation")),)
    )


def _own_step(step: Json, number: int) -> Said:
    """A step of which the history says nothing: answer, command and result in one."""
    path, message_id = f"trajectory[{number}].", f"step-{number}"
    action = fields.string(step, "action", path=f"{path}action")
    said = fields.string(step, "thought", path=f"{path}thought") or fields.string(
        step, "response", path=f"{path}response"
    )
    facts = [answers.message(said, message_id)]
    if action.strip():
        facts.append(history.command(action, message_id))
        observation = fields.string(step, "observation", path=f"{path}observation")
        facts.append(answers.result(f"{message_id}:0", observation))
    return Said(tuple(facts))


def _end(info: Any) -> Said:
    stated = fields.as_mapping(info, "info")
    facts: list[Fact] = []
    stats = fields.mapping(stated, "model_stats", path="info.model_stats") or {}
    sent = fields.count(stats, "tokens_sent", path="info.model_stats.tokens_sent") or 0
    received = fields.count(stats, "tokens_received", path="info.model_stats.tokens_received") or 0
    if sent or received:
        figures = {"input_tokens": sent, "output_tokens": received}
        bill = answers.bill(figures, "", "")[0]
        facts.append(Fact(events.USAGE_REPORTED, bill.payload | {"quality": "cumulative"}))
    status = fields.string(stated, "exit_status", path="info.exit_status")
    if status:
        facts.append(Fact(events.TURN_COMPLETED, {"stop_reason": status}))
        facts.append(Fact(events.SESSION_ENDED, {"reason": status}))
    return Said(tuple(facts), folded="no_end")


FORMAT = Format(
    name=FORMAT_NAME,
    label="SWE-agent",
    looked_for='a SWE-agent trajectory (an object with "trajectory" or a "history" of marked messages)',
    recognise=recognise,
    parse=parse,
)
