# SPDX-License-Identifier: GPL-2.0-only
"""What takes a while says so: on standard error, and only where that is a terminal."""

from __future__ import annotations

import os
import pty
import selectors
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Sequence
from typing import Any


class Bar:
    """A progress bar with the time left; nothing where standard error is no terminal.

    Without a unit there is nothing to count: then it says what is done, and for how long.
    """

    def __init__(
        self, what: str, unit: str = "", total: int | None = None, stay: bool = False
    ) -> None:
        """A bar of so many units; it is taken away in the end, if it is not to stay."""
        self._progress: Any = None
        self._what = what
        self._done = 0
        if not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        console = Console(stderr=True)
        if console.is_dumb_terminal:
            return
        what_column = TextColumn("{task.description}", markup=False)
        columns: list[Any] = [SpinnerColumn(), what_column, TimeElapsedColumn()]
        if unit:
            columns = [
                what_column,
                BarColumn(20 if console.width >= 100 else 10),
                MofNCompleteColumn(),
                TextColumn(unit),
                TimeElapsedColumn(),
                TextColumn("gone,"),
                TimeRemainingColumn(),
                TextColumn("left"),
                TextColumn("{task.fields[note]}"),
            ]
        if unit and console.width < 80:
            columns = [c for c in columns if not isinstance(c, TextColumn)]
        self._progress = Progress(
            *columns,
            console=console,
            transient=not stay,
            speed_estimate_period=600,  # a step may take a minute
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task(what, total=total, note="")

    @property
    def shown(self) -> bool:
        """Whether there is a terminal to show it on."""
        return self._progress is not None

    def __enter__(self) -> Bar:
        if self.shown:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            self._progress.stop()

    def at(self, done: int, total: int | None = None, note: str = "", what: str = "") -> None:
        """So much is done; what is not given stays as it is."""
        self._done = done
        self._what = what or self._what
        if self.shown:
            self._progress.update(
                self._task, completed=done, total=total, note=note, description=self._what
            )

    def step(self) -> None:
        """One more is done."""
        self.at(self._done + 1)

    def above(self, stream: Any, text: bytes) -> None:
        """Print what a program said, with the bar below it."""
        terminal = stream.isatty()
        if terminal:
            self._progress.stop()
        try:
            stream.buffer.write(text)
            stream.flush()
        finally:
            if terminal:
                self._progress.start()


def follow(
    command: Sequence[str],
    bar: Bar,
    capture: bool = False,
    quiet: bool = False,
    on_line: Callable[[str], None] = lambda line: None,
) -> subprocess.CompletedProcess[str]:
    """Run a program as subprocess.run does, below its lines a bar that is shown.

    @param capture whether its output is returned; else it is printed
    @param quiet whether its messages are returned; else they are printed
    @param on_line is told of each line of its output
    """
    # Into a pipe a program writes by the block; who looks at a terminal wants lines.
    lively = not capture and sys.stdout.isatty()
    reader, writer = pty.openpty() if lively else os.pipe()
    if lively:
        tty.setraw(writer)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    assert process.stderr is not None
    kept: dict[int, bytes] = {reader: b"", process.stderr.fileno(): b""}
    said = {reader: b"", process.stderr.fileno(): b""}
    streams = {reader: None if capture else sys.stdout, process.stderr.fileno(): sys.stderr}
    if quiet:
        streams[process.stderr.fileno()] = None
    try:
        with selectors.DefaultSelector() as selector:
            for number in kept:
                selector.register(number, selectors.EVENT_READ)
            while selector.get_map():
                ready = selector.select()
                if lively:
                    time.sleep(0.02)  # the lines that follow at once are printed with the first
                for key, _ in ready:
                    number = key.fd
                    try:
                        data = os.read(number, 1 << 16)
                    except OSError:  # the other end of a terminal is gone
                        data = b""
                    if not data:
                        selector.unregister(number)
                    whole, newline, rest = (kept[number] + data).rpartition(b"\n")
                    lines = whole + newline if data else kept[number]
                    kept[number] = rest if data else b""
                    if number == reader:
                        for line in lines.splitlines():
                            on_line(line.decode(errors="replace"))
                    stream = streams[number]
                    if stream is None:
                        said[number] += lines
                    elif lines:
                        bar.above(stream, lines)
        process.wait()
    except BaseException:
        # An example that is asked to end removes what it has half written.
        process.terminate()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    finally:
        os.close(reader)
        texts = [text.decode(errors="replace") for text in said.values()]
        process.stderr.close()
    return subprocess.CompletedProcess(list(command), process.returncode, *texts)
