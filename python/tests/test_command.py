# SPDX-License-Identifier: GPL-2.0-only
"""The command as a user types it: what it prints, and its exit codes."""

from __future__ import annotations

import json
import shlex
import sqlite3
import subprocess
from pathlib import Path

import pytest

from conftest import Command, command_words

pytestmark = pytest.mark.usefixtures("runner")

SIT = "sit-lockless-xmit"
#: Results in a file.
DATA = str(Path(__file__).parent / "data" / "results.jsonl")
#: A point that takes milliseconds.
QUICK = ("--set", "max-frames=1000", "--precision", "0.5")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["sweep", "nope"], ["'nope'", SIT]),
        (["sweep", SIT, "--set", "cpus=0"], ["--cpus=0", "1 to 1024"]),
        (["sweep", SIT, "--set", "cpus=1..5000"], ["--cpus=5000", "1 to 1024"]),
        (["sweep", SIT, "--set", "cpus=8..4"], ["--cpus=8..4", "not above its last"]),
        (["sweep", SIT, "--set", "cpus=0..4:log"], ["--cpus=0..4:log", "above 0"]),
        (["sweep", SIT, "--set", "cpus=1..4:step=0"], ["--cpus=1..4:step=0", "STEP above 0"]),
        (["sweep", SIT, "--set", "cpus=1..4:lin"], ["--cpus=1..4:lin", "FIRST..LAST"]),
        (["sweep", SIT, "--set", "cpus=abc"], ["--cpus=abc", "an integer"]),
        (["sweep", SIT, "--set", "cpus=1.5"], ["--cpus=1.5", "an integer"]),
        (["sweep", SIT, "--set", "cpus=nan"], ["--cpus=nan", "an integer"]),
        (["sweep", SIT, "--set", "cpus="], ["--cpus=", "an integer"]),
        (["sweep", SIT, "--set", "cpus"], ["--set=cpus", "NAME=VALUES"]),
        (["sweep", SIT, "--set", "nope=1"], ["--nope", "max-frames"]),
        (["sweep", SIT, "--set", "json=x"], ["--json", "no such parameter"]),
        (["sweep", "vlan-offload", "--set", "rss=1"], ["--rss", "no such parameter"]),
        (["sweep", SIT, "--set", "lock=ticket,foo"], ["--lock=foo", "ticket|tas|mcs"]),
        (["sweep", SIT, "--set", "lock=mcs", "--set", "lock=tas"], ["lock is given twice"]),
        (["sweep", SIT, "--set", "seed=1", "--seed", "2"], ["--seed", "only one of the two"]),
        (["sweep", SIT, "--machine", "pdp-11"], ["--machine=pdp-11", "generic", "FILE.csv"]),
        (["sweep", SIT, "--precision", "0"], ["--precision=0", "0.0001 to 0.5"]),
        (["sweep", SIT, "--set", "precision=0.01..0.1"], [":COUNT or a :step="]),
        (["sweep", SIT, "--set", "figure.L1Rmw=fast"], ["--figure.L1Rmw=fast", "a number"]),
        (["sweep", SIT, "--set", "figure.Frob=1"], ["--figure.Frob", "CrossLatency"]),
        (["sweep", SIT, "--set", "figure=Frob=1"], ["--figure.Frob", "CrossLatency"]),
        (["sweep", SIT, "--set", "figure=L1Rmw"], ["--figure=L1Rmw", "NAME=VALUE"]),
        (["sweep", SIT, "--set", "cpus=1..4:1000000000"], ["cpus=1..4:1000000000", "at most"]),
        (["sweep", SIT, "--set", "precision=0.1..0.2:step=1e-300"], ["step=1e-300", "at most"]),
        (["sweep", SIT, "--set", "seed=1..1000000", "--set", "cpus=1..1000"], ["at most"]),
        (["sweep", SIT, "--set", "seed=1..1000", "--set", "cpus=1..100"], ["200000 ", "--most"]),
        (["sweep", SIT, "--most", "0"], ["--most=0", "from 1"]),
        (["sweep", SIT, "--samples", "3"], ["--samples", "random|lhs|sobol|adaptive"]),
        (["sweep", SIT, "--bend", "0.1", "--design", "lhs"], ["--bend", "adaptive"]),
        (["sweep", SIT, "--design-seed", "7"], ["--design-seed", "lhs"]),
        (["sweep", SIT, "--design-seed", "-1", "--design", "lhs"], ["--design-seed=-1", "from 0"]),
        (["sweep", SIT, "--bend", "nan", "--design", "adaptive"], ["--bend=nan", "0 to 1"]),
        (["sweep", SIT, "--slurm-option", "queue=x"], ["--slurm-option", "--slurm"]),
        (["sweep", SIT, "--most", "3", "--set", "cpus=1,2"], ["4 points", "at most 3"]),
        (["sweep", SIT, "--design", "lhs", "--samples", "200000"], ["--samples=200000", "--most"]),
        (["sweep", SIT, "--set", "figure.ClockGhz=-1"], ["--figure.ClockGhz=-1", "a number from"]),
        (["sweep", SIT, "--set", "figure.Sockets=1.5"], ["--figure.Sockets=1.5", "an integer"]),
        (["sweep", SIT, "--set", "figure.PostedStores=7"], ["--figure.PostedStores=7", "1 or 0"]),
        (["sweep", SIT, "--set", "figure=L1Rmw=-1"], ["--figure.L1Rmw=-1", "a number from"]),
        (["run", "frob"], ["'frob'", SIT]),
        (["sweep", SIT, "--design", "magic"], ["--design=magic", "grid|zip|list"]),
        (["sweep", SIT, "--design", "list"], ["--design=list", "--points"]),
        (["sweep", SIT, "--design", "adaptive", "--set", "lock=mcs"], ["one range to refine"]),
        (["sweep", SIT, "--design", "lhs", "--samples", "0"], ["--samples=0", "from 1"]),
        (
            ["sweep", SIT, "--design", "zip", "--set", "cpus=1,2", "--set", "payload=1,2,3"],
            ["lists of one length", "cpus has 2", "payload has 3"],
        ),
        (["sweep", SIT, "--out", "no/such/folder.db"], ["--out=no/such/folder.db", "a folder"]),
        (["sweep", SIT, "--export", "table.xls"], ["--export=table.xls", ".parquet"]),
        (["sweep", SIT, "--points", "none.csv"], ["--points=none.csv", "CSV"]),
        (["sweep", SIT, "--slurm", "2", "--scheduler", "tcp://x:1"], ["only one of the two"]),
        (["sweep", SIT, "--frob"], ["--frob"]),
        (["sweep", SIT, "--jobs", "0"], ["--jobs"]),
        (["sweep", "none.toml"], ["none.toml"]),
        (["sweep"], ["SCENARIO"]),
        (["frob"], ["frob"]),
        (["list", "frob"], ["'frob'", "machines"]),
        (["list", ""], ["''", "machines"]),
        ([""], ["No such command"]),
        (["export", "none.db"], ["FILE", "--out=FILE"]),
        (["run", SIT, "--cpus=0"], ["--cpus=0"]),
        (["profile", SIT, "--cpus=0"], ["--cpus=0"]),
        (["profile", SIT, "--flamegraph", "x.png"], ["--flamegraph=x.png", ".svg"]),
        (["profile", SIT, "--flamegraph", "no/x.svg"], ["--flamegraph=no/x.svg", "a folder"]),
        (["profile", SIT, "--flamegraph", "/proc/x.svg"], ["--flamegraph=/proc/x.svg", "written"]),
        (["profile", SIT, "--folded", "/proc/x"], ["--folded=/proc/x", "written"]),
        (["profile", SIT, "--folded", "-", "--json"], ["--json, --folded=-", "only one"]),
        (["profile", SIT, "--folded", "."], ["--folded=.", "a file in a folder"]),
        (["timeline", SIT, "-o", "/proc/x.json"], ["--out=/proc/x.json", "written"]),
        (["timeline", SIT, "-o", "no/x.json"], ["--out=no/x.json", "a folder"]),
        (["plot", DATA, "--out", "/proc/x.svg"], ["--out=/proc/x.svg", "written"]),
        (["report", DATA, "--out", "/proc/x.html"], ["--out=/proc/x.html", "written"]),
        (["report", DATA, "--out", "no/x.html"], ["--out=no/x.html", "a folder"]),
        (["machine", "show", "generic", "--out", "/proc/x.svg"], ["--out=/proc/x.svg", "written"]),
        (["sweep", SIT, "--export", "/proc/x.csv"], ["--export=/proc/x.csv", "written"]),
        (["profile", SIT, "--timeline=x"], ["--timeline"]),
        (["profile", SIT, "stray"], ["stray"]),
        (["profile", "bench-engine"], ["bench-engine", "a scenario"]),
        (["provenance", "machine-info"], ["machine-info", "a scenario"]),
        (["path", "show", "sit-tunnel"], ["sit-tunnel", "a scenario with a path"]),
        (["path", "diff", SIT, "--variant=after"], ["--variant=after", "--diff-path"]),
        (["path", "diff", "lock-scaling"], ["lock-scaling", "before and an after"]),
        (["timeline", "lock-scaling"], ["lock-scaling", "timeline"]),
        (["export", "none.db", "x.csv"], ["none.db", "no such file"]),
        (["export", "none.db", "x.xls"], ["export: FILE=x.xls", ".parquet"]),
        (["provenance", "none.db", "--cpus=2"], ["--cpus=2", "a store"]),
        (["--version", "frob"], ["linuxhost: No such command 'frob'; linuxhost --help"]),
        (["--bin", "no-folder", "list"], ["--bin=no-folder"]),
    ],
)
def test_what_is_typed_wrong_is_one_line_and_exit_code_2(
    command: Command, tmp_path: Path, words: list[str], parts: list[str]
) -> None:
    done = command(*words)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for part in parts:
        assert part in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing was made"


