# SPDX-License-Identifier: GPL-2.0-only
"""The command linuxhost.

Exit codes: 0, all is well; 1, something did not work (a sweep: some points failed); 2, what was
typed is wrong; 130, stopped by Ctrl-C, what is finished is saved.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import __version__, binaries, cli_pictures
from .describe import OUTPUTS, Program, command_line, describe, figure_option
from .designs import MOST_POINTS
from .errors import InputError, LinuxHostError, refuse
from .files import check_output, write_bytes
from .paths import read_differences, read_paths
from .progress import Bar, follow
from .result import main_metric

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from .result import Result
    from .sweeps import Summary

app = typer.Typer(
    help="Runs, sweeps, plots and reports of linux-host, models of Linux hosts for ns-3.",
    epilog="linuxhost COMMAND --help has examples. Exit codes: 0 all is well, 1 something did not"
    " work, 2 what was typed is wrong, 130 stopped (what is finished is saved).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
)
path_app = typer.Typer(
    help="The steps of a packet, and what a patch changes in them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(path_app, name="path")

#: Options that belong to an example are passed on.
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


def complete(incomplete: str) -> list[str]:
    """The examples whose names begin so, for the shell."""
    return [name for name in binaries.built() if name.startswith(incomplete)]


Scenario = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="An example; 'linuxhost list' has the scenarios, 'list examples' all.",
        autocompletion=complete,
    ),
]

#: The line above the table of what was played.
SIDE = re.compile(r"(\S+ )?(before|after) .*simulated")

#: The examples that play a published patch, in the order in which they are shown.
PATCHES = ("sit-lockless-xmit", "lock-scaling", "saddr-rcu", "tun-read-wakeup", "vlan-offload")


def say(text: str = "") -> None:
    """A line on standard output."""
    typer.echo(text)


def note(text: str) -> None:
    """A line on standard error, for people."""
    typer.echo(text, err=True)


def show(table: Table, columns: int = 1000) -> None:
    """A table on standard output."""
    from rich.console import Console

    # What stands in brackets, such as the extras of a package, is no markup.
    if sys.stdout.isatty():
        Console(markup=False, emoji=False).print(table)
        return
    # A file takes lines of any length, unless it is only people who read it.
    with io.StringIO() as text:
        Console(file=text, width=columns, markup=False, emoji=False).print(table)
        for line in text.getvalue().splitlines():
            say(line.rstrip())


def new_table(*columns: str, right: Sequence[str] = ()) -> Table:
    """An empty table."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(columns):
        justify: Any = "right" if name in right else "left"
        # Who greps for a name finds it whole.
        table.add_column(name, justify=justify, overflow="fold", no_wrap=number == 0)
    return table


@app.callback(invoke_without_command=False)
def options(
    bin: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the built examples (else LINUXHOST_BIN, or build/).", metavar="DIR"
        ),
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Options of all commands."""
    if bin is not None:
        binaries.choose(bin)


def shape(program: Program, words: Sequence[str]) -> dict[str, Any]:
    """An example's parameters as they were typed: --cpus=4, --cpus 4."""
    params: dict[str, Any] = {}
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        name, equals, value = word[2:].partition("=")
        if not word.startswith("--") or not name:
            raise InputError(f"unexpected argument '{word}'; options look like --name=value")
        if name in OUTPUTS:
            raise InputError(f"--{name}: this command does not take it")
        option = program.option(name)
        if not equals and option.kind == "switch":
            value = "1"
        elif not equals and i < len(words):
            value = words[i]
            i += 1
        params[option.name] = option.read(value)
    return program.check(params)


def call(
    name: str,
    words: Sequence[str],
    capture: bool = False,
    quiet: bool = False,
    bar: Bar | None = None,
    on_line: Callable[[str], None] = lambda line: None,
) -> subprocess.CompletedProcess[str]:
    """Run an example; its own exit code and messages are the command's."""
    command = [str(binaries.need(name)), *words]
    if bar is not None and bar.shown:
        done = follow(command, bar, capture, quiet, on_line)
    else:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.PIPE if quiet else None,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
        )
    if done.returncode != 0:
        if quiet:
            typer.echo(done.stderr, err=True, nl=False)
        raise typer.Exit(done.returncode if done.returncode in (1, 2) else 1)
    return done


