"""An evidence bundle verifies by itself, and every change of it is found and placed."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command

from contextapp.accounts.models import AuditEntry
from contextapp.contexts.export.bundle import bundle_bytes
from contextapp.contexts.services import build_step, export_session, index_session
from contextapp.eventlog.models import Session
from contextapp.eventlog.services import erase_events, erase_session, take_checkpoint
from contextapp.evidence.standalone import verify
from tests.eventlog.test_content import image
from tests.world import World

HOSTILE = "<script>alert(1)</script> \u202egnp.exe \x1b[8m </pre>"


@pytest.fixture
def session(world: World, settings: object, tmp_path: Path) -> Session:
    """Built once, with an attachment and hostile text, and covered by a checkpoint together with other sessions."""
    settings.DATA_DIR = tmp_path  # type: ignore[attr-defined]
    settings.CHECKPOINT_KEY_FILE = str(tmp_path / "key.pem")  # type: ignore[attr-defined]
    settings.CHECKPOINT_FILE = str(tmp_path / "checkpoints.txt")  # type: ignore[attr-defined]
    session = world.open_session(model="gpt-4o", title=HOSTILE)
    world.append(
        session,
        ("user.message", {"text": "修复解析器。", "media": [image()]}),
        ("tool.requested", {"call_id": "c1", "name": "Bash", "input": {"command": "ls"}, "message_id": "m1"}),
        ("tool.completed", {"call_id": "c1", "content": HOSTILE}),
        ("user.message", {"text": "Go on."}),
    )
    build_step(session_id=session.id, build_id=uuid4(), model="gpt-4o", actor="test")
    index_session(session_id=session.id)
    for _ in range(3):
        world.append(world.open_session(), ("user.message", {"text": "beside"}))
    assert take_checkpoint() is not None
    return session


def judged(content: bytes, tmp_path: Path, **options: str) -> dict[str, object]:
    path = tmp_path / f"{uuid4()}.zip"
    path.write_bytes(content)
    return verify.verified(str(path), **options)  # type: ignore[no-any-return]  # untyped on purpose


def changed(content: bytes, change: Callable[[dict[str, bytes]], None], *, with_manifest: bool = True) -> bytes:
    """The bundle with its files changed; `with_manifest` lists the changed ones anew, as a forger would."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    if with_manifest:
        manifest = json.loads(files["manifest.json"])
        manifest["files"] = {
            name: {"sha256": verify.hashlib.sha256(body).hexdigest(), "size": len(body)}
            for name, body in files.items()
            if name != "manifest.json"
        }
        files["manifest.json"] = json.dumps(manifest).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return made.getvalue()


def test_a_bundle_verifies_by_itself_and_is_the_same_again(session: Session, tmp_path: Path) -> None:
    content = bundle_bytes(session.id)

    found = judged(content, tmp_path)

    assert (found["verdict"], found["events"], found["artifacts"], found["checkpoint"]) == ("verified", 5, 1, 1)
    assert found["ledgers"] == 1
    assert bundle_bytes(session.id) == content


def test_the_verifier_inside_runs_without_the_product(session: Session, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(bundle_bytes(session.id))) as archive:
        archive.extractall(tmp_path / "bundle")  # ours, just written

    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", ".", "--json"],
        cwd=tmp_path / "bundle", capture_output=True, text=True, check=False, env={},
    )  # fmt: skip

    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "verified"), done.stderr


EVENT_COLUMNS = sorted(verify.COLUMNS)


