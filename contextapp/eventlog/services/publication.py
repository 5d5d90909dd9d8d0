"""Sends checkpoints out of the machine: to a file at least, and to a webhook. What was reached is noted with time and result.

A place that can't be reached is tried again by the job; nothing else waits for it.
"""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from contextapp.eventlog import checkpoint_file
from contextapp.eventlog.errors import PublicationFailed
from contextapp.eventlog.models import Checkpoint
from contextapp.jobs import outbound

logger = logging.getLogger(__name__)

FILE, WEBHOOK = "file", "webhook"
WEBHOOK_SECONDS = 10.0


def targets() -> tuple[str, ...]:
    """Where a checkpoint that is taken now has to go."""
    places = ((FILE, settings.CHECKPOINT_FILE), (WEBHOOK, settings.CHECKPOINT_WEBHOOK))
    return tuple(name for name, place in places if place)


def publish_checkpoints() -> int:
    """Send what waits, oldest first. The number sent; PublicationFailed when a place could not be reached."""
    sent = 0
    for target in targets():
        waiting = Checkpoint.objects.filter(**{f"published_to__{target}__ok": False}).order_by("number")
        for number in list(waiting.values_list("number", flat=True)):
            with transaction.atomic():
                # Locked: a second worker must neither send it again nor overwrite what the first one notes.
                checkpoint = Checkpoint.objects.select_for_update(no_key=True).get(number=number)
                if checkpoint.published_to[target]["ok"]:
                    continue
                ok, what = _send(target, checkpoint)
                checkpoint.published_to[target] = {"ok": ok, "at": timezone.now().isoformat(), "what": what}
                checkpoint.save(update_fields=["published_to"])
            if not ok:
                logger.warning("checkpoint %s did not reach %s: %s", number, target, what)
                break  # the later ones would fail alike, and the file must keep their order
            sent += 1
    waiting = Checkpoint.objects.all()
    missing = [name for name in targets() if waiting.filter(**{f"published_to__{name}__ok": False}).exists()]
    if missing:
        raise PublicationFailed(f"checkpoints wait to be published to {' and '.join(missing)}")
    return sent


def _send(target: str, checkpoint: Checkpoint) -> tuple[bool, str]:
    if target == FILE:
        try:
            checkpoint_file.append(checkpoint.note)
        except OSError as error:
            return False, str(error)
        return True, str(settings.CHECKPOINT_FILE)
    host = urlsplit(settings.CHECKPOINT_WEBHOOK).hostname or ""  # the address itself may hold a secret
    try:
        answer = outbound.post(
            settings.CHECKPOINT_WEBHOOK,
            body=checkpoint.note.encode(),
            headers={"Content-Type": "text/plain; charset=utf-8"},
            timeout_s=WEBHOOK_SECONDS,
            allow_hosts=settings.OUTBOUND_ALLOW_HOSTS,
        )
    except (outbound.OutboundRefused, outbound.OutboundFailed) as error:
        return False, str(error)
    return answer.is_success, f"{host} answered {answer.status}"
