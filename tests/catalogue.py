"""Finds every translatable text of the project and keeps the Chinese catalogue in step: `python -m tests.catalogue`.

Reads source code only, so that the test beside it needs no gettext tools. Never translates and never drops a
translation whose text still exists.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polib

PROJECT = Path(__file__).resolve().parent.parent
CATALOGUE = PROJECT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"

# How many leading arguments are texts, and whether the first of them is a context.
CALLS = {
    "_": (1, False),
    "gettext": (1, False),
    "gettext_lazy": (1, False),
    "gettext_noop": (1, False),
    "ngettext": (2, False),
    "ngettext_lazy": (2, False),
    "pgettext": (2, True),
    "pgettext_lazy": (2, True),
    "npgettext": (3, True),
}
LITERAL = r"u?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
TEMPLATE_CALL = re.compile(rf"\b(_|n?p?gettext)\(\s*({LITERAL}(?:\s*,\s*{LITERAL})*)", re.DOTALL)
PLACEHOLDER = re.compile(r"%\(\w+\)[sdr]|\{\w+\}")


@dataclass(frozen=True, slots=True)
class Text:
    singular: str
    plural: str = ""
    context: str = ""


def found() -> dict[Text, str]:
    """Each text with the first file that holds it."""
    places: dict[Text, str] = {}
    for path in [*sorted((PROJECT / "contextapp").rglob("*.py")), *sorted((PROJECT / "templates").rglob("*.html"))]:
        texts = _in_python(path) if path.suffix == ".py" else _in_template(path)
        for text in texts:
            places.setdefault(text, str(path.relative_to(PROJECT)))
    return places


def _in_python(path: Path) -> Iterator[Text]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        strings = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if name in CALLS and len(strings) >= CALLS[name][0]:
            yield _text(name, strings)


def _in_template(path: Path) -> Iterator[Text]:
    from django.utils.translation.template import templatize

    for call in TEMPLATE_CALL.finditer(templatize(path.read_text(encoding="utf-8"), origin=str(path))):
        yield _text(call[1], [ast.literal_eval(literal) for literal in re.findall(LITERAL, call[2], re.DOTALL)])


def _text(name: str, strings: list[str]) -> Text:
    count, has_context = CALLS[name]
    context, *texts = strings[:count] if has_context else ["", *strings[:count]]
    return Text(texts[0], texts[1] if len(texts) > 1 else "", context)


def entry_text(entry: polib.POEntry) -> Text:
    return Text(entry.msgid, entry.msgid_plural, entry.msgctxt or "")


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def update() -> tuple[int, int]:
    """Add what is new, drop what is gone; the number of texts, and of those without a translation."""
    catalogue = polib.pofile(str(CATALOGUE), wrapwidth=120)
    known = {entry_text(entry): entry for entry in catalogue}
    places = found()
    catalogue.clear()
    for text, place in sorted(places.items(), key=lambda item: (item[1], item[0].singular)):
        entry = known.get(text)
        if entry is None:
            plural = {"msgid_plural": text.plural, "msgstr_plural": {0: ""}} if text.plural else {}
            entry = polib.POEntry(msgid=text.singular, msgctxt=text.context or None, **plural)
        entry.occurrences = [(place, "")]
        catalogue.append(entry)
    catalogue.save(str(CATALOGUE))
    return len(catalogue), sum(not entry.translated() for entry in catalogue)


if __name__ == "__main__":
    texts, missing = update()
    print(f"{texts} texts, {missing} without a translation, in {CATALOGUE.relative_to(PROJECT)}")  # noqa: T201 its answer
