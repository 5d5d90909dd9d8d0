"""The page of a session and of one event: access, what a reader finds on it, and that nothing recorded becomes markup."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from django.test import Client

from contextapp.eventlog.services import erase_session
from contextapp.jobs.models import Job
from tests.web.recorded import HOSTILE, a_call, a_session
from tests.world import World

HTMX = {"HTTP_HX_REQUEST": "true"}


def read(client: Client, path: str, **headers: str) -> str:
    response = client.get(path, **headers)
    assert response.status_code == 200, response.content.decode()[:500]
    return response.content.decode()


@pytest.mark.parametrize("path", ["", "events/1/", "turns/1/", "steps/1/"])
def test_it_checks_access(reader: Client, recorded: UUID, stranger: Client, path: str):
    address = f"/sessions/{recorded}/{path}"

    assert Client().get(address).status_code == 302
    assert stranger.get(address).status_code == 404
    assert reader.get(address).status_code == 200


def test_verifying_checks_access(recorded: UUID, stranger: Client):
    assert Client().post(f"/sessions/{recorded}/verify/").status_code == 302
    assert stranger.post(f"/sessions/{recorded}/verify/").status_code == 404


@pytest.mark.parametrize("path", ["events/9999/", "turns/99/", "steps/99/", "steps/0/"])
def test_what_a_session_does_not_hold_is_not_found(reader: Client, recorded: UUID, path: str):
    assert reader.get(f"/sessions/{recorded}/{path}").status_code == 404


def test_an_unknown_session_is_not_found(reader: Client):
    assert reader.get(f"/sessions/{uuid4()}/").status_code == 404


@pytest.mark.parametrize("query", ["from=abc", "at=-1", "after=1e3", "scale=huge", "before=" + "9" * 30])
def test_a_parameter_that_makes_no_sense_is_refused(reader: Client, recorded: UUID, query: str):
    assert reader.get(f"/sessions/{recorded}/?{query}").status_code == 400


def test_every_call_links_to_its_step_and_every_bar_to_the_same(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/")

    for step in range(1, 6):
        assert page.count(f'href="/sessions/{recorded}/steps/{step}/"') >= 3  # bar, table, transcript


def test_the_transcript_reads_in_order_with_calls_folded_over_their_results(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/")

    found = [
        page.index(words) for words in ("不要改动公共接口", "thinking of call 1", "words of call 1", "pytest -k parser")
    ]
    assert found == sorted(found)
    assert "exit 1" in page
    assert "no pushing" in page
    assert "quoted, not obeyed" in page


def test_a_long_result_is_previewed_with_its_true_size_and_a_way_to_the_whole(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/")

    assert "of 1,000,000 characters" in page
    assert len(page) < 300_000


def test_the_integrity_line_names_no_more_than_was_checked(reader: Client, recorded: UUID):
    before = read(reader, f"/sessions/{recorded}/")
    fragment = reader.post(f"/sessions/{recorded}/verify/", **HTMX).content.decode()

    assert "Verified to event" not in before
    assert "Verified to event" in fragment


def test_verifying_works_without_scripts(reader: Client, recorded: UUID):
    page = reader.post(f"/sessions/{recorded}/verify/", follow=True).content.decode()

    assert "Verified to event" in page


def test_simulating_every_step_is_put_on_the_list_of_work_once(reader: Client, stranger: Client, recorded: UUID):
    address = f"/sessions/{recorded}/simulate/"

    refused = stranger.post(address)
    reader.post(address)
    page = reader.post(address, follow=True).content.decode()

    assert refused.status_code == 404
    assert reader.get(address).status_code == 405
    assert Job.objects.filter(key=str(recorded), kind="contexts.simulate_session").count() == 1
    assert "are being simulated" in page


def test_the_state_beside_tells_confirmed_constraints_from_suspected_ones(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/")

    assert 'class="suspected"' in page or 'class="confirmed"' in page
    assert "State at step 5" in page


def test_htmx_gets_the_one_fragment_it_asked_for(reader: Client, recorded: UUID):
    chart = read(reader, f"/sessions/{recorded}/?scale=window", **HTMX, HTTP_HX_TARGET="session-chart")
    state = read(reader, f"/sessions/{recorded}/?at=1", **HTMX, HTTP_HX_TARGET="session-state")

    assert chart.lstrip().startswith('<div id="session-chart">')
    assert "<html" not in chart + state
    assert "State at step 1" in state


def test_a_long_transcript_comes_in_pages_and_each_works_alone(reader: Client, world: World):
    story = [("user.message", {"text": "go"})]
    for number in range(1, 90):
        story += a_call(number, "Bash", f"command {number}", "ok")
    session = a_session(world, story)
    first = read(reader, f"/sessions/{session}/")
    address = re.search(r'href="(\?after=\d+)#', first)
    assert address is not None

    more = read(reader, f"/sessions/{session}/{address[1]}", **HTMX, HTTP_HX_TARGET="transcript-more")
    whole = read(reader, f"/sessions/{session}/{address[1]}")

    assert "command 1<" in first
    assert "command 1<" not in more
    assert "<html" not in more
    assert "<html" in whole


def test_nothing_recorded_becomes_markup(reader: Client, recorded: UUID):
    pages = [read(reader, f"/sessions/{recorded}/{path}") for path in ("", "turns/1/", "steps/3/", "steps/3/?tab=saw")]
    found = re.search(r'href="(/sessions/[^"]+/events/\d+/)"', pages[2])
    assert found is not None

    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202e\u2066\u2069\u200b\U000e0041]", page)


def test_an_event_shows_invisible_characters_as_marks(reader: Client, world: World):
    session = a_session(world, [("user.message", {"text": HOSTILE})])

    page = read(reader, f"/sessions/{session}/events/1/")

    assert "&lt;script&gt;alert(1)" in page
    assert 'title="U+202E"' in page
    assert 'title="U+E0041"' in page
    assert 'title="U+001B"' in page


def test_a_line_of_a_megabyte_is_shown_in_parts(reader: Client, world: World):
    session = a_session(world, [("user.message", {"text": "start " + "x" * 1_000_000 + " end"})])

    first = read(reader, f"/sessions/{session}/events/1/")
    last = read(reader, f"/sessions/{session}/events/1/?field=text&offset=1000000")

    assert "characters 1–100,000 of 1,000,010" in first
    assert len(first) < 150_000
    assert " end" in last


def test_a_title_can_not_break_out_of_the_page(reader: Client, world: World):
    session = a_session(world, title="<b>\u202etitle")

    page = read(reader, f"/sessions/{session}/")

    assert "<b>\u202e" not in page
    assert "&lt;b&gt;" in page


def test_a_session_without_a_call_says_so_instead_of_drawing_nothing(reader: Client, world: World):
    session = a_session(world, [("user.message", {"text": "hello"})])

    page = read(reader, f"/sessions/{session}/")

    assert "nothing to draw" in page
    assert '<svg class="chart"' not in page


def test_the_number_of_queries_does_not_grow_with_the_session(
    reader: Client, world: World, django_assert_max_num_queries
):
    counts = []
    reader.get("/sessions/")  # the first page of a visit stores the visit
    for calls in (30, 90):
        story = [("user.message", {"text": "go"})]
        for number in range(1, calls + 1):
            story += a_call(number, "Bash", "ls", "ok")
        session = a_session(world, story)
        with django_assert_max_num_queries(30) as queries:
            read(reader, f"/sessions/{session}/")
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_an_erased_session_still_opens_and_shows_no_content(reader: Client, recorded: UUID):
    erase_session(session_id=recorded, reason="asked for", actor="test")

    pages = [reader.get(f"/sessions/{recorded}/{path}") for path in ("", "events/3/", "events/30/")]

    assert [page.status_code for page in pages] == [200, 200, 200]
    assert "The content of this session was erased" in pages[0].content.decode()
    assert "Its place and its hash remain" in pages[1].content.decode()
    assert not any("words of call 1" in page.content.decode() for page in pages)


def test_sub_agents_and_their_parent_link_to_each_other(reader: Client, world: World, recorded: UUID):
    child = a_session(world, title="Explore", parent_id=recorded)

    assert f'href="/sessions/{child}/"' in read(reader, f"/sessions/{recorded}/")
    assert f'href="/sessions/{recorded}/"' in read(reader, f"/sessions/{child}/")
