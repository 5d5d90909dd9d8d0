"""Each field of a policy out of range is told by its name and value; what is told as fine, the engine takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextapp.engine.policy import Policy
from contextapp.policy.checking import FRACTIONS, LIMITS, MARKS, faults_of

RATIOS = Policy().to_dict()["ratios"]
EDITING = Policy().to_dict()["phase_shares"]["editing"]


def test_the_default_has_no_fault_and_neither_has_less_of_it() -> None:
    assert faults_of(Policy().to_dict()) == ()
    assert faults_of({}) == ()
    assert faults_of({"limits": {"search_matches": 5}}) == ()


@pytest.mark.parametrize(
    ("body", "field", "told"),
    [
        ([], "", "list"),
        ({"ratios": RATIOS | {"memory": 6}}, "ratios", "sum to 101"),
        ({"ratios": RATIOS | {"memory": -1, "transcript": 66}}, "ratios.memory", "-1"),
        ({"ratios": RATIOS | {"memory": 5.0}}, "ratios.memory", "5.0"),
        ({"ratios": RATIOS | {"memory": True}}, "ratios.memory", "True"),
        ({"ratios": RATIOS | {"memory": 46, "transcript": 19}}, "ratios.transcript", "19"),
        ({"ratios": {"transcript": 100}}, "ratios.instructions", "missing"),
        ({"ratios": RATIOS | {"pictures": 0}}, "ratios.pictures", "pictures"),
        ({"ratios": 3}, "ratios", "3"),
        ({"phase_shares": {"editing": EDITING | {"state": 16}}}, "phase_shares.editing", "101"),
        ({"phase_shares": {"editing": EDITING | {"state": "15"}}}, "phase_shares.editing.state", "“15”"),
        ({"phase_shares": {"dreaming": EDITING}}, "phase_shares.dreaming", "dreaming"),
        ({"phase_shares": {"editing": None}}, "phase_shares.editing", "missing"),
        ({"limits": {"file_read_lines": 0}}, "limits.file_read_lines", "0"),
        ({"limits": {"file_read_lines": "many"}}, "limits.file_read_lines", "“many”"),
        ({"limits": {"memory_min_confidence": 1.5}}, "limits.memory_min_confidence", "1.5"),
        ({"limits": {"memory_min_confidence": float("nan")}}, "limits.memory_min_confidence", "nan"),
        ({"limits": {"lines": 3}}, "limits.lines", "lines"),
        ({"limits": [1]}, "limits", "[1]"),
        ({"limits": {"tail_key_events_min": 9}}, "limits.tail_key_events", "9"),
        ({"low_mark": 95}, "low_mark", "95"),
        ({"high_mark": 101}, "high_mark", "101"),
        ({"lend_unused": "yes"}, "lend_unused", "“yes”"),
        ({"layout": "upside_down"}, "layout", "“upside_down”"),
        ({"layout": ["layered"]}, "layout", "layered"),
        ({"baseline": "magic"}, "baseline", "“magic”"),
        ({"safety_text": "  "}, "safety_text", "“  ”"),
        ({"deny_paths": "*.env"}, "deny_paths", "“*.env”"),
        ({"deny_paths": ["x" * 301]}, "deny_paths", "xxx"),
        ({"colour": "red"}, "colour", "“colour”"),
    ],
)
def test_a_fault_names_field_and_value(body: Any, field: str, told: str) -> None:
    faults = faults_of(body)

    assert field in [fault.field for fault in faults]
    assert any(told in fault.message for fault in faults if fault.field == field)


def test_all_faults_are_told_at_once() -> None:
    faults = faults_of({"high_mark": 0, "ratios": RATIOS | {"memory": 7}, "layout": "", "limits": {"list_entries": -1}})

    assert {"high_mark", "ratios", "layout", "limits.list_entries"} <= {fault.field for fault in faults}


def test_every_number_of_a_policy_has_its_range() -> None:
    whole = Policy().to_dict()
    numbers = {name for name, value in whole.items() if type(value) in (int, float)} - {"number"}

    assert numbers == set(MARKS)
    assert set(whole["limits"]) == set(LIMITS) | set(FRACTIONS)


PLAIN = st.none() | st.booleans() | st.integers(-5, 200) | st.floats() | st.sampled_from(["", "layered", "state"])
JSON = PLAIN | st.lists(PLAIN, max_size=2) | st.dictionaries(st.sampled_from(["editing", "list_entries"]), PLAIN)


@given(st.dictionaries(st.sampled_from(sorted(Policy().to_dict())), JSON, max_size=4))
def test_what_has_no_fault_the_engine_takes(body: dict[str, Any]) -> None:
    if faults_of(body) == ():
        Policy.from_dict({name: value for name, value in body.items() if name != "number"})
