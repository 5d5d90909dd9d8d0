"""Keys and published checkpoints of a test lie in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def evidence_folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key.pem"
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.txt"
    settings.CHECKPOINT_WEBHOOK = ""
    settings.CHECKPOINT_ORIGIN = "example.org/log"
    settings.OUTBOUND_ALLOW_HOSTS = []
    return tmp_path
