"""Projects, members and roles, API keys, login links and the audit trail. Knows nothing of sessions or events."""
