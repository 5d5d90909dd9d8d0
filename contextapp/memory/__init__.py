"""Governed long-term records: proposed, reviewed, approved. Nothing here enters a prompt that nobody approved."""
