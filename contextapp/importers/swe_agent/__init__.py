"""Trajectories of SWE-agent: one JSON document a run (docs/importing.md)."""
