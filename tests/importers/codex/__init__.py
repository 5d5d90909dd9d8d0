"""Tests of the importer of Codex rollouts; the rollouts in them are written by hand."""
