"""Which instruction files stay out and why: unreadable, not permitted, elsewhere, superseded or said already. Cuts nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contextapp.engine.inputs import BuildInputs
from contextapp.engine.policy import Policy
from contextapp.engine.projection.payloads import is_erased, visible
from contextapp.engine.reasons import Reason
from contextapp.engine.sources.instructions.files import File, concerns
from contextapp.engine.sources.permission import any_denied

# What a reader of the disk says of a file (`client/discovery.py`), and the reason its row has.
WARNINGS: Mapping[str, Reason] = {
    "invalid_utf8": Reason.INVALID_UTF8,
    "outside_root": Reason.OUTSIDE_ROOT,
    "unreadable": Reason.UNREADABLE,
    "broken_link": Reason.BROKEN_LINK,
    "link_loop": Reason.LINK_LOOP,
    "pointer": Reason.POINTER_FILE,
    "not_a_file": Reason.NOT_A_FILE,
    "too_large": Reason.FILE_TOO_LARGE,
    "same_file": Reason.DUPLICATE,
}


@dataclass(frozen=True, slots=True)
class Refusal:
    reason: Reason
    displaced_by: str = ""


def refusals(files: Sequence[File], inputs: BuildInputs, policy: Policy) -> dict[int, Refusal]:
    """By event. `files` stand weakest first: of two with one text the stronger stays, of one file read twice the newer."""
    refused: dict[int, Refusal] = {}
    for file in files:
        if reason := _own(file, inputs, policy):
            refused[file.event.seq] = Refusal(reason)
    refused |= _superseded([file for file in files if file.event.seq not in refused])
    by_text: dict[str, str] = {}
    for file in reversed(files):
        if file.event.seq in refused:
            continue
        if file.text in by_text:
            refused[file.event.seq] = Refusal(Reason.DUPLICATE, by_text[file.text])
        else:
            by_text[file.text] = file.id
    return refused


def _own(file: File, inputs: BuildInputs, policy: Policy) -> Reason | None:
    """What speaks against the file whatever the others say."""
    if is_erased(file.event):
        return Reason.ERASED
    if not visible(file.event) or any_denied((file.path, file.real_path), policy, inputs.workspace_root):
        return Reason.NOT_PERMITTED
    if not file.text.strip():
        return WARNINGS.get(file.warning, Reason.EMPTY)
    return None if concerns(file, inputs) else Reason.NOT_RELEVANT


def _superseded(files: Sequence[File]) -> dict[int, Refusal]:
    """One file under two names, read at two times, with two texts: only what was read last is in it now."""
    newest: dict[str, File] = {}
    for file in sorted(files, key=lambda file: file.event.seq):
        if file.real_path:
            newest[file.real_path] = file
    out: dict[int, Refusal] = {}
    for file in files:
        last = newest.get(file.real_path, file)
        if last is not file and last.text != file.text:
            out[file.event.seq] = Refusal(Reason.SUPERSEDED, last.id)
    return out
