"""What a picture or a file costs in a request: a flat price by kind, never the length of its base64."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

IMAGE_TOKENS = 1_600  # a picture of unknown size: the most that providers charge for one they scale down
DOCUMENT_TOKENS = 3_000
_LONGEST_EDGE = 1_568
_PIXELS_PER_TOKEN = 750


def media_tokens(items: Iterable[object]) -> int:
    """The price of the media of one payload."""
    return sum(_price(item) for item in items if isinstance(item, Mapping))


def _price(item: Mapping[str, object]) -> int:
    if not str(item.get("media_type", "")).startswith("image/"):
        return DOCUMENT_TOKENS
    width, height = item.get("width"), item.get("height")
    if not (isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0):
        return IMAGE_TOKENS
    scale = min(1.0, _LONGEST_EDGE / max(width, height))
    return min(IMAGE_TOKENS, max(1, round(width * height * scale * scale / _PIXELS_PER_TOKEN)))
