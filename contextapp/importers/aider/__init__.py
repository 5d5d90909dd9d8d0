"""Chat histories of Aider, a Markdown file for people: of low fidelity (docs/importing.md)."""
