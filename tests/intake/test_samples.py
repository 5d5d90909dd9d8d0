"""The sample sessions: complete, quick, the same twice, and the guided case holds what it says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.db import transaction
from django.urls import reverse

from contextapp.accounts.models import Project
from contextapp.contexts.models import Ledger, Step
from contextapp.contexts.packing import unpack_body
from contextapp.contexts.services import simulate_step
from contextapp.engine.ledger import Row
from contextapp.eventlog.models import Event, Session
from contextapp.eventlog.services import verify_session
from contextapp.intake.samples import load_samples
from contextapp.intake.samples.loading import SCRIPTS, _scripts
from contextapp.memory.models import MemoryRevision

if TYPE_CHECKING:
    import pytest_django


@pytest.fixture(scope="module")
def samples(django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker) -> Iterator[dict[str, Session]]:
    """Loaded once for the module, in a transaction that is taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_samples()
        found = Session.objects.filter(project__slug="samples", origin="sample", erased_at=None)
        yield {session.external_id.removeprefix("sample:").split("@")[0]: session for session in found}
        transaction.set_rollback(True)


def test_at_least_six_samples_stand_in_a_project_of_their_own(samples: dict[str, Session]) -> None:
    assert set(samples) == set(SCRIPTS)
    assert len(samples) >= 6
    assert Project.objects.get(slug="samples").is_sample
    assert {session.origin for session in samples.values()} == {"sample"}


def test_each_sample_is_of_a_size_that_can_be_read_and_is_explained(samples: dict[str, Session]) -> None:
    sizes = {name: session.event_count for name, session in samples.items()}

    assert {name: size for name, size in sizes.items() if not 30 <= size <= 150} == {}
    assert all(session.step_count and session.fill_series for session in samples.values())
    assert all(verify_session(session.id).is_verified for session in samples.values())


def test_loading_again_changes_nothing_and_is_quick(samples: dict[str, Session]) -> None:
    before = Event.objects.count()

    started = time.monotonic()
    loaded = load_samples()

    assert (loaded.new, loaded.sessions, Event.objects.count()) == (0, len(SCRIPTS), before)
    assert time.monotonic() - started < 3


def test_scripts_write_the_same_events_each_time() -> None:
    first, again = ([script.drafts for script in _scripts()] for _ in range(2))

    assert first == again


@pytest.mark.parametrize(
    ("name", "mark"),
    [("pushed", "compaction"), ("denied", "denial"), ("overflowed", "overflow"), ("injected", "injection")],
)
def test_each_subject_is_marked_at_a_step(samples: dict[str, Session], name: str, mark: str) -> None:
    marks = Step.objects.filter(session=samples[name]).values_list("marks", flat=True)

    assert any(mark in found for found in marks)


def test_the_sub_agent_has_its_parent(samples: dict[str, Session]) -> None:
    assert samples["delegated-explore"].parent_id == samples["delegated"].id


def test_samples_are_written_in_both_languages(samples: dict[str, Session]) -> None:
    chinese = [session.title for session in samples.values() if any("一" <= letter <= "鿿" for letter in session.title)]

    assert 2 <= len(chinese) <= len(samples) - 2


def test_bills_are_explained_by_what_is_in_the_window(samples: dict[str, Session]) -> None:
    for session in samples.values():
        for residue in Ledger.objects.filter(session=session, origin="observed").values_list("residue", flat=True):
            assert abs(residue["unexplained"]) < 0.02 * residue["billed"] + 30, session.title


def test_approved_memory_comes_along(samples: dict[str, Session]) -> None:
    assert set(MemoryRevision.objects.values_list("state", flat=True)) == {"approved"}


def test_the_guided_case_links_to_pages_that_exist_in_both_languages(samples: dict[str, Session]) -> None:
    guide = samples["pushed"].guide
    assert guide is not None

    links = [
        reverse(step["url_name"], args=[samples["pushed"].id, *step["args"]])
        for language in ("en", "zh-hans")
        for step in guide[language]["answer_steps"]
    ]

    assert len(links) == 8
    assert [session.guide for name, session in samples.items() if name != "pushed"] == [None] * (len(samples) - 1)


def _rows(session: Session, number: int, origin: str) -> list[Row]:
    ledger = Ledger.objects.get(session=session, step_number=number, origin=origin)
    return list(unpack_body(ledger.body.rows).ledger.rows)


def test_the_guided_case_holds_what_it_says(samples: dict[str, Session]) -> None:
    session = samples["pushed"]
    assert session.guide is not None
    saw, _lost, gone, _kept = (step["args"][0] for step in session.guide["en"]["answer_steps"])
    simulate_step(step_id=Step.objects.get(session=session, number=gone).id)
    rule = "event:4"

    observed_before = {row.source_id: row for row in _rows(session, saw, "observed")}
    observed_then = _rows(session, gone, "observed")
    simulated = _rows(session, gone, "simulated")

    assert observed_before[rule].after_tokens > 0
    assert rule not in {row.source_id for row in observed_then}
    assert any(row.reason == "harness_compacted" and row.events[0] <= 4 <= row.events[1] for row in observed_then)
    assert any(row.source_kind == "constraint" and "Do not push" in row.title for row in simulated if row.after_tokens)
