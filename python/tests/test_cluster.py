# SPDX-License-Identifier: GPL-2.0-only
"""Points on a dask cluster, whose workers come and go."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from conftest import Command
from linuxhost.store import Store
from linuxhost.sweeps import Spec, Sweep, pool_maker
from linuxhost.workers import Greeting

distributed = pytest.importorskip("distributed", reason="pip install 'dask[distributed]'")

SIT = "sit-lockless-xmit"


def test_a_lost_workers_points_are_played_elsewhere(
    runner: Path, greeting: Greeting, tmp_path: Path, command: Command
) -> None:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Store(tmp_path / "s.db", create=True) as store,
    ):
        killed: list[int] = []

        def kill() -> None:
            while len(store_now()) < 6:
                time.sleep(0.05)
            pid = next(iter(cluster.workers.values())).pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

        def store_now() -> dict[str, bool]:
            with Store(tmp_path / "s.db") as other:
                return other.finished(greeting.model_version)

        killer = threading.Thread(target=kill)
        killer.start()
        spec = Spec(SIT, {"cpus": 2, "precision": 0.02, "seed": "1..40"})
        maker = pool_maker(greeting, scheduler=cluster.scheduler_address)
        summary = Sweep(spec, store, greeting).run(maker)
        killer.join()
        assert killed
        assert (summary.ran, summary.failed) == (80, 0)
        assert len(store.dataframe()) == 80

        # The same from the command, on the same cluster.
        words = ("sweep", SIT, "--set", "cpus=1,2", "--precision", "0.5", "--json")
        done = command(*words, "--scheduler", cluster.scheduler_address)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["ran"] == 4


def test_slurm_jobs_play_points(runner: Path, tmp_path: Path, command: Command) -> None:
    """`--slurm` hands jobs to sbatch; here one that runs them on this machine."""
    pytest.importorskip("dask_jobqueue", reason="pip install dask-jobqueue")
    folder = tmp_path / "slurm"
    folder.mkdir()
    # Like Slurm's, it takes a copy of the script: dask-jobqueue's own is gone at once.
    (folder / "sbatch").write_text(
        f'#!/bin/sh\ncp "$1" "{folder}/job"\nsetsid sh "{folder}/job" >/dev/null 2>&1 &\n'
        f'echo $! >>"{folder}/jobs"\necho "Submitted batch job $!"\n'
    )
    (folder / "scancel").write_text('#!/bin/sh\nfor job; do kill -- "-$job" 2>/dev/null; done\n')
    for name in ("sbatch", "scancel"):
        (folder / name).chmod(0o755)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    words = ("sweep", SIT, "--set", "cpus=1,2", "--precision", "0.5", "--slurm", 1)
    try:
        done = command(*words, "--slurm-option", "memory=1GB", "--json", env=env)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["ran"] == 4
        assert (folder / "jobs").is_file()
    finally:
        jobs = folder / "jobs"
        for pid in jobs.read_text().split() if jobs.is_file() else ():
            try:
                os.killpg(int(pid), signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
