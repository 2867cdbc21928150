# SPDX-License-Identifier: GPL-2.0-only
"""A report: one HTML page with results, pictures, sources and how to repeat them.

The page needs nothing but itself: no network, no script. Its pictures are SVG in the page.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from . import binaries, machine, plots, style, tables
from .errors import LinuxHostError
from .tables import CI, InputError, Result

# More rows than this are in the files, not in the page.
MOST_ROWS = 200
PROFILE_ROWS = 15
MOST_FAILED = 20


#: A picture to be drawn, with its caption; None where the points are such that it cannot be.
Plan = Callable[[], "tuple[str, Figure | None]"]


@dataclass
class Drawn:
    """A picture of the page."""

    svg: Markup
    caption: str


@dataclass
class Table:
    """A table of the page: texts, and which columns are numbers."""

    columns: list[str]
    rows: list[list[str]]
    right: list[bool]
    left_out: int = 0


@dataclass
class Section:
    """What the page says of one scenario."""

    name: str
    anchor: str
    lead: str
    compared: Table | None = None
    sources: list[str] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    pictures: list[Drawn] = field(default_factory=list)
    points: Table | None = None
    profiles: list[tuple[str, Table]] = field(default_factory=list)
    moved: list[tuple[str, Table]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """A page, and how much is on it."""

    text: str
    points: int
    failed: int
    scenarios: list[str]
    pictures: int


def value_and_interval(value: float, half: float) -> str:
    """A metric's value with its 95 % half-width in per cent."""
    text = style.number(value)
    if half == half and value and half > 1e-5 * abs(value):
        text += f" \u00b1 {100 * half / abs(value):.2g} %"
    return text


def compared_table(
    table: pd.DataFrame,
    figures: Sequence[tables.Published],
    settings: dict[str, dict[str, str]],
) -> tuple[Table | None, list[str]]:
    """Simulated beside published, where something was published of these very settings.

    Returns the table and the list of sources that its last column counts from 1.
    """
    by = [*tables.settings_that_vary(table, ["variant"]), "variant"]
    rows = []
    sources: dict[str, int] = {}
    for record in table.to_dict("records"):
        row = {str(name): value for name, value in record.items()}
        found = tables.published_for(row, figures, settings)
        for metric, figure in found.items():
            simulated = row.get(metric, math.nan)
            if metric.startswith("share:") or not isinstance(simulated, (int, float)):
                continue
            error = 100 * (simulated / figure.value - 1) if figure.value else math.nan
            source = sources.setdefault(figure.source, len(sources) + 1)
            rows.append(
                [
                    plots.names_of(by, [row[name] for name in by]),
                    style.axis_label(metric),
                    style.number(figure.value),
                    value_and_interval(simulated, float(row.get(metric + CI, math.nan))),
                    f"{error:+.1f} %",
                    "fitted" if figure.fitted else "predicted",
                    f"[{source}]",
                ]
            )
    if not rows:
        return None, []
    heads = ["case", "metric", "published", "simulated", "error", "", "source"]
    return Table(heads, rows, [False, False, True, True, True, False, False]), list(sources)


def points_table(table: pd.DataFrame) -> Table:
    """Every point with its settings and metrics."""
    settings = [*tables.settings_that_vary(table, ["variant"])]
    if "variant" in table.columns:
        settings.append("variant")
    if "seed" in table.columns and table["seed"].nunique() > 1:
        settings.append("seed")
    metrics = [name for name in tables.metrics_of(table) if table[name].notna().any()]
    rows = []
    for record in table.head(MOST_ROWS).to_dict("records"):
        row = {str(name): value for name, value in record.items()}
        texts = [tables.value_text(row[name]) for name in settings]
        for name in metrics:
            half = float(row.get(name + CI, math.nan))
            texts.append(value_and_interval(float(row[name]), half))
        rows.append(texts)
    heads = [style.axis_label(name, plots.units_of(table)) for name in settings + metrics]
    right = [tables.is_number(table, name) for name in settings] + [True] * len(metrics)
    return Table(heads, rows, right, max(0, len(table) - MOST_ROWS))


