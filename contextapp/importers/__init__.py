"""Pure parsers: bytes of another tool's transcript in, events and dispositions out. They touch no disk, clock or database."""
