"""Ledgers and states as compressed canonical JSON, and back. Pure; a body of any earlier engine version stays readable.

Rows are packed by columns whose names travel with them, so a later version may add one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from itertools import compress
from operator import attrgetter
from typing import Any

from contextapp.engine.ledger import Ledger, Row
from contextapp.engine.projection.state import SessionState

COLUMNS = [column.name for column in fields(Row)]
FIELD_NAMES = frozenset(COLUMNS)
FIGURES = [column.name for column in fields(Ledger) if column.name != "rows"]
_values = attrgetter(*COLUMNS)
LEVEL = 3  # a ledger of 1,000 rows takes 3 ms and a tenth of its size; higher levels save little more


@dataclass(frozen=True, slots=True)
class Body:
    """What is kept of one ledger beside its columns. `blocks` are (digest, tokens) of the request in order."""

    ledger: Ledger
    blocks: tuple[tuple[str, int], ...] = ()
    method: str = ""  # how tokens were counted: exact or estimated
    overflow: Mapping[str, Any] | None = None  # why it did not fit, and each way out
    request: Mapping[str, Any] | None = None  # model and max_output_tokens of a built request
    inputs: Mapping[str, Any] | None = None  # what a built request was made from, to make it again


def pack_body(body: Body) -> bytes:
    packed: dict[str, Any] = {
        "columns": COLUMNS,
        "rows": [_values(row) for row in body.ledger.rows],
        "blocks": body.blocks,
        "method": body.method,
        **{name: getattr(body.ledger, name) for name in FIGURES},
    }
    for name in ("overflow", "request", "inputs"):
        if getattr(body, name) is not None:
            packed[name] = getattr(body, name)
    return _squeeze(packed)


def unpack_body(stored: bytes | memoryview) -> Body:
    packed = _stretch(stored)
    return Body(
        ledger=Ledger(
            rows=_rows(packed["rows"], packed["columns"]),
            **{name: packed[name] for name in FIGURES if name in packed},
        ),
        blocks=tuple((digest, tokens) for digest, tokens in packed["blocks"]),
        method=packed.get("method", ""),
        overflow=packed.get("overflow"),
        request=packed.get("request"),
        inputs=packed.get("inputs"),
    )


def unpack_blocks(stored: bytes | memoryview) -> tuple[tuple[str, int], ...]:
    """The blocks alone, for whoever does not look at the rows."""
    return tuple((digest, tokens) for digest, tokens in _stretch(stored)["blocks"])


def unpack_rows(stored: bytes | memoryview, is_wanted: Callable[[str, list[int] | None], bool]) -> tuple[Row, ...]:
    """Only the rows that are wanted, by source id and range of events; of the others no Row is made."""
    packed = _stretch(stored)
    columns = packed["columns"]
    source, events = columns.index("source_id"), columns.index("events")
    return _rows([row for row in packed["rows"] if is_wanted(row[source], row[events])], columns)


def pack_state(state: SessionState) -> bytes:
    return _squeeze(state.to_dict())


def unpack_state(stored: bytes | memoryview) -> SessionState:
    return SessionState.from_dict(_stretch(stored))


def _rows(packed: list[list[Any]], columns: list[str]) -> tuple[Row, ...]:
    """Columns that this version does not know are left out; those it knows and the body lacks take their default."""
    known = [name in FIELD_NAMES for name in columns]
    names = [name for name in columns if name in FIELD_NAMES]
    made = []
    for values in packed:
        row = dict(zip(names, compress(values, known), strict=True))
        if row.get("events") is not None:
            row["events"] = tuple(row["events"])
        made.append(Row(**row))
    return tuple(made)


def _squeeze(content: Any) -> bytes:  # any JSON value
    return zlib.compress(json.dumps(content, sort_keys=True, separators=(",", ":")).encode(), LEVEL)


def _stretch(stored: bytes | memoryview) -> Any:  # whatever JSON was put in
    return json.loads(zlib.decompress(stored))
