"""Sessions of Cline, and tasks of Cline classic and Roo (docs/importing.md)."""
