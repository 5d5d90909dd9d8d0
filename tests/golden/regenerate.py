"""Writes request.json and ledger.json of every golden case anew. Review the difference; a change raises ENGINE_VERSION. With
`--check` it writes nothing and fails where one differs.
"""

from __future__ import annotations

import sys

from tests.golden import cases


def main(arguments: list[str]) -> int:
    is_check = "--check" in arguments
    changed = 0
    for case in cases.CASES:
        for name, text in cases.made(case).items():
            path = cases.FOLDER / case / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                changed += 1
                sys.stdout.write(f"{case}/{name} {'differs' if is_check else 'changed'}\n")
                if not is_check:
                    path.write_text(text, encoding="utf-8")
    return 1 if is_check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
