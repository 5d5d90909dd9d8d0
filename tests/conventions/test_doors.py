"""Every way into the product asks who is there, except the few that are named here."""

from __future__ import annotations

from collections.abc import Iterator

from ninja.operation import Operation

from contextapp.api.api import api


def operations() -> Iterator[tuple[str, Operation]]:
    for prefix, router in api._routers:  # ninja has no public way to list its operations
        for path, view in router.path_operations.items():
            for operation in view.operations:
                yield f"{'/'.join(sorted(operation.methods))} {prefix}{path}", operation


def test_the_api_has_operations_to_judge() -> None:
    assert len(list(operations())) >= 4


def test_every_api_operation_is_authenticated() -> None:
    assert [name for name, operation in operations() if not operation.auth_callbacks] == []


def test_every_api_operation_that_is_shown_has_an_id_a_summary_and_a_response() -> None:
    incomplete = [
        name
        for name, operation in operations()
        if operation.include_in_schema
        and not (operation.operation_id and operation.summary and operation.response_models)
    ]

    assert incomplete == []
