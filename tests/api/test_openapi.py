from __future__ import annotations

import json

from tests.api.snapshot import SNAPSHOT, current, text


def test_the_committed_document_is_the_present_one() -> None:
    assert text(current()) == SNAPSHOT.read_text(), "run `python -m tests.api.snapshot` and review the difference"


def test_every_operation_says_who_may_call_it_and_what_goes_wrong() -> None:
    document = json.loads(SNAPSHOT.read_text())
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]

    assert len(operations) > 9
    assert all(operation["security"] and operation["summary"] for operation in operations)
    assert all({"401", "403", "422"} <= set(operation["responses"]) for operation in operations)
    assert len({operation["operationId"] for operation in operations}) == len(operations)


def test_a_batch_may_be_json_or_lines() -> None:
    operation = json.loads(SNAPSHOT.read_text())["paths"]["/api/v1/sessions/{session_id}/events"]["post"]

    assert set(operation["requestBody"]["content"]) == {"application/json", "application/x-ndjson"}
    assert "expected_head" in [parameter["name"] for parameter in operation["parameters"]]
