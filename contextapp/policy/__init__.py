"""Versioned policies and calibrations. A version never changes; what decided a recorded step stays readable."""
