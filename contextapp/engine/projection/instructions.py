"""What an instruction file binds the work to, and the fold over files that come into force. Reads no disk: files are events."""

from __future__ import annotations

from collections.abc import Sequence

from contextapp.engine import front_matter
from contextapp.engine.errors import InvalidInput
from contextapp.engine.events import Event, Payload
from contextapp.engine.front_matter import FrontMatter
from contextapp.engine.kept import Kept
from contextapp.engine.projection import constraints
from contextapp.engine.projection.constraints import Found
from contextapp.engine.projection.conversation import Changes, with_constraints
from contextapp.engine.projection.payloads import short, text_of
from contextapp.engine.projection.state import LINE_CHARS, MAX_INDEXED, Constraint, SessionState

LEVELS = ("global", "project", "directory", "session", "safety")  # weak to strong

# List keys of front matter that bind: the kind of the constraint and what is said of each item.
BINDING_LISTS: dict[str, tuple[str, str]] = {
    "forbidden_commands": (constraints.PROHIBITION, "Do not run: {}"),
    "forbidden_paths": (constraints.PROHIBITION, "Do not change: {}"),
    "forbidden_tools": (constraints.PROHIBITION, "Do not use the tool: {}"),
    "require_approval": (constraints.APPROVAL, "Ask for approval before: {}"),
    "required_checks": (constraints.VERIFICATION, "This check must pass: {}"),
    "constraints": ("", "{}"),
}
_fronts: Kept[tuple[FrontMatter, str]] = Kept()


def is_readme(name: str) -> bool:
    """A README informs and never instructs, wherever it lies."""
    return name.replace("\\", "/").rsplit("/", 1)[-1].casefold().startswith("readme")


def front_of(text: str) -> tuple[FrontMatter, str]:
    """The front matter, and why it could not be read where it could not: then the whole text is body."""
    return _fronts.of(text, len(text), lambda: _front_of(text))


def _front_of(text: str) -> tuple[FrontMatter, str]:
    try:
        return front_matter.read(text), ""
    except InvalidInput as error:
        return FrontMatter(body=front_matter.normal(text)), str(error)


def binding(text: str) -> tuple[Found, ...]:
    """The constraints of a trusted file, out of the whole text: its binding lists, then its bulleted rules."""
    front, _ = front_of(text)
    found: dict[str, Found] = {}
    for key, (kind, sentence) in BINDING_LISTS.items():
        for item in items_of(front, key):
            said = sentence.format(item)
            clipped = short(said, LINE_CHARS)
            found[clipped.casefold()] = Found(clipped, kind or constraints.kind_of(item) or constraints.PREFERENCE)
    for rule in constraints.find_in_list(front.body):
        found.setdefault(rule.text.casefold(), rule)
    return tuple(found.values())


def items_of(front: FrontMatter, key: str) -> tuple[str, ...]:
    """A list as it is, a single value as a list of one."""
    single = front.scalars.get(key, "")
    return tuple(item for item in front.lists.get(key, (single,)) if item.strip())


def instructions_loaded(state: SessionState, event: Event, payload: Payload) -> Changes:
    """One per identity: a file that is loaded again replaces what it said before, its rules too. One that could not be read
    stays named, so that the ledger can say so."""
    level = short(text_of(payload, "level"), 40)
    named = next((text_of(payload, name) for name in ("path", "id", "name") if payload.get(name)), "")
    identity = short(f"{level}:{named}", LINE_CHARS)
    text = text_of(payload, "text")
    held = list(zip(state.instruction_ids, state.instruction_seqs, strict=True))
    kept = [(key, seq) for key, seq in held if key != identity]
    rules = without_rules_of(state.constraints, [seq for key, seq in held if key == identity])
    if text.strip() or text_of(payload, "warning"):
        kept.append((identity, event.seq))
    if text.strip() and level in LEVELS and not is_readme(named):
        new = [
            Constraint(f"instr:{event.seq}.{place}", short(item.text, LINE_CHARS), item.kind, event.seq, confirmed=True)
            for place, item in enumerate(binding(text), start=1)
        ]
        rules = with_constraints(rules, new)
    kept, lost = _strongest(kept)
    return {
        "instruction_ids": tuple(key for key, _ in kept),
        "instruction_seqs": tuple(seq for _, seq in kept),
        "instructions_lost": state.instructions_lost + len(lost),
        "constraints": without_rules_of(rules, lost),
    }


def without_rules_of(held: Sequence[Constraint], seqs: Sequence[int]) -> tuple[Constraint, ...]:
    return tuple(item for item in held if instruction_seq(item) not in seqs)


def instruction_seq(constraint: Constraint) -> int:
    """The event of the instruction that says it; 0 for a constraint from anywhere else."""
    return constraint.seq if constraint.id.startswith(f"instr:{constraint.seq}.") else 0


def _strongest(kept: list[tuple[str, int]]) -> tuple[list[tuple[str, int]], list[int]]:
    """At most MAX_INDEXED, and the events that had to go: the oldest of the weakest level."""
    lost: list[int] = []
    while len(kept) > MAX_INDEXED:
        weakest = min(kept, key=lambda entry: (_strength(entry[0]), entry[1]))
        kept.remove(weakest)
        lost.append(weakest[1])
    return kept, lost


def _strength(identity: str) -> int:
    level = identity.split(":", 1)[0]
    return LEVELS.index(level) if level in LEVELS else LEVELS.index("session")
