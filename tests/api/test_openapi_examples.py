"""Each JSON body of the committed document shows an example, and the models that read and write bodies take it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextapp.api import memory_schemas, policies, schemas, step_schemas
from tests.api.snapshot import SNAPSHOT

ROOMS = (schemas, step_schemas, memory_schemas, policies)


def bodies() -> list[tuple[str, str]]:
    """(operation and place, name of the schema) of each JSON request and each successful JSON answer."""
    found = []
    for methods in json.loads(SNAPSHOT.read_text())["paths"].values():
        for operation in methods.values():
            told = {"request": operation.get("requestBody", {})}
            told |= {status: answer for status, answer in operation["responses"].items() if status.startswith("2")}
            for place, body in told.items():
                if "application/json" in body.get("content", {}):
                    reference = body["content"]["application/json"]["schema"]["$ref"]
                    found.append((f"{operation['operationId']} {place}", reference.rsplit("/", 1)[1]))
    return found


@pytest.mark.parametrize(("place", "name"), bodies())
def test_each_json_body_has_an_example_that_its_model_takes(place: str, name: str) -> None:
    schema: dict[str, Any] = json.loads(SNAPSHOT.read_text())["components"]["schemas"][name]
    model = next(getattr(room, name) for room in ROOMS if hasattr(room, name))

    examples = schema.get("examples", [])

    assert examples, place
    for example in examples:
        read = model.model_validate_json(json.dumps(example))
        assert set(example) <= {*model.model_fields, *(read.model_extra or {})}


def test_the_document_has_bodies_of_both_kinds() -> None:
    places = [place for place, _name in bodies()]

    assert len([place for place in places if place.endswith("request")]) == 6
    assert len([place for place in places if not place.endswith("request")]) > 9
