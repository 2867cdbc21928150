# SPDX-License-Identifier: GPL-2.0-only
"""Processes that play points: one compiled runner a core, many points each."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import binaries
from .describe import Program, arguments, figure_option
from .errors import InputError, LinuxHostError
from .store import Outcome, Point

#: Points that a runner has at once: while one is played, the next one waits in its pipe.
DEPTH = 2
#: A point that ended its runner is tried so often.
TRIES = 2
#: So many runners in a row may end before they have said a word.
STILLBORN = 8


@dataclass(frozen=True)
class Greeting:
    """What a runner says when it starts."""

    model_version: str
    programs: dict[str, Program]
    descriptions: dict[str, str]
    machines: list[str] = field(default_factory=list)
    figures: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, line: str) -> Greeting:
        """Read the first line."""
        said = json.loads(line)
        if said.get("runner") != 1:
            raise ValueError(f"a runner of version {said.get('runner')}; this talks to version 1")
        figures = {one["name"]: one for one in said.get("figures", ())}
        options = {name: figure_option(one) for name, one in figures.items()}
        return cls(
            said["model_version"],
            {one["program"]: Program.from_json(one, options) for one in said["scenarios"]},
            {one["program"]: json.dumps(one) for one in said["scenarios"]},
            list(said["machines"]),
            figures,
        )

    def program(self, scenario: str) -> Program:
        """A scenario's options; InputError names what there is."""
        if scenario not in self.programs:
            raise InputError(
                f"'{scenario}': allowed is a scenario, one of " + "|".join(self.programs)
            )
        return self.programs[scenario]


