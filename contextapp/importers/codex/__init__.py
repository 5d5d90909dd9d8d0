"""Rollouts of the Codex CLI to facts, versions 0.40 to 0.145 and the bare items before them. Never opens a file."""
