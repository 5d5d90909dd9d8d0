"""The recorded transcripts beside the project, parsed by the importers into events. Reads files, keeps nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from contextapp.config.local.places import PROJECT
from contextapp.engine.events import Event
from contextapp.importers.contract import Source
from contextapp.importers.recognise import recognise

DATA = PROJECT.parent / "shared" / "data"


def recorded(folder: str, data: Path = DATA) -> Iterator[tuple[str, list[Event]]]:
    """(name, events) of each session in the files of that folder; events are numbered as a log would."""
    for path in sorted((data / folder).rglob("*")):
        if not path.is_file():
            continue
        with path.open("rb") as stream:
            found = recognise(stream.read(65_536), str(path))
            stream.seek(0)
            sessions: dict[str, dict[object, Event]] = defaultdict(dict)
            for line in found.parse(Source(str(path), stream)) if found else ():
                for draft in line.drafts:
                    held = sessions[draft.session_key]
                    event = Event(len(held) + 1, draft.type, draft.payload, visibility=draft.visibility)
                    held.setdefault(draft.event_id, event)
        yield from ((f"{path.relative_to(data)}#{key}", list(held.values())) for key, held in sessions.items())
