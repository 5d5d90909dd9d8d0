"""Every page of every sample session answers: the first pages a stranger opens are these."""

from __future__ import annotations

from itertools import product

import pytest
from django.test import Client
from django.urls import reverse

from contextapp.accounts.services import ensure_administrator
from contextapp.eventlog.models import Session
from contextapp.intake.samples import load_samples

TABS = ("ledger", "saw", "compare", "state")
ORIGINS = ("observed", "simulated")
EVERY = 3  # steps; the last one always among them


@pytest.mark.slow
@pytest.mark.django_db
def test_every_page_of_the_samples_answers_in_both_languages() -> None:
    load_samples()
    client = Client()
    client.force_login(ensure_administrator())
    refused = []

    for place, session in enumerate(Session.objects.filter(origin="sample", project__slug="samples", erased_at=None)):
        client.cookies["django_language"] = ("en", "zh-hans")[place % 2]
        assert client.get(reverse("sessions:detail", args=[session.id])).status_code == 200
        for number in range(1, session.turn_count + 1):
            assert client.get(reverse("turns:detail", args=[session.id, number])).status_code == 200
        steps = sorted({*range(1, session.step_count + 1, EVERY), session.step_count})
        for number, tab, origin in product(steps, TABS, ORIGINS):
            address = reverse("steps:detail", args=[session.id, number])
            status = client.get(address, {"tab": tab, "origin": origin}).status_code
            if status != 200:
                refused.append((status, session.title, number, tab, origin))

    assert refused == []
