"""Traces and logs of model calls: each span repeats the whole history, and each event of it is told once (docs/otlp.md)."""
