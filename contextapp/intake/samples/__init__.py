"""Sample sessions, written by us in English and Chinese, in a project of their own. Loading them twice changes nothing."""

from __future__ import annotations

from contextapp.intake.samples.loading import Loaded, load_samples

__all__ = ["Loaded", "load_samples"]