def test_a_program_that_is_missing_is_named_with_what_to_type(command: Command) -> None:
    done = command("run", SIT, env={"LINUXHOST_BIN": "/nonexistent"})
    assert done.returncode == 1
    assert SIT in done.stderr and "scripts/reproduce" in done.stderr
    done = command("list", env={"LINUXHOST_BIN": "/nonexistent"})
    assert done.returncode == 1
    assert "linux-host-runner" in done.stderr and len(done.stderr.splitlines()) == 1


def test_help_has_examples(command: Command) -> None:
    for word in ("list", "run", "sweep", "profile", "timeline", "provenance", "reproduce"):
        done = command(word, "--help")
        assert done.returncode == 0
        assert f"linuxhost {word}" in done.stdout
    assert "sweep" in command("--help").stdout
    assert command("--version").stdout.startswith("linuxhost 0.")


def test_list_says_what_the_examples_say(command: Command, runner: Path) -> None:
    told = json.loads(command("list", SIT, "--json").stdout)
    said = subprocess.run(
        [runner.parent / SIT, "--describe"], capture_output=True, text=True, check=True
    )
    options = {o["name"]: o for o in json.loads(said.stdout)["options"]}
    rows = {row["name"]: row for row in told["parameters"]}
    assert set(rows) == set(options) - {
        "json",
        "print-path",
        "diff-path",
        "timeline",
        "folded",
        "pcap",
    }
    assert rows["payload"]["unit"] == options["payload"]["unit"] == "bytes"
    assert rows["cpus"]["default"] == options["cpus"]["default"]
    assert "dual-xeon-e5540" in json.loads(command("list", "machines", "--json").stdout)
    assert "mcs" in json.loads(command("list", "locks", "--json").stdout)[SIT]["lock"]
    figures = {f["name"]: f for f in json.loads(command("list", "figures", "--json").stdout)}
    assert figures["CrossLatency"]["default"] == "110" and "ns" in figures["CrossLatency"]["help"]
    for words in ((), (SIT,), ("vlan-offload",), ("figures",), ("locks",), ("examples",)):
        lines = command("list", *words).stdout.splitlines()
        assert max(map(len, lines)) <= 100, "also where it is no terminal"
    found = [line for line in command("list", SIT).stdout.splitlines() if "payload" in line]
    assert "172" in found[0] and "1432 bytes" in found[0], "a name has its default and range by it"
    listed = command("list").stdout
    assert SIT in listed
    assert all(line == line.rstrip() for line in listed.splitlines()), "no spaces that nobody sees"
    assert "payload" in command("list", SIT).stdout


