"""Arrays of OpenAI Responses and Anthropic Messages, and recorded requests with their answers (docs/importing.md)."""