@pytest.mark.parametrize("column", EVENT_COLUMNS)
def test_every_column_of_an_event_that_is_changed_is_found(session: Session, tmp_path: Path, column: str) -> None:
    def change(files: dict[str, bytes]) -> None:
        lines = [json.loads(line) for line in files["events.jsonl"].splitlines()]
        lines[1][column] = _other(lines[1][column])
        files["events.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    found = judged(changed(bundle_bytes(session.id), change), tmp_path)

    assert found["verdict"] == "tampered"
    assert str(found["place"]).startswith(("event 2", "event 3", "event ", "events.jsonl"))


def _other(value: object) -> object:
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "00000000-0000-4000-8000-000000000000"
    text = str(value)
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def drop_event(files: dict[str, bytes]) -> None:
    lines = files["events.jsonl"].splitlines(keepends=True)
    files["events.jsonl"] = b"".join(lines[:2] + lines[3:])


def cut_tail(files: dict[str, bytes]) -> None:
    files["events.jsonl"] = b"".join(files["events.jsonl"].splitlines(keepends=True)[:-1])


def swap_events(files: dict[str, bytes]) -> None:
    lines = files["events.jsonl"].splitlines(keepends=True)
    files["events.jsonl"] = b"".join([lines[1], lines[0], *lines[2:]])


def take_payload(files: dict[str, bytes]) -> None:
    lines = [json.loads(line) for line in files["events.jsonl"].splitlines()]
    lines[2] |= {"payload": None, "salt": None}
    files["events.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def change_artifact(files: dict[str, bytes]) -> None:
    name = next(name for name in files if name.startswith("artifacts/"))
    files[name] += b"x"


def take_artifact(files: dict[str, bytes]) -> None:
    del files[next(name for name in files if name.startswith("artifacts/"))]


def change_block(files: dict[str, bytes]) -> None:
    name = next(name for name in files if name.startswith("blocks/"))
    files[name] += b"x"


def change_ledger(files: dict[str, bytes]) -> None:
    entry = json.loads(files["ledgers.jsonl"])
    entry["request"]["blocks"].pop()
    files["ledgers.jsonl"] = json.dumps(entry).encode() + b"\n"


def change_ledger_and_its_hash(files: dict[str, bytes]) -> None:
    entry = json.loads(files["ledgers.jsonl"])
    entry["request"]["blocks"].pop()
    lines = [entry["request"]["model"], str(entry["request"]["max_output_tokens"]), *entry["request"]["blocks"]]
    entry["ledger"]["requestSha256"] = verify.hashlib.sha256("\n".join(lines).encode()).hexdigest()
    files["ledgers.jsonl"] = json.dumps(entry).encode() + b"\n"


def change_note(files: dict[str, bytes]) -> None:
    files["checkpoint.txt"] = files["checkpoint.txt"].replace(b"number 1", b"number 2")


def change_path(files: dict[str, bytes]) -> None:
    proof = json.loads(files["proof.json"])
    proof["path"][0] = "00" * 32
    files["proof.json"] = json.dumps(proof).encode()


def change_place(files: dict[str, bytes]) -> None:
    proof = json.loads(files["proof.json"])
    proof["index"] = proof["index"] ^ 1
    files["proof.json"] = json.dumps(proof).encode()


def shorten_path(files: dict[str, bytes]) -> None:
    proof = json.loads(files["proof.json"])
    proof["path"] = proof["path"][:-1]
    files["proof.json"] = json.dumps(proof).encode()


def other_key(files: dict[str, bytes]) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from contextapp.evidence.signed_note import public_key

    name = files["public-keys.txt"].decode().partition("+")[0]
    files["public-keys.txt"] = public_key(name, Ed25519PrivateKey.generate()).text().encode()


CHANGES = [
    drop_event, cut_tail, swap_events, take_payload, change_artifact, take_artifact, change_block, change_ledger,
    change_ledger_and_its_hash, change_note, change_path, change_place, shorten_path, other_key,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_forged_bundle_is_found_even_with_a_fitting_manifest(
    session: Session, tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    found = judged(changed(bundle_bytes(session.id), change), tmp_path)

    assert found["verdict"] == "tampered", found
    assert found["what"]


@pytest.mark.parametrize("name", ["view.html", "verify.py", "README.txt", "events.jsonl", "proof.json"])
def test_a_changed_file_is_found_by_the_manifest(session: Session, tmp_path: Path, name: str) -> None:
    def change(files: dict[str, bytes]) -> None:
        files[name] += b"\n"

    found = judged(changed(bundle_bytes(session.id), change, with_manifest=False), tmp_path)

    assert (found["verdict"], found["place"]) == ("tampered", name)


def test_a_file_beside_the_manifest_and_an_odd_name_are_found(session: Session, tmp_path: Path) -> None:
    for name in ("extra.txt", "../outside", "a/b/c"):

        def add(files: dict[str, bytes], name: str = name) -> None:
            files[name] = b"x"

        content = changed(bundle_bytes(session.id), add, with_manifest=name != "extra.txt")
        assert judged(content, tmp_path)["verdict"] == "tampered"


def test_a_chain_written_anew_is_not_the_one_that_was_signed(world: World, session: Session, tmp_path: Path) -> None:
    signed = bundle_bytes(session.id)
    with zipfile.ZipFile(io.BytesIO(signed)) as archive:
        kept = {name: archive.read(name) for name in ("checkpoint.txt", "proof.json", "public-keys.txt")}

    def rewrite(files: dict[str, bytes]) -> None:
        """The last event said something else, and every hash after it was made to fit."""
        lines = [json.loads(line) for line in files["events.jsonl"].splitlines()]
        last = lines[-1]
        last["payload"] = last["payload"].replace('"verdict":"ok"', '"verdict":"no"')
        body = last["payload"].encode()
        last["payload_len"] = len(body)
        commit = verify.hashlib.sha256(bytes.fromhex(last["salt"]) + body).digest()
        last["payload_commit"] = commit.hex()
        last["hash"] = verify.event_hash(last, commit, bytes.fromhex(last["prev_hash"])).hex()
        files["events.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        manifest = json.loads(files["manifest.json"])
        manifest["head"]["hash"] = last["hash"]
        files["manifest.json"] = json.dumps(manifest).encode()
        files.update(kept)

    assert judged(changed(signed, rewrite), tmp_path)["verdict"] == "diverged"


def test_a_known_head_and_a_known_key_are_asked_for(session: Session, tmp_path: Path) -> None:
    content = bundle_bytes(session.id)
    head = str(judged(content, tmp_path)["head"])

    assert judged(content, tmp_path, known_head=head)["verdict"] == "verified"
    assert judged(content, tmp_path, known_head="11" * 32)["verdict"] == "diverged"


def test_without_a_checkpoint_it_says_unanchored(world: World, tmp_path: Path) -> None:
    session = world.open_session()
    world.append(session, ("user.message", {"text": "x"}))

    assert judged(bundle_bytes(session.id), tmp_path)["verdict"] == "unanchored"


def test_what_was_erased_is_missing_and_accounted_for(session: Session, tmp_path: Path) -> None:
    erase_events(session_id=session.id, first_seq=1, last_seq=1, reason="asked", actor="user:alice")

    found = judged(bundle_bytes(session.id), tmp_path)

    assert (found["verdict"], found["erased"], found["artifacts"]) == ("verified", 1, 0), found
    erase_session(session_id=session.id, reason="asked", actor="user:alice")
    assert judged(bundle_bytes(session.id), tmp_path)["verdict"] == "verified"


def test_the_page_shows_hostile_text_and_asks_nothing_of_the_network(session: Session) -> None:
    with zipfile.ZipFile(io.BytesIO(bundle_bytes(session.id))) as archive:
        page = archive.read("view.html").decode()

    assert "<script" not in page and "http://" not in page and "https://" not in page
    assert "&lt;script&gt;alert(1)" in page and "<mark>U+202E</mark>" in page and "<mark>U+001B</mark>" in page
    assert "修复解析器。" in page and " · built · " in page


def test_an_export_is_noted_before_anything_leaves(session: Session) -> None:
    export_session(session_id=session.id, target=io.BytesIO(), actor="user:alice")

    assert AuditEntry.objects.get(action="session.exported").actor == "user:alice"


def test_the_command_writes_a_whole_file_or_none(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    out = io.StringIO()

    call_command("export", str(session.id), "-o", str(path), "--json", stdout=out)

    assert json.loads(out.getvalue())["events"] == 5
    assert verify.verified(str(path))["verdict"] == "verified"
    assert list(tmp_path.glob("*.part")) == []
