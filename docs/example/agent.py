"""An agent loop wired to contextapp, without a model: a script answers in its place. Run it against a server with a key:

    python docs/example/agent.py http://127.0.0.1:8000 ctx_... [FOLDER]

Replace `ScriptedModel` with a call of your provider: `built.request` is the body of that call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contextapp.client import Client, ContextOverflow, Session

Json = dict[str, Any]

TOOLS = [
    {
        "name": "list_files",
        "description": "Lists the files of the folder.",
        "schema": {"type": "object", "properties": {}},
    },
    {
        "name": "read_file",
        "description": "Reads a file of the folder.",
        "schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
]


@dataclass
class Answer:
    """What a model gives back: a text, the calls it wants, and what it cost."""

    text: str
    calls: list[tuple[str, str, Json]]
    input_tokens: int
    output_tokens: int


class ScriptedModel:
    """Looks at the folder, reads one file, is denied one thing, and sums up. Checks that it was shown the denial."""

    name = "claude-opus-4-6"

    def __init__(self) -> None:
        self._script = self._play()
        next(self._script)

    def answer(self, request: Json) -> Answer:
        return self._script.send(request)

    def _play(self) -> Iterator[Any]:
        request = yield
        request = yield _say(request, "I look at the folder first.", [("call_1", "list_files", {})])
        request = yield _say(request, "Now the notes.", [("call_2", "read_file", {"path": "notes.txt"})])
        request = yield _say(request, "And what is private?", [("call_3", "read_file", {"path": "private.txt"})])
        assert "denied" in str(request["messages"]).lower(), "the model must see that it was denied"
        yield _say(request, "The notes say that the parser needs a test. I was not allowed to read private.txt.", [])


def _say(request: Json, text: str, calls: list[tuple[str, str, Json]]) -> Answer:
    return Answer(text, calls, input_tokens=len(str(request)) // 4, output_tokens=len(text) // 4)


def run(session: Session, folder: Path, question: str, model: ScriptedModel) -> str:
    """One turn. Tell what happened, ask for the next request, send it, tell what came back - until no tool is wanted."""
    session.load_instructions(folder)
    session.tools_available(TOOLS)
    session.user_message(question)
    number = 0
    while True:
        number += 1
        try:
            built = session.build(model=model.name, format="anthropic")
        except ContextOverflow as overflow:
            session.turn_completed("error", error_code="context_overflow")
            raise SystemExit(f"{overflow.bucket} does not fit; ways out: {overflow.ways_out}") from overflow
        answer = model.answer(built.request)
        message_id = f"message-{number}"
        session.model_message(answer.text, message_id=message_id, model=model.name)
        for call_id, name, arguments in answer.calls:
            session.tool_requested(call_id, name, arguments, message_id=message_id)
        session.usage(
            message_id=message_id, model=model.name, input_uncached=answer.input_tokens, output=answer.output_tokens
        )
        for call_id, name, arguments in answer.calls:
            use_tool(session, folder, call_id, name, arguments)
        if not answer.calls:
            session.turn_completed()
            return answer.text


def use_tool(session: Session, folder: Path, call_id: str, name: str, arguments: Json) -> None:
    """Asks for permission where the folder holds something private; a denial is told, and the call never runs."""
    if arguments.get("path") == "private.txt":
        session.permission_requested(call_id, name)
        session.permission_resolved(call_id, allowed=False, by="rule", reason="private.txt is nobody's business")
        return
    tools: dict[str, Callable[[], str]] = {
        "list_files": lambda: "\n".join(
            sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        ),
        "read_file": lambda: (folder / Path(arguments["path"]).name).read_text(encoding="utf-8"),
    }
    try:
        session.tool_completed(call_id, tools[name]())
    except (OSError, KeyError) as error:
        session.tool_completed(call_id, f"{type(error).__name__}: {error}", is_error=True)


def main(url: str, key: str, folder: Path) -> str:
    with Client(url, key, spool=folder / ".contextapp-spool") as client:
        session = client.session(title="What do the notes say?", agent="example", model=ScriptedModel.name)
        said = run(session, folder, "What do the notes say? Never write to the folder.", ScriptedModel())
        session.end("done")
        sys.stdout.write(f"session {session.id}: {said}\n")
    return said


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3] if len(sys.argv) == 4 else Path(__file__).with_name("folder")))
