"""Parts of a message or an output: texts and pictures, in order. Nothing is fetched from an address."""

from __future__ import annotations

import json
from typing import Any

from contextapp.importers import fields, media
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import kind_of

_TEXTS = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text", "inputText", "outputText"})


def read_parts(value: Any, path: str) -> tuple[list[str], list[Json]]:
    """A plain string is one text. A part of a kind we don't know is shown as its JSON, so that nothing seen is lost."""
    if value is None:
        return [], []
    if isinstance(value, str):
        return [value], []
    if not isinstance(value, list):
        raise UnfitLine("wrong_type", field=path, detail=f"expected a string or an array, found {kind_of(value)}")
    texts: list[str] = []
    pictures: list[Json] = []
    for number, entry in enumerate(value):
        place = f"{path}[{number}]"
        part = fields.as_mapping(entry, place)
        kind = fields.required_string(part, "type", path=f"{place}.type")
        if kind in _TEXTS:
            texts.append(fields.string(part, "text", path=f"{place}.text"))
        elif kind == "refusal":
            texts.append(fields.string(part, "refusal", path=f"{place}.refusal"))
        elif kind in ("input_image", "inputImage"):
            url = part.get("image_url", part.get("imageUrl"))
            pictures.append(media.from_url(url if isinstance(url, str) else "", "image/unknown"))
        else:
            texts.append(json.dumps(part, ensure_ascii=False))
    return texts, pictures