def call_sides(
    name: str, words: Sequence[str], capture: bool = False, quiet: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run an example below a bar that counts what is played: each variant, in each placement."""
    total = 1 if sys.stderr.isatty() else 0
    with contextlib.suppress(LinuxHostError):
        for option in describe(name).parameters.values() if total else ():
            given = [w.partition("=")[2] for w in words if w.startswith(f"--{option.name}=")]
            if option.both and "both" in (given or [option.default])[-1]:
                total *= len(option.both)

    def on_line(line: str) -> None:
        if line.startswith('{"schema"') or SIDE.match(line):
            bar.step()

    with Bar(name, "runs" if total > 1 else "", total) as bar:
        return call(name, words, capture, quiet, bar, on_line)


def play(name: str, params: dict[str, Any]) -> list[Result]:
    """Play an example and read its results."""
    from .result import Result

    # That it was not as precise as usual is not what is asked here.
    done = call_sides(name, [*command_line(params), "--json=-"], capture=True, quiet=True)
    return [Result.from_json(line) for line in done.stdout.splitlines()]


# ----------------------------------------------------------------------------------------- list


@app.command("list")
def list_(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            autocompletion=complete,
            help="scenarios, examples, machines, locks, figures (of a machine), metrics, or a"
            " scenario: its parameters.",
        ),
    ] = "scenarios",
    as_json: JsonOption = False,
) -> None:
    """List what there is, as the compiled examples say.

    \b
    linuxhost list                       the scenarios
    linuxhost list sit-lockless-xmit     its parameters: unit, default, range
    linuxhost list machines
    linuxhost list locks
    linuxhost list figures               what --set figure.NAME= can be
    """
    from .result import UNITS
    from .workers import greet

    kinds = ("scenarios", "examples", "machines", "locks", "figures", "metrics")
    if what == "metrics":
        if as_json:
            say(json.dumps(UNITS))
            return
        table = new_table("metric", "unit")
        for name, unit in UNITS.items():
            table.add_row(name, unit)
        show(table, 100)
        return
    greeting = greet()
    if what == "machines":
        if as_json:
            say(json.dumps(greeting.machines))
        for name in () if as_json else greeting.machines:
            say(name)
        return
    if what == "figures":
        if as_json:
            say(json.dumps(list(greeting.figures.values())))
            return
        table = new_table("figure", "default", "allowed", "what")
        for figure in greeting.figures.values():
            allowed = figure_option(figure).allowed
            table.add_row(figure["name"], figure["default"], allowed, figure["help"])
        show(table, 100)
        return
    if what == "locks":
        locks = {
            scenario: {
                o.name: list(o.choices)
                for o in described.parameters.values()
                if o.name in ("lock", "rwlock", "refcount")
            }
            for scenario, described in greeting.programs.items()
        }
        if as_json:
            say(json.dumps(locks))
            return
        table = new_table("scenario", "parameter", "kinds")
        for of, found in locks.items():
            for name, choices in found.items():
                table.add_row(of, name, ", ".join(choices))
        show(table, 100)
        return
    if what in ("scenarios", "examples"):
        programs = list(greeting.programs.values())
        if what == "examples":
            programs = []
            for name in binaries.built():
                with contextlib.suppress(LinuxHostError):
                    programs.append(describe(name))
        if as_json:
            say(json.dumps({p.name: p.about for p in programs}))
            return
        table = new_table("name", "about")
        for one in programs:
            table.add_row(one.name, one.about)
        show(table, 100)
        if what == "scenarios":
            say("linuxhost list NAME lists the parameters of one.")
        return
    if what in greeting.programs:
        program = greeting.programs[what]
    elif binaries.find(what) is not None:
        program = describe(what)
    else:
        names = [*kinds, *greeting.programs]
        raise InputError(f"'{what}': allowed is one of " + "|".join(names))
    if as_json:
        rows = [
            {
                "name": o.name,
                "kind": o.kind,
                "unit": o.unit,
                "default": o.default,
                "allowed": o.allowed,
                "help": o.help,
            }
            for o in program.parameters.values()
        ]
        say(json.dumps({"scenario": program.name, "parameters": rows}))
        return
    say(f"{program.name}: {program.about}")
    table = new_table("parameter", "default", "allowed", "what")
    for option in program.parameters.values():
        allowed = option.allowed
        if len(allowed) > 34:
            # Names that are turned over stay whole.
            allowed = allowed.replace("|", ", ")
        table.add_row(option.name, option.default, allowed, option.help)
    show(table, 100)


# ------------------------------------------------------------------------------------------ run


@app.command(context_settings=PASS_ON)
def run(
    ctx: typer.Context,
    scenario: Scenario,
    as_json: JsonOption = False,
) -> None:
    """Run one example, with the example's own options; its tables are printed.

    \b
    linuxhost run sit-lockless-xmit
    linuxhost run sit-lockless-xmit --cpus=8 --lock=mcs --variant=before
    linuxhost run saddr-rcu --machine=my-box.csv --json
    linuxhost run tun-read-wakeup -- --help
    """
    call_sides(scenario, [*ctx.args, *(["--json=-"] if as_json else [])])


@app.command()
def reproduce(as_json: JsonOption = False) -> None:
    """Play each published patch before and after, simulated beside published.

    \b
    linuxhost reproduce
    linuxhost reproduce --json > results.jsonl
    """
    found = [name for name in PATCHES if binaries.find(name) is not None]
    if not found:
        binaries.need(PATCHES[0])
    failed = []
    with Bar(found[0], "patches", len(found)) as bar:
        for i, name in enumerate(found):
            bar.at(i, what=name)
            try:
                call(name, ["--json=-"] if as_json else [], bar=bar)
            except typer.Exit:
                failed.append(name)
            if not as_json and bar.shown:
                bar.above(sys.stdout, b"\n")
            elif not as_json:
                say()
    if failed:
        raise LinuxHostError("this did not work: " + ", ".join(failed))


# ---------------------------------------------------------------------------------------- sweep


def assignments(words: Sequence[str]) -> dict[str, str]:
    """What --set says: NAME=VALUES."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not name:
            raise InputError(f"--set={word}: allowed is NAME=VALUES, such as cpus=1,2,4")
        if name in found:
            raise InputError(f"--set={word}: {name} is given twice; allowed is one list of values")
        found[name] = values
    return found


def slurm_options(words: Sequence[str]) -> dict[str, Any]:
    """What --slurm-option says: NAME=VALUE of dask-jobqueue's SLURMCluster."""
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InputError(f"--slurm-option={word}: allowed is NAME=VALUE, such as queue=short")
        found[name] = int(value) if value.isdecimal() else value
    return found


def varied(frame: pd.DataFrame) -> list[str]:
    """The columns of parameters that tell the rows apart."""
    stop = list(frame.columns).index("model_version")
    names = [n for n in frame.columns[:stop] if n not in ("scenario", "variant")]
    told = frame[[*names, "variant"]].astype(str)
    # What only says again which variant it is, such as the patch's own switch, is left out.
    follows = told.groupby("variant")[names].nunique().max()
    return [n for n in names if told[n].nunique() > 1 and follows[n] > 1] + ["variant"]


def show_points(frame: pd.DataFrame, metric: str | None, most: int = 30) -> None:
    """The first points, with one metric and its interval; the main one, if none was named."""
    frame = frame[frame["error"].isna()]
    if frame.empty:
        return
    known = [n for n in frame.columns if n + "_ci95" in frame.columns]
    if metric is None:
        metric = main_metric(set(frame["scenario"]), known)
    elif metric not in frame.columns:
        raise refuse("metric", metric, "one of " + "|".join(known))
    names = [n for n in varied(frame) if n != metric]
    unit = frame.attrs.get("units", {}).get(metric, "")
    head = f"{metric}" + (f", {unit}" if unit else "")
    table = new_table(*names, head, "+-", right=(head, "+-"))
    for _, row in frame.head(most).iterrows():
        value = float(row[metric])
        half = row.get(metric + "_ci95")
        share = f"{100 * half / value:.1f} %" if half is not None and half == half and value else ""
        text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        table.add_row(*(str(row[n]) for n in names), text if value == value else "-", share)
    show(table)
    if len(frame) > most:
        say(f"... and {len(frame) - most} more rows")


@app.command()
def sweep(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|FILE",
            help="A scenario, or a TOML or YAML file.",
            autocompletion=complete,
        ),
    ],
    set_: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="NAME=VALUES",
            help="A parameter: 4, 1,2,4, 1..64, 1..64:log,"
            " 0..1:11, 0..1:step=0.1. figure.NAME is a figure of the machine.",
        ),
    ] = [],  # noqa: B006
    machine: Annotated[
        str | None, typer.Option(metavar="A,B", help="Machines: presets or CSV matrices.")
    ] = None,
    precision: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Half-width of the rate's 95 % interval.")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="N,N", help="Run numbers.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The store. [default: sweep.db]"),
    ] = None,
    design: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="grid, zip, list, random, lhs, sobol or adaptive. [default: grid]"
        ),
    ] = None,
    points: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A CSV of points, for --design=list.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(metavar="N", help="Points to draw; adaptive: most a curve.")
    ] = None,
    design_seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of the draw. [default: 1]")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What is shown, and what adaptive follows. [default: what was published of the"
            " scenario, else pps]",
        ),
    ] = None,
    bend: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="adaptive: how straight is straight. [default: 0.02]"),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            metavar="N", help=f"Refuse to play more points than this. [default: {MOST_POINTS}]"
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, metavar="N", help="Runners. [default: the cores]"),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on this dask.distributed cluster.")
    ] = None,
    slurm: Annotated[
        int | None, typer.Option(min=1, metavar="JOBS", help="Run in so many Slurm jobs.")
    ] = None,
    slurm_option: Annotated[
        list[str], typer.Option(metavar="NAME=VALUE", help="Of dask-jobqueue's SLURMCluster.")
    ] = [],  # noqa: B006
    point_timeout: Annotated[
        float | None, typer.Option(min=0.01, metavar="SECONDS", help="A longer point failed.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed points again.")] = False,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table: .csv, .parquet or .jsonl.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play many points of a scenario; what is finished is in the store, and never run again.

    \b
    linuxhost sweep sit-lockless-xmit --set cpus=1..64:log --set lock=ticket,mcs \\
        --precision 0.02 --out sweep.db
    linuxhost sweep saddr-rcu --set interfaces=1..64:log --machine dual-xeon-e5540,generic
    linuxhost sweep sit-lockless-xmit --set figure.CrossLatency=60..120:7
    linuxhost sweep sit-lockless-xmit --design sobol --samples 64 \\
        --set cpus=1..64:log --set payload=0..1432
    linuxhost sweep lock-scaling --design adaptive --set cpus=1..48 --set serial=400 \\
        --set fraction=0.02 --metric speedup
    linuxhost sweep my-sweep.toml

    Stopped by Ctrl-C or lost with its machine, the same command goes on where it was. Several
    processes may work on one store at a time. Without --set variant, both sides are played.
    """
    from . import sweeps
    from .store import TABLES, Store
    from .workers import greet

    content: dict[str, Any] = {}
    if scenario.endswith((".toml", ".yaml", ".yml")):
        content = sweeps.read_file(Path(scenario))
        if "scenario" not in content:
            raise InputError(f"{scenario}: allowed is a file that names a scenario")
    else:
        content["scenario"] = scenario
    settings = {**content.get("set", {}), **assignments(set_)}
    for name, value in (("machine", machine), ("precision", precision), ("seed", seed)):
        if value is not None:
            if any(word.startswith(name + "=") for word in set_):
                raise InputError(f"--{name}, --set {name}: only one of the two is allowed")
            settings[name] = value
    store_path = out or Path(content.pop("out", "sweep.db"))
    content.pop("out", None)
    content["set"] = settings
    if points is not None:
        content["points"] = sweeps.read_points(points)
    for name, given in (
        ("design", design),
        ("samples", samples),
        ("design_seed", design_seed),
        ("metric", metric),
        ("bend", bend),
        ("most", most),
    ):
        if given is not None:
            content[name] = given
    for name, those in (
        ("samples", (*sweeps.Spec.SAMPLED, "adaptive")),
        ("design_seed", sweeps.Spec.SAMPLED),
        ("bend", ("adaptive",)),
    ):
        if name in content and content.get("design", "grid") not in those:
            option = name.replace("_", "-")
            raise InputError(f"--{option}: goes with --design={'|'.join(those)}")
    if slurm_option and slurm is None:
        raise InputError("--slurm-option: goes with --slurm")
    spec = sweeps.Spec(**content)
    greeting = greet()
    program = greeting.program(spec.scenario)
    # Everything is checked before a file is made.
    spec.plan(program)
    if export is not None:
        check_output("export", export, TABLES)
    maker = sweeps.pool_maker(
        greeting,
        jobs=jobs,
        scheduler=scheduler,
        slurm=slurm,
        slurm_options=slurm_options(slurm_option),
        point_timeout=point_timeout,
    )
    with Store(store_path, create=True) as store:
        with Bar(spec.scenario, "points", stay=True) as bar:
            shown = 0.0

            def on_progress(summary: Summary, done: int) -> None:
                nonlocal shown
                if time.monotonic() - shown > 0.1 or done == summary.points:
                    shown = time.monotonic()
                    failed = f"{summary.failed} failed" if summary.failed else ""
                    bar.at(done, summary.points, failed)

            work = sweeps.Sweep(spec, store, greeting, retry=retry, on_progress=on_progress)

            def on_interrupt(*_: object) -> None:
                work.stop()
                # Who is in a hurry types it twice.
                signal.signal(signal.SIGINT, signal.default_int_handler)

            usual = signal.signal(signal.SIGINT, on_interrupt)
            try:
                summary = work.run(maker)
            finally:
                signal.signal(signal.SIGINT, usual)
        if export is not None:
            store.export(export, keys=summary.keys)
        if as_json:
            say(json.dumps(summary.to_json()))
        else:
            show_points(store.dataframe(summary.keys[:2000]), spec.metric)
            parts = [f"{summary.ran} played"]
            if summary.reused:
                parts.append(f"{summary.reused} were there")
            if summary.elsewhere:
                parts.append(f"{summary.elsewhere} played by another process")
            if summary.failed:
                parts.append(f"{summary.failed} failed")
            rate = f", {summary.points_per_s:.1f} points/s" if summary.ran else ""
            say(
                f"{summary.points} points in {store_path}: {', '.join(parts)};"
                f" {summary.seconds:.1f} s{rate}"
            )
    if summary.failed:
        told = summary.errors[:3]
        for point, error in told:
            note(f"linuxhost sweep: {point}: {error}")
        rest = summary.failed - len(told)
        more = f" ({rest} more in the store)" if told and rest else ""
        count = "1 point" if summary.failed == 1 else f"{summary.failed} points"
        raise LinuxHostError(f"{count} failed{more}; --retry plays what failed again")


@app.command()
def export(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A sweep's store.")],
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A .csv, .parquet or .jsonl file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The same, as an option.")
    ] = None,
    every_version: Annotated[
        bool, typer.Option("--every-version", help="Points of older models as well.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a store's table as CSV or Parquet, or its whole results as JSON lines.

    \b
    linuxhost export sweep.db sweep.parquet
    linuxhost export sweep.db --out results.jsonl
    """
    from .store import TABLES, Store

    written = out or file
    if written is None or (out and file):
        raise InputError("FILE, --out=FILE: one of the two is needed, and only one allowed")
    check_output("out" if out else "FILE", written, TABLES, [store])
    with Bar(f"writing {written}"), Store(store) as opened:
        count = opened.export(written, every_version=every_version)
    if as_json:
        say(json.dumps({"store": str(store), "file": str(written), "rows": count}))
    else:
        note(f"{written}: {count} rows")


