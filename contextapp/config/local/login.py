"""`make login`: prints one more one-time link, at the address where the product runs now. Creates no account of its own."""

from __future__ import annotations

import io
import os
import re
import sys

from contextapp.config.local import address
from contextapp.config.local.tables import tables_expected


def absolute(said: str, base: str) -> str:
    """The command `login` knows the path of its link but not the port that the supervisor found free."""
    found = re.search(r"(?:https?://[^/\s]+)?(/\S*login\S*)", said)
    return base + found[1] if found else said


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")
    import django
    from django.core.management import call_command

    django.setup()
    output = io.StringIO()
    with tables_expected():
        call_command("login", *sys.argv[1:], stdout=output)
    running = address.read()
    base = running.address if running else address.shown("127.0.0.1", address.FIRST_PORT)
    print(absolute(output.getvalue(), base))
    if running is None:
        print("Nothing seems to run here; start it with `make up`.", file=sys.stderr)


if __name__ == "__main__":
    main()
