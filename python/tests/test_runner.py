# SPDX-License-Identifier: GPL-2.0-only
"""The runner: the same bytes as the examples, quick, and replaced when it is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from linuxhost.describe import command_line
from linuxhost.store import Store
from linuxhost.sweeps import Spec, Sweep
from linuxhost.workers import Greeting, LocalPool, read_answer

SIT = "sit-lockless-xmit"

#: Points of all kinds; what is wrong, or sets ns-3's own state, is among them.
POINTS: list[tuple[str, dict[str, Any]]] = [
    (SIT, {"cpus": 4, "precision": 0.05}),
    (SIT, {"cpus": 4, "precision": 0.05, "SchedulerType": "ns3::HeapScheduler", "seed": 3}),
    ("saddr-rcu", {"cpus": 4, "precision": 0.05, "variant": "after"}),
    (SIT, {"cpus": 0}),
    ("lock-scaling", {"cpus": "1,4", "serial": 400, "fraction": 0.02, "max-frames": 2000}),
    (SIT, {"cpus": 4, "ns3::linuxhost::HostMachine::WorkSpread": 0.4, "max-frames": 2000}),
    ("saddr-rcu", {"cpus": 200}),
    ("tun-read-wakeup", {"precision": 0.05, "max-frames": 20000}),
    (SIT, {"figure": "NoSuch=1"}),
    ("vlan-offload", {"max-frames": 2000, "variant": "before"}),
    ("lock-scaling", {"primitive": "rwlock", "cpus": "2", "max-frames": 2000}),
    (SIT, {"tunnel": "gre", "lock": "mcs", "cpus": 8, "max-frames": 5000, "RngRun": 5}),
    (SIT, {"cpus": 4, "precision": 0.05}),
]


def ask(runner: Path, questions: list[str]) -> list[str]:
    done = subprocess.run(
        [runner],
        input="".join(q + "\n" for q in questions),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()[1:]


def test_a_point_is_the_same_alone_and_after_any_others(runner: Path) -> None:
    alone = []
    for scenario, params in POINTS:
        done = subprocess.run(
            [runner.parent / scenario, *command_line(params), "--json=-"],
            capture_output=True,
            text=True,
            check=False,
        )
        alone.append((done.returncode, done.stdout.splitlines(), done.stderr.strip()))
    for seed in (1, 2):
        order = list(range(len(POINTS)))
        random.Random(seed).shuffle(order)
        questions = [
            json.dumps({"id": i, "scenario": POINTS[i][0], "params": POINTS[i][1]}) for i in order
        ]
        for i, line in zip(order, ask(runner, questions), strict=True):
            number, outcome = read_answer(line)
            code, lines, message = alone[i]
            assert number == i
            if code == 0:
                assert list(outcome.results) == lines, POINTS[i]
            else:
                assert (code, outcome.error) == (2, message), POINTS[i]


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("nonsense", "not a JSON object"),
        ('{"id": 1, "scenario": "sit-lockless-xmit", "params": {"cpus": [1]}}', "cpus"),
        ('{"id": 1, "scenario": "frob"}', "sit-lockless-xmit|"),
        ('{"id": 1, "frob": 2}', "frob"),
        ('{"id": 1', "not a JSON object"),
        ('{"id": 1, "scenario": "sit-lockless-xmit", "params": {"json": "x"}}', "--json"),
        ('{"id": 1, "scenario": "sit-lockless-xmit", "params": {"PrintTypeIds": ""}}', "--Print"),
        ('{"id": 1, "scenario": "sit-lockless-xmit", "params": {"describe": ""}}', "--describe"),
        ('{"id": 1, "scenario": "vlan-offload", "params": {"features": "1"}}', "--features"),
    ],
)
def test_a_bad_question_is_answered_and_the_next_one_too(
    runner: Path, question: str, part: str
) -> None:
    good = {"id": "\u00e4\U0001f600\n", "scenario": SIT, "params": {"cpus": 1, "max-frames": 1000}}
    bad, fine = ask(runner, [question, json.dumps(good)])
    assert part in json.loads(bad)["error"]
    assert json.loads(fine)["id"] == good["id"] and len(json.loads(fine)["results"]) == 2


#: A point that takes a few milliseconds.
CHEAP = {"cpus": 1, "variant": "before", "max-frames": 1000, "precision": 0.5}


def test_a_point_has_little_overhead(runner: Path, greeting: Greeting, tmp_path: Path) -> None:
    """At most 5 ms of wall time a point beside the playing, for everything that a sweep does.

    About 1.3 ms on a machine of two cores. Others may be at work on it: the best round counts.
    """
    count = 100
    overheads: list[float] = []
    while len(overheads) < 8 and min(overheads, default=1.0) >= 0.005:
        with Store(tmp_path / f"{len(overheads)}.db", create=True) as store:
            work = Sweep(Spec(SIT, {**CHEAP, "seed": f"1..{count}"}), store, greeting)
            summary = work.run(lambda: LocalPool(1, greeting.model_version))
            played = float(store.dataframe()["seconds"].sum())
        assert summary.ran == count
        # With one runner, what is not played is overhead: the runner's start is in it.
        overheads.append((summary.seconds - played) / count)
    assert min(overheads) < 0.005, overheads


PEAKS = r"""
import re, sys
from pathlib import Path
from linuxhost.store import Store
from linuxhost.sweeps import Spec, Sweep
from linuxhost.workers import LocalPool, greet

