"""Event streams of Anthropic managed agents (docs/importing.md)."""
