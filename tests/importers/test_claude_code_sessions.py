"""Claude Code: which session a line belongs to, and ids that hold still."""

from __future__ import annotations

from tests.importers.parsing import SESSION, assistant, events_of, of_type, read, record, to_lines, user

TEXT = {"type": "text", "text": "ok"}
OTHER = "99999999-8888-4777-8666-555555555555"


def keys(body: bytes, name: str = "session.jsonl") -> list[str]:
    return list(dict.fromkeys(event.session_key for event in events_of(read(body, name))))


def test_a_file_is_one_session_whatever_session_ids_its_lines_carry() -> None:
    body = to_lines(user("go", 1), assistant(TEXT, 2, sessionId=OTHER), user("more", 3))

    assert keys(body) == [f"claude_code:{SESSION}"]


def test_a_file_named_by_its_session_keeps_that_name() -> None:
    assert keys(to_lines(user("go", 1)), f"/projects/x/{OTHER}.jsonl") == [f"claude_code:{OTHER}"]


def test_a_sidechain_inside_the_file_is_a_session_of_its_own() -> None:
    body = to_lines(
        user("go", 1),
        user("find todos", 2, isSidechain=True, parentUuid=None),
        assistant(TEXT, 3, isSidechain=True),
        user("find tests", 4, isSidechain=True, parentUuid=None),
        assistant(TEXT, 5, isSidechain=True, parentUuid="record-3"),
        assistant(TEXT, 6, message_id="msg_2"),
    )

    lines = read(body)

    main = f"claude_code:{SESSION}"
    placed = [(event.session_key, event.type) for event in events_of(lines) if event.type == "model.message"]
    assert [key for key, _ in placed] == [f"{main}/sidechain-record-2", f"{main}/sidechain-record-2", main]
    heads = {head.key: head for line in lines for head in line.heads}
    assert heads[f"{main}/sidechain-record-4"].parent_key == main
    assert heads[f"{main}/sidechain-record-4"].title == "find tests"


def test_a_sidechain_with_an_unknown_parent_follows_the_latest_one() -> None:
    body = to_lines(user("go", 1), user("a", 2, isSidechain=True, parentUuid=None),
                    assistant(TEXT, 3, isSidechain=True, parentUuid="lost"))  # fmt: skip

    assert keys(body) == [f"claude_code:{SESSION}", f"claude_code:{SESSION}/sidechain-record-2"]


def test_a_sub_agent_file_names_its_parent_by_its_folder() -> None:
    child = to_lines(user("find", 1, isSidechain=True, agentId="a0ad", sessionId="agent-a0ad"))

    lines = read(child, f"/projects/x/{SESSION}/subagents/workflows/wf_1/agent-a0ad.jsonl")

    head = lines[0].heads[0]
    assert (head.key, head.parent_key) == (f"claude_code:{SESSION}/agent-a0ad", f"claude_code:{SESSION}")
    assert of_type(lines, "session.created")[0]["parent_session"] == f"claude_code:{SESSION}"


def test_a_sub_agent_file_beside_its_parent_names_it_by_session_id() -> None:
    lines = read(to_lines(user("find", 1, isSidechain=True, agentId="a0ad")), "/projects/x/agent-a0ad.jsonl")

    assert lines[0].heads[0].parent_key == f"claude_code:{SESSION}"


def test_the_same_file_gives_the_same_ids_and_other_content_gives_others() -> None:
    first, again = (events_of(read(to_lines(user("go", 1), assistant(TEXT, 2)))) for _ in range(2))
    changed = events_of(read(to_lines(user("go!", 1), assistant(TEXT, 2))))

    assert [event.event_id for event in first] == [event.event_id for event in again]
    assert len({event.event_id for event in first}) == len(first)
    assert [a.event_id == b.event_id for a, b in zip(first, changed, strict=True)] == [True, True, False, True, True]


def test_equal_records_without_ids_stay_apart() -> None:
    strange = {"type": "leap", "sessionId": SESSION, "version": "2.1.120"}

    events = events_of(read(to_lines(strange, strange)))

    unknown = [event for event in events if event.type == "import.unknown"]
    assert len(unknown) == len({event.event_id for event in unknown}) == 2


def test_a_copied_record_later_in_the_file_is_not_said_twice() -> None:
    go = user("go", 1)

    events = events_of(read(to_lines(go, assistant(TEXT, 2), go)))

    assert [event.type for event in events].count("user.message") == 1


def test_side_records_before_the_first_message_do_not_hide_it() -> None:
    body = to_lines({"type": "summary", "summary": "Old", "leafUuid": "x"}, record("mode", uuid=None), user("go", 3))

    assert keys(body) == [f"claude_code:{SESSION}"]


def test_a_session_id_that_can_not_be_a_key_is_replaced_by_its_hash() -> None:
    key = keys(to_lines(user("go", sessionId="x\0" * 300)))[0]

    assert key.startswith("claude_code:sha256-") and len(key) < 100
