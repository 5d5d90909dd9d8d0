"""Changes how a project masks, and shows beforehand what a text would become. The built-in rules always hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

import re2
from django.db import transaction
from django.utils.translation import gettext as _

from contextapp.accounts.errors import SettingRefused
from contextapp.accounts.models import MaskingMode, Project
from contextapp.accounts.services import change_settings
from contextapp.eventlog.masking.payloads import mask_text
from contextapp.eventlog.masking.projects import forget
from contextapp.eventlog.masking.rules import RULES
from contextapp.eventlog.masking.scan import Scanner, compile_own

RULE_LIMIT = 50
PATTERN_CHARS = 500
TRIED_CHARS = 20_000
_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")


def change_masking(*, project: Project, mode: str, rules: Sequence[tuple[str, str]], seen: str, by: str) -> Project:
    """`rules` are (name, RE2 pattern). SettingRefused names the rule; SettingsChanged if `seen` stands no more."""
    if mode and mode not in MaskingMode.values:
        raise SettingRefused("mode", _("“%(mode)s” is not a masking mode.") % {"mode": mode[:40]})
    check_rules(rules)
    values = {"masking_mode": mode, "masking_rules": [{"id": name, "pattern": pattern} for name, pattern in rules]}
    changed = change_settings(project=project, group="masking", values=values, seen=seen, by=by)
    forget(project.id)
    transaction.on_commit(lambda: forget(project.id))
    return changed


def check_rules(rules: Sequence[tuple[str, str]]) -> None:
    """Each has a name of its own and a pattern that RE2 takes and that matches something."""
    if len(rules) > RULE_LIMIT:
        text = _("%(count)s rules; a project has at most %(limit)s of its own.")
        raise SettingRefused("rules", text % {"count": len(rules), "limit": RULE_LIMIT})
    taken = {rule.name for rule in RULES}
    for name, pattern in rules:
        if not _NAME.fullmatch(name):
            text = _("“%(name)s” is not a rule's name: 2 to 40 lower-case letters, digits and underscores.")
            raise SettingRefused(name, text % {"name": name[:60]})
        if name in taken:
            raise SettingRefused(name, _("A rule named %(name)s is there already.") % {"name": name})
        taken.add(name)
        _check_pattern(name, pattern)


def try_text(*, text: str, rules: Sequence[tuple[str, str]]) -> tuple[str, tuple[tuple[str, int], ...]]:
    """What would be stored of a text under mask, and how often each rule found something. Keeps nothing."""
    check_rules(rules)
    scanner = Scanner(rules)
    counts: dict[str, int] = {}
    for finding in scanner.find(text[:TRIED_CHARS]):
        counts[finding.rule] = counts.get(finding.rule, 0) + 1
    return mask_text(text[:TRIED_CHARS], scanner), tuple(counts.items())


def _check_pattern(name: str, pattern: str) -> None:
    if not pattern or len(pattern) > PATTERN_CHARS:
        text = _("The pattern of %(name)s has %(count)s characters; between 1 and %(limit)s are taken.")
        raise SettingRefused(name, text % {"name": name, "count": len(pattern), "limit": PATTERN_CHARS})
    try:
        expression = compile_own(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0] if error.args else ""
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        text = _("RE2 does not take the pattern of %(name)s: %(reason)s")
        raise SettingRefused(name, text % {"name": name, "reason": reason[:300]}) from error
    if expression.search(b"") is not None:
        text = _("The pattern of %(name)s matches the empty text, so it would match everywhere.")
        raise SettingRefused(name, text % {"name": name})