# ------------------------------------------------------------------------------ looking inside


@path_app.command("show", context_settings=PASS_ON)
def path_show(ctx: typer.Context, scenario: Scenario, as_json: JsonOption = False) -> None:
    """The steps of a packet: symbol, line, inside which lock.

    \b
    linuxhost path show sit-lockless-xmit --variant=after
    linuxhost path show sit-lockless-xmit --json
    """
    program = describe(scenario)
    if "print-path" not in program.options:
        raise InputError(f"'{scenario}': allowed is a scenario with a path")
    words = [*command_line(shape(program, ctx.args)), "--print-path"]
    with Bar(scenario) as bar:
        done = call(scenario, words, capture=as_json, bar=bar)
    if as_json:
        say(json.dumps({"scenario": scenario, "paths": read_paths(done.stdout)}))


@path_app.command("diff", context_settings=PASS_ON)
def path_diff(ctx: typer.Context, scenario: Scenario, as_json: JsonOption = False) -> None:
    """The patch, as the model sees it: steps before against steps after.

    \b
    linuxhost path diff sit-lockless-xmit
    linuxhost path diff sit-lockless-xmit --json
    """
    program = describe(scenario)
    if "diff-path" not in program.options:
        raise InputError(f"'{scenario}': allowed is a scenario with a before and an after")
    words = [*command_line(shape(program, ctx.args)), "--diff-path"]
    with Bar(scenario) as bar:
        done = call(scenario, words, capture=as_json, bar=bar)
    if as_json:
        say(json.dumps({"scenario": scenario, "diffs": read_differences(done.stdout)}))


