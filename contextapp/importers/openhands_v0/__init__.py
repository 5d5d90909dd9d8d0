"""Event histories of OpenHands before its software-agent-sdk (docs/importing.md)."""
