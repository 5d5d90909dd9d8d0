"""Turns, steps and their ledgers: what was or would be sent at each model call, why, and the proof of it."""
