"""Versions of policies and calibrations. What was in force is never changed; a new version takes its place."""

from __future__ import annotations

from contextapp.policy.services.calibrations import store_calibration
from contextapp.policy.services.exchange import LARGEST_BYTES, export_policy, import_policy
from contextapp.policy.services.versions import (
    activate,
    create_draft,
    ensure_default,
    retire,
    roll_back,
    update_draft,
)

__all__ = [
    "LARGEST_BYTES",
    "activate",
    "create_draft",
    "ensure_default",
    "export_policy",
    "import_policy",
    "retire",
    "roll_back",
    "store_calibration",
    "update_draft",
]
