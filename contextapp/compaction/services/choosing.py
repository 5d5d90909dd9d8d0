"""Changes who writes a project's summaries. A key belongs to the address it was given for, and goes when that changes."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.compaction.errors import SummariserChanged, SummariserRefused
from contextapp.compaction.models import SummariserKind, SummariserSetting
from contextapp.compaction.sealing import seal
from contextapp.jobs import outbound

LEAST_WINDOW, LARGEST_WINDOW = 4_000, 10_000_000


@dataclass(frozen=True, slots=True)
class Choice:
    """`key` None: as it is, if the address is; an empty one takes it away."""

    kind: str
    base_url: str = ""
    model: str = ""
    window_tokens: int = 128_000
    key: str | None = None


def choose_summariser(*, project: Project, choice: Choice, seen: int, by: str) -> SummariserSetting:
    """`seen`: the version that was on the screen; another one meanwhile refuses and overwrites nothing."""
    _check(choice)
    with transaction.atomic():
        SummariserSetting.objects.get_or_create(project=project)
        row = SummariserSetting.objects.select_for_update().get(project=project)
        if row.version != seen:
            raise SummariserChanged(
                _("Somebody changed this meanwhile; what you see now is theirs. Nothing was overwritten.")
            )
        before = described(row)
        is_moved = choice.base_url != row.base_url or choice.kind != row.kind
        if choice.key is not None or is_moved:
            row.key_sealed = seal(choice.key or "")
        row.kind, row.base_url, row.model = choice.kind, choice.base_url, choice.model
        row.window_tokens = choice.window_tokens
        row.version += 1
        row.save()
        record(
            project=project, actor=by, action="summariser.changed", target=f"project:{project.slug}",
            before=before, after=described(row),
        )  # fmt: skip
    return row


def described(row: SummariserSetting) -> dict[str, object]:
    """For people and the audit trail: whether there is a key, never the key."""
    return {
        "kind": row.kind, "base_url": row.base_url, "model": row.model, "window_tokens": row.window_tokens,
        "has_key": bool(row.key_sealed),
    }  # fmt: skip


def _check(choice: Choice) -> None:
    if choice.kind not in SummariserKind.values:
        raise SummariserRefused("kind", _("“%(value)s” is no kind of summariser") % {"value": choice.kind[:40]})
    if choice.kind == SummariserKind.DETERMINISTIC:
        return
    if not choice.model.strip() or len(choice.model) > 120:
        raise SummariserRefused("model", _("Name the model that the endpoint shall use."))
    if not LEAST_WINDOW <= choice.window_tokens <= LARGEST_WINDOW:
        words = _("A window of %(value)s tokens is not between %(least)s and %(most)s.")
        limits = {"value": choice.window_tokens, "least": f"{LEAST_WINDOW:,}", "most": f"{LARGEST_WINDOW:,}"}
        raise SummariserRefused("window_tokens", words % limits)
    try:
        outbound.check(choice.base_url, allow_hosts=tuple(settings.OUTBOUND_ALLOW_HOSTS))
    except outbound.OutboundRefused as error:
        raise SummariserRefused("base_url", str(error)) from error
