"""What a memory record would have done to recorded calls. Figures and places, no content; computed by a job."""

from __future__ import annotations

from django.db import models


class Counterfactual(models.Model):
    """One per record, the newest counts. `memory_id` is plain: memory stands beneath and knows nothing of steps."""

    memory_id = models.BigIntegerField(unique=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.CASCADE, related_name="+")
    version = models.PositiveIntegerField()  # of the record when it was computed
    since = models.DateTimeField()
    steps_considered = models.PositiveIntegerField()
    steps_left_out = models.PositiveIntegerField(default=0)  # older than the newest ones that were considered
    steps_entered = models.PositiveIntegerField(default=0)
    entered = models.JSONField(default=list)  # the newest: [{"session", "step", "tokens", "displaced": [references]}]
    kept_out = models.JSONField(default=dict)  # reason -> steps
    computed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"memory {self.memory_id}: {self.steps_entered} of {self.steps_considered} steps"
