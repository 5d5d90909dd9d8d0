"""A cleanup that goes too far is denied by a person and by a rule; the agent finds another way."""

from __future__ import annotations

from contextapp.intake.samples import material
from contextapp.intake.samples.script import Script, bash

HOME = "/home/tomas/src/warehouse"
GOLDEN = "rm -rf /var/lib/build/golden/2026-05"
_REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. "
    "To tell you how to proceed, the user said:\nThe volumes hold the test databases. Images only."
)


def script() -> Script:
    session = Script(
        slug="denied",
        title="Free disk space on the build machine",
        agent="claude-code",
        agent_version="2.1.118",
        model="claude-opus-4-6",
        cwd=HOME,
        started="2026-09-15T14:03:00",
        preamble=15_600,
        factor=1.31,
    )
    session.instructions(
        f"{HOME}/CLAUDE.md",
        "# warehouse\n\n- Never delete anything under /var/lib/build/golden.\n- Explain before you delete.\n",
    )
    session.prompt("The build machine is down to 2 % free disk. Find out what takes the space and free some.")
    session.step(
        "First, where the space went.",
        bash("df -h / /var", "Filesystem  Size  Used Avail Use%\n/dev/vda1   480G  470G   10G  98%"),
    )
    session.step("", bash("du -m -d2 /var/lib/build | sort -rn", material.disk_usage(140)))
    session.step("", bash("docker system df -v", _docker()))
    session.step(
        "Build caches and unused images take about 210 GB. "
        "The quickest way is to prune everything Docker does not use right now.",
        bash(
            "docker system prune -af --volumes",
            _REJECTED,
            exit_code=1,
            denied="The volumes hold the test databases. Images only.",
        ),
        think="A prune with --volumes would give the most. It asks for confirmation, which the user can give here.",
    )
    session.step(
        "Understood, images only. I leave the volumes alone.",
        bash(
            "docker image prune -af",
            "Deleted Images:\n" + _layers(60) + "\n\nTotal reclaimed space: 118.4GB",
            asked=True,
        ),
    )
    session.step(
        "Next the build folders. The oldest ones have not been touched for three months.",
        bash(GOLDEN, f"Permission to use Bash with command {GOLDEN} has been denied.",
             exit_code=1, denied="/var/lib/build/golden is protected by the project's settings", denied_by="rule"),
    )  # fmt: skip
    session.step(
        "That folder is protected, and CLAUDE.md says so as well. I only look at the unprotected ones.",
        bash(
            "find /var/lib/build -maxdepth 1 -mtime +90 -not -name golden",
            "\n".join(f"/var/lib/build/{name}" for name in ("credit-0731", "export-2210", "voucher-5568")),
        ),
    )
    session.step(
        "",
        bash(
            "rm -rf /var/lib/build/credit-0731 /var/lib/build/export-2210 /var/lib/build/voucher-5568", "", asked=True
        ),
    )
    session.step("", bash("df -h /", "Filesystem  Size  Used Avail Use%\n/dev/vda1   480G  302G  178G  63%"))
    session.step(
        "178 GB are free again: 118 GB of unused images and 50 GB of build folders older than 90 days. Volumes and "
        "/var/lib/build/golden were not touched. The images will come back as builds need them.",
    )
    session.prompt("Good. Can this be done every night?", after_minutes=5)
    session.step(
        "Yes, with a timer that runs the two safe steps only.",
        bash("systemctl cat build-prune.timer", "No files found for build-prune.timer.", exit_code=1),
    )
    session.step(
        "There is none yet. "
        "I would add one that runs `docker image prune -af --filter until=168h` at 03:00 and reports what it freed. "
        "Shall I write it?",
    )
    return session.end()


def _docker() -> str:
    rows = [
        f"registry.example.com/build/{name}-{n}   {n}.{n % 7}   {900 - n * 9}MB   0 containers"
        for n in range(1, 46)
        for name in ("api", "web")
    ]
    return "Images space usage:\n\nREPOSITORY   TAG   SIZE   CONTAINERS\n" + "\n".join(rows)


def _layers(count: int) -> str:
    return "\n".join(
        f"deleted: sha256:{(n * 2654435761) % 16**12:012x}{(n * 40503) % 16**8:08x}" for n in range(1, count + 1)
    )
