"""What a person said, what the model answered, and what Codex put in between."""

from __future__ import annotations

import pytest

from tests.importers.codex.rollouts import (
    call,
    context,
    event,
    head,
    item,
    line,
    message,
    read_rollout,
    result,
    thought,
)
from tests.importers.parsing import of_type, outcomes, types_of


def test_the_head_gives_the_session_and_its_system_prompt() -> None:
    lines = read_rollout(head(base_instructions={"text": "You are an agent."}, forked_from_id=None))

    assert types_of(lines) == ["session.created", "instructions.loaded"]
    told = of_type(lines, "session.created")[0]
    assert (told["agent"], told["agent_version"], told["cwd"]) == ("codex", "0.120.0", "/home/dev/shop")
    prompt = of_type(lines, "instructions.loaded")[0]
    assert (prompt["level"], prompt["name"], prompt["text"]) == ("session", "base_instructions", "You are an agent.")


def test_a_resumed_file_repeats_its_head_without_effect() -> None:
    again = head(at="11:00:00.000", base_instructions={"text": "You are an agent."}, dynamic_tools=[{"name": "t"}])

    lines = read_rollout(head(base_instructions={"text": "You are an agent."}), again)

    assert outcomes(lines)[1] == ("folded", "resumed")


def test_another_system_prompt_on_resuming_counts() -> None:
    lines = read_rollout(head(base_instructions={"text": "one"}), head(base_instructions={"text": "two"}))

    assert [loaded["text"] for loaded in of_type(lines, "instructions.loaded")] == ["one", "two"]


@pytest.mark.parametrize(
    ("role", "text", "level", "name", "path"),
    [
        ("user", "<environment_context>\n<cwd>/x</cwd>", "project", "environment_context", ""),
        (
            "user",
            "# AGENTS.md instructions for /home/dev/shop\n\nBe brief.",
            "project",
            "AGENTS.md",
            "/home/dev/shop/AGENTS.md",
        ),
        ("user", "<user_instructions>\nBe brief.", "project", "user_instructions", ""),
        ("developer", "<permissions instructions>\nAsk.", "global", "permissions instructions", ""),
        ("developer", "<collaboration_mode># Mode", "global", "collaboration_mode", ""),
    ],
)
def test_what_codex_injects_is_an_instruction_and_no_prompt(
    role: str, text: str, level: str, name: str, path: str
) -> None:
    lines = read_rollout(head(), message(text, role))

    loaded = of_type(lines, "instructions.loaded")[0]
    assert (loaded["level"], loaded["name"], loaded["path"], loaded["text"]) == (level, name, path, text)
    assert "user.message" not in types_of(lines) and "turn.started" not in types_of(lines)


def test_parts_of_one_message_are_sorted_each_by_itself() -> None:
    parts = [
        {"type": "input_text", "text": "<environment_context>\n</environment_context>"},
        {"type": "input_text", "text": "Fix <b>this</b>"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
    ]

    lines = read_rollout(head(), item("message", role="user", content=parts))

    assert [loaded["name"] for loaded in of_type(lines, "instructions.loaded")] == ["environment_context"]
    said = of_type(lines, "user.message")[0]
    assert said["text"] == "Fix <b>this</b>"
    assert said["media"][0]["media_type"] == "image/png"


def test_notices_are_resources_of_the_harness() -> None:
    lines = read_rollout(head(), message("<subagent_notification>\n{}"), message("<turn_aborted>\nStopped."))

    assert [(found["kind"], found["by"]) for found in of_type(lines, "resource.included")] == [
        ("subagent_notification", "harness"),
        ("interrupt", "harness"),
    ]
    assert of_type(lines, "user.message") == []


def test_what_one_agent_tells_another_is_a_resource() -> None:
    told = item(
        "agent_message", author="/root/review", recipient="/root", content=[{"type": "input_text", "text": "ok"}]
    )

    lines = read_rollout(head(), told)

    found = of_type(lines, "resource.included")[0]
    assert (found["kind"], found["title"], found["text"]) == ("agent_message", "message from /root/review", "ok")


def test_the_items_count_and_their_copies_are_folded() -> None:
    lines = read_rollout(
        head(),
        message("Fix the parser"),
        event("user_message", message="Fix the parser"),
        event("agent_reasoning", text="hm"),
        thought("hm"),
        event("agent_message", message="Done."),
        message("Done.", "assistant", phase="final_answer"),
    )

    assert [reason for _, reason in outcomes(lines)] == ["", "", "repeated", "repeated", "", "repeated", ""]
    assert types_of(lines).count("user.message") == 1
    assert of_type(lines, "model.message")[0]["phase"] == "final_answer"


def test_a_prompt_without_an_item_is_for_people_only() -> None:
    lines = read_rollout(head(), event("user_message", message="Review the changes"))

    shown = [draft for draft in lines[1].drafts if draft.type == "user.message"]
    assert [draft.visibility for draft in shown] == ["ui"]
    assert "turn.started" not in types_of(lines)


def test_thought_is_redacted_where_only_its_cipher_is_kept() -> None:
    lines = read_rollout(head(), thought(), thought("Look first."))

    assert [(found["text"], found["redacted"]) for found in of_type(lines, "model.thinking")] == [
        ("", True),
        ("Look first.", False),
    ]


def test_parts_carry_the_model_of_their_turn_and_one_id_per_call() -> None:
    lines = read_rollout(
        head(), context("gpt-5.4"), thought("a"), call("c1"), call("c2"), result("c1"), result("c2"), thought("b"),
        context("gpt-5.5"), message("Done.", "assistant"),
    )  # fmt: skip

    parts = [draft.payload for parsed in lines for draft in parsed.drafts if "message_id" in draft.payload]
    assert [part["message_id"] for part in parts] == ["call-1", "call-1", "call-1", "call-2", "call-2"]
    assert [part["model"] for part in parts] == ["gpt-5.4"] * 4 + ["gpt-5.5"]


def test_the_instruction_file_in_the_world_state_counts_where_no_message_brought_it() -> None:
    state = line("world_state", {"full": True, "state": {"agents_md": {"directory": "/w", "text": "Be brief."}}})

    without, with_message = (
        read_rollout(head(), state),
        read_rollout(head(), message("# AGENTS.md instructions for /w\n\nBe brief."), state),
    )

    assert of_type(without, "instructions.loaded")[0]["path"] == "/w/AGENTS.md"
    assert outcomes(with_message)[2] == ("folded", "world_state")


def test_tools_of_the_client_are_added_to_those_that_no_rollout_holds() -> None:
    space = {"type": "namespace", "name": "app", "tools": [{"name": "remind", "parameters": {"type": "object"}}]}

    lines = read_rollout(head(dynamic_tools=[space, {"name": "load", "namespace": None, "inputSchema": {}}]))

    tools = of_type(lines, "tools.available")[0]
    assert tools["mode"] == "add"
    assert [(tool["name"], tool.get("server")) for tool in tools["tools"]] == [("remind", "app"), ("load", None)]


def test_a_name_that_somebody_gave_replaces_the_first_prompt_as_title() -> None:
    lines = read_rollout(
        head(),
        message("# Context from my IDE setup:\n\n## My request for Codex:\nFix the parser\nnow"),
        event("thread_name_updated", thread_name="Parser"),
        message("And now?"),
    )

    titles = [told.title for parsed in lines for told in parsed.heads]
    assert titles == ["", "Fix the parser", "Parser"]
