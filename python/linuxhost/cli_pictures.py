# SPDX-License-Identifier: GPL-2.0-only
"""The commands that draw and tell: plot, report, machine show, import and compare."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from .errors import LinuxHostError
from .files import check_output, write_bytes
from .progress import Bar

JSON_HELP = "Print one JSON object."
KIND_HELP = (
    "What is drawn: bars (before and after, beside what was published), curve (a metric against a"
    " parameter), speedup (after / before), scaling (over its own first value), profile (shares of"
    " CPU time), heat (over two parameters), ladder (one step on top of another). Without it: what"
    " suits the points."
)


@contextmanager
def one_line(command: str) -> Iterator[None]:
    """Turn what a user did wrong into one line and exit code 2, and what is missing into 1."""
    try:
        # Of data that is all zero, matplotlib would say what is to be seen anyway.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield
    except LinuxHostError as error:
        typer.echo(f"linuxhost {command}: {error}", err=True)
        raise typer.Exit(error.exit_code) from None
    except OSError as error:
        typer.echo(f"linuxhost {command}: {error}", err=True)
        raise typer.Exit(1) from None


def choose_kind(table: Any, results: list[Any], x: str | None, y: str | None) -> str:
    """The kind of picture that suits the points."""
    from . import tables

    metrics = tables.metrics_of(table)
    if x and y and y not in metrics:
        return "heat"
    numbers = [
        name
        for name in tables.settings_that_vary(table, ["variant"])
        if tables.is_number(table, name)
    ]
    if x and x not in numbers:
        return "ladder"
    if x or "cpus" in numbers or (numbers and len(table) > 4):
        return "curve"
    return "bars"


def default_x(table: Any) -> str:
    """The parameter that a curve is drawn against when none is named: cpus, if it varies."""
    from . import tables

    varying = tables.settings_that_vary(table, ["variant"])
    numbers = [name for name in varying if tables.is_number(table, name)]
    if "cpus" in numbers or not numbers:
        return "cpus" if "cpus" in table.columns or not varying else varying[0]
    return max(numbers, key=lambda name: int(table[name].nunique()))


def draw(
    table: Any,
    results: list[Any],
    kind: str | None,
    x: str | None,
    y: str | None,
    by: list[str] | None,
    value: str | None,
    log: str | None,
    title: str | None,
    published: bool,
    top: int,
) -> tuple[Any, dict[str, Any]]:
    """The picture that the options ask for, and what is in it."""
    from . import plots, tables
    from .tables import InputError

    kind = kind or choose_kind(table, results, x, y)
    kinds = [name for name in plots.KINDS if name != "machine"]
    if kind not in kinds:
        raise InputError("--kind", kind, ", ".join(kinds))
    metrics, params = tables.metrics_of(table), tables.params_of(table)
    if by is not None:
        for name in by:
            tables.check_column(table, "--by", name, params)
    if log is not None and log not in ("", "no", "x", "y", "xy"):
        raise InputError("--log", log, "no, x, y or xy")
    log = "" if log == "no" else log
    figures = tables.read_published() if published else []
    settings = tables.read_settings() if published else {}
    if kind == "profile":
        figure = plots.profile_shares(results, top, figures, settings, title)
        return figure, {"kind": kind, "symbols": plots.shares_of(results, top)[0]}
    if kind == "heat":
        value = value or tables.main_metric(table)
        tables.check_column(table, "--value", value, metrics)
        numbers = tables.settings_that_vary(table, ["variant"])
        names = [name for name in (x, y) if name]
        names += [name for name in numbers if name not in names][: 2 - len(names)]
        if len(names) < 2:
            raise InputError("--kind", kind, "points that differ in two parameters")
        for option, name in zip(("--x", "--y"), names, strict=True):
            tables.check_column(table, option, name, params)
        figure = plots.heat_map(table, names[0], names[1], value, title=title)
        return figure, {"kind": kind, "x": names[0], "y": names[1], "metric": value}
    y = y or value or tables.main_metric(table)
    tables.check_column(table, "--y", y, metrics)
    if kind == "bars":
        return plots.before_after(table, y, figures, settings, title), {"kind": kind, "metric": y}
    if kind == "ladder" and not x:
        x = next(iter(tables.settings_that_vary(table, ["variant"])), None)
    x = x or default_x(table)
    tables.check_column(table, "--x", x, params)
    told = {"kind": kind, "x": x, "metric": y}
    if kind == "curve":
        return plots.curve(table, x, y, by, log, title), told
    of = {"speedup": plots.speedup, "scaling": plots.scaling, "ladder": plots.ladder}
    return of[kind](table, x, y, by, title), told


def select_results(results: list[Any], conditions: list[str]) -> list[Any]:
    """The results whose settings meet the conditions."""
    from . import tables

    if not results or not conditions:
        return results
    table = tables.to_table(results)
    table["(number)"] = range(len(results))
    return [results[number] for number in tables.where(table, conditions)["(number)"]]


def plot(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Results: .jsonl, a sweep's .db, .csv, .parquet."),
    ],
    kind: Annotated[str | None, typer.Option(help=KIND_HELP)] = None,
    x: Annotated[str | None, typer.Option(help="The parameter along the axis.")] = None,
    y: Annotated[
        str | None, typer.Option(help="The metric (of a heat map: the other parameter).")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="What has a curve each, parted by commas. Without it: all that varies."),
    ] = None,
    value: Annotated[str | None, typer.Option(help="The metric of a heat map.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only points with this setting, as NAME=VALUE or NAME=VALUE,VALUE."),
    ] = None,
    log: Annotated[str | None, typer.Option(help="Logarithmic axes: no, x, y or xy.")] = None,
    title: Annotated[str | None, typer.Option(help="The title.")] = None,
    published: Annotated[
        bool, typer.Option(help="Set published figures beside those that were simulated.")
    ] = True,
    top: Annotated[int, typer.Option(min=1, max=40, help="Rows of a profile.")] = 12,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The picture: .svg, .pdf or .png.")
    ] = Path("plot.svg"),
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Draw a picture of results or of a sweep.

    Examples:

        linuxhost plot sweep.db --x cpus --y pps --by variant --out scaling.svg

        linuxhost plot sweep.db --kind heat --x cpus --y payload --value pps --out map.png

        linuxhost plot results.jsonl --kind profile --where cpus=16 --out profile.svg
    """
    with one_line("plot"), Bar(f"drawing {out}"):
        from . import plots, style, tables

        check_output("out", out, (".svg", ".pdf", ".png"), [file])
        table, results = tables.load(file)
        chosen = tables.where(table.assign(**{"(number)": range(len(table))}), where or [])
        if len(results) == len(table):
            # A store's table has settings that the results themselves do not repeat.
            results = [results[number] for number in chosen["(number)"]]
        else:
            results = select_results(results, where or [])
        table = chosen.drop(columns="(number)")
        names = list(dict.fromkeys(filter(None, by.split(",")))) if by is not None else None
        # A dollar sign is none of a formula.
        title = title.replace("$", r"\$") if title else title
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", plots.Averaged)
            figure, shown = draw(
                table, results, kind, x, y, names, value, log, title, published, top
            )
        style.save(figure, out)
    for warning in told:
        if issubclass(warning.category, plots.Averaged):
            typer.echo(f"linuxhost plot: {warning.message}", err=True)
    if as_json:
        typer.echo(json.dumps({"file": str(out), "points": len(table), **shown}))
    else:
        typer.echo(f"{out}: {len(table)} points", err=True)


