"""Pages of lists: how many entries one may ask for, and the opaque mark where the next page starts."""

from __future__ import annotations

from typing import Annotated, Literal

from ninja import Query
from pydantic import Field

Limit = Annotated[int, Query(ge=1, le=200)]
EventLimit = Annotated[int, Query(ge=1, le=1000)]
ExpectedHead = Annotated[int | None, Query(ge=0, le=2**62)]
After = Annotated[int, Query(ge=0, le=2**62)]
WaitSeconds = Annotated[int, Query(ge=0, le=60)]
TypeOrPrefix = Annotated[
    str, Field(pattern=r"^[a-z][a-z0-9_]*\.([a-z][a-z0-9_]*\.)*([a-z][a-z0-9_]*)?$", max_length=100)
]
TypeFilter = Annotated[list[TypeOrPrefix], Query(alias="type", max_length=20)]
Cursor = Annotated[str, Query(max_length=400)]
StepNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
Origin = Literal["built", "observed", "simulated"]
