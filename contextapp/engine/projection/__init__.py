"""The fold: events to state, and events to transcript atoms. Never reads ahead, never changes an event."""
