# SPDX-License-Identifier: GPL-2.0-only
"""Points on other machines: a dask.distributed cluster, or one that dask-jobqueue asks for."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from . import binaries
from .errors import InputError, LinuxHostError
from .store import Outcome, Point
from .workers import LocalPool, greet

#: Points in one task: few enough that a lost worker loses little.
BATCH = 4
#: Tasks for each thread of a worker: one at work, one that waits there.
TASKS = 2

_here = threading.local()


def play(points: list[Point], binary: str, version: str) -> list[Outcome]:
    """Play points on the worker that this is called on; its runner stays for the next ones."""
    pool: LocalPool | None = getattr(_here, "pool", None)
    if pool is None:
        if binaries.find(binaries.RUNNER) is None:
            # Not installed on the worker: perhaps it shares the client's folders.
            binaries.choose(binary.rsplit("/", 1)[0])
        found = greet().model_version
        if found != version:
            raise LinuxHostError(
                f"a worker's {binaries.RUNNER} has the model {found}, here it is {version}"
            )
        pool = _here.pool = LocalPool(1, version)
    outcomes: dict[str, Outcome] = {}
    try:
        pool.put(points)
        while len(outcomes) < len(points):
            outcomes.update((point.key, outcome) for point, outcome in pool.get(1.0))
    except BaseException:
        _here.pool = None
        pool.close()
        raise
    return [outcomes[point.key] for point in points]


def need_dask() -> Any:
    """The module distributed; LinuxHostError with what to install when it is missing."""
    try:
        import distributed
    except ImportError:
        raise LinuxHostError(
            "--scheduler needs dask.distributed: pip install 'dask[distributed]'"
        ) from None
    return distributed


def connect(address: str) -> Any:
    """A client of the scheduler at an address."""
    distributed = need_dask()
    from distributed.comm.addressing import parse_address, parse_host_port

    try:
        # A client that was refused an address complains once more when it is gone.
        parse_host_port(parse_address(address)[1])
        return distributed.Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"--scheduler={address}: allowed is the address of a dask scheduler that answers,"
            f" such as tcp://host:8786 ({str(error).splitlines()[0]})"
        ) from None


def slurm(jobs: int, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """A cluster of Slurm jobs, and its client.

    What is not in the options is read from dask-jobqueue's own configuration.
    """
    distributed = need_dask()
    try:
        import dask_jobqueue
    except ImportError:
        raise LinuxHostError("--slurm needs dask-jobqueue: pip install dask-jobqueue") from None
    jobqueue: Any = dask_jobqueue
    settings = {"cores": 1, "processes": 1, "memory": "1GB", **options}
    try:
        cluster = jobqueue.SLURMCluster(**settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"--slurm-option: {error}") from None
    cluster.scale(jobs=jobs)
    return cluster, distributed.Client(cluster, set_as_default=False)


class DaskPool:
    """Points on the workers of a dask.distributed cluster."""

    def __init__(self, client: Any, model_version: str, closing: Sequence[Any] = ()) -> None:
        """Use a client; what is in `closing` is closed with it."""
        self._client = client
        self._version = model_version
        self._closing = closing
        self._binary = str(binaries.need(binaries.RUNNER))
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._tasks: dict[Any, list[Point]] = {}
        self._waiting: deque[Point] = deque()

    def busy(self) -> int:
        """How many points are at work or wait for it."""
        return len(self._waiting) + sum(map(len, self._tasks.values()))

    def room(self) -> int:
        """How many more points are wanted."""
        threads = int(sum(self._client.nthreads().values()))
        return max(0, BATCH * TASKS * max(1, threads) - self.busy())

    def put(self, points: Sequence[Point]) -> None:
        """Take points."""
        self._waiting.extend(points)
        while self._waiting:
            count = min(BATCH, len(self._waiting))
            self._submit([self._waiting.popleft() for _ in range(count)])

    def _submit(self, points: list[Point]) -> None:
        future = self._client.submit(play, points, self._binary, self._version, pure=False)
        self._tasks[future] = points
        future.add_done_callback(self._done.put)

    def get(self, seconds: float) -> list[tuple[Point, Outcome]]:
        """What has been finished; waits for at most so long."""
        done: list[tuple[Point, Outcome]] = []
        until = time.monotonic() + seconds
        while not done:
            try:
                future = self._done.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return done
            points = self._tasks.pop(future, None)
            if points is None:
                continue
            if future.status == "finished":
                done.extend(zip(points, future.result(), strict=True))
                continue
            error = future.exception() if future.status == "error" else None
            if isinstance(error, LinuxHostError):
                raise error
            if future.status not in ("error", "lost"):
                raise LinuxHostError("the scheduler is gone")
            # Its workers were lost again and again; one of the points may be why.
            if len(points) > 1:
                for point in points:
                    self._submit([point])
            else:
                done.append((points[0], Outcome(error=f"lost with its workers: {error}")))
        return done

    def close(self) -> None:
        """Leave the cluster."""
        for future in list(self._tasks):
            future.cancel()
        self._client.close()
        for one in self._closing:
            one.close()
