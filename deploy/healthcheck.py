"""Asks the web server of this container whether it is ready; exit status 0 or 1. Knows no secret and prints none."""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request


def main() -> int:
    port = os.environ.get("PORT") or "8000"
    allowed = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip("*.")
    request = urllib.request.Request(f"http://127.0.0.1:{port}/readyz", headers={"Host": allowed or "localhost"})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=4) as answer:
            return 0 if answer.status == 200 else 1
    except (urllib.error.URLError, OSError):
        return 1


if __name__ == "__main__":
    sys.exit(main())
