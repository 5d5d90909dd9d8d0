"""Six reviewers at one queue of 400 records, through the pages and the real database: whether a record is ever decided
twice, and how long the next one takes to arrive: `python -m tests.benchmarks.review --json [--quick]`.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.benchmarks import database, report

if TYPE_CHECKING:
    from contextapp.accounts.models import User

LIMITS = {"double_decisions": ("=", 0.0), "next_item_ms_p99": ("<=", 150.0)}
REVIEWERS, ITEMS, QUICK_ITEMS, ALONE = 6, 400, 120, 200
DESK = {"HX-Request": "true", "HX-Target": "desk"}
VOTES = ("approve", "reject", "quarantine")
FORM = re.compile(
    r'action="(?P<address>/memory/(?:known/)?\d+/decide/)".*?name="version" value="(?P<version>\d+)"'
    r'.*?name="shown_sha256" value="(?P<sha256>[0-9a-f]{64})"',
    re.S,
)


@dataclass(slots=True)
class Seat:
    """What one reviewer did: milliseconds from each decision sent to the next desk received, and refusals for coming late."""

    taken_ms: list[float] = field(default_factory=list)
    refused: int = 0
    failed: list[str] = field(default_factory=list)


def measure(options: report.Options) -> dict[str, float]:
    database.use("review")
    from django.conf import settings

    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    items = QUICK_ITEMS if options.quick else ITEMS
    people = _project_with(items)
    seats = [Seat() for _ in people]
    threads = [threading.Thread(target=_review, args=one, daemon=True) for one in zip(people, seats, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _expect_none([failure for seat in seats for failure in seat.failed])
    contended = [taken for seat in seats for taken in seat.taken_ms]
    report.progress(f"{len(contended)} decisions by {REVIEWERS}, {sum(seat.refused for seat in seats)} came late")
    figures = {"double_decisions": float(_double_decisions(items))}
    figures["contended_item_ms_p50"] = report.median(contended)
    figures["contended_item_ms_p99"] = report.percentile(contended, 99)
    alone = Seat()
    _review(_project_with(ITEMS if not options.quick else QUICK_ITEMS)[0], alone, most=ALONE)
    _expect_none(alone.failed)
    figures["next_item_ms_p50"] = report.median(alone.taken_ms)
    figures["next_item_ms_p99"] = report.percentile(alone.taken_ms, 99)
    return figures


def _project_with(items: int) -> list[User]:
    """A new project with that many records of one care, and its reviewers."""
    from contextapp.accounts.models import Project, Role, User
    from contextapp.accounts.services import add_member, create_project
    from contextapp.memory.services import propose

    number = Project.objects.count()
    project = create_project(slug=f"review-{number}", name=f"Review {number}", by="benchmark")
    people = [User.objects.create_user(f"reviewer-{number}-{place}") for place in range(REVIEWERS)]
    for person in people:
        add_member(project=project, user=person, role=Role.REVIEWER, by="benchmark")
    for place in range(items):
        propose(
            project=project, claim=f"Service {place} listens on port {8000 + place}.", kind="fact", scope="workspace",
            scope_key="/srv/shop", proposed_by="agent:benchmark", source="a session", source_trust="user",
        )  # fmt: skip
    return people


def _review(person: User, seat: Seat, most: int | None = None) -> None:
    """As the page does it: open the next one, decide on what it shows, take the desk that comes back."""
    from django.db import connections
    from django.test import Client

    client = Client()
    client.force_login(person)
    try:
        response = client.get("/memory/start/", follow=True)
        while (shown := _shown(response)) is not None and (most is None or len(seat.taken_ms) < most):
            response, address = _decide(client, shown, len(seat.taken_ms), seat)
            if address:
                response = client.get(address, follow=True)
    finally:
        connections.close_all()


def _decide(
    client: Any, shown: dict[str, str], number: int, seat: Seat
) -> tuple[Any, str]:  # Django's test client and its answer
    """The answer, and where it leads if it is not the next desk itself."""
    given = {
        "version": shown["version"], "shown_sha256": shown["sha256"], "ms_on_screen": "4000",
        "action": "reject" if number % 3 == 2 else "approve", "reason_code": "wrong", "approve_note": "it says so",
        "evidence_opened": "1",
    }  # fmt: skip
    started = time.perf_counter()
    response = client.post(shown["address"], given, headers=DESK)
    taken = (time.perf_counter() - started) * 1000
    if response.status_code == 409:
        seat.refused += 1
        return response, "/memory/start/"
    if response.status_code == 204:
        return response, response["HX-Redirect"]
    if response.status_code != 200:
        seat.failed.append(f"{shown['address']} answered {response.status_code}")
        return response, "/memory/round/"
    if "/known/" in shown["address"]:
        return response, "/memory/start/"  # it tells what the item was, and waits for a click
    seat.taken_ms.append(taken)
    return response, ""


def _shown(response: Any) -> dict[str, str] | None:
    """What the form of the desk names: where it goes, on which version and bytes. None on any other page."""
    found = FORM.search(response.content.decode())
    return None if found is None else found.groupdict()


def _double_decisions(items: int) -> int:
    """Records with more than one vote. Every record must have one, or the run proves nothing."""
    from django.db.models import Count

    from contextapp.accounts.models import Project
    from contextapp.memory.models import MemoryReview, MemoryRevision

    project = Project.objects.filter(slug__startswith="review-").latest("created_at")
    votes = MemoryReview.objects.filter(memory__project=project, verdict__in=VOTES)
    waiting = MemoryRevision.objects.filter(project=project, state="candidate").count()
    per_record = dict(votes.values_list("memory").annotate(votes=Count("id")))
    if waiting or len(per_record) != items:
        raise RuntimeError(f"{waiting} records still wait, {len(per_record)} of {items} were decided")
    return sum(number > 1 for number in per_record.values())


def _expect_none(failures: Sequence[str]) -> None:
    if failures:
        raise RuntimeError(f"{len(failures)} decisions failed, the first: {failures[0]}")


def main(arguments: Sequence[str] | None = None) -> int:
    return report.run("review", measure, LIMITS, arguments)


if __name__ == "__main__":
    sys.exit(main())
