from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from contextapp.contexts import counts as counts_module
from contextapp.contexts.counts import Counts, Generations
from contextapp.contexts.models import TokenCount
from contextapp.engine.tokens import TiktokenCounter

LONG = "the quick brown fox 跳过 the lazy dog " * 20


def a_new_process() -> None:
    counts_module._kept.cache_clear()


def test_a_count_is_right_and_kept_for_other_processes(db: None) -> None:
    a_new_process()
    first = Counts("o200k_base")
    tokens = first.counter.count(LONG)
    first.save()
    a_new_process()
    second = Counts("o200k_base")

    second.prefetch([LONG])

    assert tokens == TiktokenCounter("o200k_base").count(LONG)
    assert second.known(LONG) == tokens
    assert TokenCount.objects.count() == 1


def test_known_texts_are_asked_for_in_one_query(db: None) -> None:
    a_new_process()
    first = Counts("o200k_base")
    texts = [f"{number} {LONG}" for number in range(300)]
    for text in texts:
        first.counter.count(text)
    first.save()
    a_new_process()
    second = Counts("o200k_base")

    with CaptureQueriesContext(connection) as captured:
        second.prefetch(texts)
        found = [second.counter.count(text) for text in texts]
        written = second.save()

    assert found == [first.counter.count(text) for text in texts]
    assert (len(captured), written) == (1, 0)


def test_short_texts_are_not_stored(db: None) -> None:
    counts = Counts("o200k_base")

    counts.counter.count("short")

    assert counts.save() == 0


def test_tokenizers_do_not_share_counts(db: None) -> None:
    a_new_process()
    one, other = Counts("o200k_base"), Counts("cl100k_base")
    one.counter.count(LONG)

    assert other.known(LONG) is None


def test_two_processes_may_save_the_same_count(db: None) -> None:
    a_new_process()
    one = Counts("o200k_base")
    one.counter.count(LONG)
    a_new_process()
    other = Counts("o200k_base")
    other.counter.count(LONG)

    one.save()
    other.save()

    assert TokenCount.objects.count() == 1


def test_any_text_has_a_count(db: None) -> None:
    counts = Counts("o200k_base")

    found = [counts.counter.count(text) for text in ("", "\ud800" * 300, "\x00" * 300, "<|endoftext|>" * 100)]

    assert found[0] == 0
    assert all(tokens > 0 for tokens in found[1:])


def test_a_probe_counts_a_little_and_notes_the_rest(db: None) -> None:
    a_new_process()
    counts = Counts("o200k_base")
    probe = counts.probe()
    texts = [f"{number} " + "word " * 5_000 for number in range(4)]

    guessed = [probe.count(text) for text in texts]

    right = [counts.counter.count(text) for text in texts]
    assert guessed[:2] == right[:2]
    assert probe.missed == texts[2:]


def test_the_cache_forgets_the_oldest_and_not_what_is_used() -> None:
    cache = Generations(limit=3)
    for number in range(3):
        cache.put(bytes([number]), number)

    cache.put(b"new", 9)
    assert cache.get(bytes([0])) == 0
    for number in range(3, 9):
        cache.put(bytes([number]), number)

    assert cache.get(bytes([1])) is None
