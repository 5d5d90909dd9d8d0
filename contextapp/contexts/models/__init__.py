"""Tables of turns, steps, ledgers, blocks and what makes builds cheap."""

from __future__ import annotations

from contextapp.contexts.models.blocks import Block, BlockUse, StateSnapshot, TokenCount
from contextapp.contexts.models.counterfactuals import Counterfactual
from contextapp.contexts.models.ledgers import Ledger, LedgerBody
from contextapp.contexts.models.steps import Step, Turn

__all__ = ["Block", "BlockUse", "Counterfactual", "Ledger", "LedgerBody", "StateSnapshot", "Step", "TokenCount", "Turn"]
