"""Cases B on media: a picture or file costs what its kind costs, however it was put into the log."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from contextapp.engine.observations import reduce
from contextapp.engine.observations.media import IMAGE_TOKENS, media_tokens
from contextapp.engine.policy import Limits
from tests.engine.builder.worlds import Log
from tests.engine.cases.scenes import answer, batch, built, row_of, said

BYTES = bytes((number * 7919 >> 3) & 255 for number in range(300_000))
BASE64 = base64.b64encode(BYTES).decode()


def _pictures() -> dict[str, Any]:
    return {
        "data address": f"see data:image/png;base64,{BASE64} here",
        "bare": f"screenshot:\n{BASE64}",
        "wrapped": "\n".join(BASE64[start : start + 76] for start in range(0, 40_000, 76)),
        "content block": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}}],
        "address block": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}}],
        "input block": [{"type": "input_image", "image_url": f"data:image/png;base64,{BASE64}"}],
        "inline block": [{"inline_data": {"mime_type": "image/png", "data": BASE64}}],
        "in an object": {"ok": True, "screenshot": BASE64},
    }


@pytest.mark.parametrize("shape", _pictures())
def test_b24_a_picture_in_a_result_is_never_counted_as_text(shape: str) -> None:
    log = Log()
    log.user("look")
    batch(log, "c1", name="browser")
    answer(log, "c1", _pictures()[shape])

    made = built(log)

    assert row_of(made, "event:3").after_tokens < 200
    assert BASE64[:100] not in said(made)


@pytest.mark.parametrize("shape", _pictures())
def test_b24_a_picture_in_the_users_words_is_never_counted_as_text(shape: str) -> None:
    log = Log()
    log.add("user.message", text=_pictures()[shape])

    made = built(log, window=8_000)

    assert row_of(made, "event:1").after_tokens < 200


def test_b24_a_picture_has_a_flat_price_whatever_its_bytes() -> None:
    small = {"media_type": "image/png", "size_bytes": 30_000, "width": 200, "height": 100}
    large = {"media_type": "image/png", "size_bytes": 3_000_000}
    huge = {"media_type": "image/jpeg", "size_bytes": 30_000_000, "width": 12_000, "height": 9_000}

    prices = [media_tokens([item]) for item in (small, large, huge)]

    assert prices[0] < 50
    assert max(prices) <= IMAGE_TOKENS


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{BASE64}"}}],
        [{"type": "document", "source": {"media_type": "application/pdf", "data": BASE64}}],
        [{"type": "file", "mime_type": "application/pdf", "base64": BASE64}],
        [{"type": "input_file", "filename": "a.pdf", "file_data": BASE64}],
    ],
)
def test_b26_a_file_block_is_priced_by_kind_and_not_by_its_text(content: list[dict[str, Any]]) -> None:
    log = Log()
    log.add("user.message", text=content)
    batch(log, "c1", name="read_file")
    answer(log, "c1", content)

    made = built(log, window=8_000)

    assert max(row_of(made, name).after_tokens for name in ("event:1", "event:3")) < 200


def test_b24_b26_a_reduction_names_type_size_and_hash() -> None:
    png = base64.b64encode(b"\x89PNG\r\n" + BYTES[:3_000]).decode()

    made = reduce("browser", {}, png, is_error=False, limits=Limits())

    assert made.text.startswith("[base64 image/png, 3 KB, sha256")


def test_b24_a_picture_included_as_a_resource_is_never_counted_as_text() -> None:
    log = Log()
    log.add("resource.included", id="r1", title="shot.png", text=f"data:image/png;base64,{BASE64}", by="user")
    log.user("look")

    made = built(log)

    assert row_of(made, "resource:1").after_tokens < 200
    assert BASE64[:100] not in said(made)
