"""Benchmarks, one module per subject: `python -m tests.benchmarks.NAME --json [--quick]`. Their form is report.py's."""
