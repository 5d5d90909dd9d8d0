"""Events of OpenHands' software-agent-sdk: lines, an array, or a folder with one event a file (docs/importing.md)."""
