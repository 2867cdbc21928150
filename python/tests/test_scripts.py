# SPDX-License-Identifier: GPL-2.0-only
"""The script that runs an example, as a user types it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMES = [f"an-example-with-number-{number}" for number in range(12)]


def test_run_lists_the_examples_in_lines_of_80_columns(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("run", "lib.sh"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", tmp_path / "scripts" / "run", *words],
            capture_output=True,
            text=True,
            check=False,
        )

    done = run()
    assert done.returncode == 2 and "scripts/reproduce" in done.stderr
    assert run("--help").returncode == 0
    examples = tmp_path / "build" / "examples"
    examples.mkdir(parents=True)
    for name in NAMES:
        (examples / name).write_text('#!/bin/sh\necho "$@"\nexit 3\n')
        (examples / name).chmod(0o755)
    for words, part in (
        ((), "which example"),
        (("--cpus=2",), "comes first"),
        (("frob",), "'frob'"),
    ):
        done = run(*words)
        assert (done.returncode, done.stdout) == (2, "")
        first, *rest = done.stderr.splitlines()
        assert first.startswith("run: ") and part in first
        assert " ".join(rest).split() == sorted(NAMES)
        assert max(map(len, rest)) <= 80 and all(line == line.rstrip() for line in rest)
    assert set(NAMES) <= set(run("--help").stdout.split())
    done = run(NAMES[3], "--a=b", "c d")
    assert (done.returncode, done.stdout) == (3, "--a=b c d\n")
