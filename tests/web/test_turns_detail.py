"""The page of a turn: its steps, its reasons merged, its own part of the transcript."""

from __future__ import annotations

from uuid import UUID

from django.test import Client


def read(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_it_shows_the_steps_of_this_turn_and_no_others(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/turns/2/")

    assert f'href="/sessions/{recorded}/steps/3/"' in page
    assert f'href="/sessions/{recorded}/steps/1/"' not in page


def test_its_transcript_is_the_turns_own(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/turns/2/")

    assert "words of call 3" in page
    assert "words of call 1" not in page


def test_reasons_are_merged_with_their_sentence_and_their_sums(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/turns/1/")

    assert "observed_sent" in page
    assert "In that harness&#x27;s window at this call." in page


def test_neighbours_are_one_key_away(reader: Client, recorded: UUID):
    first = read(reader, f"/sessions/{recorded}/turns/1/")
    second = read(reader, f"/sessions/{recorded}/turns/2/")

    assert f'href="/sessions/{recorded}/turns/2/" data-key="]"' in first
    assert f'href="/sessions/{recorded}/turns/1/" data-key="["' in second


def test_an_unknown_origin_is_refused(reader: Client, recorded: UUID):
    assert reader.get(f"/sessions/{recorded}/turns/1/?origin=imagined").status_code == 400