def profile_table(
    result: Result,
    figures: Sequence[tables.Published],
    settings: dict[str, dict[str, str]],
) -> Table:
    """A result's profile as perf prints it, beside published shares."""
    known = tables.published_for(tables.result_row(result), figures, settings)
    rows = []
    for row in result["profile"][:PROFILE_ROWS]:
        figure = known.get(f"share:{row['symbol']}")
        rows.append(
            [
                row["symbol"],
                f"{100 * row['share']:.2f} %",
                f"{figure.value:g} %" if figure else "",
                style.number(row["ns_per_frame"]),
            ]
        )
    return Table(
        ["symbol", "CPU time", "published", "ns a frame"],
        rows,
        [False, True, True, True],
        max(0, len(result["profile"]) - PROFILE_ROWS),
    )


def lines_table(result: Result) -> Table:
    """The cache lines that moved in a result."""
    rows = [
        [row["line"], f"{row['transfers_per_frame']:.2f}", f"{100 * row['busy']:.1f} %"]
        for row in result.get("lines", [])[:PROFILE_ROWS]
    ]
    return Table(["line", "transfers a frame", "busy"], rows, [False, True, True])


def figures_table(results: Sequence[Result]) -> Table | None:
    """Every figure that shaped a run, once, the fitted ones first."""
    order = {"fitted": 0, "calibrated": 1, "set": 2, "assumed": 3, "counted": 4, "literature": 5}
    found: dict[tuple[Any, ...], list[str]] = {}
    for result in results:
        for figure in result.get("free_parameters", []):
            key = (
                figure["kind"],
                figure["name"],
                figure["value"],
                figure["unit"],
                figure["provenance"],
            )
            used = f"{result['scenario']} on {result['machine']}"
            if used not in found.setdefault(key, []):
                found[key].append(used)
    if not found:
        return None
    rows = []
    for key in sorted(found, key=lambda key: (order.get(key[0], 6), key[1], str(key[2]))):
        kind, name, value, unit, provenance = key
        text = style.number(float(value)) if isinstance(value, (int, float)) else str(value)
        rows.append([name, f"{text} {unit}".strip(), kind, provenance, "; ".join(found[key])])
    return Table(
        ["figure", "value", "kind", "source", "used by"], rows, [False, True, False, False, False]
    )


def options_of(scenario: str) -> set[str] | None:
    """The options of a scenario's program, as itself describes them; None where it is not built."""
    try:
        program = binaries.need(scenario)
        done = subprocess.run(
            [str(program), "--describe"], capture_output=True, text=True, check=True, timeout=20
        )
        return {option["name"] for option in json.loads(done.stdout)["options"]}
    except (LinuxHostError, OSError, subprocess.SubprocessError, ValueError, KeyError):
        return None


def command_of(row: dict[str, Any], params: Sequence[str], options: set[str] | None) -> str:
    """What to type for a point: the settings that are options of its scenario."""
    parts = ["linuxhost", "run", str(row["scenario"])]
    for name in dict.fromkeys(["variant", "machine", *params, "seed"]):
        value = row.get(name)
        if name == "scenario" or value is None or value != value:
            continue
        option = name if options is None or name in options else name.replace("_", "-")
        if options is not None and option not in options:
            continue
        if isinstance(value, bool):
            text = "1" if value else "0"
        else:
            text = f"{value:.10g}" if isinstance(value, float) else str(value)
        parts.append(f"--{option}={text}")
    return " ".join(parts)


def _try(draw: Callable[[], Figure]) -> Figure | None:
    """A picture, if the points are such that it can be drawn."""
    try:
        return draw()
    except InputError:
        return None


