"""Injection: signals in text that tries to give orders. Marks and names; removes nothing."""
