"""The audit-first context platform: event log -> state projection -> context builder -> model request."""