@app.command(context_settings=PASS_ON)
def profile(
    ctx: typer.Context,
    scenario: Scenario,
    folded: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write folded stacks; - is standard output.")
    ] = None,
    flamegraph: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw a flame graph of the busy CPU time."),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, metavar="N", help="Symbols in the table.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """Where CPU time goes, as perf shows it.

    \b
    linuxhost profile sit-lockless-xmit --variant=before
    linuxhost profile sit-lockless-xmit --flamegraph flames.svg
    """
    program = describe(scenario)
    need_results(program)
    params = shape(program, ctx.args)
    for wanted in (folded, flamegraph):
        if wanted is not None and "folded" not in program.options:
            raise InputError(f"--folded, --flamegraph: {scenario} has no stacks")
    if flamegraph is not None:
        check_output("flamegraph", flamegraph, (".svg",))
    if folded is not None and str(folded) != "-":
        check_output("folded", folded)
    if as_json and folded is not None and str(folded) == "-":
        raise InputError("--json, --folded=-: only one of the two is allowed")
    from .result import Result

    with tempfile.TemporaryDirectory() as folder:
        words = [*command_line(params), "--json=-"]
        stacks = Path(folder) / "folded"
        if "folded" in program.options:
            words.append(f"--folded={stacks}")
        done = call_sides(scenario, words, capture=True)
        results = [Result.from_json(line) for line in done.stdout.splitlines()]
        text = stacks.read_text() if stacks.is_file() else ""
    if flamegraph is not None:
        from .flamegraph import folded_to_svg

        # Of CPUs that nobody uses there may be many; a profile is of those that work.
        busy = [line for line in text.splitlines(True) if ";idle;" not in line]
        drawn = folded_to_svg("".join(busy) or text, title_of(scenario, params))
        write_bytes(flamegraph, drawn.encode())
        note(f"{flamegraph} written")
    if folded is not None and str(folded) != "-":
        write_bytes(folded, text.encode())
        note(f"{folded} written")
    elif folded is not None:
        typer.echo(text, nl=False)
        return
    if as_json:
        say(
            json.dumps(
                [
                    {
                        "variant": r.variant,
                        "params": r.params,
                        "profile": [vars(s) for s in r.profile],
                    }
                    for r in results
                ]
            )
        )
        return
    for result in results:
        say(heading(result))
        table = new_table("CPU time", "ns/frame", "symbol", right=("CPU time", "ns/frame"))
        for symbol in result.profile[:rows]:
            table.add_row(
                f"{100 * symbol.share:.2f} %", f"{symbol.ns_per_frame:.1f}", symbol.symbol
            )
        show(table)


