"""The two wire forms a summarising model is asked in. One request, one text back, or a code for what came instead."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contextapp.jobs import outbound

OPENAI, ANTHROPIC = "openai", "anthropic"
TIMEOUT_S = 60.0
ANSWER_TOKENS = 4_096
MOST_CHARS = 60_000


@dataclass(frozen=True, slots=True)
class Refused:
    reason: str


@dataclass(frozen=True, slots=True)
class Provider:
    """`base_url`: what the endpoint's path is put behind, e.g. `https://llm.example.org/v1` for an OpenAI-compatible one."""

    kind: str
    base_url: str
    model: str
    key: str = ""
    allow_hosts: tuple[str, ...] = ()
    timeout_s: float = TIMEOUT_S

    @property
    def url(self) -> str:
        return self.base_url.rstrip("/") + ("/chat/completions" if self.kind == OPENAI else "/v1/messages")

    def ask(self, system: str, messages: Sequence[dict[str, str]], left_s: float) -> str | Refused:
        body = json.dumps(self._body(system, messages)).encode()
        timeout = min(self.timeout_s, left_s)
        try:
            answer = outbound.post(
                self.url, body=body, headers=self._headers(), timeout_s=timeout, allow_hosts=self.allow_hosts
            )
        except outbound.OutboundRefused as error:
            return Refused(f"address_refused: {error}")
        except outbound.OutboundFailed as error:
            return Refused(f"{_failure(error)}: {error}")
        if not answer.is_success:
            return Refused(f"http_{answer.status}: the endpoint answered {answer.status}")
        return self._text(answer.body)

    def _headers(self) -> dict[str, str]:
        said = {"Content-Type": "application/json"}
        if self.kind == ANTHROPIC:
            return said | {"anthropic-version": "2023-06-01"} | ({"x-api-key": self.key} if self.key else {})
        return said | ({"Authorization": f"Bearer {self.key}"} if self.key else {})

    def _body(self, system: str, messages: Sequence[dict[str, str]]) -> dict[str, Any]:  # the provider's JSON
        if self.kind == ANTHROPIC:
            return {"model": self.model, "max_tokens": ANSWER_TOKENS, "system": system, "messages": list(messages)}
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": system}, *messages],
            "response_format": {"type": "json_object"},
        }

    def _text(self, body: bytes) -> str | Refused:
        try:
            given = json.loads(body)
            text, reason = _anthropic(given) if self.kind == ANTHROPIC else _openai(given)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            return Refused("wrong_answer: the endpoint's answer has not the form of its kind")
        if reason in ("tool_calls", "function_call", "tool_use"):
            return Refused("tool_call: the model called a tool instead of answering")
        if reason in ("length", "max_tokens"):
            return Refused("truncated: the answer was cut off by its length")
        if len(text) > MOST_CHARS:
            return Refused(f"too_long: the answer has {len(text)} characters, at most {MOST_CHARS} are read")
        return text


def _failure(error: outbound.OutboundFailed) -> str:
    said = str(error)
    if "larger than" in said:
        return "too_long"
    return "timeout" if "Timeout" in said else "no_answer"


def _openai(given: Any) -> tuple[str, str]:  # the provider's JSON
    choice = given["choices"][0]
    return str(choice["message"].get("content") or ""), str(choice.get("finish_reason") or "")


def _anthropic(given: Any) -> tuple[str, str]:  # the provider's JSON
    texts = [part["text"] for part in given["content"] if part.get("type") == "text"]
    return "".join(texts), str(given.get("stop_reason") or "")
