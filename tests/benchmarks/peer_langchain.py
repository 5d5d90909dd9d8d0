"""LangChain's `trim_messages` on the session that the build benchmark uses. Runs by itself in the environment of peers:
`.venv-peers/bin/python -m tests.benchmarks.peer_langchain MESSAGES`. Prints one JSON object and needs no database.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages
from langchain_core.messages.utils import count_tokens_approximately

from contextapp.engine.tokens import TiktokenCounter
from tests.benchmarks import report, sessions

MOST_TOKENS = 128_000
RUNS, WARM_UP = 9, 2


def conversation(messages: int) -> list[BaseMessage]:
    """The same texts and calls as the events', one message each as a LangChain agent keeps them, each with an id."""
    told: list[BaseMessage] = []
    for event in sessions.events(messages):
        payload = event.payload
        match event.type:
            case "instructions.loaded":
                told.append(SystemMessage(payload["text"]))
            case "user.message":
                told.append(HumanMessage(payload["text"]))
            case "model.message":
                told.append(AIMessage(payload["text"]))
            case "tool.requested":
                call = {
                    "id": payload["call_id"],
                    "name": payload["name"],
                    "args": payload["input"],
                    "type": "tool_call",
                }
                said = next(message for message in reversed(told) if isinstance(message, AIMessage))
                said.tool_calls.append(call)
            case "tool.completed":
                told.append(ToolMessage(payload["content"], tool_call_id=payload["call_id"]))
    for place, message in enumerate(told):
        message.id = str(place)
    return told


def exact_counts(told: Sequence[BaseMessage]) -> dict[str | None, int]:
    """Of each message by its id: what a caller keeps who does not want to count twice."""
    counter = TiktokenCounter()
    counts = {}
    for message in told:
        calls = json.dumps(message.tool_calls) if isinstance(message, AIMessage) and message.tool_calls else ""
        counts[message.id] = counter.count(str(message.content)) + counter.count(calls) + 4
    return counts


def measure(messages: int) -> dict[str, float]:
    """Median milliseconds of one trim to the newest messages that fit, the system's kept, beginning with a user's."""
    told = conversation(messages)
    counts = exact_counts(told)

    def kept_count(some: Sequence[BaseMessage]) -> int:
        return sum([counts[message.id] for message in some])

    def trimmed(counter: object) -> list[BaseMessage]:
        return trim_messages(
            told, max_tokens=MOST_TOKENS, token_counter=counter, strategy="last", start_on="human", include_system=True
        )

    taken = {}
    for name, counter in (("cached", kept_count), ("approx", count_tokens_approximately)):
        samples = report.timed_ms(lambda: trimmed(counter), runs=RUNS, warm_up=WARM_UP)  # noqa: B023
        taken[name] = statistics.median(samples)
    return taken


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
