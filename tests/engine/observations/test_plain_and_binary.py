"""The default rule, binary content, errors, and the short form for old results."""

from __future__ import annotations

import base64
import hashlib

import pytest

from contextapp.engine.observations import reduce, reference
from contextapp.engine.observations.media import DOCUMENT_TOKENS, IMAGE_TOKENS, media_tokens
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason

LIMITS = Limits()


def test_the_default_keeps_both_ends_and_says_how_much_is_shown() -> None:
    content = "".join(chr(97 + n % 26) for n in range(40_000))

    made = reduce("mcp__x__y", {}, content, is_error=False, limits=LIMITS, artifact="event 3")

    assert made.text.startswith(content[:5_000])
    assert f"\n[{made.shown:,} of 40,000 characters shown; all: event 3]" in made.text
    assert f"[… {40_000 - made.shown:,} characters omitted …]" in made.text
    assert (made.reason, made.total) == (Reason.TOOL_RESULT_LIMIT, 40_000)


def test_of_an_error_mostly_the_end_stays() -> None:
    content = "start " + "x" * 40_000 + " the reason"

    made = reduce("Task", {}, content, is_error=True, limits=LIMITS)

    first, last = made.text.split("\n[…")[0], made.text.split("…]\n")[1]
    assert len(first) * 3 < len(last)
    assert "the reason" in last


def test_base64_is_named_by_type_size_and_hash_and_the_text_around_it_stays() -> None:
    body = base64.b64encode(b"\x89PNG\r\n" + bytes(range(256)) * 20).decode()

    made = reduce("screenshot", {}, f"before data:image/png;base64,{body} after", is_error=False, limits=LIMITS)
    bare = reduce("screenshot", {}, body, is_error=False, limits=LIMITS)

    digest = hashlib.sha256(body.rstrip("=").encode()).hexdigest()[:16]
    assert made.text.startswith("before [base64 image/png, 5 KB, sha256 of the text ")
    assert made.text.endswith(" after")
    assert made.reason == Reason.MEDIA_REFERENCE
    assert "image/png" in bare.text
    assert digest in bare.text or hashlib.sha256(body.encode()).hexdigest()[:16] in bare.text


@pytest.mark.parametrize("content", ["-" * 3_000, "a" * 3_000, "deadbeef" * 300, "x.y.z " * 500])
def test_what_only_looks_long_is_not_taken_for_base64(content: str) -> None:
    assert reduce("x", {}, content, is_error=False, limits=LIMITS).text == content


def test_bytes_that_no_terminal_shows_are_described() -> None:
    made = reduce("Bash", {"command": "cat a.bin"}, "\x7fELF" + "\x00\x01\x02\x03" * 500, is_error=False, limits=LIMITS)

    assert made.text.startswith("[application/x-executable content, 2 KB, sha256 ")
    assert made.reason == Reason.MEDIA_REFERENCE


def test_an_old_result_keeps_its_summary_its_ends_and_the_way_to_all_of_it() -> None:
    made = reduce(
        "Read", {"file_path": "a.py"}, "\n".join(f"line {n}" for n in range(400)), is_error=False, limits=LIMITS
    )

    short = reference(made, limits=LIMITS, artifact="event 9")

    assert len(short.text) <= LIMITS.old_result_chars
    assert short.text.splitlines()[0] == "[Read a.py: 400 lines; an older result, shortened; all: event 9]"
    assert "line 0" in short.text
    assert short.text.endswith("line 399")
    assert short.reason == Reason.OLD_RESULT_REFERENCE
    assert reference(short, limits=LIMITS, artifact="event 9") == short


def test_an_old_result_that_is_short_stays() -> None:
    made = reduce("Read", {}, "short", is_error=False, limits=LIMITS)

    assert reference(made, limits=LIMITS) is made


def test_media_have_a_price_by_kind_never_by_their_bytes() -> None:
    image = {"media_type": "image/png", "size_bytes": 3_000_000}

    assert media_tokens([image]) == IMAGE_TOKENS
    assert media_tokens([image | {"width": 300, "height": 250}]) == 100
    assert media_tokens([image | {"width": 8000, "height": 6000}]) == IMAGE_TOKENS
    assert media_tokens([{"media_type": "application/pdf"}, "junk", image | {"width": "x", "height": -1}]) == (
        DOCUMENT_TOKENS + IMAGE_TOKENS
    )
