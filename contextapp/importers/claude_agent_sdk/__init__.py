"""The stdio protocol between the Claude Agent SDK and its CLI (docs/importing.md)."""
