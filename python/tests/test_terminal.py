# SPDX-License-Identifier: GPL-2.0-only
"""What takes a while says so on a terminal, and nowhere else."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from conftest import Command, command_words

SIT = "sit-lockless-xmit"
SHORT = ("--cpus=2", "--max-frames=1000", "--precision=0.5")
DATA = str(Path(__file__).parent / "data" / "results.jsonl")


def typed(
    words: tuple[str, ...], folder: Path, out: Path | None = None, bin: Path | None = None
) -> tuple[int, str]:
    """The exit code of a command, and what is seen on its terminal; its output may go to a file."""
    mine, its = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"}
    if bin is not None:
        env["LINUXHOST_BIN"] = str(bin)
    with contextlib.ExitStack() as stack:
        stdout = stack.enter_context(out.open("wb")) if out is not None else its
        process = subprocess.Popen(
            command_words(words), cwd=folder, stdin=its, stdout=stdout, stderr=its, env=env
        )
    os.close(its)
    seen = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while data := os.read(mine, 1 << 16):
            seen += data
    os.close(mine)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    return process.wait(60), text.replace("\r\n", "\n")


@pytest.mark.usefixtures("runner")
@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("run", SIT, *SHORT), r"━ 2/2 runs \d:\d\d:\d\d gone,"),
        (("run", SIT, "--json", *SHORT), "━ 2/2 runs"),
        (("run", SIT, "--variant=after", *SHORT), f"{SIT} 0:00:0"),
        (("profile", SIT, *SHORT), "━ 2/2 runs"),
        (("timeline", SIT, *SHORT), "━ 2/2 runs"),
        (("provenance", SIT), "━ 2/2 runs"),
        (("path", "show", SIT), f"{SIT} 0:00:0"),
        (("path", "diff", SIT), f"{SIT} 0:00:0"),
        (("plot", DATA, "--out", "p.svg"), "drawing p.svg 0:00:0"),
        (("report", DATA, "--out", "r.html"), "━ 8/8 pictures .* left"),
        (("machine", "show", "generic", "--out", "m.svg"), "drawing m.svg 0:00:0"),
        (("sweep", SIT, "--set", "cpus=1", "--precision", "0.5", "--json"), "━ 2/2 points"),
    ],
)
def test_a_terminal_sees_how_far_it_is_and_a_file_does_not(
    command: Command, tmp_path: Path, words: tuple[str, ...], part: str
) -> None:
    code, seen = typed(words, tmp_path)
    assert code == 0
    assert re.search(part, seen), seen
    piped = command(*words)
    assert piped.returncode == 0
    assert "━" not in piped.stderr and "0:00:0" not in piped.stderr and "\r" not in piped.stderr
    if words[:2] == ("run", SIT):
        # Output in a file is what a pipe gets; the bar is still on the terminal.
        code, seen = typed(words, tmp_path, tmp_path / "out")
        assert code == 0
        assert re.search(part, seen), seen
        assert (tmp_path / "out").read_text() == piped.stdout


@pytest.mark.usefixtures("runner")
def test_an_export_says_what_it_writes(command: Command, tmp_path: Path) -> None:
    words = ("sweep", SIT, "--set", "cpus=1", "--precision", "0.5", "--set", "max-frames=1000")
    assert command(*words).returncode == 0
    code, seen = typed(("export", "sweep.db", "all.csv"), tmp_path)
    assert code == 0 and "writing all.csv" in seen
    (tmp_path / "link.csv").symlink_to(tmp_path / "sweep.db")
    refused = command("export", "sweep.db", "link.csv")
    assert refused.returncode == 2
    assert refused.stderr.strip().endswith("allowed is another file than those that are read")
    assert (tmp_path / "sweep.db").read_bytes().startswith(b"SQLite format 3")


def fake(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_reproduce_counts_the_patches_and_mixes_no_lines(tmp_path: Path) -> None:
    for name in (SIT, "saddr-rcu"):
        fake(tmp_path, name, f"echo {name} begins; sleep 0.3; echo a word >&2; printf 'its end'")
    code, seen = typed(("reproduce",), tmp_path, bin=tmp_path)
    assert code == 0
    assert f"{SIT} " in seen and "0/2 patches" in seen and "1/2 patches" in seen
    lines = [line.strip() for line in re.split(r"[\r\n]+", seen)]
    said = [line for line in lines if line in ("a word", "its end") or "begins" in line]
    # Printed when it was said, not in the end.
    assert said == [f"{SIT} begins", "a word", "its end", "saddr-rcu begins", "a word", "its end"]
    code, seen = typed(("reproduce",), tmp_path, tmp_path / "out", bin=tmp_path)
    text = (tmp_path / "out").read_text()
    assert text == f"{SIT} begins\nits end\nsaddr-rcu begins\nits end\n"
    assert "1/2 patches" in seen and "begins" not in seen


def test_exit_codes_and_messages_of_a_program_below_the_bar(tmp_path: Path) -> None:
    fake(tmp_path, SIT, "echo 'sit-lockless-xmit: --cpus=0: allowed is 1 to 4' >&2; exit 2")
    code, seen = typed(("run", SIT, "--cpus=0"), tmp_path, bin=tmp_path)
    assert code == 2 and "--cpus=0: allowed is 1 to 4\n" in seen
    fake(tmp_path, SIT, "kill -9 $$")
    code, seen = typed(("run", SIT), tmp_path, bin=tmp_path)
    assert code == 1 and "Traceback" not in seen


@pytest.mark.usefixtures("runner")
def test_json_is_one_object_and_nothing_else(command: Command, tmp_path: Path) -> None:
    quick = ("--set", "max-frames=1000", "--precision", "0.5")
    assert command("sweep", SIT, "--set", "cpus=1,2,4", *quick).returncode == 0

    def told(*words: str) -> dict[str, object]:
        done = command(*words, "--json")
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("\n") == 1
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    assert told("plot", "sweep.db", "--out", "p.svg") == {
        "file": "p.svg",
        "points": 6,
        "kind": "curve",
        "x": "cpus",
        "metric": "pps",
    }
    shown = told("plot", DATA, "--kind", "profile", "--where", "cpus=16", "--where", "tunnel=sit")
    assert shown["kind"] == "profile" and "_raw_spin_lock" in str(shown["symbols"])
    page = told("report", "sweep.db")
    assert (page["file"], page["points"], page["failed"]) == ("report.html", 6, 0)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page["scenarios"] == [SIT] and page["pictures"] == text.count('<svg role="img"')
    assert told("export", "sweep.db", "all.csv") == {
        "store": "sweep.db",
        "file": "all.csv",
        "rows": 6,
    }
    assert told("export", "sweep.db", "--out", "o.jsonl")["rows"] == 6
    assert told("timeline", SIT, *SHORT, "--out", "t.json") == {
        "scenario": SIT,
        "file": "t.json",
        "runs": ["before", "after"],
    }
    for words in (("export", "sweep.db"), ("export", "sweep.db", "a.csv", "--out", "b.csv")):
        done = command(*words)
        assert done.returncode == 2 and "--out=FILE" in done.stderr
    assert command("timeline", SIT, "--out", "-", "--json").returncode == 2


@pytest.mark.parametrize(
    "name", [SIT, "lock-scaling", "saddr-rcu", "tun-read-wakeup", "vlan-offload"]
)
def test_steps_as_json_are_the_steps_that_are_printed(
    command: Command, runner: Path, name: str
) -> None:
    printed = command("path", "show", name).stdout
    told = json.loads(command("path", "show", name, "--json").stdout)
    assert told["scenario"] == name
    steps = [step for path in told["paths"] for step in path["steps"]]
    heads = re.findall(r"^ *[0-9]+ [a-z]+ ", printed, re.MULTILINE)
    assert len(steps) == len(heads) and len(steps) > 3
    assert [step["mode"] for step in steps] == [head.split()[1] for head in heads]
    # Every word is there, in its order.
    words: list[str] = []
    for path in told["paths"]:
        words += (path["name"] + ":").split()
        for number, step in enumerate(path["steps"], 1):
            locks = f"[{', '.join(step['locks'])}]" if step["locks"] else ""
            note = f"# {step['note']}" if step["note"] else ""
            text = f"{number} {step['mode']} {step['symbol']} {step['what']} {locks} {note}"
            words += text.split()
    assert words == printed.split()
    assert all(re.match("[a-z]", step["what"]) for step in steps)


def test_what_the_patch_changes_as_json(command: Command, runner: Path) -> None:
    (told,) = json.loads(command("path", "diff", SIT, "--json").stdout)["diffs"]
    assert told["before"].endswith("before") and told["after"].endswith("after")
    changed = [(s["side"], s["symbol"], s["what"]) for s in told["steps"] if s["side"] != "both"]
    assert changed[0] == ("before", "_raw_spin_lock", "lock sit1._xmit_lock (ticket)")
    assert {side for side, _, _ in changed} == {"before"}
    printed = command("path", "diff", SIT).stdout
    assert len(changed) == len(re.findall("^- ", printed, re.MULTILINE))
