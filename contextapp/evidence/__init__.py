"""Pure evidence: canonical bytes, hash chain, Merkle root. Knows no database."""
