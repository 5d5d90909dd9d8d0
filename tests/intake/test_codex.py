"""Codex rollouts through the whole path: sessions, steps, ledgers, and the parents of forks."""

from __future__ import annotations

import os
from pathlib import Path

from contextapp.contexts.models import Ledger, Step
from contextapp.intake import selectors
from tests.importers.codex.rollouts import OWN, PARENT, bill, call, head, message, read_rollout, result, starts, thought
from tests.importers.codex.test_compaction import BEFORE, COMPACTED
from tests.importers.codex.test_forks import HISTORY, OWN_WORK, SPAWNED
from tests.importers.parsing import to_lines
from tests.intake.files import bring_in, event_count, sessions, stored, write
from tests.world import World

WORK = (head(), starts(), message("Fix it"), thought(), call("c1"), bill(900, 900), result("c1"))


def test_a_rollout_becomes_a_session_whose_calls_carry_their_bills(world: World, tmp_path: Path) -> None:
    batch = bring_in(world, write(tmp_path, "a.jsonl", to_lines(*WORK)))

    session, file = sessions(world)[0], selectors.files_of(batch.id)[0]
    assert (file.format, file.format_version, file.lines, file.quarantined) == ("codex_cli", "0.120.0", 7, 0)
    assert (session.external_id, session.agent, session.title) == (f"codex_cli:{OWN}", "codex", "Fix it")
    assert (session.turn_count, session.step_count) == (1, 1)
    assert Ledger.objects.get(session=session, origin="observed").residue["billed"] == 900


def test_a_bill_before_its_answer_reaches_the_step(world: World, tmp_path: Path) -> None:
    old = (head(), message("Fix it"), bill(100, 100), thought(), call("c1"), result("c1"), bill(300, 200), thought())

    bring_in(world, write(tmp_path, "a.jsonl", to_lines(*old)))

    steps = Step.objects.filter(session=sessions(world)[0]).order_by("number")
    assert [step.usage["input_uncached"] for step in steps if step.usage] == [100, 200]


def test_importing_again_adds_nothing_and_a_longer_rollout_only_what_is_new(world: World, tmp_path: Path) -> None:
    whole = (*WORK, message("Done.", "assistant"), bill(1900, 1000))
    path = write(tmp_path, "a.jsonl", to_lines(*WORK))
    bring_in(world, path)
    first = stored(sessions(world)[0])

    os.utime(path, (1, 1))
    bring_in(world, path)
    assert event_count() == len(first)
    bring_in(world, write(tmp_path, "a.jsonl", to_lines(*whole)))

    assert stored(sessions(world)[0])[: len(first)] == first
    assert event_count() == sum(len(line.drafts) for line in read_rollout(*whole))


def test_a_fork_finds_its_parent_whichever_file_came_first(world: World, tmp_path: Path) -> None:
    fork = to_lines(head(forked_from_id=PARENT, source=SPAWNED), head(PARENT), *HISTORY, *OWN_WORK)
    write(tmp_path, "fork.jsonl", fork, modified=2_000_000_000)
    write(tmp_path, "parent.jsonl", to_lines(head(PARENT), *HISTORY), modified=1_000_000_000)

    bring_in(world, tmp_path)

    parent, child = sessions(world)
    assert (parent.external_id, child.external_id) == (f"codex_cli:{PARENT}", f"codex_cli:{OWN}")
    assert child.parent_id == parent.id
    assert (parent.step_count, child.step_count) == (1, 1)


def test_a_fork_of_an_earlier_import_finds_a_parent_that_comes_later(world: World, tmp_path: Path) -> None:
    fork = to_lines(head(forked_from_id=PARENT, source=SPAWNED), head(PARENT), *HISTORY, *OWN_WORK)
    bring_in(world, write(tmp_path, "fork.jsonl", fork))

    bring_in(world, write(tmp_path, "parent.jsonl", to_lines(head(PARENT), *HISTORY)))

    parent, child = sessions(world)
    assert (child.external_id, child.parent_id) == (f"codex_cli:{OWN}", parent.id)


def test_the_call_after_a_compaction_is_shown_with_the_new_history(world: World, tmp_path: Path) -> None:
    after = (*BEFORE, COMPACTED, thought(), message("Done.", "assistant"), bill(9400, 400))

    bring_in(world, write(tmp_path, "a.jsonl", to_lines(*after)))

    session = sessions(world)[0]
    assert (session.compaction_count, session.step_count) == (1, 2)
    assert Ledger.objects.get(session=session, origin="observed", step_number=2).residue["billed"] == 400
