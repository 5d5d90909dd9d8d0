"""What another harness had in its window at each recorded call, as far as its transcript tells. Claims nothing that no event
shows: what is billed beyond it stays a residue with a name."""

from __future__ import annotations

from contextapp.engine.observed.residue import billed_input, preamble_of, residue_of
from contextapp.engine.observed.window import ObservedLedger, ObservedWindow

__all__ = ["ObservedLedger", "ObservedWindow", "billed_input", "preamble_of", "residue_of"]
