"""Everything that could enter one request: a module per kind, each `collect(inputs, policy) -> tuple[Source, ...]`."""

from __future__ import annotations

from contextapp.engine.inputs import BuildInputs
from contextapp.engine.policy import Policy
from contextapp.engine.sources import evidence, instructions, memory, resources, state, tools, transcript
from contextapp.engine.sources.source import Source

COLLECTORS = (instructions, tools, resources, memory, state, evidence, transcript)


def collect(inputs: BuildInputs, policy: Policy) -> tuple[Source, ...]:
    """Every candidate once, whether it may enter or not."""
    return tuple(source for kind in COLLECTORS for source in kind.collect(inputs, policy))
