"""The page of a step: the ledger and its filters, what the model saw, the comparison, the state."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from django.test import Client

from contextapp.contexts.services import build_step
from tests.web.recorded import MODEL, a_call, a_session
from tests.world import World

HTMX = {"HTTP_HX_REQUEST": "true"}


def read(client: Client, path: str, **headers: str) -> str:
    response = client.get(path, **headers)
    assert response.status_code == 200, response.content.decode()[:500]
    return response.content.decode()


def rows(page: str) -> int:
    return page.count('class="decision ')


def test_an_observed_step_says_in_a_sentence_what_it_is(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/2/")

    assert "rebuilt from the transcript" in page
    assert "tokens are not in the file" in page
    assert "same bytes" not in page


def test_the_terms_under_the_ledger_add_up_to_its_total(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/3/")
    foot = page[page.index("<tfoot>") : page.index("</tfoot>")]

    figures = [
        int(found.replace(",", "").replace("−", "-"))
        for found in re.findall(r"[-−]?\d[\d,]*", re.sub("<[^>]+>", "", foot))
    ]

    assert "no row accounts for" not in foot
    assert sum(figures[:-1]) == figures[-1]


def test_the_providers_figure_stands_beside_ours(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/1/")

    assert "billed input" in page
    assert "5,712" in page
    assert "12 uncached + 5,400 cache read + 300 cache write" in page


@pytest.mark.parametrize(
    "query",
    ["show=included", "show=excluded", "trust=untrusted", "reason=observed_sent", "find=parser.py", "kind=nothing"],
)
def test_a_filter_holds_rows_back_and_says_so(reader: Client, recorded: UUID, query: str):
    shown = "" if query.startswith("show") else "&show=included&show=excluded"
    everything = read(reader, f"/sessions/{recorded}/steps/4/")
    filtered = read(reader, f"/sessions/{recorded}/steps/4/?filtered=1&{query}{shown}")

    assert rows(filtered) <= rows(everything)
    assert f"{rows(filtered)} of {rows(everything)} rows" in filtered


def test_htmx_gets_the_filtered_ledger_alone(reader: Client, recorded: UUID):
    address = f"/sessions/{recorded}/steps/4/?filtered=1&show=included"

    fragment = read(reader, address, **HTMX, HTTP_HX_TARGET="step-ledger")

    assert fragment.lstrip().startswith('<div id="step-ledger">')
    assert rows(fragment) == rows(read(reader, address))
    assert "<tfoot>" in fragment


def test_htmx_gets_further_blocks_alone(reader: Client, recorded: UUID):
    fragment = read(reader, f"/sessions/{recorded}/steps/4/?tab=saw&first=2", **HTMX, HTTP_HX_TARGET="saw-more")

    assert fragment.lstrip().startswith("<li")
    assert "<html" not in fragment


def test_a_long_block_is_shown_whole_on_demand(reader: Client, world: World):
    recorded = a_session(
        world, [("user.message", {"text": "word " * 2_000 + "the end"}), *a_call(1, "Bash", "ls", "ok")]
    )
    preview = read(reader, f"/sessions/{recorded}/steps/1/?tab=saw&origin=simulated")
    address = re.search(r'href="(\?[^"]*&block=\d+)#', preview)
    assert address is not None

    whole = read(reader, f"/sessions/{recorded}/steps/1/{address[1].replace('&amp;', '&')}")

    assert "the end" in whole
    assert "the end" not in preview
    assert "All blocks" in whole
    assert "All blocks" not in preview


def test_a_filter_that_keeps_nothing_shows_no_row(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/4/?filtered=1&show=included&kind=nothing")

    assert rows(page) == 0
    assert "held back by the filter" in page


def test_a_row_opens_in_place_and_by_its_own_address(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/3/")
    key = re.search(r'id="row-([0-9a-f-]+)"', page)
    assert key is not None
    address = f"/sessions/{recorded}/steps/3/?row={key[1]}"

    whole = read(reader, address)
    fragment = read(reader, address, **HTMX, HTTP_HX_TARGET=f"opened-{key[1]}")

    assert f'<tr class="opened" id="opened-{key[1]}">' in whole
    assert fragment.lstrip().startswith('<tr class="opened"')
    assert "<html" not in fragment


def test_a_row_that_is_not_there_is_not_found(reader: Client, recorded: UUID):
    assert reader.get(f"/sessions/{recorded}/steps/3/?row=feedfeedfeed").status_code == 404


def test_excluded_rows_carry_their_reason_in_the_language_of_the_page(reader: Client, recorded: UUID):
    english = read(reader, f"/sessions/{recorded}/steps/5/")
    reader.cookies["django_language"] = "zh-hans"
    chinese = read(reader, f"/sessions/{recorded}/steps/5/")

    assert "That harness had replaced it by a summary." in english
    assert "该工具已用摘要取代它。" in chinese


def test_what_the_model_saw_stands_in_lanes(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/3/?tab=saw")

    assert 'class="block lane-trusted' in page
    assert 'class="block lane-untrusted' in page
    assert "quoted, not obeyed" in page


def test_comparison_with_the_previous_step_names_what_entered(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/3/?tab=compare")

    assert "Step 3 against step 2" in page
    assert "entered the request" in page


def test_any_other_step_can_be_compared(reader: Client, recorded: UUID):
    assert "Step 4 against step 1" in read(reader, f"/sessions/{recorded}/steps/4/?tab=compare&with=1")


def test_a_simulation_is_compared_with_one_that_nobody_opened_before(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/3/?tab=compare&origin=simulated")

    assert "Step 3 against step 2" in page


def test_state_is_the_one_of_this_call(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/1/?tab=state")

    assert "State when this call was assembled, after event 3" in page


def test_neighbouring_steps_keep_tab_and_origin(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/2/?tab=saw")

    assert f'href="/sessions/{recorded}/steps/1/?origin=observed&amp;tab=saw" data-key="["' in page.replace(
        "&tab", "&amp;tab"
    )
    assert f'href="/sessions/{recorded}/steps/3/?origin=observed&amp;tab=saw" data-key="]"' in page.replace(
        "&tab", "&amp;tab"
    )


def test_a_simulated_ledger_is_made_when_it_is_opened(reader: Client, recorded: UUID):
    page = read(reader, f"/sessions/{recorded}/steps/3/?origin=simulated")

    assert "it did not happen" in page
    assert "origin-simulated" in page


@pytest.mark.parametrize("query", ["tab=secrets", "origin=imagined", "with=x&tab=compare"])
def test_a_parameter_that_makes_no_sense_is_refused(reader: Client, recorded: UUID, query: str):
    assert reader.get(f"/sessions/{recorded}/steps/2/?{query}").status_code == 400


@pytest.mark.parametrize("tab", ["ledger", "saw", "compare", "state"])
def test_the_number_of_queries_is_bounded(reader: Client, recorded: UUID, django_assert_max_num_queries, tab: str):
    with django_assert_max_num_queries(30):
        read(reader, f"/sessions/{recorded}/steps/4/?tab={tab}")


def test_a_built_step_says_so_and_is_reproduced_byte_for_byte(reader: Client, world: World):
    session = a_session(world, [("user.message", {"text": "Read the parser."})], origin="api")
    build_step(session_id=session, build_id=uuid4(), model=MODEL, actor="test")

    ledger = read(reader, f"/sessions/{session}/steps/1/")
    saw = read(reader, f"/sessions/{session}/steps/1/?tab=saw")

    assert "this was handed to the agent" in ledger
    assert "reproduced, same bytes" in saw
    assert "from the stored bytes" in saw


def test_a_step_that_does_not_fit_names_the_guilty_bucket_and_the_ways_out(reader: Client, world: World):
    answer = ("model.message", {"message_id": "m1", "text": "ok", "model": "llama3-8b"})
    session = a_session(world, [("user.message", {"text": "word " * 20_000}), answer], model="llama3-8b")

    page = read(reader, f"/sessions/{session}/steps/1/?origin=simulated")

    assert "Does not fit" in page
    assert "Ways out, with their price" in page


def test_a_session_without_a_known_window_says_why_there_is_no_simulation(reader: Client, world: World):
    answer = ("model.message", {"message_id": "m1", "text": "ok", "model": "a-model-nobody-knows"})
    session = a_session(world, [("user.message", {"text": "go"}), answer], model="a-model-nobody-knows")

    simulated = read(reader, f"/sessions/{session}/steps/1/?origin=simulated")
    observed = read(reader, f"/sessions/{session}/steps/1/")

    assert "a-model-nobody-knows" in simulated
    assert "context window" in simulated
    assert "no limit is guessed" in observed
