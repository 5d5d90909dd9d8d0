"""What can't run here is checked for form: the image's recipe, the composition and the shell scripts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextapp.config.local.places import PROJECT
from tests.conventions.settings_read import variables

DEPLOY = PROJECT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())  # as YAML gives it
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PRODUCT = {"migrate", "web", "worker", "beat"}
EXAMPLES = sorted((DEPLOY / "env").glob("*.env.example"))


def test_the_composition_has_every_process() -> None:
    assert set(SERVICES) == {"postgres", "redis", *PRODUCT}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_pinned_unprivileged_and_read_only(name: str) -> None:
    service = SERVICES[name]

    assert re.fullmatch(r"[a-z]+:\d[\w.-]+", service["image"]), "a tag that names a version"
    assert "latest" not in service["image"]
    assert service["read_only"] is True
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    assert service["logging"]["options"]["max-size"]


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_a_service_that_stays_is_asked_whether_it_is_well(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert SERVICES[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_the_product_waits_for_migrations_and_redis(name: str) -> None:
    assert SERVICES[name]["depends_on"] == {
        "migrate": {"condition": "service_completed_successfully"},
        "redis": {"condition": "service_healthy"},
    }


def test_no_secret_stands_in_a_file() -> None:
    given = [
        f"{path.name}: {line}"
        for path in EXAMPLES
        for line in path.read_text().splitlines()
        if re.search(r"(PASSWORD|SECRET\w*|KEY)=.+|://\w+:[^@]+@", line) and not line.startswith("#")
    ]

    assert given == []
    assert all("environment" not in service for service in SERVICES.values())
    assert not re.search(
        r"(?i)password\s*[:=]\s*\S", (DEPLOY / "compose.yaml").read_text().replace("password_encryption", "")
    )
    assert "*.env" in (DEPLOY / "env" / ".gitignore").read_text()
    assert "deploy/env/*.env" in (PROJECT / ".dockerignore").read_text()


def test_every_env_file_has_its_example_and_no_other() -> None:
    named = {path for service in SERVICES.values() for path in service.get("env_file", ())}

    assert named == {f"env/{path.name.removesuffix('.example')}" for path in EXAMPLES}


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.name != "postgres.env.example"], ids=lambda path: path.name
)
def test_an_env_file_sets_what_the_product_reads(path: Path) -> None:
    names = {line.split("=")[0] for line in path.read_text().splitlines() if line and not line.startswith("#")}

    assert names - variables() == set()


def test_the_roles_read_the_passwords_of_the_env_file() -> None:
    given = {
        line.split("=")[0] for line in (DEPLOY / "env" / "postgres.env.example").read_text().splitlines() if "=" in line
    }
    read = set(re.findall(r"^\\getenv \w+ (\w+)$", (DEPLOY / "roles.sql").read_text(), re.MULTILINE))

    assert read == {name for name in given if not name.startswith("POSTGRES_") and not name.startswith("#")}


def test_only_the_web_server_is_published_and_on_the_loopback_address() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert ports == {"web": ["127.0.0.1:8000:8000"]}


def test_volumes_and_networks_are_declared() -> None:
    used = {entry.split(":")[0] for service in SERVICES.values() for entry in service.get("volumes", ())}

    assert {name for name in used if not name.startswith(".")} == set(COMPOSE["volumes"])
    assert {name for service in SERVICES.values() for name in service["networks"]} == set(COMPOSE["networks"])
    assert all((DEPLOY / name).exists() for name in used if name.startswith("."))


def instructions(name: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return [line.removeprefix(name).strip() for line in joined.splitlines() if line.startswith(f"{name} ")]


def test_the_image_is_built_in_two_stages_of_one_version() -> None:
    stages = instructions("FROM")

    assert len(stages) == 2
    assert stages[0].split()[0] == stages[1].split()[0]
    assert f"python:{(PROJECT / '.python-version').read_text().strip()}-" in stages[0]


def test_the_image_installs_the_lock_by_its_hashes_from_no_named_place() -> None:
    [install] = [line for line in instructions("RUN") if "pip install" in line]

    assert "--require-hashes --no-deps --only-binary :all: -r /tmp/requirements.lock" in install
    assert not re.search(r"https?://|index-url|trusted-host|--extra-index", DOCKERFILE)


def test_the_image_s_commands_need_no_database(tmp_path: Path) -> None:
    [recipe] = [line for line in instructions("RUN") if "collectstatic" in line]
    given = dict(re.findall(r"([A-Z_]+)=(\S+)", recipe)) | {"STATIC_ROOT": str(tmp_path / "collected")}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput"]

    done = subprocess.run(
        command, cwd=PROJECT, env={**given, "DATA_DIR": str(tmp_path)}, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "collected" / "css" / "base.css").exists()


def test_the_image_runs_as_nobody_in_particular() -> None:
    assert instructions("USER") == ["10001:10001"]
    assert DOCKERFILE.index("USER ") < DOCKERFILE.rindex("CMD ")
    assert "collectstatic" in DOCKERFILE
    assert "deploy/healthcheck.py" in instructions("HEALTHCHECK")[0]
    assert "DEBUG=false" in DOCKERFILE
    assert "ADD " not in DOCKERFILE


def test_what_the_image_copies_exists_and_is_let_through() -> None:
    ignored = (PROJECT / ".dockerignore").read_text().splitlines()
    for line in instructions("COPY"):
        if not line.startswith("--from"):
            for source in line.split()[:-1]:
                assert (PROJECT / source).exists(), source
                assert f"!{source}" in ignored, source


@pytest.mark.parametrize("script", sorted(DEPLOY.glob("*.sh")), ids=lambda path: path.name)
def test_a_script_is_posix_shell_and_stops_at_the_first_error(script: Path) -> None:
    text = script.read_text()

    checked = subprocess.run(["sh", "-n", str(script)], capture_output=True, text=True)

    assert (checked.returncode, checked.stderr) == (0, "")
    assert text.startswith("#!/bin/sh\n")
    assert "\nset -eu\n" in text
