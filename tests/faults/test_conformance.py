"""The product's log keeps every rule, and every rule refuses the stores that break it: the tests bite."""

from __future__ import annotations

import pytest

from tests.faults.broken_stores import BROKEN
from tests.faults.conformance import RULES
from tests.faults.real_store import RealStore
from tests.faults.stores import Failed, MemoryStore, Refused
from tests.world import World


@pytest.mark.fault("F4", "F5", "F6", "F7", "F8", "F9", "F35", "F60", "F61")
@pytest.mark.parametrize("rule", RULES)
def test_the_log_keeps(rule: str, crash_world: World) -> None:
    RULES[rule](RealStore(crash_world))


@pytest.mark.parametrize("rule", RULES)
def test_the_plainest_store_keeps(rule: str) -> None:
    RULES[rule](MemoryStore())


@pytest.mark.parametrize("store", BROKEN, ids=lambda store: store.__name__)
def test_a_broken_store_fails_exactly_its_rules(store: type[MemoryStore]) -> None:
    assert {name for name, keep in RULES.items() if not is_kept(keep, store())} == BROKEN[store]


def is_kept(keep: object, store: MemoryStore) -> bool:
    try:
        keep(store)  # type: ignore[operator]  # a rule
    except (AssertionError, pytest.fail.Exception, Refused, Failed):
        return False
    return True


def test_every_rule_refuses_some_store() -> None:
    """Two rules are the ground of the others: a store that breaks the first breaks many."""
    assert set(RULES) - set().union(*BROKEN.values()) <= {"events_are_numbered_without_gap"}
    assert len(BROKEN) >= 10
