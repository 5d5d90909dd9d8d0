"""Claude Code transcripts: one JSON object per line, one line per content block (docs/importing.md)."""
