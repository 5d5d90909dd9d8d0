"""The pure context engine: events -> projection -> sources -> budget, fit, order -> request and ledger.

Reads no clock, disk, network or database.
"""