def need_results(program: Program) -> None:
    """Refuse an example that plays no scenario."""
    if "max-frames" not in program.options:
        raise InputError(f"'{program.name}': allowed is a scenario; linuxhost list has them")


def heading(result: Result) -> str:
    """What a result is of, in a line."""
    cpus = result.params.get("cpus")
    part = result.params.get("placement")
    where = f", {part}" if part else ""
    count = f", {cpus} CPUs" if cpus is not None else ""
    return f"{result.scenario} {result.variant}{where} on {result.machine}{count}"


def title_of(scenario: str, params: dict[str, Any]) -> str:
    """A title for a picture."""
    return " ".join([scenario, *(f"{name}={value}" for name, value in params.items())])


@app.command(context_settings=PASS_ON)
def timeline(
    ctx: typer.Context,
    scenario: Scenario,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where it goes; - is standard output."),
    ] = Path("timeline.json"),
    as_json: JsonOption = False,
) -> None:
    """What each CPU did in one millisecond: run, spin, wait for a line, idle.

    \b
    linuxhost timeline sit-lockless-xmit --cpus=4 --out timeline.json
    """
    program = describe(scenario)
    if "timeline" not in program.options:
        raise InputError(f"'{scenario}': allowed is a scenario that keeps a timeline")
    params = shape(program, ctx.args)
    printed = str(out) == "-"
    if as_json and printed:
        raise InputError("--json, --out=-: only one of the two is allowed")
    if not printed:
        check_output("out", out)
    call_sides(scenario, [*command_line(params), f"--timeline={out}"], capture=not printed)
    if as_json:
        events = json.loads(out.read_text())["traceEvents"]
        runs = [e["args"]["name"] for e in events if e["name"] == "process_name"]
        say(json.dumps({"scenario": scenario, "file": str(out), "runs": runs}))
    elif not printed:
        note(f"{out} written; open it in https://ui.perfetto.dev or chrome://tracing")