def test_a_sweep_plays_each_point_once(command: Command, tmp_path: Path) -> None:
    words = ("sweep", SIT, "--set", "cpus=1..4:log", *QUICK)
    first = command(*words, "--json")
    assert first.returncode == 0, first.stderr
    assert first.stderr == "", "quiet when it is no terminal"
    told = json.loads(first.stdout)
    assert (told["points"], told["ran"], told["reused"], told["failed"]) == (6, 6, 0, 0)
    again = command(*words)
    assert again.returncode == 0
    assert "6 points in sweep.db: 0 played, 6 were there" in again.stdout
    more = json.loads(command(*words, "--set", "lock=ticket,mcs", "--json").stdout)
    assert (more["ran"], more["reused"]) == (12, 0), "another setting is another point"
    assert command("export", "sweep.db", "all.csv").returncode == 0
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 19


def test_a_file_says_the_same_as_options(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        'scenario = "sit-lockless-xmit"\nout = "file.db"\n'
        '[set]\ncpus = [1, 2]\nlock = "mcs"\n"max-frames" = 1000\nprecision = 0.5\n'
    )
    (tmp_path / "b.yaml").write_text(
        "scenario: sit-lockless-xmit\nout: file.db\nset:\n  cpus: 1,2\n  lock: [mcs]\n"
        "  max_frames: 1000\n  precision: 0.5\n"
    )
    first = json.loads(command("sweep", "a.toml", "--json").stdout)
    assert (first["points"], first["ran"]) == (4, 4)
    second = json.loads(command("sweep", "b.yaml", "--json").stdout)
    assert (second["points"], second["reused"]) == (4, 4)
    options = ("--set", "cpus=1..2", "--set", "lock=mcs", *QUICK, "--out", "file.db", "--json")
    assert json.loads(command("sweep", SIT, *options).stdout)["reused"] == 4
    for text, part in (
        ('scenario = "sit-lockless-xmit"\nfrob = 1\n', "'frob'"),
        ("scenario = ", "bad.toml"),
        ("out = 'x.db'\n", "scenario"),
        ('scenario = "sit-lockless-xmit"\nset = 3\n', "'set'"),
        ('scenario = "sit-lockless-xmit"\nsamples = "many"\n', "'samples'"),
    ):
        (tmp_path / "bad.toml").write_text(text)
        done = command("sweep", "bad.toml")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert part in done.stderr


