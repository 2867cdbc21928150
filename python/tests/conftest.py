# SPDX-License-Identifier: GPL-2.0-only
"""What the tests share: the built examples, and the command as a user types it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from linuxhost import binaries
from linuxhost.workers import Greeting, greet

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def runner() -> Path:
    """The built runner; without it what plays points is skipped."""
    path = binaries.find(binaries.RUNNER)
    if path is None:
        pytest.skip("the examples are not built (scripts/reproduce); LINUXHOST_BIN names a folder")
    return path


@pytest.fixture(scope="session")
def greeting(runner: Path) -> Greeting:
    """What the runner says that it can do."""
    return greet(runner)


def command_words(words: tuple[object, ...]) -> list[str]:
    """The command with its words, as this Python runs it."""
    return [sys.executable, "-m", "linuxhost.cli", *map(str, words)]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs `linuxhost WORDS...` in an empty folder."""

    def run(*words: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command_words(words),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=120,
            env={**os.environ, **(env or {})},
            check=False,
        )

    return run
