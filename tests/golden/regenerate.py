"""Writes request.json and ledger.json of every golden case anew. Review the difference; a change raises ENGINE_VERSION."""

from __future__ import annotations

import sys

from tests.golden import cases


def main() -> int:
    for case in cases.CASES:
        for name, text in cases.made(case).items():
            path = cases.FOLDER / case / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                sys.stdout.write(f"{case}/{name} changed\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
