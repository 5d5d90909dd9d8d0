"""Imports through the browser: started, followed, read line by line, forgotten."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contextapp.accounts.models import Role, User
from contextapp.accounts.services import add_member, create_project, ensure_administrator
from contextapp.intake.models import Import
from contextapp.intake.services import run_import, start_upload
from contextapp.jobs.models import Job
from contextapp.jobs.services import cancel
from tests.world import World

CHAT = b"""[{"role": "user", "content": "List the failing tests."}, {"role": "assistant", "content": "Two of them fail."}]"""
BROKEN = (
    b'{"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]}\n'
    b'{"messages": [{"role": "user", "content": "\x1b[31m <b>cut\n'
)


def upload(client: Client, *files: tuple[str, bytes]) -> UUID:
    """The id of the import that the browser is sent to."""
    sent = client.post("/imports/new/", {"files": [SimpleUploadedFile(name, body) for name, body in files]})
    assert sent.status_code == 302, sent.content.decode()
    return UUID(re.fullmatch(r"/imports/([0-9a-f-]+)/", sent.url)[1])


def read(client: Client, import_id: UUID) -> str:
    answer = client.get(f"/imports/{import_id}/")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def developer(world: World) -> Client:
    """May import and may not erase."""
    user = User.objects.create_user("dana")
    add_member(project=world.project, user=user, role=Role.DEVELOPER, by="user:alice")
    client = Client()
    client.force_login(user)
    return client


def test_it_checks_access(world: World, reader: Client, stranger: Client):
    import_id = upload(reader, ("chat.json", CHAT))
    bob = Client()
    bob.force_login(world.bob)

    assert read(bob, import_id)
    for path in (f"/imports/{import_id}/", f"/imports/{import_id}/forget/"):
        assert stranger.get(path).status_code == 404
        assert Client().get(path).url.startswith("/login/")
    assert bob.get("/imports/new/").status_code == 403
    assert bob.post("/imports/new/").status_code == 403
    assert bob.post(f"/imports/{import_id}/forget/").status_code == 403
    assert str(import_id) not in stranger.get("/imports/").content.decode()
    assert str(import_id) in bob.get("/imports/").content.decode()


def test_a_file_from_the_browser_becomes_a_session(world: World, reader: Client):
    import_id = upload(reader, ("chat.json", CHAT))

    waiting = read(reader, import_id)
    run_import(import_id)
    done = read(reader, import_id)

    assert Job.objects.get(key=str(import_id)).kind == "import.run"
    assert 'hx-trigger="every 1s"' in waiting
    assert "hx-trigger" not in done
    assert "source SHA-256" in done
    assert "List the failing tests." in done


def test_the_polled_part_is_the_part_of_the_page(world: World, reader: Client):
    import_id = upload(reader, ("chat.json", CHAT))

    part = reader.get(f"/imports/{import_id}/", headers={"HX-Request": "true", "HX-Target": "import"}).content.decode()

    assert part.strip().startswith('<div id="import"')
    assert part.strip() in read(reader, import_id)


def test_lines_add_up_and_a_bad_one_is_shown_with_its_reason(world: World, reader: Client):
    import_id = upload(reader, ("chats.jsonl", BROKEN))

    run_import(import_id)
    page = read(reader, import_id)

    lines, produced, folded, quarantined = (
        int(figure) for figure in re.search(r'class="sum">(\d+) = (\d+) \+ (\d+) \+ <span[^>]*>(\d+)', page).groups()
    )
    assert lines == 2 == produced + folded + quarantined
    assert quarantined == 1
    assert "Quarantined lines" in page
    assert "&lt;b&gt;cut" in page
    assert "<b>cut" not in page


def test_an_unknown_file_fails_alone(world: World, reader: Client):
    import_id = upload(reader, ("notes.txt", b"just notes\n"), ("chat.json", CHAT))

    run_import(import_id)
    page = read(reader, import_id)

    assert page.count("✗") >= 1
    assert "List the failing tests." in page


def test_nothing_chosen_is_said_and_nothing_is_started(world: World, reader: Client):
    refused = reader.post("/imports/new/", {"way": "upload"})

    assert refused.status_code == 422
    assert "No file was chosen" in refused.content.decode()


def test_too_much_at_once_is_refused_with_both_sizes(world: World, reader: Client, settings: object):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

    refused = reader.post("/imports/new/", {"files": [SimpleUploadedFile("a.json", b"x" * 101)]})

    assert refused.status_code == 422
    assert "101 B" in refused.content.decode()
    assert "100 B" in refused.content.decode()


def test_paths_of_the_server_are_for_its_administrator_alone(world: World, reader: Client):
    refused = reader.post("/imports/new/", {"way": "paths", "paths": "/etc"})

    assert refused.status_code == 403
    assert "disk" not in reader.get("/imports/new/").content.decode().split("<main")[1]


def test_the_administrator_imports_a_folder_of_the_server(world: World, client: Client, tmp_path: object):
    (tmp_path / "chat.json").write_bytes(CHAT)
    client.force_login(User.objects.create_superuser("root"))

    sent = client.post("/imports/new/?project=wonderland", {"way": "paths", "paths": f"{tmp_path}\n", "last": "5"})
    unread = client.post("/imports/new/", {"way": "paths", "paths": f"{tmp_path}", "last": "few"})

    assert str(tmp_path) in client.get(sent.url).content.decode()
    assert unread.status_code == 422
    assert "“few” is not a number of files." in unread.content.decode()


def test_ones_own_transcripts_do_not_land_among_the_samples(client: Client, db: None):
    admin = ensure_administrator()
    create_project(slug="samples", name="Samples", by="system", is_sample=True)
    client.force_login(admin)
    client.get("/sessions/?project=samples")

    import_id = upload(client, ("chat.json", CHAT))

    assert Import.objects.get(id=import_id).project.slug == "default"


def test_forgetting_asks_first_and_then_erases(world: World, reader: Client):
    import_id = upload(reader, ("chat.json", CHAT))
    run_import(import_id)

    question = reader.get(f"/imports/{import_id}/forget/").content.decode()
    before = read(reader, import_id)
    sent = reader.post(f"/imports/{import_id}/forget/")
    after = reader.get(sent.url).content.decode()

    assert "The content of 1 session is erased" in question
    assert "List the failing tests." in before
    assert "List the failing tests." not in after
    assert "Forgotten" in after


def test_a_developer_is_not_offered_to_forget(world: World, developer: Client):
    import_id = upload(developer, ("chat.json", CHAT))
    run_import(import_id)

    assert reverse("imports:forget", args=[import_id]) not in read(developer, import_id)


def test_the_list_counts_and_links(world: World, reader: Client):
    first, second = upload(reader, ("chat.json", CHAT)), upload(reader, ("other.json", CHAT))

    page = reader.get("/imports/").content.decode()

    assert "2 of 2" in page
    assert page.index(str(second)) < page.index(str(first))


def test_a_running_import_shows_in_the_bar(world: World, reader: Client):
    upload(reader, ("chat.json", CHAT))

    assert "1 job is running" in reader.get("/imports/").content.decode()


def test_an_import_whose_job_was_cancelled_says_so_and_asks_no_more(reader: Client, world: World) -> None:
    batch = start_upload(project=world.project, files=[("chat.json", b"[]")], requested_by="user:alice")
    working = reader.get(f"/imports/{batch.id}/").content.decode()
    job = Job.objects.get(kind="import.run", key=str(batch.id))

    cancel(job_id=job.pk, by="user:alice")
    stopped = reader.get(f"/imports/{batch.id}/").content.decode()

    assert "every 1s" in working
    assert "every 1s" not in stopped and f"#job-{job.pk}" in stopped


def test_an_import_that_was_cancelled_is_forgotten_once_no_worker_can_be_at_it(reader: Client, world: World) -> None:
    batch = start_upload(project=world.project, files=[("chat.json", CHAT)], requested_by="user:alice")
    Import.objects.filter(pk=batch.pk).update(state="running")
    job = Job.objects.get(kind="import.run", key=str(batch.id))
    cancel(job_id=job.pk, by="user:alice")

    early = reader.post(f"/imports/{batch.id}/forget/", follow=True).content.decode()
    Job.objects.filter(pk=job.pk).update(finished_at=timezone.now() - timedelta(minutes=3))
    reader.post(f"/imports/{batch.id}/forget/")

    assert "its worker has let go for certain" in early
    assert Import.objects.get(pk=batch.pk).state == "forgotten"
