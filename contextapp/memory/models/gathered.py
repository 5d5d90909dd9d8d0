"""How far a session was read for candidates."""

from __future__ import annotations

from django.db import models


class MemoryGathered(models.Model):
    session_id = models.UUIDField(primary_key=True)
    looked_seq = models.PositiveBigIntegerField(default=0)  # what was new up to here is on the list of work
    proposals_seq = models.PositiveBigIntegerField(default=0)  # of the last memory.proposed event that was taken

    def __str__(self) -> str:
        return f"{self.session_id} up to {self.proposals_seq}"
