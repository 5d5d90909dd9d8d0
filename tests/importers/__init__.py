"""Importers on synthetic lines, one behaviour each, and on every recorded transcript."""
