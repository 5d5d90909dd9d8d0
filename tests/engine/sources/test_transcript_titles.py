"""What a row of the conversation is called: the first words of what was said, or what was called."""

from __future__ import annotations

from contextapp.engine.policy import Policy
from contextapp.engine.sources import transcript
from tests.engine.builder.worlds import Log, inputs_of


def titles(log: Log) -> dict[str, str]:
    return {source.id: source.title for source in transcript.collect(inputs_of(log.events), Policy())}


def test_what_was_said_is_called_by_its_first_words_on_one_line() -> None:
    log = Log()
    log.user("\n  Fix the\tserializer  tests\nand then stop")
    log.say("I look at the serializer.\nThen I run it.")

    assert list(titles(log).values()) == ["Fix the serializer tests", "I look at the serializer."]


def test_calls_are_called_by_what_they_do_also_while_they_wait() -> None:
    log = Log()
    log.user("go")
    log.call("Bash", "ok", command="pytest -k serializer")
    log.add("tool.requested", call_id="open", name="Read", input={"file_path": "/w/a/serializer.py"}, message_id="m9")

    found = titles(log)

    assert found["event:2"] == "Bash pytest -k serializer"
    assert found["event:3"] == "Bash pytest -k serializer"
    assert [found["event:4"], found["waiting:4"]] == ["Read serializer.py", "Read serializer.py"]


def test_a_title_is_cut_between_what_a_reader_sees_as_characters() -> None:
    log = Log()
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    log.user("a" * 77 + family * 3)

    (title,) = titles(log).values()

    assert title == "a" * 77 + "…"


def test_a_pasted_picture_gives_no_title_of_its_bytes() -> None:
    log = Log()
    log.user("data:image/png;base64," + "iVBORw0KGgo" * 3_000)

    (title,) = titles(log).values()

    assert "iVBORw0KGgoiVBORw0KGgo" not in title
    assert len(title) <= 80


def test_what_was_masked_when_it_was_stored_stays_masked() -> None:
    log = Log()
    log.user("use the key [masked:aws-key] for it")

    assert list(titles(log).values()) == ["use the key [masked:aws-key] for it"]
