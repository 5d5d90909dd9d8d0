"""Policies as JSON files that travel between projects. A file becomes a draft and nothing more; it never comes into force."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from contextapp.accounts.models import Project
from contextapp.policy.errors import Fault, PolicyRefused
from contextapp.policy.models import PolicyVersion
from contextapp.policy.services.versions import create_draft

FORMAT = "contextapp.policy/1"
LARGEST_BYTES = 200_000


def export_policy(version: PolicyVersion) -> str:
    """The version as a file; `import_policy` reads it."""
    whole = {
        "format": FORMAT,
        "project": version.project.slug,
        "number": version.number,
        "state": version.state,
        "author": version.author,
        "note": version.note,
        "policy": {name: value for name, value in version.body.items() if name != "number"},
    }
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def import_policy(*, project: Project, text: bytes, by: str) -> PolicyVersion:
    """A draft from a file of `export_policy`, or from the bare object that its `policy` holds."""
    given = _read(text)
    note = ""
    if isinstance(given, dict) and "format" in given:
        if given["format"] != FORMAT:
            words = _("format is “%(value)s”; this installation reads %(known)s.")
            raise _refused("format", words % {"value": str(given["format"])[:60], "known": FORMAT})
        words = _("imported: version %(number)s of %(project)s. %(note)s")
        told = {name: str(given.get(name, ""))[:300] for name in ("number", "project", "note")}
        note = (words % told).strip().replace("\0", "")
        given = given.get("policy")
    return create_draft(project=project, body=given, note=note, by=by)


def _read(text: bytes) -> Any:  # JSON of any shape: the check of the body judges it
    if len(text) > LARGEST_BYTES:
        words = _("The file has %(size)s bytes; a policy has at most %(most)s.")
        raise _refused("", words % {"size": f"{len(text):,}", "most": f"{LARGEST_BYTES:,}"})
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # what is no UTF-8 and no JSON are ValueErrors too
        words = _("The file can't be read as JSON: %(why)s.")
        raise _refused("", words % {"why": str(error)[:200]}) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # as above
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:60]!r} stands twice in one object")
    return made


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _refused(field: str, message: str) -> PolicyRefused:
    return PolicyRefused((Fault(field, message),))
