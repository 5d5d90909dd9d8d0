"""Brings files in and takes them back: start, run, forget. Everything stored goes through the event log's own door."""

from __future__ import annotations

from contextapp.intake.services.discovering import DEFAULT_FOLDERS
from contextapp.intake.services.exporting import export_trajectory
from contextapp.intake.services.forgetting import forget_import
from contextapp.intake.services.running import run_import
from contextapp.intake.services.starting import start_import, start_upload
from contextapp.intake.services.telemetry import Sender, Taken, take_telemetry

__all__ = [
    "DEFAULT_FOLDERS",
    "Sender",
    "Taken",
    "export_trajectory",
    "forget_import",
    "run_import",
    "start_import",
    "start_upload",
    "take_telemetry",
]
