"""Trajectories in the Agent Trajectory Interchange Format, 1.0 to 1.8 (docs/importing.md)."""
