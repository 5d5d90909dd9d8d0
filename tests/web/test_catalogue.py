"""The Chinese catalogue: every text is there and translated, nothing is guessed, placeholders and terms agree."""

from __future__ import annotations

import polib
import pytest

from tests.catalogue import CATALOGUE, Text, entry_text, found, placeholders

# The terms of the design, as pages use them.
TERMS = {
    "Sessions": "会话",
    "Workspace": "工作区",
    "Steps": "步",
    "Turns": "轮次",
    "State": "状态",
    "Decision": "决策",
    "compaction": "压缩",
    "Candidate": "候选记忆",
    "built": "实发",
    "observed": "还原",
    "simulated": "推演",
    "memory": "记忆",
}


@pytest.fixture(scope="module")
def entries() -> dict[Text, polib.POEntry]:
    return {entry_text(entry): entry for entry in polib.pofile(str(CATALOGUE))}


def test_every_text_of_the_source_is_in_the_catalogue_and_no_other(entries: dict[Text, polib.POEntry]):
    assert set(entries) == set(found()), "run `python -m tests.catalogue`, then translate what is empty"


def test_every_text_is_translated_and_none_is_fuzzy(entries: dict[Text, polib.POEntry]):
    unfinished = [entry.msgid for entry in entries.values() if not entry.translated() or entry.fuzzy]

    assert unfinished == []


def test_placeholders_of_a_translation_are_those_of_its_text(entries: dict[Text, polib.POEntry]):
    different = [
        (entry.msgid, translation)
        for entry in entries.values()
        for translation in (entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr])
        if placeholders(translation) != placeholders(entry.msgid_plural or entry.msgid)
    ]

    assert different == []


@pytest.mark.parametrize(("english", "chinese"), TERMS.items())
def test_a_term_has_one_translation(entries: dict[Text, polib.POEntry], english: str, chinese: str):
    assert entries[Text(english)].msgstr == chinese
