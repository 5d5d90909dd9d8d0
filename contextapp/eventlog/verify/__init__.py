"""Verification of the log: chains, checkpoints, saved heads. Reads one snapshot and changes nothing; services store results."""
