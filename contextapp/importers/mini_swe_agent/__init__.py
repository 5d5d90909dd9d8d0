"""Trajectories of mini-swe-agent: a bare list of messages, or one with what is known of the run (docs/importing.md)."""
