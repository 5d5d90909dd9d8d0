#!/usr/bin/env python
"""Django's command line. Run it as `.venv/bin/python manage.py`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")
    from django.core.management import execute_from_command_line

    from contextapp.config.local.tables import tables_expected

    with tables_expected():
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