def report(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Results: .jsonl, .db, .csv or .parquet."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("report.html"),
    title: Annotated[str, typer.Option(help="Its title.")] = "linux-host report",
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Write one HTML page with everything: results, pictures, where each figure comes from.

    The page needs no network; it reads well on a phone and printed.

    Example:

        linuxhost report sweep.db results.jsonl --out report.html
    """
    with one_line("report"), Bar(f"drawing {out}", "pictures") as bar:
        from . import report as pages

        check_output("out", out, (".html", ".htm"), files)
        page = pages.render(files, title, bar.at)
        write_bytes(out, page.text.encode("utf-8"))
    if as_json:
        told = {"points": page.points, "failed": page.failed, "scenarios": page.scenarios}
        typer.echo(json.dumps({"file": str(out), **told, "pictures": page.pictures}))
    else:
        typer.echo(f"{out}: written", err=True)


machine_app = typer.Typer(
    help="Machines: what is known of them, and matrices of your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

OUT_HELP = "Draw the matrix there: .svg, .pdf or .png."


def _save(draw: Callable[[], Any], out: Path | None) -> None:
    if out is not None:
        with Bar(f"drawing {out}"):
            from . import style

            style.save(draw(), out)
        typer.echo(f"{out}: written", err=True)


def _print_table(title: str, columns: list[str], rows: list[list[str]], right: set[int]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for number, name in enumerate(columns):
        justify = "right" if number in right else "left"
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        # A file or a pipe has room for whole lines.
        console = Console(highlight=False, markup=False, emoji=False, width=200)
    console.print(table)


def _print_matrix(shown: Any) -> None:
    """A machine's matrix in colors, where standard output is a terminal with room for it."""
    import matplotlib
    from rich.console import Console
    from rich.text import Text

    from . import style

    console = Console(highlight=False)
    if not console.is_terminal or 2 * shown.cpus > console.width or console.color_system is None:
        return
    order = sorted(range(shown.cpus), key=lambda cpu: (shown.socket_of[cpu], cpu))
    known = [v for row in shown.matrix_ns.tolist() for v in row if not math.isnan(v)]
    low, high = min(known), max(known)
    colors = matplotlib.colormaps[style.HEAT]
    console.print()
    for row in order:
        line = Text()
        for column in order:
            value = float(shown.matrix_ns[row, column])
            share = (value - low) / (high - low) if high > low else 0.0
            red, green, blue, _ = colors(0.0 if math.isnan(value) else share, bytes=True)
            line.append("  ", style="" if math.isnan(value) else f"on rgb({red},{green},{blue})")
        console.print(line)
    console.print(f"{style.short(low)} ns is dark, {style.short(high)} ns is bright")


@machine_app.command("show")
def machine_show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A preset, or a FILE.csv of core-to-core-latency.")
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help=OUT_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Show a machine: its topology, its figures with their sources, its matrix.

    Example:

        linuxhost machine show dual-xeon-e5540 --out matrix.svg
    """
    with one_line("machine show"):
        from . import machine

        if out is not None:
            check_output("out", out, (".svg", ".pdf", ".png"))
        shown = machine.load(name)
        if as_json:
            typer.echo(json.dumps(shown.to_json()))
        else:
            typer.echo(machine.summary(shown))
            rows = [list(row) for row in machine.figures_table(shown)]
            if rows:
                typer.echo()
                _print_table("", ["figure", "value", "kind", "source"], rows, {1})
            else:
                typer.echo("  no sources: the defaults of ns3::linuxhost::HostMachine")
            _print_matrix(shown)
        _save(lambda: machine.picture(shown), out)


@machine_app.command("import")
def machine_import(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.csv", help="A CSV file of core-to-core-latency.")
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help=OUT_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Check a matrix of your own box, and say what a run would take it for.

    Example:

        core-to-core-latency --csv > my-box.csv; linuxhost machine import my-box.csv
    """
    with one_line("machine import"):
        from . import machine
        from .tables import InputError

        if file.suffix.lower() != ".csv" or not file.is_file():
            raise InputError("FILE", file, "a .csv file that is there")
        if out is not None:
            check_output("out", out, (".svg", ".pdf", ".png"))
        shown = machine.load(str(file), "FILE")
        if as_json:
            typer.echo(json.dumps(shown.to_json()))
        else:
            typer.echo(machine.summary(shown))
            typer.echo(f"Take it for a run with --machine={file}")
            _print_matrix(shown)
        _save(lambda: machine.picture(shown), out)


@machine_app.command("compare")
def machine_compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A preset or a FILE.csv.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help=OUT_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Set two machines side by side.

    Example:

        linuxhost machine compare dual-xeon-e5540 my-box.csv --out both.svg
    """
    with one_line("machine compare"):
        from . import machine, style

        if out is not None:
            check_output("out", out, (".svg", ".pdf", ".png"))
        one, other = machine.load(a, "A"), machine.load(b, "B")
        rows = machine.compare(one, other)
        if as_json:
            plain = [
                {"name": n, "a": _number(x), "b": _number(y), "unit": unit}
                for n, x, y, unit in rows
            ]
            typer.echo(json.dumps({"a": one.name, "b": other.name, "rows": plain}))
        else:
            texts = [
                [n, style.number(x), style.number(y), unit, f"{y / x:.2f}" if _ratio(x, y) else ""]
                for n, x, y, unit in rows
            ]
            _print_table("", ["", one.name, other.name, "unit", "B / A"], texts, {1, 2, 4})
        _save(lambda: machine.compare_picture([one, other]), out)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _ratio(a: float, b: float) -> bool:
    return not math.isnan(a) and not math.isnan(b) and a != 0 and a != b


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(plot)
    app.command()(report)
    app.add_typer(machine_app, name="machine")
