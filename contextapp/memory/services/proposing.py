"""Takes proposals: checks, masks, scans, and stores a candidate with its evidence. Approves nothing.

The same claim in the same scope is one record: proposed again it gains evidence. A claim that people declined is not taken
again. What looks like an attack is stored quarantined, where no model ever gets it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.engine.tokens import TiktokenCounter
from contextapp.eventlog.masking.projects import rules_for
from contextapp.memory import claims, evidence
from contextapp.memory.errors import BadProposal, SecretInClaim, UnknownRecord
from contextapp.memory.evidence import Checks, Quote, Span
from contextapp.memory.models import (
    Basis,
    MemoryEvidence,
    MemoryKind,
    MemoryRevision,
    MemoryScope,
    MemoryState,
    ProposerKind,
    RejectionPrint,
    SourceTrust,
)
from contextapp.memory.models.revisions import LIVE
from contextapp.memory.risk import assess, least
from contextapp.memory.scanning import scan
from contextapp.memory.services import indexing, moving
from contextapp.memory.services.remembering import CandidateId, Proposed, candidate_id, known, remember
from contextapp.memory.services.wellformed import STATE_TTL, check_form

_DEFAULT_TRUST = {ProposerKind.PERSON: SourceTrust.USER, ProposerKind.IMPORT: SourceTrust.MODEL}
_CONFIDENCE = {Basis.STATED: 0.9, Basis.REPEATED: 0.85, Basis.IMPORTED: 0.7, Basis.INFERRED: 0.55}


def propose(
    *,
    project: Project,
    claim: str,
    kind: str,
    scope: str,
    proposed_by: str,
    source: str,
    scope_key: str = "",
    spans: Sequence[Span] = (),
    basis: str = Basis.STATED,
    proposer_kind: str = ProposerKind.AGENT,
    proposer_model: str = "",
    prompt_version: str = "",
    model_confidence: float | None = None,
    source_trust: str | None = None,
    conflict_key: str = "",
    value: str = "",
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    lineage: UUID | None = None,
    proposed_session: UUID | None = None,
    proposed_seq: int | None = None,
    client_id: str = "",
) -> Proposed:
    """One candidate; with a lineage, the next revision of that record; a `client_id` names the record once for all."""
    check_form(claim, kind, scope, scope_key, basis, model_confidence, valid_from, valid_until)
    _refuse_secret(project, claim, proposed_by)
    scope_key = "" if scope == MemoryScope.GLOBAL else scope_key.rstrip("/") or scope_key
    told = {"claim": claim, "kind": kind, "scope": scope, "scope_key": scope_key, "basis": basis, "value": value,
            "conflict_key": conflict_key, "valid_from": valid_from, "valid_until": valid_until}  # fmt: skip
    own = candidate_id(project, client_id, spans, **told) if client_id else None
    if (before := known(project.id, own)) is not None:
        return before
    if lineage is None and _was_declined(project, claim):
        return _decline_again(project, own, proposed_by)

    read = evidence.quotes(project.id, spans)
    checks = evidence.check(project.id, claim, read)
    trust = _trust(source_trust, proposer_kind, checks, lineage)
    now = timezone.now()
    judged = scan(claim, trust)
    revision = MemoryRevision(
        project=project,
        lineage=lineage or uuid4(),
        kind=kind,
        scope=scope,
        scope_key=scope_key,
        claim=claim,
        shown=judged.shown,
        shown_sha256=evidence.digest(judged.shown),
        content_key=claims.content_key(project.id, scope, scope_key, claim),
        claim_key=claims.claim_key(claim),
        language=claims.language(claim),
        conflict_key=conflict_key[:200],
        value=value[:300],
        tokens=TiktokenCounter().count(judged.shown),
        source=source[:300],
        source_trust=trust,
        proposed_by=proposed_by[:200],
        proposer_kind=proposer_kind,
        proposer_model=proposer_model[:120],
        prompt_version=prompt_version[:60],
        proposed_session=proposed_session or (spans[0].session_id if spans else None),
        proposed_seq=proposed_seq or (spans[0].seq if spans else None),
        confidence=_confidence(basis, checks, read),
        confidence_basis=basis,
        model_confidence=model_confidence,
        valid_from=valid_from,
        valid_until=valid_until or (now + STATE_TTL if kind == MemoryKind.STATE else None),
        detector_version=judged.detector_version,
        verdict=judged.verdict,
        findings=list(judged.findings),
        evidence_checks=checks.to_dict(),
        created_at=now,
        changed_at=now,
    )
    if judged.is_quarantined:
        revision.state = MemoryState.QUARANTINED
    elif checks.echo:
        revision.state, revision.reason_code = MemoryState.REJECTED, "duplicate"
        revision.reason, revision.decided_by, revision.decided_at = f"recall_echo of {checks.echo_of}", "system", now
    _assess(revision)
    try:
        return _store(revision, read, proposed_by, lineage, own)
    except IntegrityError:
        return _store(
            revision, read, proposed_by, lineage, own
        )  # another proposal of the claim won: ours adds its evidence


def spans_from(given: Sequence[Mapping[str, Any]]) -> list[Span]:
    """Evidence as JSON: [{"session", "seq", "field", "start", "end", "sha256", "relation"}]; BadProposal names the place."""
    made = []
    for place, entry in enumerate(given):
        try:
            made.append(
                Span(
                    session_id=UUID(str(entry["session"])),
                    seq=int(entry["seq"]),
                    field=str(entry.get("field", "")),
                    start=int(entry.get("start", 0)),
                    end=int(entry.get("end", 0)),
                    quote_sha256=bytes.fromhex(entry["sha256"]) if entry.get("sha256") else None,
                    relation=str(entry.get("relation", "states")),
                )
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadProposal(
                f"evidence/{place}", f"evidence {place} can't be read ({error}); give session and seq"
            ) from error
    return made


def _store(
    revision: MemoryRevision, read: Sequence[Quote], by: str, lineage: UUID | None, own: CandidateId | None
) -> Proposed:
    rows = [_row(quote) for quote in read]
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(id=revision.project_id)  # revisions count without a gap
        if (before := known(revision.project_id, own)) is not None:  # the same id came twice at once
            return before
        same = MemoryRevision.objects.filter(
            project_id=revision.project_id, content_key=bytes(revision.content_key), state__in=LIVE
        ).first()
        if same is not None:
            if same.lineage == lineage:
                raise BadProposal("claim", f"{same.reference} says the same already")
            new = [row for row in rows if not _has(same, row)]
            if new:
                moving.change(same, "evidence_added", by=by, evidence=new)
            return remember(revision.project_id, own, Proposed("evidence_added", same))
        revision.revision = _next_revision(revision.project, lineage)
        revision.pk = None
        moving.create(revision, by=by, evidence=rows)
        indexing.index(revision)
        return remember(revision.project_id, own, Proposed("created", revision))


def _decline_again(project: Project, own: CandidateId | None, by: str) -> Proposed:
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(id=project.id)
        if (before := known(project.id, own)) is not None:
            return before
        after = {"why": "declined_before"}
        record(project=project, actor=by, action="memory.refused", target="memory", after=after)
        return remember(project.id, own, Proposed("declined_before", None))


def _assess(revision: MemoryRevision) -> None:
    contradicts = (
        bool(revision.conflict_key)
        and MemoryRevision.objects.filter(
            project_id=revision.project_id, conflict_key=revision.conflict_key, state=MemoryState.APPROVED
        )
        .exclude(content_key=bytes(revision.content_key))
        .exists()
    )
    risk = assess(
        kind=revision.kind,
        scope=revision.scope,
        claim=revision.shown,
        source_trust=revision.source_trust,
        basis=revision.confidence_basis,
        verdict=revision.verdict,
        contradicts=contradicts,
    )
    revision.risk, revision.needs_two = risk.level, risk.needs_two


def _trust(given: str | None, proposer_kind: str, checks: Checks, lineage: UUID | None) -> str:
    """The least of what the proposer is worth, what the evidence is worth, and what the lineage was worth before."""
    own = given or _DEFAULT_TRUST.get(ProposerKind(proposer_kind), SourceTrust.MODEL)
    trusts = [checks.trust] if checks.trust and given is None else [own, *([checks.trust] if checks.trust else [])]
    if lineage is not None:
        trusts += MemoryRevision.objects.filter(lineage=lineage).values_list("source_trust", flat=True)
    return least(*trusts)


def _confidence(basis: str, checks: Checks, read: Sequence[Quote]) -> float:
    """By how it is known, less for what its evidence lacks. The model's own number is kept apart and moves nothing."""
    value = _CONFIDENCE[Basis(basis)] + min(0.1, 0.05 * max(0, len({quote.span.session_id for quote in read}) - 1))
    return round(max(0.0, min(1.0, value - 0.2 * len(checks.failed))), 2)


