"""Summaries that stand in for a range of the log and never replace it."""
