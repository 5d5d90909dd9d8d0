"""Chats of Gemini CLI: a JSON document, or JSON lines with patches (docs/importing.md)."""
