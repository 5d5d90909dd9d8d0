"""Content of a chat message: a string, or parts of text, pictures, sound and files. Nothing is fetched from an address."""

from __future__ import annotations

import json

from contextapp.importers import fields, media
from contextapp.importers.contract import Json, UnfitLine
from contextapp.importers.decoding import kind_of

PART_TYPES = frozenset({"text", "image_url", "input_audio", "file", "refusal", "input_text", "output_text"})


def read_content(message: Json, path: str) -> tuple[str, list[Json]]:
    """The text and the media, in order of their parts."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        detail = f"expected a string or an array, found {kind_of(content)}"
        raise UnfitLine("wrong_type", field=f"{path}content", detail=detail)
    texts: list[str] = []
    attached: list[Json] = []
    for number, value in enumerate(content):
        place = f"{path}content[{number}]"
        part = fields.as_mapping(value, place)
        kind = fields.required_string(part, "type", path=f"{place}.type")
        if kind in ("text", "input_text", "output_text", "refusal"):
            texts.append(fields.string(part, "refusal" if kind == "refusal" else "text", path=f"{place}.{kind}"))
        elif kind == "image_url":
            attached.append(_picture(part, place))
        elif kind == "input_audio":
            audio = fields.required_mapping(part, "input_audio", path=f"{place}.input_audio")
            form = fields.string(audio, "format", path=f"{place}.input_audio.format")
            attached.append(media.from_base64(fields.string(audio, "data"), f"audio/{form or 'unknown'}"))
        elif kind == "file":
            file = fields.required_mapping(part, "file", path=f"{place}.file")
            reference = fields.string(file, "file_data") or fields.string(file, "file_id")
            attached.append(media.from_url(reference, "application/octet-stream"))
        else:
            texts.append(json.dumps(part, ensure_ascii=False))
    return "\n\n".join(texts), attached


def _picture(part: Json, place: str) -> Json:
    image = part.get("image_url")
    if isinstance(image, str):
        return media.from_url(image, "image/unknown")
    inner = fields.as_mapping(image, f"{place}.image_url")
    return media.from_url(fields.string(inner, "url", path=f"{place}.image_url.url"), "image/unknown")