def greet(binary: Path | None = None) -> Greeting:
    """Ask the runner what it can do."""
    path = binary or binaries.need(binaries.RUNNER)
    try:
        done = subprocess.run(
            [str(path), "--greet"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return Greeting.from_json(done.stdout)
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        why = getattr(error, "stderr", None) or error
        raise LinuxHostError(f"{path} does not work: {str(why).strip()}") from None


def read_answer(line: str) -> tuple[Any, Outcome]:
    """An answer of the runner: the id, and what the point gave."""
    said = json.loads(line)
    if "error" in said:
        return said["id"], Outcome(error=said["error"])
    # The results' own text is kept, not what another program would write.
    texts = []
    decoder = json.JSONDecoder()
    at = line.index("[", line.index('"results"')) + 1
    for _ in said["results"]:
        while line[at] in ", ":
            at += 1
        _, end = decoder.raw_decode(line, at)
        texts.append(line[at:end])
        at = end
    return said["id"], Outcome(
        results=texts, seconds=said["seconds"], messages=said.get("messages")
    )


class Runner:
    """A runner's process."""

    def __init__(self, binary: Path) -> None:
        """Start it; its greeting is read with the first answer."""
        self.points: deque[Point] = deque()
        self.begun = 0.0
        self._buffer = b""
        self._errors = tempfile.TemporaryFile()
        # A session of its own: Ctrl-C is for the command, which then ends its runners.
        self._process = subprocess.Popen(
            [str(binary)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self.version: str | None = None

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def fileno(self) -> int:
        """Where its answers come from."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def send(self, point: Point) -> None:
        """Give it a point; that it is gone shows when its answers are read."""
        question = {
            "id": point.key,
            "scenario": point.scenario,
            "params": arguments(point.params),
        }
        if not self.points:
            self.begun = time.monotonic()
        self.points.append(point)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write((json.dumps(question) + "\n").encode())
            self._process.stdin.flush()

    def receive(self) -> Iterator[tuple[Point, Outcome]]:
        """The answers that are there; EOFError when the process has ended."""
        while True:
            try:
                data = os.read(self.fileno(), 1 << 20)
            except BlockingIOError:
                return
            if not data:
                raise EOFError
            self._buffer += data
            *lines, self._buffer = self._buffer.split(b"\n")
            for line in lines:
                text = line.decode("utf-8", "replace")
                if self.version is None:
                    self.version = json.loads(text)["model_version"]
                    continue
                _, outcome = read_answer(text)
                self.begun = time.monotonic()
                yield self.points.popleft(), outcome

    def obituary(self) -> str:
        """How the process ended, in a line."""
        code = self._process.wait()
        self._errors.seek(0)
        last = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        if code < 0:
            try:
                how = f"signal {signal.Signals(-code).name}"
            except ValueError:
                how = f"signal {-code}"
        else:
            how = f"exit code {code}"
        return f"the runner ended with {how}" + (f": {last[-1]}" if last else "")

    def stop(self) -> None:
        """End the process, whatever it is at."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._errors.close()


class LocalPool:
    """Runners on this machine, as many as there are cores."""

    def __init__(self, jobs: int, model_version: str, timeout: float | None = None) -> None:
        """Start the runners."""
        self._binary = binaries.need(binaries.RUNNER)
        self._version = model_version
        self._timeout = timeout
        self._selector = selectors.DefaultSelector()
        self._runners: list[Runner] = []
        self._tries: dict[str, int] = {}
        self._again: deque[Point] = deque()
        self._stillborn = 0
        for _ in range(jobs):
            self._start()

    def _start(self) -> Runner:
        runner = Runner(self._binary)
        self._runners.append(runner)
        self._selector.register(runner, selectors.EVENT_READ)
        return runner

    @property
    def pids(self) -> list[int]:
        """The runners' process numbers."""
        return [runner.pid for runner in self._runners]

    def busy(self) -> int:
        """How many points are at work or wait for it."""
        return len(self._again) + sum(len(runner.points) for runner in self._runners)

    def room(self) -> int:
        """How many more points are wanted."""
        return max(0, DEPTH * len(self._runners) - self.busy())

    def put(self, points: Sequence[Point]) -> None:
        """Take points."""
        self._again.extend(points)
        self._feed()

    def _feed(self) -> None:
        while self._again:
            runner = min(self._runners, key=lambda r: len(r.points))
            if len(runner.points) >= DEPTH:
                return
            runner.send(self._again.popleft())

    def get(self, seconds: float) -> list[tuple[Point, Outcome]]:
        """What has been finished; waits for at most so long."""
        done: list[tuple[Point, Outcome]] = []
        for key, _ in self._selector.select(seconds):
            runner = key.fileobj
            assert isinstance(runner, Runner)
            try:
                for point, outcome in runner.receive():
                    done.append((point, outcome))
            except EOFError:
                done.extend(self._replace(runner, runner.obituary()))
            except (ValueError, KeyError) as error:
                done.extend(self._replace(runner, f"the runner's answer cannot be read: {error}"))
            else:
                if runner.version not in (None, self._version):
                    raise LinuxHostError(
                        f"{self._binary} was built anew while the sweep ran: the model is now"
                        f" {runner.version}; type the command again"
                    )
        if self._timeout is not None:
            for runner in list(self._runners):
                if runner.points and time.monotonic() - runner.begun > self._timeout:
                    point = runner.points[0]
                    self._tries[point.key] = TRIES
                    took = f"the point took longer than {self._timeout:g} s"
                    done.extend(self._replace(runner, took))
        self._feed()
        return done

    def _replace(self, runner: Runner, why: str) -> Iterator[tuple[Point, Outcome]]:
        """Another runner in the place of one that is gone; its points are played again."""
        self._selector.unregister(runner)
        self._runners.remove(runner)
        lost = runner.points
        runner.stop()
        self._stillborn = self._stillborn + 1 if runner.version is None else 0
        if self._stillborn > STILLBORN:
            raise LinuxHostError(why)
        if lost:
            # The first one was being played.
            first = lost.popleft()
            self._tries[first.key] = self._tries.get(first.key, 0) + 1
            if self._tries[first.key] >= TRIES:
                yield first, Outcome(error=why)
            else:
                lost.appendleft(first)
            self._again.extendleft(reversed(lost))
        self._start()

    def close(self) -> None:
        """End the runners."""
        for runner in self._runners:
            runner.stop()
        self._selector.close()
