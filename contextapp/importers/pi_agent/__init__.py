"""Sessions of pi: JSON lines of entries (docs/importing.md)."""
