"""Catalogues are compiled when their source is newer, and only then."""

from __future__ import annotations

import gettext
import os
from pathlib import Path

from contextapp.config.local import messages


def catalogue(folder: Path, text: str) -> Path:
    path = folder / "zh_Hans" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    path.write_text(f'{header}\nmsgid "session"\nmsgstr "{text}"\n', encoding="utf-8")
    return path


def test_a_changed_catalogue_is_compiled_and_read_by_gettext(tmp_path: Path) -> None:
    catalogue(tmp_path, "会话")

    compiled = messages.compile_stale(tmp_path)

    with compiled[0].open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("session") == "会话"


def test_a_compiled_catalogue_is_left_alone(tmp_path: Path) -> None:
    source = catalogue(tmp_path, "会话")
    messages.compile_stale(tmp_path)

    again = messages.compile_stale(tmp_path)
    os.utime(source, (2_000_000_000, 2_000_000_000))
    after_a_change = messages.compile_stale(tmp_path)

    assert (again, len(after_a_change)) == ([], 1)
