"""Chat Completions messages: an array, runs of arrays, or JSON lines of either (docs/importing.md)."""