def plans_of(
    table: pd.DataFrame,
    results: Sequence[Result],
    figures: Sequence[tables.Published],
    settings: dict[str, dict[str, str]],
) -> list[Plan]:
    """The pictures that suit a scenario's points."""
    varying = tables.settings_that_vary(table, ["variant"])
    numbers = [name for name in varying if tables.is_number(table, name)]
    variants = set(table["variant"]) if "variant" in table.columns else set()
    if not tables.metrics_of(table):
        return []
    y = tables.main_metric(table)
    plans: list[Plan] = []
    known = [
        y in tables.published_for({str(k): v for k, v in row.items()}, figures, settings)
        for row in table.to_dict("records")
    ]
    if any(known) or not numbers:
        chosen = table[known] if any(known) else table
        said = "Simulated beside published." if any(known) else "Before and after the patch."
        plans.append(lambda: (said, _try(lambda: plots.before_after(chosen, y, figures, settings))))
    if numbers:
        x = "cpus" if "cpus" in numbers else max(numbers, key=lambda n: table[n].nunique())
        sweep = with_curves(table, x, [name for name in varying if name != x])
        varying = tables.settings_that_vary(sweep, ["variant"])
        words = f"{style.label_of(y)[0].capitalize()} against {style.label_of(x)[0]}"

        def curves() -> tuple[str, Figure | None]:
            drawn = _try(lambda: plots.curve(sweep, x, y))
            if drawn is None and variants:
                mean = _try(lambda: plots.curve(sweep, x, y, ["variant"]))
                return f"{words}: the mean over all other settings.", mean
            return f"{words}; bands are 95 % intervals.", drawn

        plans.append(curves)
        if {"before", "after"} <= variants:
            ratio = f"What the patch makes of it, against {style.label_of(x)[0]}."
            plans.append(lambda: (ratio, _try(lambda: plots.speedup(sweep, x, y))))
        if len(varying) == 2:
            b = next(name for name in varying if name != x)
            both = f"{words} and {style.label_of(b)[0]}."
            plans.append(lambda: (both, _try(lambda: plots.heat_map(sweep, x, b, y))))
    shown = main_results(results, figures, settings)
    if shown:
        time = "Where the CPU time goes."
        if any(
            metric.startswith("share:")
            for result in shown
            for metric in tables.published_for(tables.result_row(result), figures, settings)
        ):
            time = "Where the CPU time goes; diamonds are published shares."
        plans.append(
            lambda: (time, _try(lambda: plots.profile_shares(shown, 12, figures, settings)))
        )
    return plans


def main_results(
    results: Sequence[Result],
    figures: Sequence[tables.Published],
    settings: dict[str, dict[str, str]],
) -> list[Result]:
    """Up to four results whose profiles are shown.

    Of each variant the first of those that profiles were published of, else the last (the largest
    of a sweep).
    """
    shown = [result for result in results if result.get("profile")]
    if len(shown) <= 4:
        return shown
    known = [
        result
        for result in shown
        if any(
            metric.startswith("share:")
            for metric in tables.published_for(tables.result_row(result), figures, settings)
        )
    ]
    chosen: dict[str, Result] = {}
    for result in known or reversed(shown):
        chosen.setdefault(result["variant"], result)
    return [r for r in shown if any(r is one for one in chosen.values())][:4]


def with_curves(table: pd.DataFrame, x: str, by: list[str]) -> pd.DataFrame:
    """The rows that belong to a curve of x, not those that stand alone."""
    if not by:
        return table
    places = table.groupby(by, dropna=False)[x].transform("nunique")
    return table[places > 1].reset_index(drop=True)


def machine_pictures(names: Sequence[str], on_drawn: Callable[[], None]) -> list[Drawn]:
    """The matrices of the machines that were run on, where the pack is built."""
    drawn = []
    for number, name in enumerate(names, 1):
        on_drawn()
        try:
            shown = machine.load(name)
        except LinuxHostError:
            continue
        medians = [
            f"{value:.1f} ns {what}"
            for (key, value), what in zip(
                shown.medians().items(),
                ("between threads of a core", "in a socket", "across sockets"),
                strict=True,
            )
            if not math.isnan(value)
        ]
        caption = f"{shown.name}: {shown.cpus} CPUs; a line takes " + ", ".join(medians) + "."
        svg = style.inline_svg(machine.picture(shown), f"machine-{number}", caption)
        # A matrix of hundreds of CPUs is a bitmap inside; a large one is left out all the same.
        if len(svg) < 1_500_000:
            drawn.append(Drawn(Markup(svg), caption))
    return drawn


def section_of(
    name: str,
    table: pd.DataFrame,
    results: Sequence[Result],
    figures: Sequence[tables.Published],
    settings: dict[str, dict[str, str]],
    number: int,
) -> Section:
    """What the page says of a scenario."""
    anchor = f"scenario-{number}"
    machines = list(dict.fromkeys(table["machine"])) if "machine" in table.columns else []
    points = "1 point" if len(table) == 1 else f"{len(table)} points"
    where = f" on {', '.join(map(str, machines))}" if machines else ""
    section = Section(name, anchor, f"{points}{where}.")
    section.compared, section.sources = compared_table(table, figures, settings)
    section.plans = plans_of(table, results, figures, settings)
    section.points = points_table(table)
    main = main_results(results, figures, settings)
    shown = list(zip(plots.result_labels(main) if main else [], main, strict=True))
    section.profiles = [
        (label, profile_table(result, figures, settings))
        for label, result in shown
        if result.get("profile")
    ]
    section.moved = [(label, lines_table(r)) for label, r in shown if r.get("lines")]
    options = options_of(name)
    params = [n for n in tables.params_of(table) if n not in ("scenario", "variant", "machine")]
    commands = [
        command_of({str(k): v for k, v in row.items()}, params, options)
        for row in table.head(MOST_ROWS).to_dict("records")
    ]
    section.commands = list(dict.fromkeys(commands))[:24]
    return section