def test_a_point_that_fails_is_kept_and_stops_nothing(command: Command) -> None:
    # 200 CPUs are within the option's range; the machine's matrix has 48.
    machine = ("--machine", "opteron-6172-48")
    words = ("sweep", SIT, *machine, "--set", "cpus=2,200,4", "--set", "variant=after", *QUICK)
    done = command(*words)
    assert done.returncode == 1
    assert "cpus=200" in done.stderr and "48" in done.stderr and "--retry" in done.stderr
    assert "3 points in" in done.stdout and "3 played, 1 failed" in done.stdout
    told = json.loads(command(*words, "--json").stdout)
    assert (told["ran"], told["reused"], told["failed"]) == (0, 3, 1)
    told = json.loads(command(*words, "--retry", "--json").stdout)
    assert (told["ran"], told["reused"], told["failed"]) == (1, 2, 1)
    assert "200" in told["errors"][0]["error"]


def test_points_of_a_file_and_a_metric_that_is_none(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("cpus,cpus\n1,2\n")
    done = command("sweep", SIT, "--points", "p.csv")
    assert done.returncode == 2 and "each once" in done.stderr
    done = command("sweep", SIT, *QUICK, "--set", "cpus=1", "--metric", "nope")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "--metric=nope: allowed is one of pps|" in done.stderr
    atomic = ("--set", "primitive=atomic", "--set", "cpus=1", "--set", "max-frames=1000")
    done = command("sweep", "lock-scaling", *atomic)
    assert done.returncode == 0 and "ns_per_operation" in done.stdout


@pytest.mark.parametrize(
    ("scenario", "metric", "more"),
    [
        (SIT, "pps", ()),
        ("tun-read-wakeup", "pps", ()),
        ("vlan-offload", "goodput_mbps", ()),
        ("lock-scaling", "speedup", ("--set", "cpus=1")),
        ("lock-scaling", "ns_per_operation", ("--set", "cpus=1", "--set", "primitive=rcu")),
    ],
)
def test_a_sweep_shows_what_its_picture_shows(
    command: Command, scenario: str, metric: str, more: tuple[str, ...]
) -> None:
    done = command("sweep", scenario, *QUICK, *more)
    assert done.returncode == 0, done.stderr
    assert metric in done.stdout.splitlines()[1].replace(",", " ").split()
    assert json.loads(command("plot", "sweep.db", "--json").stdout)["metric"] == metric


def test_both_means_each_side_once(command: Command) -> None:
    words = ("sweep", "tun-read-wakeup", "--set", "variant=after,both", *QUICK, "--json")
    told = json.loads(command(*words, "--set", "placement=cross-socket,both").stdout)
    assert (told["points"], told["failed"]) == (4, 0), "two placements, before and after"
    told = json.loads(command(*words, "--set", "placement=both").stdout)
    assert (told["points"], told["reused"]) == (4, 4), "they are the same points"
    assert json.loads(command(*words).stdout)["reused"] == 4, "and what is played without it"
    assert command("export", "sweep.db", "all.csv").returncode == 0


def test_what_is_in_a_store_has_the_order_that_was_asked_for(
    command: Command, tmp_path: Path
) -> None:
    # With three at a time, the long points are finished last.
    words = ("sweep", SIT, "--set", "cpus=24,1,8", "--set", "variant=before", "--jobs", "3")
    quick = ("--precision", "0.1")
    for locks in (["tas", "qspinlock", "mcs"], ["mcs", "ticket", "tas"]):
        told = command(*words, *quick, "--set", "lock=" + ",".join(locks), "--json")
        assert json.loads(told.stdout)["failed"] == 0
        assert command("export", "sweep.db", "all.csv").returncode == 0
        rows = [line.split(",") for line in (tmp_path / "all.csv").read_text().splitlines()]
        cpus, lock = rows[0].index("cpus"), rows[0].index("lock")
        asked = [[str(n), name] for n in (24, 1, 8) for name in locks]
        assert [[row[cpus], row[lock]] for row in rows[1:]][-9:] == asked
    done = command("plot", "sweep.db", "--kind", "ladder", "--x", "lock", "--where", "cpus=8")
    assert done.returncode == 0, done.stderr
    drawn = (tmp_path / "plot.svg").read_text()
    places = [drawn.index(f">{name}<") for name in ("qspinlock", "mcs", "ticket", "tas")]
    assert places == sorted(places)


def test_designs_from_the_command_line(command: Command, tmp_path: Path) -> None:
    told = json.loads(
        command(
            *("sweep", SIT, "--design", "sobol", "--samples", "8", "--set", "cpus=1..4"),
            *("--set", "payload=0..1400", *QUICK, "--json", "--export", "drawn.csv"),
        ).stdout
    )
    assert told["points"] == 16, "eight draws, each before and after"
    (tmp_path / "p.csv").write_text("cpus,lock\n1,mcs\n2,tas\n")
    words = ("sweep", SIT, "--points", "p.csv", "--set", "variant=before", *QUICK, "--json")
    assert json.loads(command(*words).stdout)["points"] == 2
    figures = ("--set", "figure.CrossLatency=60..120:3", "--set", "variant=before", "--json")
    assert json.loads(command("sweep", SIT, *figures, *QUICK).stdout)["points"] == 3
    curve = ("--design", "adaptive", "--set", "cpus=1..24", "--samples", "12", "--json")
    told = json.loads(command("sweep", SIT, *curve, *QUICK).stdout)
    assert 10 < told["points"] <= 24


def test_run_passes_on_options_and_exit_codes(command: Command) -> None:
    done = command("run", SIT, "--cpus=2", "--max-frames=1000", "--precision=0.5", "--json")
    assert done.returncode == 0
    assert [json.loads(line)["variant"] for line in done.stdout.splitlines()] == ["before", "after"]
    assert command("run", SIT, "--cpus=2", "--frob").returncode == 2


def test_looking_inside_a_run(command: Command, tmp_path: Path) -> None:
    short = ("--cpus=2", "--max-frames=1000", "--precision=0.5")
    done = command("profile", SIT, *short, "--variant=before", "--json")
    (told,) = json.loads(done.stdout)
    shares = sum(row["share"] for row in told["profile"])
    assert abs(shares - 1) < 1e-6, "every instant of busy time is somewhere"
    done = command("profile", SIT, *short, "--variant", "after", "--rows", "3")
    assert "ns/frame" in done.stdout and f"{SIT} after" in done.stdout
    stacks = command("profile", SIT, *short, "--variant=before", "--folded", "-").stdout
    for line in stacks.splitlines():
        frames, _, count = line.rpartition(" ")
        assert frames.startswith(f"{SIT} before;") and int(count) >= 0
    assert command("timeline", SIT, *short, "-o", "t.json").returncode == 0
    trace = json.loads((tmp_path / "t.json").read_text())
    assert any(event["ph"] == "X" for event in trace["traceEvents"])
    shown = command("path", "show", SIT, "--variant=before").stdout
    assert "_raw_spin_lock" in shown
    changed = command("path", "diff", SIT).stdout
    assert "_raw_spin_lock" in changed and changed != shown
    rows = json.loads(command("provenance", SIT, "--cpus=2", "--json").stdout)
    by_name = {row["name"]: row for row in rows}
    assert by_name["cpus"]["source"] == "given"
    assert by_name["TunnelWork"]["kind"] == "fitted"
    assert by_name["CrossLatency"]["unit"] == "ns" and by_name["CrossLatency"]["source"]
    assert all(row["source"] and row["kind"] for row in rows)
    of = {row["value"]: row["variants"] for row in rows if row["name"] == "lltx"}
    assert of == {False: ["before"], True: ["after"]}
    assert by_name["cpus"]["variants"] == ["before", "after"]
    lines = command("provenance", SIT, "--cpus=2").stdout.splitlines()
    assert [line.split()[:3] for line in lines if "lltx" in line] == [
        ["lltx", "False", "before"],
        ["lltx", "True", "after"],
    ]
    printed = command("timeline", SIT, *short, "-o", "-")
    assert json.loads(printed.stdout)["traceEvents"] and not (tmp_path / "-").exists()
    rows = json.loads(command("provenance", SIT, "--machine=generic", "--json").stdout)
    assert {row["name"]: row for row in rows}["ClockGhz"]["kind"] == "assumed"


def test_doctor_says_what_to_type(command: Command) -> None:
    done = command("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(done.stdout)}
    assert done.returncode == 0 and checks["linux-host-runner"]["state"] == "ok"
    assert all(check["fix"] for check in checks.values() if check["state"] != "ok")
    lines = command("doctor").stdout.splitlines()
    assert lines and max(map(len, lines)) <= 100, "also where it is no terminal"
    done = command("doctor", env={"LINUXHOST_BIN": "/nonexistent"})
    assert done.returncode == 1 and "scripts/reproduce" in done.stdout


def test_the_shell_completes_scenarios(command: Command) -> None:
    assert "--install-completion" in command("--help").stdout
    done = command(
        env={
            "_LINUXHOST_COMPLETE": "complete_bash",
            "COMP_WORDS": "linuxhost run sit-l",
            "COMP_CWORD": "2",
        }
    )
    assert done.stdout.split() == [SIT]


def test_a_bare_command_prints_its_help(command: Command) -> None:
    for words in ((), ("path",), ("machine",)):
        done = command(*words)
        assert done.returncode == 2 and "Commands:" in done.stderr.splitlines()


def test_closed_streams_are_no_stack_trace(command: Command) -> None:
    words = " ".join(map(shlex.quote, command_words(("path", "show", SIT))))
    for closed in (">&-", "2>&-", "<&-", ">&- 2>&- <&-"):
        done = subprocess.run(
            ["sh", "-c", f"{words} {closed}"], capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1) and "Traceback" not in done.stderr, closed


def test_a_full_disk_and_a_damaged_store_are_told_in_a_line(
    command: Command, tmp_path: Path
) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command_words(("list",)), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1 and "No space left" in done.stderr
    assert command("sweep", SIT, *QUICK, "--set", "cpus=1..8", "--out", "s.db").returncode == 0
    store = tmp_path / "s.db"
    content = bytearray(store.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    store.write_bytes(content)
    for words in (("plot",), ("report",), ("provenance",), ("sweep", SIT, "--out")):
        done = command(*words, "s.db")
        assert done.returncode == 1 and "Traceback" not in done.stderr, words
        assert "damaged" in done.stderr or "malformed" in done.stderr
    assert command("sweep", SIT, *QUICK, "--set", "cpus=1..2", "--out", "t.db").returncode == 0
    with sqlite3.connect(tmp_path / "t.db") as db:
        db.execute("UPDATE result SET result = substr(result, 1, 100) WHERE point = 2")
    for words in (("plot",), ("report",), ("provenance",), ("sweep", SIT, *QUICK, "--out")):
        done = command(*words, "t.db", *(("--set", "cpus=1..2") if words[0] == "sweep" else ()))
        assert done.returncode == 1 and "the store is damaged" in done.stderr, words
        assert len(done.stderr.splitlines()) == 1, done.stderr
    sqlite3.connect(tmp_path / "empty.db").close()
    for words in (("plot",), ("report",), ("provenance",)):
        done = command(*words, "empty.db")
        assert done.returncode == 2 and "finished points" in done.stderr
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE mine (x)")
    done = command("sweep", SIT, *QUICK, "--out", "other.db")
    assert done.returncode == 1 and "no sweep's store" in done.stderr
