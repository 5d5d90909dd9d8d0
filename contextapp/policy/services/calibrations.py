"""Keeps what a model's provider bills as a version. A version is never changed; a new one stands beside the old."""

from __future__ import annotations

from django.db import transaction

from contextapp.accounts.models import Project
from contextapp.accounts.services import record
from contextapp.policy.calibration import Fit
from contextapp.policy.models import Calibration
from contextapp.policy.profiles import plain_name

FACTOR_STEP = 0.005  # a smaller change of the factor is no news


def store_calibration(*, project: Project, model: str, tokenizer: str, fit: Fit) -> Calibration:
    """A new version when the fit says something new, else the newest one. All dates of a model share its calibration."""
    model = plain_name(model)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(id=project.id)
        newest = Calibration.objects.filter(project=project, model=model).order_by("-number").first()
        if newest is not None and newest.tokenizer == tokenizer and _is_same(newest, fit):
            return newest
        made = Calibration.objects.create(
            project=project,
            model=model,
            number=1 if newest is None else newest.number + 1,
            tokenizer=tokenizer,
            factor=fit.factor,
            quantile_95=fit.quantile_95,
            sample_count=fit.sample_count,
        )
        record(
            project=project,
            actor="system",
            action="calibration.stored",
            target=f"calibration:{model}@{made.number}",
            after={"factor": fit.factor, "quantile_95": fit.quantile_95, "sample_count": fit.sample_count},
        )
    return made


def _is_same(newest: Calibration, fit: Fit) -> bool:
    return (
        abs(newest.factor - fit.factor) < FACTOR_STEP
        and abs(newest.quantile_95 - fit.quantile_95) < FACTOR_STEP
        and newest.sample_count * 2 > fit.sample_count  # twice the evidence is news even for the same figure
    )
