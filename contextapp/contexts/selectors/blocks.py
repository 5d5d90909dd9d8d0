"""Requests put together again from stored blocks. A block that is gone is named; it is never left out silently."""

from __future__ import annotations

from django.utils.translation import gettext as _

from contextapp.contexts.errors import CannotBuild
from contextapp.contexts.models import Block as StoredBlock
from contextapp.contexts.models import Ledger
from contextapp.contexts.packing import Body
from contextapp.engine.request.neutral import Block, ModelRequest


def stored_request(ledger: Ledger, body: Body) -> ModelRequest:
    """The request that was handed out. CannotBuild when blocks of it were erased."""
    digests = [digest for digest, _tokens in body.blocks]
    project_id = ledger.session.project_id
    stored = StoredBlock.objects.filter(
        project_id=project_id, sha256__in=[bytes.fromhex(digest) for digest in set(digests)]
    )
    found = {bytes(sha256).hex(): bytes(content) for sha256, content in stored.values_list("sha256", "body")}
    missing = [digest for digest in digests if digest not in found]
    if missing or body.request is None:
        raise CannotBuild(
            _("%(missing)s of %(total)s blocks of this request were erased; it can't be handed out again")
            % {"missing": len(missing), "total": len(digests)}
        )
    return ModelRequest(
        model=body.request["model"],
        max_output_tokens=body.request["max_output_tokens"],
        blocks=tuple(Block.from_canonical(found[digest]) for digest in digests),
    )
