"""The Jobs page: whose jobs it shows, in which order, what it says of lateness, and what its two buttons leave behind."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from contextapp.accounts.models import AuditEntry, Project, User
from contextapp.accounts.services import add_member
from contextapp.intake.services import start_upload
from contextapp.jobs import broker, registry
from contextapp.jobs.models import Job, JobState
from contextapp.jobs.selectors import JobFilters, list_jobs, queue_lag
from contextapp.web.words import JOB_KINDS
from tests.world import World

LIVE = {"HX-Request": "true", "HX-Target": "jobs-live"}
TRACE = 'Traceback (most recent call last):\n  File "work.py", line 3\nRuntimeError: the \x1b[31m<b>disk</b> is full'


def job(project: Project | None, key: str, state: str = "queued", *, ago: int = 10, **columns: Any) -> Job:
    """A job as the services leave it in that state, some seconds ago."""
    moment = timezone.now() - timedelta(seconds=ago)
    begun = None if state == "queued" else moment
    ended = moment if state in ("dead", "done", "cancelled") else None
    given = {"kind": "eventlog.derive", "started_at": begun, "finished_at": ended, **columns}
    made = Job.objects.create(project=project, key=key, state=state, **given)
    Job.objects.filter(pk=made.pk).update(created_at=moment)
    return made


def shown(client: Client, query: str = "") -> str:
    answer = client.get(f"/jobs/{query}")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def rows(text: str) -> list[str]:
    """Ids of the jobs in the order of the page."""
    return re.findall(r'<tr data-row id="job-(\d+)"', text)


def seen(text: str) -> str:
    found = re.search(r"seen=(\w+)", text)
    assert found is not None
    return found[1]


def admin() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def test_what_runs_comes_first_then_what_failed_what_waits_and_what_has_ended(reader: Client, world: World) -> None:
    ended = job(world.project, "ended", "done", ago=5)
    younger, older = job(world.project, "younger", ago=20), job(world.project, "older", ago=30)
    dead = job(world.project, "dead", "dead", ago=3, attempts=5)
    running = job(world.project, "running", "running", progress_done=1, progress_total=4)
    cancelled = job(world.project, "cancelled", "cancelled", ago=50)

    text = shown(reader)

    assert rows(text) == [str(one.pk) for one in (running, dead, older, younger, ended, cancelled)]
    assert 'max="4" value="1"' in text and "25 %" in text
    assert "5 of 5" in text and "6 of 6" in text
    assert rows(shown(reader, "?state=dead")) == [str(dead.pk)]
    assert rows(shown(reader, "?state=ended")) == [str(ended.pk), str(cancelled.pk)]


def test_a_project_shows_its_own_jobs_and_the_installations_to_its_administrator_alone(
    reader: Client, world: World
) -> None:
    own = job(world.project, "own")
    foreign, nobodys = job(world.foreign_project, "foreign"), job(None, "log", kind="eventlog.checkpoint")
    root = admin()

    assert rows(shown(reader)) == [str(own.pk)]
    assert rows(shown(root, "?project=wonderland")) == [str(own.pk), str(nobodys.pk)]
    for hidden in (foreign, nobodys):
        for act in ("retry", "cancel"):
            assert reader.post(f"/jobs/{hidden.pk}/{act}/").status_code == 404
    assert reader.get("/jobs/?project=elsewhere").status_code == 404
    assert root.post(f"/jobs/{nobodys.pk}/cancel/").status_code == 302
    assert AuditEntry.objects.get(action="job.cancelled").project is None


def test_without_a_choice_the_page_stands_in_a_project_whose_jobs_one_may_see(world: World) -> None:
    add_member(project=world.foreign_project, user=world.bob, role="admin", by="user:charlie")
    job(world.foreign_project, "bobs")
    client = Client()
    client.force_login(world.bob)

    assert rows(shown(client)) != []
    assert client.get("/jobs/?project=wonderland").status_code == 403


def test_the_navigation_leads_there_for_admins_only(reader: Client, world: World) -> None:
    reviewer = Client()
    reviewer.force_login(world.bob)

    assert 'href="/jobs/"' in reader.get("/sessions/").content.decode()
    assert 'href="/jobs/"' not in reviewer.get("/sessions/").content.decode()
    assert reviewer.get("/jobs/").status_code == 403


def test_a_job_leads_to_its_session_only_if_the_visitor_may_see_it(reader: Client, world: World) -> None:
    mine = world.open_session(title="Fix the parser")
    theirs = world.open_session(project_id=world.foreign_project.id, title="Secret work")
    batch = start_upload(project=world.project, files=[("a.json", b"[]")], requested_by="user:alice")
    job(world.project, "mine", payload={"session": str(mine.id)})
    job(world.project, "theirs", payload={"session": str(theirs.id)})
    job(world.project, "odd", payload={"session": ["no", "id"]})

    text = shown(reader)

    assert f'href="/sessions/{mine.id}/"' in text and "Fix the parser" in text
    assert str(theirs.id) not in text and "Secret work" not in text
    assert f'href="/imports/{batch.id}/"' in text


def test_an_error_shows_its_last_line_and_keeps_the_rest_folded_and_escaped(reader: Client, world: World) -> None:
    job(world.project, "a", "dead", last_error=TRACE)

    page = reader.get("/jobs/").content.decode()
    summary = page[page.index("<summary id=") : page.index("</summary>", page.index("<summary id="))]

    assert "RuntimeError: the" in summary and "Traceback" not in summary
    assert "<b>disk</b>" not in page and '<span class="control" title="U+001B">ESC</span>' in page
    assert "Traceback (most recent call last)" in page


def test_the_list_continues_by_cursor_across_its_parts_and_names_each_job_once(world: World) -> None:
    made = [job(world.project, f"w{n}", ago=10) for n in range(3)]
    made += [job(world.project, f"d{n}", "dead", ago=100 - n) for n in range(3)]
    made += [job(world.project, f"e{n}", "done", ago=100) for n in range(4)]
    Job.objects.filter(state="done").update(finished_at=timezone.now())  # the same moment: the id decides

    whole = [row.id for row in list_jobs(world.alice, world.project).rows]
    pages, cursor = [], ""
    while True:
        page = list_jobs(world.alice, world.project, cursor=cursor, limit=2)
        pages += [row.id for row in page.rows]
        cursor = page.next_cursor
        if not cursor:
            break

    assert pages == whole
    assert sorted(pages) == sorted(one.pk for one in made)
    assert list_jobs(world.alice, world.project, JobFilters(), "nonsense~x~y").rows[0].id == whole[0]


def test_filters_stand_in_the_address(reader: Client, world: World) -> None:
    job(world.project, "a")
    chosen = job(world.project, "a", "done", kind="import.run")

    text = shown(reader, "?kind=import.run")

    assert rows(text) == [str(chosen.pk)]
    assert "Import transcripts (1)" in text
    assert 'href="/jobs/?kind=import.run&state=dead"' in text
    assert "None of the 2 jobs fits this filter" in shown(reader, "?state=dead")
    assert reader.get("/jobs/?state=sleeping").status_code == 400


def test_an_empty_list_says_what_makes_work(reader: Client) -> None:
    assert "make import" in shown(reader)


def test_retry_puts_a_failed_job_back_and_is_audited_with_before_and_after(reader: Client, world: World) -> None:
    dead = job(world.project, "a", "dead", attempts=5, last_error=TRACE)

    answer = reader.post(f"/jobs/{dead.pk}/retry/", {"back": "state=dead&next=//evil.example"})
    again = reader.post(f"/jobs/{dead.pk}/retry/", follow=True)

    dead.refresh_from_db()
    assert (answer.status_code, answer["Location"]) == (302, f"/jobs/?state=dead#job-{dead.pk}")
    assert (dead.state, dead.attempts, dead.last_error) == (JobState.QUEUED, 0, "")
    entry = AuditEntry.objects.get(action="job.retried")
    assert (entry.actor, entry.target, entry.project) == ("user:alice", f"job:{dead.pk}", world.project)
    assert (entry.before["state"], entry.before["attempts"]) == ("dead", 5)
    assert (entry.after["state"], entry.after["attempts"]) == ("queued", 0)
    assert "waits or runs already" in again.content.decode()


def test_cancel_ends_what_waits_or_runs_and_nothing_else(reader: Client, world: World) -> None:
    waiting, running = job(world.project, "waiting"), job(world.project, "running", "running", lease_owner="w")
    done = job(world.project, "done", "done")

    told = [reader.post(f"/jobs/{one.pk}/cancel/", follow=True).content.decode() for one in (waiting, running, done)]

    assert [Job.objects.get(pk=one.pk).state for one in (waiting, running, done)] == ["cancelled", "cancelled", "done"]
    assert "will not begin" in told[0] and "stops at its next step" in told[1] and "had ended before" in told[2]
    befores = AuditEntry.objects.filter(action="job.cancelled").order_by("n").values_list("before", flat=True)
    assert [before["state"] for before in befores] == ["queued", "running"]


def test_the_lag_is_the_age_of_the_oldest_job_that_may_begin(reader: Client, world: World) -> None:
    calm = queue_lag(world.alice, world.project)
    job(world.project, "later", ago=7200, not_before=timezone.now() + timedelta(hours=1))
    job(world.project, "due since", ago=7200, not_before=timezone.now() - timedelta(seconds=30))
    some = queue_lag(world.alice, world.project)
    job(world.project, "old", ago=300)
    late = queue_lag(world.alice, world.project)

    assert (calm.due, calm.oldest, calm.is_delayed) == (0, None, False)
    assert some.due == 1 and some.oldest is not None and 30 <= some.oldest.total_seconds() < 60
    assert not some.is_delayed
    assert late.due == 2 and late.oldest is not None and 300 <= late.oldest.total_seconds() < 330
    assert "Work is delayed, nothing is lost." in shown(reader)


def test_work_that_is_not_late_raises_no_notice(reader: Client, world: World) -> None:
    job(world.project, "a", ago=40)

    assert "delayed" not in shown(reader)


def test_a_worker_that_let_its_lease_pass_is_named(reader: Client, world: World) -> None:
    job(world.project, "a", "running", lease_until=timezone.now() - timedelta(seconds=1))

    assert "its worker is silent" in shown(reader)


def test_how_far_reading_for_search_is_behind_is_shown(reader: Client, world: World) -> None:
    world.append(world.open_session(), ("user.message", {"text": "one"}), ("user.message", {"text": "two"}))

    assert re.search(r"2 events behind, by \d+ s", shown(reader))


def test_a_broker_that_does_not_answer_is_told_and_nothing_fails(
    reader: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert broker.broker_answers()
    monkeypatch.setenv("CELERY_BROKER_URL", "redis://127.0.0.1:1/0")  # which Celery reads before the settings

    assert "The broker does not answer." in shown(reader)


def test_the_live_part_is_sent_when_something_has_changed_and_not_else(reader: Client, world: World) -> None:
    running = job(world.project, "a", "running", progress_done=1, progress_total=4)
    page = shown(reader)
    word = seen(page)

    nothing = reader.get(f"/jobs/?seen={word}", headers=LIVE)
    Job.objects.filter(pk=running.pk).update(progress_done=2)
    news = reader.get(f"/jobs/?seen={word}", headers=LIVE)

    assert (nothing.status_code, nothing.content) == (204, b"")
    assert news.status_code == 200 and 'value="2"' in news.content.decode()
    assert "<html" not in news.content.decode() and seen(news.content.decode()) != word
    assert "every 2s" in page


def test_every_kind_that_is_registered_has_a_name() -> None:
    assert set(registry._handlers) - set(JOB_KINDS) == set()


def test_the_number_of_queries_does_not_grow_with_the_list(
    reader: Client, world: World, django_assert_max_num_queries: Any
) -> None:
    session = world.open_session(title="One")
    for number in range(40):
        job(world.project, str(number), "done", payload={"session": str(session.id)})

    with django_assert_max_num_queries(24):
        shown(reader)
