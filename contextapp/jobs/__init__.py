"""The table of background work: outbox, leases, sweeper, progress. Knows handlers by name only."""
