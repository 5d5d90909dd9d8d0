"""One phrase for each signal of the memory detectors, in the reader's language. A signal of a newer detector shows its id."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SIGNALS: Mapping[str, str | Promise] = {
    "D01": _("hidden text in tag characters"),
    "D02": _("text direction is overridden"),
    "D03": _("invisible characters inside words"),
    "D04": _("data in variation selectors"),
    "D05": _("letters of another script that pass for Latin"),
    "D06": _("control characters"),
    "D07": _("private or unassigned characters"),
    "D08": _("stacked combining marks"),
    "D09": _("letters in disguise"),
    "D10": _("forges a frame of ours"),
    "D11": _("forges a chat template"),
    "D12": _("an image that carries data out"),
    "D14": _("hidden markup"),
    "D15": _("overrides rules"),
    "D16": _("changes the role"),
    "D17": _("sends secrets or conversations away"),
    "D18": _("waits for an occasion"),
    "D19": _("hides something from people"),
    "D20": _("wants to last or to outrank"),
    "D21": _("skips approval or safety"),
    "D22": _("claims authority or consent"),
    "D23": _("runs code from the network"),
    "D24": _("advertises"),
    "D26": _("commands, from nobody we know"),
    "D31": _("long"),
    "D34": _("speaks to its reader"),
}
TRUST_OF_SOURCE: Mapping[str, str] = {
    "reviewer": "trusted",
    "user": "trusted",
    "model": "fact",
    "tool_internal": "untrusted",
    "untrusted": "untrusted",
}
