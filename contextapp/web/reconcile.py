"""The sum a ledger page prints under its rows: each term once, and what is left over said aloud instead of hidden."""

from __future__ import annotations

from dataclasses import dataclass

from contextapp.contexts.values import LedgerView


@dataclass(frozen=True, slots=True)
class Term:
    kind: str  # rows, or a word of `words.BUCKETS`
    tokens: int


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """`terms` add up to `total_tokens` less `difference`."""

    terms: tuple[Term, ...]
    total_tokens: int
    difference: int

    @property
    def beside_rows(self) -> tuple[Term, ...]:
        """What stands in the total without a row in a bucket; the reserve is a bucket."""
        return tuple(term for term in self.terms if term.kind not in ("rows", "reserve"))


def reconcile(ledger: LedgerView) -> Reconciliation:
    rows = sum(group.used for group in ledger.groups if group.bucket not in ("", "reserve"))
    terms = [Term("rows", rows), Term("overhead", ledger.overhead_tokens), Term("margin", ledger.margin_tokens)]
    terms.append(Term("reserve", ledger.reserve_tokens))
    if ledger.residue is not None:
        terms += [
            Term("preamble", ledger.residue.preamble),
            Term("correction", ledger.residue.correction),
            Term("unexplained", ledger.residue.unexplained),
        ]
    kept = tuple(term for term in terms if term.tokens or term.kind == "rows")
    return Reconciliation(kept, ledger.total_tokens, ledger.total_tokens - sum(term.tokens for term in kept))