def peak(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])

class Pool(LocalPool):
    def close(self):
        print(*(peak(pid) for pid in ["self", *self.pids]))
        super().close()

settings = {"cpus": 1, "variant": "before", "max-frames": 1000, "precision": 0.5}
greeting = greet()
with Store(sys.argv[1], create=True) as store:
    spec = Spec("sit-lockless-xmit", {**settings, "seed": f"1..{sys.argv[2]}"})
    work = Sweep(spec, store, greeting)
    work.run(lambda: Pool(2, greeting.model_version))
"""


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs Linux's /proc")
def test_memory_stays_flat(runner: Path, tmp_path: Path) -> None:
    """A sweep of many points has its peak where one of few has it: controller and runners."""
    few, many = 60, 2500
    peaks = {}
    for count in (few, many):
        done = subprocess.run(
            [sys.executable, "-c", PEAKS, tmp_path / f"{count}.db", str(count)],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        peaks[count] = [int(word) for word in done.stdout.split()]  # KiB
    assert len(peaks[many]) == len(peaks[few]) == 3
    # Of a point the controller keeps its key and parameters, a kilobyte or two, and no results.
    assert peaks[many][0] < 1.4 * peaks[few][0], peaks
    assert max(peaks[many][1:]) < 1.1 * max(peaks[few][1:]), peaks


def sweep_of(seeds: int, store: Store, greeting: Greeting, **more: Any) -> Sweep:
    settings = {"cpus": 2, "precision": 0.02, "seed": f"1..{seeds}", **more}
    return Sweep(Spec(SIT, settings), store, greeting)


def test_the_points_of_a_lost_runner_are_played_by_another(
    runner: Path, greeting: Greeting, tmp_path: Path
) -> None:
    pools: list[LocalPool] = []
    stop = threading.Event()
    killed = []

    def kill() -> None:
        # Seldom enough, and always the older one, so that a point is not hit twice in a row.
        while not stop.wait(0.4) and len(killed) < 5:
            if pools:
                pid = pools[0].pids[0]
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    def make() -> LocalPool:
        pools.append(LocalPool(2, greeting.model_version))
        return pools[0]

    with Store(tmp_path / "s.db", create=True) as store:
        killer = threading.Thread(target=kill)
        killer.start()
        summary = sweep_of(60, store, greeting).run(make)
        stop.set()
        killer.join()
        assert len(killed) >= 2
        assert (summary.ran, summary.failed) == (120, 0)
        assert len(store.dataframe()) == 120


def test_a_point_that_ends_its_runner_is_recorded(
    runner: Path, greeting: Greeting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bin" / "linux-host-runner"
    fake.parent.mkdir()
    # It dies of what has seed 3, and says why.
    fake.write_text(
        "#!/usr/bin/env python3\n"
        "import os, sys\n"
        f"greeting = {greeting.model_version!r}\n"
        'print(\'{"runner": 1, "model_version": "%s", "scenarios": [], "machines": []}\''
        " % greeting, flush=True)\n"
        "import json\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked['params']['seed'] == 3:\n"
        "        print('assert failed', file=sys.stderr, flush=True)\n"
        "        os.abort()\n"
        '    print(\'{"id": "%s", "results": [], "seconds": 0}\' % asked[\'id\'], flush=True)\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("LINUXHOST_BIN", str(fake.parent))
    with Store(tmp_path / "s.db", create=True) as store:
        work = sweep_of(6, store, greeting, variant="before")
        summary = work.run(lambda: LocalPool(2, greeting.model_version))
        assert (summary.ran, summary.failed) == (6, 1)
        assert summary.errors[0][1] == "the runner ended with signal SIGABRT: assert failed"


def test_a_point_that_takes_too_long_is_recorded(
    runner: Path, greeting: Greeting, tmp_path: Path
) -> None:
    with Store(tmp_path / "s.db", create=True) as store:
        work = sweep_of(1, store, greeting, precision="0.0001,0.5", variant="before", cpus="32")
        summary = work.run(lambda: LocalPool(2, greeting.model_version, 3.0))
        assert (summary.ran, summary.failed) == (2, 1)
        assert "longer than 3 s" in summary.errors[0][1]