@app.command(context_settings=PASS_ON)
def provenance(ctx: typer.Context, scenario: Scenario, as_json: JsonOption = False) -> None:
    """Every figure that shaped a run: value, unit, kind and source.

    \b
    linuxhost provenance sit-lockless-xmit --machine=dual-xeon-skylake-sp
    linuxhost provenance sweep.db        of the points of a sweep: figures that any of them used

    Kinds: literature (published), counted (in a source), assumed, calibrated (on a curve), fitted
    (to a published figure), set (by you, or by the scenario).
    """
    from .result import Result

    if scenario.endswith((".db", ".sqlite")):
        from .store import Store

        if ctx.args:
            raise InputError(f"unexpected argument '{ctx.args[0]}'; a store takes no options")
        with Store(Path(scenario)) as store:
            results = [Result.from_dict(raw) for raw in store.results()]
        if not results:
            raise InputError(f"{scenario}: allowed is a store with finished points; it has none")
        given: dict[str, Any] = {}
        program = None
    else:
        program = describe(scenario)
        need_results(program)
        given = shape(program, ctx.args)
        quick = dict(given)
        if "max-frames" in program.options:
            # Figures do not depend on how long it is measured.
            quick.update({"max-frames": 1000, "precision": 0.5})
        results = play(scenario, quick)
    rows: dict[str, dict[str, Any]] = {}
    for result in results:
        found: list[dict[str, Any]] = []
        for name, value in result.params.items():
            option = program.options.get(name.replace("_", "-")) if program else None
            typed = name.replace("_", "-") in given
            found.append(
                {
                    "of": "setting",
                    "name": name,
                    "value": value,
                    "unit": option.unit if option else "",
                    "kind": "set",
                    "source": "given" if typed else "default of the scenario" if program else "",
                }
            )
        for figure in result.free_parameters:
            found.append(
                {
                    "of": "figure",
                    "name": figure.name,
                    "value": figure.value,
                    "unit": figure.unit,
                    "kind": figure.kind,
                    "source": figure.provenance,
                }
            )
        for row in found:
            variants = rows.setdefault(json.dumps(row), {**row, "variants": []})["variants"]
            if result.variant not in variants:
                variants.append(result.variant)
    unique = list(rows.values())
    if as_json:
        say(json.dumps(unique))
        return
    # What holds for some sides of the patch only, such as its own switch, says for which.
    sides = {result.variant for result in results}
    told = ["variant"] if any(len(row["variants"]) < len(sides) for row in unique) else []
    table = new_table("name", "value", "unit", *told, "kind", "source", right=("value",))
    for row in sorted(unique, key=lambda r: r["of"] != "setting"):
        value = row["value"]
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        kind = "* fitted" if row["kind"] == "fitted" else row["kind"]
        cells = [row["name"], text, row["unit"], kind, row["source"]]
        if told:
            every = len(row["variants"]) == len(sides)
            cells.insert(3, "" if every else ", ".join(row["variants"]))
        table.add_row(*cells)
    show(table)


