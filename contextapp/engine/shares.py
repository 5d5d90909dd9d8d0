"""Shares of the transcript bucket by phase: what of it may be state, latest observation, recent tail, evidence, older history.

State and evidence are renewed at every step, so their shares are caps. The other three are one growing transcript: latest and
tail say how much of it stays unreduced beside older history (edges.py), and latest what it may take of a tail that is too large
alone. Never looks at a log.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from contextapp.engine.errors import InvalidPolicy
from contextapp.engine.values import Phase

STATE, LATEST, TAIL, EVIDENCE, OLDER = "state", "latest_observation", "recent_tail", "evidence", "older_history"
PARTS = (STATE, LATEST, TAIL, EVIDENCE, OLDER)
UNKNOWN = "unknown"  # no phase is known

Shares = Mapping[str, int]  # percent by part, 100 in all


def _shares(*percents: int) -> Shares:
    return MappingProxyType(dict(zip(PARTS, percents, strict=True)))


# Diagnosing favours evidence, editing the files at hand, verifying logs, summarizing results.
DEFAULT_SHARES: Mapping[str, Shares] = MappingProxyType(
    {
        Phase.DIAGNOSING.value: _shares(15, 20, 20, 30, 15),
        Phase.PLANNING.value: _shares(15, 15, 25, 25, 20),
        Phase.EDITING.value: _shares(15, 20, 30, 20, 15),
        Phase.VERIFYING.value: _shares(15, 35, 20, 15, 15),
        Phase.SUMMARIZING.value: _shares(20, 10, 20, 15, 35),
        Phase.BLOCKED.value: _shares(15, 15, 30, 20, 20),
        UNKNOWN: _shares(15, 20, 30, 20, 15),
    }
)


def checked(shares: Mapping[str, Shares]) -> Mapping[str, Shares]:
    """The same, or InvalidPolicy: a known phase each, with every part and 100 percent in all."""
    for phase, parts in shares.items():
        if phase not in DEFAULT_SHARES:
            raise InvalidPolicy(f"phase_shares name phase {phase!r}; known are {', '.join(DEFAULT_SHARES)}")
        if set(parts) != set(PARTS) or min(parts.values()) < 0 or sum(parts.values()) != 100:
            raise InvalidPolicy(
                f"phase_shares of {phase} are {dict(parts)}; give {', '.join(PARTS)} 0 or more each, 100 in all"
            )
    return shares


def fresh_share(shares: Mapping[str, Shares], phase: str) -> int:
    """Percent of history that stays unreduced: what latest observation and recent tail have of it beside older history."""
    parts = _of(shares, phase)
    whole = parts[LATEST] + parts[TAIL] + parts[OLDER]
    return 100 * (parts[LATEST] + parts[TAIL]) // whole if whole else 100


def part_of(room: int, shares: Mapping[str, Shares], phase: str, part: str) -> int:
    """Tokens of `room` that the part may have in this phase; a phase the policy does not name has the default's shares."""
    return max(0, room) * _of(shares, phase)[part] // 100


def _of(shares: Mapping[str, Shares], phase: str) -> Shares:
    name = phase if phase in DEFAULT_SHARES else UNKNOWN
    return shares.get(name, DEFAULT_SHARES[name])
