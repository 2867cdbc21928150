# SPDX-License-Identifier: GPL-2.0-only
"""The store: what survives, who works together, what the table looks like."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest

import linuxhost
from conftest import Command, command_words
from linuxhost import schema
from linuxhost.errors import LinuxHostError
from linuxhost.result import Result
from linuxhost.store import Outcome, Point, Store
from linuxhost.workers import DEPTH, Greeting

SIT = "sit-lockless-xmit"
#: A point of some ten milliseconds.
POINT = ("--set", "cpus=2", "--precision", "0.02")
JOBS = 2


@pytest.fixture
def logged(runner: Path, tmp_path: Path) -> tuple[dict[str, str], Path]:
    """An environment whose runner writes down each question it gets, and where."""
    log = tmp_path / "questions"
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "linux-host-runner"
    script.write_text(
        f'#!/bin/sh\n[ $# -gt 0 ] && exec "{runner}" "$@"\ntee -a "{log}" | exec "{runner}"\n'
    )
    script.chmod(0o755)
    log.touch()
    return {**os.environ, "LINUXHOST_BIN": str(folder)}, log


def sweep_words(seeds: int, *more: str) -> list[str]:
    words = ("sweep", SIT, *POINT, "--seed", f"1..{seeds}", "--jobs", JOBS, "--json", *more)
    return command_words(words)


def finished(store: Path) -> int:
    """How many points are there; the sweep that writes them may be at work."""
    if not store.is_file():
        return 0
    db = sqlite3.connect(store, timeout=30, isolation_level=None)
    try:
        # One transaction: what is finished between two questions is in neither answer.
        db.execute("BEGIN")
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'result'").fetchone():
            return 0  # killed before its tables were there
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        points, keys = db.execute("SELECT COUNT(*), COUNT(DISTINCT key) FROM point").fetchone()
        results = db.execute("SELECT COUNT(DISTINCT point) FROM result").fetchone()[0]
    finally:
        db.close()
    assert points == keys == results, "a point is there with its result, once"
    return int(points)


def test_kill_9_loses_no_more_than_what_is_in_flight(
    logged: tuple[dict[str, str], Path], tmp_path: Path
) -> None:
    env, log = logged
    store = tmp_path / "sweep.db"
    kills, before = 0, 0
    moment = random.Random(9)
    while kills < 20:
        # So many points that no machine gets to the end.
        process = subprocess.Popen(
            sweep_words(5000), cwd=tmp_path, env=env, stdout=subprocess.DEVNULL
        )
        # At any moment, the first ones too.
        start, wait = time.monotonic(), moment.uniform(0.02, 0.5)
        if moment.random() < 0.8:
            while finished(store) <= before and time.monotonic() - start < 30:
                time.sleep(0.02)
            wait /= 2
        time.sleep(wait)
        assert process.poll() is None, "killed before the end, or this tests nothing"
        process.kill()
        kills += 1
        process.wait()
        now = finished(store)
        assert now >= before, "what was finished stays"
        before = now
    assert before > 20
    with sqlite3.connect(store) as db:
        reused = db.execute("SELECT COUNT(*) FROM point WHERE seed <= 100").fetchone()[0]
    last = subprocess.run(
        sweep_words(100), cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    told = json.loads(last.stdout)
    assert (told["points"], told["failed"]) == (200, 0)
    assert (told["reused"], told["ran"]) == (reused, 200 - reused)
    asked = log.read_text().splitlines()
    assert len(asked) - finished(store) <= kills * JOBS * DEPTH, "only what was lost is asked again"


def test_two_processes_on_one_store_share_the_work(
    logged: tuple[dict[str, str], Path], tmp_path: Path
) -> None:
    env, log = logged
    both = [
        subprocess.Popen(
            sweep_words(40),
            cwd=tmp_path,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    told = []
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        told.append(json.loads(out))
    assert [t["points"] for t in told] == [80, 80]
    assert sum(t["ran"] for t in told) == 80
    assert all(t["ran"] + t["reused"] + t["elsewhere"] == 80 for t in told)
    asked = [json.loads(line)["id"] for line in log.read_text().splitlines()]
    assert len(asked) == len(set(asked)) == 80, "nothing is played twice"


def test_what_a_killed_process_had_claimed_is_taken_over(
    logged: tuple[dict[str, str], Path], tmp_path: Path
) -> None:
    env, _ = logged
    store = tmp_path / "sweep.db"
    first = subprocess.Popen(sweep_words(60), cwd=tmp_path, env=env, stdout=subprocess.DEVNULL)
    while finished(store) < 3:
        time.sleep(0.02)
    second = subprocess.Popen(
        sweep_words(60), cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True
    )
    time.sleep(0.8)
    first.kill()
    first.wait()
    out, _ = second.communicate(timeout=60)
    assert second.returncode == 0
    told = json.loads(out)
    assert told["points"] == 120 and finished(store) == 120


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(runner: Path, tmp_path: Path) -> None:
    store = tmp_path / "sweep.db"
    process = subprocess.Popen(
        sweep_words(400), cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while finished(store) < 5:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130 and out == ""
    (line,) = err.splitlines()
    told = re.search(r"stopped; (\d+) of 800 points are saved in sweep.db", line)
    assert told and "same command" in line
    assert int(told.group(1)) == finished(store) >= 5
    with sqlite3.connect(store) as db:
        assert db.execute("SELECT COUNT(*) FROM claim").fetchone() == (0,)


def point(number: int, version: str = "v1") -> Point:
    return Point.make("demo", {"cpus": number}, version)


def test_a_key_is_made_of_all_that_makes_a_difference(tmp_path: Path) -> None:
    base = Point.make("demo", {"cpus": 1, "lock": "mcs"}, "v1")
    assert base.key == Point.make("demo", {"lock": "mcs", "cpus": 1, "seed": 1}, "v1").key
    others = [
        Point.make("demo2", {"cpus": 1, "lock": "mcs"}, "v1"),
        Point.make("demo", {"cpus": 2, "lock": "mcs"}, "v1"),
        Point.make("demo", {"cpus": 1, "lock": "mcs", "seed": 2}, "v1"),
        Point.make("demo", {"cpus": 1, "lock": "mcs"}, "v2"),
        Point.make("demo", {"cpus": 1, "lock": "mcs"}, "v1", {"machine": "ab"}),
    ]
    assert len({base.key, *(other.key for other in others)}) == 6


def test_claims_of_the_living_hold_and_of_the_dead_do_not(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store(path, create=True) as one, Store(path) as two:
        mine, _, _ = one.claim([point(1), point(2)])
        assert len(mine) == 2
        mine, done, others = two.claim([point(1), point(3)])
        assert [len(mine), len(done), len(others)] == [1, 0, 1]
        assert one.finish(point(1), Outcome(results=["{}"]))
        assert not two.finish(point(1), Outcome(results=["{}"])), "the first one counts"
        _, done, _ = two.claim([point(1)])
        assert len(done) == 1
        # A process that is gone: its number is free.
        gone = subprocess.Popen(["true"])
        gone.wait()
        with sqlite3.connect(path) as db:
            db.execute("UPDATE owner SET pid = ? WHERE owner = ?", (gone.pid, one._owner))
        mine, _, others = two.claim([point(2)])
        assert [len(mine), len(others)] == [1, 0]
        # One on another host is judged by its last sign of life.
        three = Store(path)
        three.claim([point(4)])
        with sqlite3.connect(path) as db:
            db.execute("UPDATE owner SET host = 'elsewhere' WHERE owner = ?", (three._owner,))
        assert len(two.claim([point(4)])[2]) == 1
        with sqlite3.connect(path) as db:
            db.execute("UPDATE owner SET beat = beat - 100 WHERE owner = ?", (three._owner,))
        assert len(two.claim([point(4)])[0]) == 1
        # It was only stopped for a while: it works on, with claims of its own.
        assert len(three.claim([point(5)])[0]) == 1
        assert len(two.claim([point(5)])[2]) == 1
        three.close()


def test_a_file_that_is_no_store_is_refused(tmp_path: Path, command: Command) -> None:
    (tmp_path / "x.db").write_text("not a database, but a text that is long enough to look at")
    with pytest.raises(LinuxHostError, match=r"x\.db cannot be used"):
        Store(tmp_path / "x.db")
    done = command("export", "x.db", "y.csv")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1


def test_results_of_another_model_are_not_reused(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db", create=True) as store:
        text = json.dumps(
            {
                "scenario": "demo",
                "variant": "after",
                "machine": "m",
                "params": {},
                "metrics": {"pps": 1.0},
                "ci95": {"pps": 0.1},
            }
        )
        store.finish(point(1, "v1"), Outcome(results=[text]))
        assert list(store.finished("v1").values()) == [True]
        assert store.finished("v2") == {}
        store.finish(point(2, "v2"), Outcome(results=[text]))
        assert list(store.dataframe()["cpus"]) == [2], "the last model's points only"
        assert list(store.dataframe(every_version=True)["cpus"]) == [1, 2]


def test_the_table_is_as_documented(
    runner: Path, greeting: Greeting, tmp_path: Path, command: Command
) -> None:
    table = linuxhost.sweep(
        SIT,
        cpus=[1, 2],
        max_frames=1000,
        precision=0.5,
        lock="mcs",
        out=tmp_path / "t.db",
        set={"figure.CrossLatency": 80},
    )
    assert len(table) == 4
    options = greeting.programs[SIT].parameters
    parameters = {o.column for o in options.values()} - {"figure"}
    metrics = {
        "pps",
        "user_cpus",
        "sys_cpus",
        "cpus_busy",
        "lines_per_frame",
        "goodput_mbps",
        "real_s",
        "user_s",
        "sys_s",
    }
    expected = {*schema.ALWAYS, *parameters, *metrics, *(m + schema.CI95 for m in metrics)}
    assert set(table.columns) == {*expected, "lltx", "CrossLatency"}
    assert list(table["variant"]) == ["before", "after", "before", "after"]
    assert list(table["cpus"]) == [1, 1, 2, 2]
    assert set(table["CrossLatency"]) == {80}
    assert list(table["lltx"]) == [False, True, False, True]
    assert set(table["payload"]) == {172}, "what was not given has its default"
    assert set(table["machine"]) == {"dual-xeon-e5540"}
    assert set(table["model_version"]) == {greeting.model_version}
    assert table["error"].isna().all() and (table["seconds"] > 0).all()
    assert table.dtypes["pps"].kind == "f" and table.dtypes["seed"].kind == "i"
    units = table.attrs["units"]
    assert units["payload"] == "bytes" and units["pps"] == units["pps_ci95"] == "frames/s"
    assert all(name in units for name in metrics), "each metric has its unit"
    assert units["CrossLatency"] == "ns", "as the results say of the figure"

    with Store(tmp_path / "t.db") as store:
        results = [Result.from_dict(raw) for raw in store.results()]
        # The store has them in the order in which they were finished.
        assert sorted(r.metrics["pps"] for r in results) == sorted(table["pps"])
        assert {f.name: f.value for f in results[0].free_parameters}["CrossLatency"] == 80
        store.export(tmp_path / "t.parquet")
        store.export(tmp_path / "t.csv")
        store.export(tmp_path / "t.jsonl")
    back = pd.read_parquet(tmp_path / "t.parquet")
    order = ["cpus", "variant"]
    pd.testing.assert_frame_equal(
        back.sort_values(order, ignore_index=True),
        table.sort_values(order, ignore_index=True),
        check_dtype=False,
    )
    assert list(pd.read_csv(tmp_path / "t.csv").columns) == list(table.columns)
    # The JSON is the examples' own, to the byte.
    alone = command(
        "run",
        SIT,
        "--cpus=1",
        "--max-frames=1000",
        "--precision=0.5",
        "--lock=mcs",
        "--figure=CrossLatency=80",
        "--json",
    )
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert len(lines) == 4 and set(alone.stdout.splitlines()) < set(lines)


def test_failed_points_have_a_row_with_their_error(runner: Path) -> None:
    table = linuxhost.sweep(
        "saddr-rcu",
        cpus="2,200",
        variant="after",
        machine="opteron-6172-48",  # whose matrix has 48 CPUs
        max_frames=1000,
        precision=0.5,
    )
    assert list(table["cpus"]) == [2, 200]
    assert table["error"].isna().tolist() == [True, False]
    assert "48" in table["error"][1] and pd.isna(table["pps"][1])


def test_several_results_of_a_point_are_rows(runner: Path) -> None:
    # A point that is listed is played as it is.
    table = linuxhost.sweep(
        "tun-read-wakeup",
        points=[{"variant": "after", "placement": "both"}],
        max_frames=1000,
        precision=0.5,
    )
    assert list(table["placement"]) == ["same-socket", "cross-socket"]


def test_a_machine_that_changed_is_another_point(runner: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "box.csv"
    given = {
        "machine": str(matrix),
        "cpus": 2,
        "variant": "before",
        "max_frames": 1000,
        "precision": 0.5,
        "out": tmp_path / "s.db",
    }
    ran = []
    for latency in (40, 40, 90):
        matrix.write_text(f",\n{latency},\n")
        ran.append(linuxhost.sweep(SIT, **given).attrs["summary"]["ran"])
    assert ran == [1, 0, 1]
