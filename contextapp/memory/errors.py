"""Why a memory decision was not taken.

MemoryRefused
├── OwnProposal      who proposed a record may not approve it
└── AlreadyDecided   the revision is not in the state that the decision needs
"""

from __future__ import annotations


class MemoryRefused(Exception):
    """Base of the refusals."""


class OwnProposal(MemoryRefused):
    def __init__(self, reference: str, by: str) -> None:
        super().__init__(f"{by} proposed {reference} and can't approve it; ask another reviewer")


class AlreadyDecided(MemoryRefused):
    def __init__(self, reference: str, state: str, needed: str) -> None:
        super().__init__(f"{reference} is {state}, not {needed}; reload to see who decided")
        self.state = state