def versions(table: pd.DataFrame) -> list[tuple[str, str]]:
    """What made the results and the page."""
    found = []
    if "model_version" in table.columns:
        models = ", ".join(map(str, dict.fromkeys(table["model_version"].dropna())))
        found.append(("model", models))
    for package in ("linuxhost", "matplotlib", "pandas"):
        try:
            found.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            continue
    found.append(("Python", platform.python_version()))
    return found


def now() -> str:
    """The date of the page; SOURCE_DATE_EPOCH, where it is set, so that it can be made again."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = (
        datetime.fromtimestamp(int(epoch), timezone.utc)
        if epoch.isdigit()
        else datetime.now(timezone.utc)
    )
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def failures(failed: Sequence[pd.DataFrame]) -> list[str]:
    """The points that failed, a line each, with what was said."""
    lines = []
    for table in failed:
        names = [n for n in tables.params_of(table) if n in table.columns]
        for row in table.to_dict("records"):
            settings = " ".join(f"{n}={row[n]}" for n in names if row[n] == row[n])
            lines.append(f"{settings}: {row['error']}")
    return list(dict.fromkeys(lines))


def gather(files: Sequence[Path]) -> tuple[pd.DataFrame, list[Result], list[str]]:
    """What is in several files, together; a point that is in two of them counts once.

    Returns the table, the results, and what is said of points that failed.
    """
    loaded = [tables.load_with_failed(file) for file in files]
    table = tables.together([one for one, _, _ in loaded])
    keys = [n for n in table.columns if n in tables.params_of(table) or n == "seed"]
    table = table[~table.astype(str).duplicated(subset=keys, keep="first")].reset_index(drop=True)
    results: dict[str, Result] = {}
    for _, some, _ in loaded:
        for result in some:
            key = [result[n] for n in ("scenario", "variant", "machine", "params", "seed")]
            results.setdefault(json.dumps(key, sort_keys=True), result)
    return table, list(results.values()), failures([failed for _, _, failed in loaded])


def render(
    files: Sequence[Path], title: str, on_progress: Callable[[int, int], None] | None = None
) -> Page:
    """The page; on_progress is told how many pictures are drawn, and of how many."""
    table, results, failed = gather(files)
    if "scenario" not in table.columns:
        table.insert(0, "scenario", "(not named)")
    figures, settings = tables.read_published(), tables.read_settings()
    sections = []
    scenarios = list(dict.fromkeys(map(str, table["scenario"])))
    for number, name in enumerate(scenarios, 1):
        own = table[table["scenario"].astype(str) == name]
        own = own.dropna(axis="columns", how="all").reset_index(drop=True)
        some = [result for result in results if result["scenario"] == name]
        sections.append(section_of(name, own, some, figures, settings, number))
    machines = list(dict.fromkeys(map(str, table["machine"]))) if "machine" in table.columns else []
    total = sum(len(section.plans) for section in sections) + len(machines)
    begun = 0

    def one_more() -> None:
        nonlocal begun
        if on_progress is not None:
            on_progress(begun, total)
        begun += 1

    for section in sections:
        for number, plan in enumerate(section.plans, 1):
            one_more()
            caption, figure = plan()
            if figure is not None:
                svg = style.inline_svg(figure, f"{section.anchor}-{number}", caption)
                section.pictures.append(Drawn(Markup(svg), caption))
    matrices = machine_pictures(machines, one_more)
    one_more()
    environment = Environment(
        loader=PackageLoader("linuxhost"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    text = environment.get_template("report.html").render(
        title=title,
        date=now(),
        sections=sections,
        machines=matrices,
        figures=figures_table(results),
        versions=versions(table),
        files=[file.name for file in files],
        failed=failed[:MOST_FAILED],
        more_failed=max(0, len(failed) - MOST_FAILED),
    )
    pictures = sum(len(section.pictures) for section in sections) + len(matrices)
    return Page(text, len(table), len(failed), scenarios, pictures)
