"""The bundle's page for people: one HTML file without script or network, which shows hostile text as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from contextapp.contexts.models import Ledger
from contextapp.contexts.packing import unpack_body
from contextapp.eventlog.models import Session
from contextapp.eventlog.selectors import iter_events

MOST_CHARS = 20_000  # of one text; the whole of it is in events.jsonl
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff\ud800-\udfff]"
)
_STYLE = """\
:root{color-scheme:light dark}
body{font:14px/20px system-ui,"Noto Sans CJK SC",sans-serif;max-width:110ch;margin:0 auto;padding:16px;
background:light-dark(#fafaf8,#131619);color:light-dark(#1a1e23,#e3e6e9)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/18px ui-monospace,monospace;margin:4px 0;padding:8px;
background:light-dark(#f1f2f0,#0e1113);max-height:40vh;overflow:auto}
article{border-top:1px solid light-dark(#dcdfe1,#2b3138);padding:8px 0}
h1{font-size:16px}h2,h3{font-size:14px;margin:16px 0 4px}
small,.muted{color:light-dark(#565e68,#9ba4ae);font-weight:400}
mark{background:none;color:light-dark(#b3261e,#ff8a80);border:1px dotted}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:2px 12px 2px 0;text-align:left;vertical-align:baseline}td.n,th.n{text-align:right}
.untrusted pre{border-left:3px dashed light-dark(#8f5600,#efb254)}
"""
_UNTRUSTED = ("tool.completed", "retrieval.completed", "resource.included")
_TEXTS = ("text", "content", "summary", "claim", "reason")


def pages(session: Session, counts: dict[str, int]) -> Iterator[bytes]:
    """The file in pieces: head, steps, events."""
    title = session.title or str(session.id)
    yield (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        'content="default-src \'none\'; style-src \'unsafe-inline\'"><meta name="viewport" content="width=device-width">'
        f"<title>{_shown(title)}</title><style>{_STYLE}</style></head><body><h1>{_shown(title)}</h1>"
        f"<p class=muted>{_shown(session.agent)} {_shown(session.model)} · session {session.id} · {counts['events']:,} events, "
        f"{counts['erased']:,} erased · {counts['ledgers']:,} ledgers. To check that this is the record: "
        "<code>python3 verify.py BUNDLE.zip</code>. Text in a dashed frame was quoted to the model, never obeyed.</p>"
    ).encode()
    yield from _steps(session)
    yield b"<h2>Events</h2>"
    for event in iter_events(session.id):
        yield _event(event.seq, event.type, event.occurred_at, event.payload)
    yield b"</body></html>\n"


def _steps(session: Session) -> Iterator[bytes]:
    ledgers = Ledger.objects.filter(session=session).select_related("body").order_by("step_number", "origin", "id")
    if not ledgers.exists():
        return
    yield b"<h2>Model calls</h2>"
    for ledger in ledgers.iterator(chunk_size=20):
        window = f" of {ledger.window_tokens:,}" if ledger.window_tokens else ""
        yield (
            f"<details><summary>step {ledger.step_number} · {ledger.origin} · {ledger.total_tokens:,}{window} tok · "
            f"{escape(ledger.verdict)}</summary><table><tr><th>bucket<th class=n>tokens<th>source<th>mode<th>reason"
            "<th>trust</tr>"
        ).encode()
        for row in unpack_body(ledger.body.rows).ledger.rows:
            tokens = row.after_tokens if row.is_included or row.is_figure else row.before_tokens
            yield (
                f"<tr><td>{escape(row.bucket)}<td class=n>{tokens:,}<td>{_shown(row.title or row.source_id)}<td>"
                f"{'×' if row.mode == 'none' else ''}{escape(row.mode)}<td>{escape(row.reason)}<td>{escape(row.trust)}</tr>"
            ).encode()
        yield b"</table></details>"


def _event(seq: int, kind: str, at: str | None, payload: Any) -> bytes:  # a payload is any JSON object
    trust = " class=untrusted" if kind in _UNTRUSTED else ""
    head = f"<article{trust} id=e{seq}><h3>{seq:,} {_shown(kind)} <small>{escape(at or '')}</small></h3>"
    return f"{head}{_payload(payload)}</article>".encode("utf-8", "replace")


def _payload(payload: Any) -> str:  # as above
    if payload == {"erased": True}:
        return "<p class=muted>The content was erased; its place and its hash remain.</p>"
    texts = {name: payload[name] for name in _TEXTS if isinstance(payload.get(name), str) and payload[name]}
    rest = {name: value for name, value in payload.items() if name not in texts}
    parts = [f"<pre>{_cut(text)}</pre>" for text in texts.values()]
    if rest:
        shown = _cut(json.dumps(rest, indent=1, ensure_ascii=False))
        parts.append(f"<details><summary class=muted>{len(rest)} more fields</summary><pre>{shown}</pre></details>")
    return "".join(parts)


def _cut(text: str) -> str:
    if len(text) <= MOST_CHARS:
        return _shown(text)
    more = f"… {MOST_CHARS:,} of {len(text):,} characters; the whole is in events.jsonl"
    return f"{_shown(text[:MOST_CHARS])}\n<small>{more}</small>"


def _shown(text: str) -> str:
    """Escaped, and with every invisible character written out."""
    pieces, position = [], 0
    for found in _HIDDEN.finditer(text):
        pieces += [escape(text[position : found.start()]), f"<mark>U+{ord(found[0]):04X}</mark>"]
        position = found.end()
    return "".join([*pieces, escape(text[position:])])
