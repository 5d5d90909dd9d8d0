"""The OpenAPI document as it is committed. `python -m tests.api.snapshot` writes it anew; review the difference."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

SNAPSHOT = Path(__file__).with_name("openapi.json")


def current() -> dict[str, Any]:  # an OpenAPI document
    from contextapp.api.api import api

    return json.loads(json.dumps(api.get_openapi_schema(path_prefix="/api/v1/"), default=str))


def text(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "contextapp.config.settings")
    django.setup()
    SNAPSHOT.write_text(text(current()))
