"""Every address x every role, by the one table: who is not permitted is refused, who is a stranger finds nothing there."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from contextapp.accounts import permissions
from contextapp.accounts.models import Role, User
from contextapp.accounts.services import add_member, create_api_key, create_invitation
from contextapp.intake.services import run_import, start_upload
from contextapp.jobs.services import enqueue
from contextapp.memory.models import KnownAnswer
from contextapp.memory.services import propose
from contextapp.web.access import ANYONE, MEMBER
from tests.conventions import tracked
from tests.web.addresses import Address, addresses
from tests.world import World

ROLES = (*Role.values, "stranger", "anonymous")
ADDRESSES = sorted(addresses(), key=lambda address: address.name == "logout")  # which ends the test's own login
OPEN = {"home", "login", "login:link", "logout", "set_language", "preferences", "invitation", "healthz", "readyz"}
CHAT = b'[{"role": "user", "content": "List the failing tests."}, {"role": "assistant", "content": "Two."}]'
UNKNOWN = {
    "number": 1,
    "seq": 1,
    "token": "nobody-made-this",
    "group": "masking",
    "user_id": 2_000_000_000,
    "sha256": "0" * 64,
    "record_id": 2_000_000_000,
    "known_id": 2_000_000_000,
    "job_id": 2_000_000_000,
}


@pytest.fixture
def ids(world: World, recorded: object) -> dict[str, object]:
    """Something of Alice's project behind every parameter."""
    from datetime import timedelta

    batch = start_upload(project=world.project, files=[("chat.json", CHAT)], requested_by="user:alice")
    run_import(batch.id)
    key, _text = create_api_key(project=world.project, name="agent", scopes=["read"], by="user:alice")
    invitation, _token = create_invitation(
        project=world.project, role="auditor", lifetime=timedelta(days=1), by=world.alice
    )
    record = propose(
        project=world.project, claim="Tests run with make test.", kind="fact", scope="workspace", scope_key="/srv/shop",
        proposed_by="agent:claude", source="a session",
    ).revision  # fmt: skip
    assert record is not None
    known = KnownAnswer.objects.create(
        project=world.project, item="port", is_attack=False, reviewer="user:bob", shown_at=timezone.now()
    )
    job = enqueue(kind="import.run", key="matrix", payload={"import_id": str(batch.id)}, project_id=world.project.id)
    found = {
        "job_id": job.pk,
        "known_id": known.pk,
        "record_id": record.pk,
        "session_id": recorded,
        "import_id": batch.id,
        "key_id": key.key_id,
        "invitation_id": invitation.id,
    }
    return {**UNKNOWN, **found, "slug": world.project.slug, "user_id": world.bob.id}


def never_was(parameters: list[str]) -> dict[str, object]:
    return {**dict.fromkeys(parameters, uuid4()), **{name: UNKNOWN[name] for name in parameters if name in UNKNOWN},
            "key_id": "0123abcd"}  # fmt: skip


def client_of(world: World, role: str) -> Client:
    client = Client(raise_request_exception=False)
    if role == "anonymous":
        return client
    if role == "stranger":
        client.force_login(world.charlie)
        return client
    user, _made = User.objects.get_or_create(username=f"a-{role}")
    add_member(project=world.project, user=user, role=role, by="user:alice")
    client.force_login(user)
    return client


def test_every_address_declares_what_it_needs() -> None:
    declared = {address.name: address.permission for address in ADDRESSES}

    assert len(declared) > 15
    assert [name for name, found in declared.items() if found not in permissions.ACTIONS | {ANYONE, MEMBER}] == []
    assert {name for name, found in declared.items() if found == ANYONE} == OPEN


def test_what_changes_something_needs_more_than_reading() -> None:
    """A view that takes a POST and nothing else was written to change something."""
    reading = [
        address.name
        for address in ADDRESSES
        if address.permission == permissions.READ
        and Client().get(address.path(never_was(address.parameters))).status_code == 405
    ]

    assert reading == []


@pytest.mark.parametrize("role", ROLES)
def test_the_table_decides_at_every_address(world: World, ids: dict[str, object], role: str) -> None:
    client = client_of(world, role)
    wrong = []
    for address in ADDRESSES:
        for method in ("get", "post"):
            with transaction.atomic():  # whatever the page changed is undone
                answer = getattr(client, method)(address.path(ids))
                transaction.set_rollback(True)
            if not _as_the_table_says(address, role, answer.status_code, answer.headers.get("Location", "")):
                wrong.append((address.name, method, answer.status_code, address.permission))

    assert wrong == []


def _as_the_table_says(address: Address, role: str, status: int, location: str) -> bool:
    to_login = status == 302 and location.startswith("/login/")
    if status == 405:
        return True
    if address.permission == ANYONE:
        return status < 500
    if role == "anonymous":
        return to_login
    if address.permission == MEMBER:
        return status not in (403, 404) and status < 500 and not to_login
    if role == "stranger":  # pages of a project show his own
        return status == 404 if address.parameters else status < 500
    if permissions.may(role, address.permission or ""):
        return status not in (403, 404) and status < 500 and not to_login
    return status == 403


@pytest.mark.parametrize("role", ["stranger", "anonymous"])
def test_what_is_foreign_is_answered_like_what_never_was(world: World, ids: dict[str, object], role: str) -> None:
    client = client_of(world, role)
    told = []
    for address in ADDRESSES:
        if not address.parameters or address.permission == ANYONE:
            continue
        for method in ("get", "post"):
            foreign, never = address.path(ids), address.path(never_was(address.parameters))
            answers = [getattr(client, method)(path) for path in (foreign, never)]
            shapes = [_shape(answer, path) for answer, path in zip(answers, (foreign, never), strict=True)]
            if shapes[0] != shapes[1]:
                told.append((address.name, method, shapes))

    assert told == []


def _shape(answer: object, path: str) -> tuple[int, str, str]:
    """Status, headers and body without what must differ: the address itself and the form's random token."""
    body = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")[^"]*', "", answer.content.decode())  # type: ignore[attr-defined]
    headers = {name: value for name, value in answer.headers.items() if name not in ("Content-Length",)}  # type: ignore[attr-defined]
    return answer.status_code, str(headers).replace(path, ""), body.replace(path, "")  # type: ignore[attr-defined]


def test_a_change_of_role_takes_effect_with_the_next_request(world: World, ids: dict[str, object]) -> None:
    client = client_of(world, Role.ADMIN)
    user = User.objects.get(username="a-admin")
    path = f"/imports/{ids['import_id']}/forget/"
    assert client.get(path).status_code == 200

    add_member(project=world.project, user=user, role=Role.AUDITOR, by="user:alice")

    assert client.get(path).status_code == 403


def test_templates_ask_only_for_what_the_table_has() -> None:
    asked = set()
    for path in tracked.with_suffix(".html"):
        asked |= set(re.findall(r"permitted\.(\w+)", path.read_text()))

    table = permissions.Permitted(Role.ADMIN)
    for name in asked:
        assert table[name] in (True, False)
