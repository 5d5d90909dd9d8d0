"""Which session a record belongs to: the file's own, or a sub-agent's that ran inside it. Never filters by session id."""

from __future__ import annotations

import re
from pathlib import PurePath

from contextapp.importers import fields
from contextapp.importers.claude_code.session import AGENT, FORMAT_NAME, SessionWalk
from contextapp.importers.contract import Json, SessionHead
from contextapp.importers.identity import content_hash, safe_key

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_AGENT_FILE = re.compile(r"agent-([A-Za-z0-9_-]+)")


class Router:
    """One session per file. A resumed or forked file keeps its own name, whatever older ids its records carry."""

    def __init__(self, name: str) -> None:
        self._path = PurePath(name)
        self._main: SessionWalk | None = None
        self._chains: dict[str, SessionWalk] = {}  # uuid of a sidechain record -> its sub-agent
        self._subagents: dict[str, SessionWalk] = {}
        self._latest_chain: SessionWalk | None = None
        self._is_agent_file = False

    def session_for(self, record: Json) -> SessionWalk | None:
        """None while the file has not said whose it is: side records may come first."""
        if self._main is None and not self._open_main(record):
            return None
        if fields.flag(record, "isSidechain") and not self._is_agent_file:
            return self._subagent(record)
        return self._main

    def any_session(self, record: Json) -> SessionWalk:
        """A session for a record that has something to say before any record named one."""
        if self._main is None:
            native = "unnamed-" + content_hash([self._path.name, record])[:24]
            self._main = _walk(f"{FORMAT_NAME}:{native}", native)
        return self._main

    def _open_main(self, record: Json) -> bool:
        session_id = fields.string(record, "sessionId")
        agent_id = fields.string(record, "agentId")
        named = _AGENT_FILE.fullmatch(self._path.stem)
        if named or (fields.flag(record, "isSidechain") and agent_id):
            return self._open_agent(agent_id or (named[1] if named else ""), session_id)
        own = self._path.stem if _UUID.fullmatch(self._path.stem) else session_id
        if not own:
            return False
        self._main = _walk(f"{FORMAT_NAME}:{safe_key(own)}", own)
        return True

    def _open_agent(self, agent_id: str, session_id: str) -> bool:
        parent = self._folder_parent() or (session_id if session_id not in (agent_id, f"agent-{agent_id}") else "")
        parent_key = f"{FORMAT_NAME}:{safe_key(parent)}" if parent else ""
        self._is_agent_file = True
        name = f"agent-{safe_key(agent_id)}"
        self._main = _walk(f"{parent_key}/{name}" if parent else f"{FORMAT_NAME}:{name}", agent_id, parent_key)
        return True

    def _folder_parent(self) -> str:
        """`<session>/subagents/agent-x.jsonl`, also with folders of workflows in between."""
        folders = self._path.parts[:-1]
        if "subagents" not in folders:
            return ""
        place = len(folders) - 1 - folders[::-1].index("subagents")
        return folders[place - 1] if place else ""

    def _subagent(self, record: Json) -> SessionWalk:
        record_id = fields.string(record, "uuid")
        agent_id = fields.string(record, "agentId")
        parent_id = fields.string(record, "parentUuid")
        if agent_id:
            walk = self._child(f"agent-{safe_key(agent_id)}", agent_id)
        elif parent_id:
            # A parent that is not in the file: what came last is the best witness.
            walk = (
                self._chains.get(parent_id)
                or self._latest_chain
                or self._child(f"sidechain-{safe_key(parent_id)}", parent_id)
            )
        else:
            walk = self._child(f"sidechain-{safe_key(record_id)}", record_id)
        if record_id:
            self._chains[record_id] = walk
        self._latest_chain = walk
        return walk

    def _child(self, name: str, native_id: str) -> SessionWalk:
        assert self._main is not None
        if name not in self._subagents:
            self._subagents[name] = _walk(f"{self._main.head.key}/{name}", native_id, self._main.head.key)
        return self._subagents[name]


def _walk(key: str, native_id: str, parent_key: str = "") -> SessionWalk:
    return SessionWalk(SessionHead(key=key, native_id=native_id, agent=AGENT, parent_key=parent_key))
