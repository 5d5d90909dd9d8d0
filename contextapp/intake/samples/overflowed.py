"""A small window and a large log: the call does not fit, the turn stops with context_overflow, and a narrower look succeeds."""

from __future__ import annotations

from contextapp.intake.samples import material
from contextapp.intake.samples.script import Call, Script

_FAULT = "ERROR worker-2 nightly-close step=export OutOfMemoryError: row buffer grew to 3.9 GB (period 2026-08, 4,112,874 rows)"


def script() -> Script:
    session = Script(
        slug="overflowed",
        title="Why did the nightly close stop?",
        agent="log-analyst",
        agent_version="0.4.2",
        model="llama3-8b",
        cwd="/srv/analyst",
        started="2026-09-17T06:20:00",
    )
    session.instructions("system", _SYSTEM, level="session")
    session.tools(
        ("read_log", "Read a log file, whole or a range of its lines.", ("path", "from_line", "to_line")),
        ("search_log", "Lines of a log file that match a pattern, at most 40.", ("path", "pattern")),
        ("list_logs", "Log files with size and time of last change.", ("folder",)),
    )
    session.prompt("The nightly close did not finish. What happened?")
    session.step("", Call("list_logs", {"folder": "/var/log/close"}, _listing()))
    log = material.server_log(
        170, start_minute=120, marks=[(118, _FAULT), (119, "INFO  worker-2 nightly-close retry 1 of 1")]
    )
    session.step("I read the newest one.", Call("read_log", {"path": "/var/log/close/close-0914.log"}, log))
    session.overflow()
    session.clear_last_result(log)
    session.prompt("That was too long for you. Search it instead of reading it.", after_minutes=1)
    session.step(
        "I look for errors only.",
        Call(
            "search_log",
            {"path": "/var/log/close/close-0914.log", "pattern": "ERROR|retry"},
            f"119: {_FAULT}\n120: INFO  worker-2 nightly-close retry 1 of 1",
        ),
    )
    session.step(
        "",
        Call(
            "search_log",
            {"path": "/var/log/close/close-0914.log", "pattern": "step=export"},
            material.server_log(18, start_minute=118, marks=[(9, _FAULT)]),
        ),
    )
    session.step(
        "The export step of worker 2 ran out of memory at 02:05: "
        "its row buffer grew to 3.9 GB while it exported the period 2026-08 "
        "with 4,112,874 rows. It was retried once and stopped again. Every step before it had finished.",
    )
    session.prompt("Is that period larger than the others?", after_minutes=2)
    session.step(
        "",
        Call(
            "search_log",
            {"path": "/var/log/close/close-0814.log", "pattern": "rows\\)"},
            "88: INFO  worker-1 nightly-close step=export done (period 2026-07, 1,020,551 rows)",
        ),
    )
    session.step(
        "Yes. July had 1,020,551 rows, "
        "August has four times as many. The buffer holds all rows of a period, so any period beyond "
        "about 3.5 million rows will fail on this machine until the export writes in parts.",
    )
    session.prompt("Write that down as a finding with the two line numbers.", after_minutes=1)
    session.step(
        "Finding: nightly close 2026-09-14 stopped in step=export "
        "(close-0914.log, line 119, OutOfMemoryError; retried at line 120). "
        "Cause: period 2026-08 has 4,112,874 rows, 4.0 times the month before (close-0814.log, line 88), "
        "and the export keeps all of them in memory.",
    )
    return session.end()


def _listing() -> str:
    return "\n".join(
        f"/var/log/close/close-{month:02d}{day:02d}.log  {200 + day * 7} KB  2026-{month:02d}-{day:02d} 04:00"
        for month in (8, 9)
        for day in range(10, 15)
    )


_SYSTEM = """You analyse log files for the operations team. Say what happened, when, and which line shows it. Do not guess:
if the log does not show a cause, say so. Answer in at most six sentences."""