@app.command()
def doctor(as_json: JsonOption = False) -> None:
    """What is installed, what is missing, and what to type.

    Exit code 1 when something that is needed is missing.
    """
    from .doctor import examine

    checks = examine()
    if as_json:
        say(json.dumps([vars(check) for check in checks]))
    else:
        table = new_table("", "what", "found", "what to type")
        signs = {"ok": "ok", "missing": "MISSING", "optional": "-"}
        for check in checks:
            table.add_row(signs[check.state], check.name, check.found, check.fix)
        show(table, 100)
    if any(check.state == "missing" for check in checks):
        raise typer.Exit(1)


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point: errors are one line and an exit code."""
    for stream in ("stdin", "stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by who called
            setattr(sys, stream, open(os.devnull, "r" if stream == "stdin" else "w"))
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:
        say(f"linuxhost {__version__}")
        sys.exit(0)
    typed = words[: 2 if words[:1] in (["path"], ["machine"]) else 1]
    name = " ".join(["linuxhost", *(word for word in typed if word and word[0] != "-")])
    try:
        code = app(words, prog_name="linuxhost", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except LinuxHostError as error:
        note(f"{name}: {error}")
        sys.exit(error.exit_code)
    except typer.Exit as error:
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        note(f"{name}: stopped")
        sys.exit(130)
    except BrokenPipeError:
        # Who read the output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        told = getattr(error, "format_message", None)
        if told is None:
            if not isinstance(error, (OSError, sqlite3.Error, MemoryError)):
                raise
            # A disk that is full, a file that may not be written, a store that is damaged.
            damaged = type(error) is sqlite3.DatabaseError
            note(f"{name}: {'the store is damaged: ' if damaged else ''}{error or 'out of memory'}")
            with contextlib.suppress(OSError):
                sys.stdout.flush()
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        if type(error).__name__ == "NoArgsIsHelpError":
            note(str(told()).rstrip())
            sys.exit(2)
        if "No such command" in told():
            name = " ".join(name.split()[:-1]) or name
        text = " ".join(str(told()).split()).rstrip(".")
        note(f"{name}: {text}; {name} --help says what there is")
        sys.exit(getattr(error, "exit_code", 2))


cli_pictures.register(app)

if __name__ == "__main__":
    main()


__all__ = ["app", "main"]