def _row(quote: Quote) -> MemoryEvidence:
    span = quote.span
    return MemoryEvidence(
        session_id=span.session_id,
        seq=span.seq,
        field=span.field[:60],
        start=span.start,
        end=span.end,
        quote_sha256=span.quote_sha256 or (None if quote.text is None else evidence.digest(quote.text)),
        relation=span.relation,
        trust=quote.trust,
        added_at=timezone.now(),
    )


def _has(revision: MemoryRevision, row: MemoryEvidence) -> bool:
    place = {name: getattr(row, name) for name in ("session_id", "seq", "field", "start", "end")}
    return MemoryEvidence.objects.filter(memory=revision, **place).exists()


def _was_declined(project: Project, claim: str) -> bool:
    made = claims.rejection_print(bytes(project.fence_secret), claim)
    return RejectionPrint.objects.filter(project=project, print=made).exists()


def _refuse_secret(project: Project, claim: str, by: str) -> None:
    found = rules_for(project.id).scanner.find(claim)
    if found:
        after = {"why": "secret", "rule": found[0].rule, "sha256": evidence.digest(claim).hex()}
        record(project=project, actor=by, action="memory.refused", target="memory", after=after)
        raise SecretInClaim(found[0].rule)


def _next_revision(project: Project, lineage: UUID | None) -> int:
    if lineage is None:
        return 1
    last = MemoryRevision.objects.filter(project=project, lineage=lineage).aggregate(last=Max("revision"))["last"]
    if last is None:
        raise UnknownRecord(lineage)
    return int(last) + 1
