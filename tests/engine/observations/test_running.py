"""How the output of commands and tests is reduced."""

from __future__ import annotations

from contextapp.engine.observations import reduce
from contextapp.engine.observations.running import folded, shown_lines
from contextapp.engine.observations.values import Observation
from contextapp.engine.policy import Limits
from contextapp.engine.reasons import Reason

LIMITS = Limits()


def run(content: str, *, is_error: bool = False, command: str = "make", artifact: str = "") -> Observation:
    return reduce("Bash", {"command": command}, content, is_error=is_error, limits=LIMITS, artifact=artifact)


def test_a_small_output_passes_byte_for_byte_with_its_colours() -> None:
    content = "\x1b[31mred\x1b[0m\r\nsame\nsame\nsame\nsame\n"

    assert (run(content).text, run(content).reason) == (content, None)
    assert run("").text == ""


def test_terminal_noise_is_off_and_a_progress_bar_is_its_last_state() -> None:
    assert shown_lines("\x1b[1;32mok\x1b[0m\r\n10%\r50%\r100%\nlink \x1b]8;;http://x\x07text\x1b]8;;\x07") == [
        "ok", "100%", "link text",
    ]  # fmt: skip


def test_repeated_lines_are_counted_where_that_is_shorter() -> None:
    assert folded(["warning: x is old"] * 40 + ["a"] * 5) == [
        "warning: x is old",
        "[the line above 40 times]",
        *["a"] * 5,
    ]


def test_noise_alone_is_a_reduction_without_loss() -> None:
    made = run("\n".join(["\x1b[32mcompiling something long enough\x1b[0m"] * 200))

    assert made.text == "compiling something long enough\n[the line above 200 times]"
    assert made.reason == Reason.COMMAND_EXCERPT


def test_over_the_limit_the_end_the_errors_and_the_verdict_stay() -> None:
    lines = [f"step {n} " + "." * 60 for n in range(1000)]
    lines[500] = "src/a.py:3: error: Incompatible types"
    lines[-1] = "=== 3 failed, 997 passed ==="

    made = run("\n".join(lines), is_error=True, command="pytest", artifact="event 12")

    assert len(made.text) <= LIMITS.result_chars
    shown = made.text.splitlines()
    assert shown[0] == lines[0]
    assert lines[500] in shown
    assert shown[-2] == lines[-1]
    assert shown[-1] == f"[{made.shown} of 1,000 lines shown; all: event 12]"
    place = shown.index(lines[500])
    assert "lines omitted" in shown[place - 1]
    before = sum(line.startswith("step") for line in shown[: place - 1])
    after = sum(line.startswith("step") for line in shown[place + 1 :])
    assert before * 2 < after
    assert made.summary == "Bash pytest: failed, 1,000 lines, === 3 failed, 997 passed ==="


def test_every_gap_counts_what_is_missing() -> None:
    lines = [f"{n} " + "x" * 80 for n in range(500)]

    made = run("\n".join(lines))

    omitted = sum(int(line.split()[1].replace(",", "")) for line in made.text.splitlines() if "omitted" in line)
    assert omitted + made.shown == made.total == 500


def test_one_endless_line_is_cut_with_its_end_kept() -> None:
    made = run("a" * 50_000 + "THE END")

    assert "THE END" in made.text
    assert len(made.text) <= LIMITS.result_chars
    assert made.unit == "characters"


def test_a_shell_search_is_reduced_as_a_search() -> None:
    content = "\n".join(f"a.py:{n}:hit" for n in range(200))

    assert run(content, command="rg hit").reason == Reason.SEARCH_EXCERPT
