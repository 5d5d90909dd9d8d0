"""One build with counts from the store: pure work between two reads. Writes nothing; the caller keeps what was counted."""

from __future__ import annotations

from contextapp.contexts.counts import Counts
from contextapp.engine.builder import build
from contextapp.engine.inputs import BuildInputs, Built
from contextapp.engine.policy import Policy
from contextapp.policy.profiles import method_for


def build_counted(inputs: BuildInputs, policy: Policy) -> tuple[Built, Counts]:
    """The build, and the counts with what was new in them. A process that knows few of the texts builds twice."""
    counts = Counts(inputs.profile.tokenizer, method_for(inputs.profile.model))
    probe = counts.probe()
    built = build(inputs, policy, probe)
    if probe.missed:
        counts.prefetch(probe.missed)
        built = build(inputs, policy, counts.counter)
    return built, counts
