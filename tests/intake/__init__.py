"""Imports as people start them: files in, sessions out, and back again. Real PostgreSQL."""
