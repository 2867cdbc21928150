#!/usr/bin/env python3
"""Draw simulated curves beside measured ones, and write their errors into the documentation.

    scripts/plot_validation.py                          run the built examples, then draw
    scripts/plot_validation.py --save=build/lines.jsonl  the same, and keep their results
    scripts/plot_validation.py --results=build/lines.jsonl  draw from kept results

The pictures go to doc/figures/. The tables replace what stands between `<!-- table: NAME -->` and
`<!-- end of table -->` in README.md and doc/validation.md, so that no number is typed by hand.
Needs what the package linuxhost needs.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

try:
    from linuxhost import style
except ImportError as error:
    sys.exit(f"plot_validation.py: {error}; python3 -m pip install '{ROOT}' has what it needs")

from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

# What is run when no results are given: an example and its options.
RUNS: list[tuple[str, list[str]]] = [
    ("sit-lockless-xmit", ["--tunnel=sit"]),
    ("sit-lockless-xmit", ["--tunnel=ipip"]),
    ("sit-lockless-xmit", ["--tunnel=gre"]),
    ("sit-lockless-xmit", ["--tunnel=none", "--variant=after"]),
    ("lock-scaling", []),
    ("lock-scaling", ["--lock=mcs", "--serial=400", "--fraction=0.02"]),
    ("lock-scaling", ["--machine=dual-xeon-e5540", "--atomic"]),
    ("lock-scaling", ["--machine=dual-xeon-skylake-sp", "--atomic"]),
    ("lock-scaling", ["--machine=platinum-8176", "--primitive=rwlock"]),
    ("lock-scaling", ["--machine=platinum-8176", "--primitive=refcount"]),
    ("lock-scaling", ["--machine=platinum-8176", "--primitive=rwsem"]),
    ("lock-scaling", ["--machine=platinum-8176", "--primitive=rcu"]),
    (
        "lock-scaling",
        ["--machine=westmere-ex", "--lock=qspinlock", "--serial=0", "--cpus=3-8"],
    ),
]

# The other patches, run when they have been built: their defaults play what was published.
OTHER_PATCHES = ["saddr-rcu", "tun-read-wakeup", "vlan-offload"]

TUNNELS = {"sit": "sit", "ipip": "ipip", "gre": "gre", "none": "plain UDP"}

Result = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """A figure that was measured: of a case, with so many CPUs or in a variant."""

    scenario: str
    case: str
    variant: str
    metric: str
    value: float
    fitted: str


@dataclass(frozen=True)
class Pair:
    """A measured and a simulated figure at so many CPUs."""

    cpus: int
    measured: float
    simulated: float

    @property
    def error(self) -> float:
        return 100 * (self.simulated / self.measured - 1)


@dataclass(frozen=True)
class Curve:
    """A curve of lock-scaling that was measured."""

    figure: str  # name of its picture
    case: str  # as in measured-locks.csv
    metric: str  # of the result
    title: str
    ylabel: str
    logarithmic: bool


OLS_TITLE = "ticket lock, 48-core Opteron: {} cycles inside, {} % of the work"

CURVES = [
    Curve(
        f"ols2012-{serial}-{fraction * 100:g}".replace(".", "_"),
        f"opteron-6172-48 ticket s={serial} f={fraction:g}",
        "speedup",
        OLS_TITLE.format(serial, f"{fraction * 100:g}"),
        "speed-up",
        False,
    )
    for serial, fraction in [
        (400, 0.002),
        (400, 0.004),
        (400, 0.02),
        (400, 0.032),
        (1600, 0.02),
        (25600, 0.02),
    ]
] + [
    Curve(
        "atomic-e5540",
        "dual-xeon-e5540 atomic",
        "ns_per_operation",
        "atomic_inc of one word, two quad-core Nehalems",
        "ns an operation, each CPU",
        False,
    ),
    Curve(
        "atomic-skylake",
        "dual-xeon-skylake-sp atomic",
        "ns_per_operation",
        "atomic_inc of one word, Skylake-SP",
        "ns an operation, each CPU",
        True,
    ),
    Curve(
        "rwlock-platinum",
        "platinum-8176 rwlock",
        "ns_per_operation",
        "read_lock and read_unlock of one qrwlock, Platinum 8176",
        "ns a pair, each CPU",
        True,
    ),
    Curve(
        "refcount-platinum",
        "platinum-8176 refcount",
        "ns_per_operation",
        "inc and dec of one reference count, Platinum 8176",
        "ns a pair, each CPU",
        True,
    ),
    Curve(
        "rwsem-platinum",
        "platinum-8176 rwsem",
        "ns_per_operation",
        "down_read and up_read of one semaphore, Platinum 8176",
        "ns a pair, each CPU",
        True,
    ),
    Curve(
        "rcu-platinum",
        "platinum-8176 rcu",
        "ns_per_operation",
        "rcu_read_lock and rcu_read_unlock, Platinum 8176",
        "ns a pair, each CPU",
        True,
    ),
    Curve(
        "qspinlock-westmere",
        "westmere-ex qspinlock s=0 f=0.02",
        "ns_per_operation_system",
        "queued spin lock in a loop, Westmere-EX",
        "ns a pair, all CPUs together",
        False,
    ),
]


def fail(message: str) -> None:
    """Say what is wrong in one line, and end."""
    sys.exit(f"plot_validation.py: {message}")


def read_points(path: Path) -> list[Point]:
    """Read published.csv or measured-locks.csv."""
    points = []
    with path.open(newline="", encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        for row in csv.reader(lines):
            scenario, case, variant, metric, value, fitted = row[:6]
            points.append(Point(scenario, case, variant, metric, float(value), fitted))
    return points


def read_results(path: Path) -> list[Result]:
    """Read a file of one linux-host.result/1 object a line."""
    results = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            result = json.loads(line)
        except json.JSONDecodeError as error:
            fail(f"{path}:{number}: not JSON: {error}")
        if result.get("schema") != "linux-host.result/1":
            fail(f"{path}:{number}: not a linux-host.result/1 object")
        results.append(result)
    return results


def run_examples(folder: Path, save: Path | None) -> list[Result]:
    """Run the examples in a folder, and collect their results."""
    lines: list[str] = []
    runs = RUNS + [(name, []) for name in OTHER_PATCHES if (folder / name).is_file()]
    for number, (name, options) in enumerate(runs, 1):
        program = folder / name
        if not program.is_file():
            fail(f"{program} is not there; scripts/reproduce builds it")
        print(f"[{number}/{len(runs)}] {name} {' '.join(options)}", file=sys.stderr)
        done = subprocess.run(
            [str(program), *options, "--json=-"], stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode != 0:
            fail(f"{name} {' '.join(options)} ended with {done.returncode}")
        lines += done.stdout.splitlines()
    if save:
        save.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [json.loads(line) for line in lines]


def lock_case(result: Result) -> str:
    """Which measured case a result of lock-scaling is, as measured-locks.csv names it."""
    params = result["params"]
    if params["primitive"] != "lock":
        return f"{result['machine']} {params['primitive']}"
    return (
        f"{result['machine']} {params['lock']} s={params['serial_cycles']:g}"
        f" f={params['serial_fraction']:g}"
    )


def select(results: Iterable[Result], case: str) -> dict[int, Result]:
    """The results of a case of lock-scaling, by number of CPUs."""
    found = {}
    for result in results:
        if result["scenario"] == "lock-scaling" and lock_case(result) == case:
            found[result["params"]["cpus"]] = result
    return dict(sorted(found.items()))


def find_case(results: Iterable[Result], point: Point) -> Result | None:
    """The result that a published figure is about; of its case, what is a setting is compared."""
    found = None
    for result in results:
        if (result["scenario"], result["variant"]) != (point.scenario, point.variant):
            continue
        wanted = [setting.split("=", 1) for setting in point.case.split() if "=" in setting]
        if all(str(result["params"].get(name, value)) == value for name, value in wanted):
            found = result
    return found


def find_tunnel(results: Iterable[Result], tunnel: str, variant: str) -> Result | None:
    """The result of sit-lockless-xmit for a tunnel and a variant."""
    found = None
    for result in results:
        if result["scenario"] == "sit-lockless-xmit" and result["variant"] == variant:
            if result["params"]["tunnel"] == tunnel:
                found = result
    return found


def pairs_of(curve: Curve, points: Iterable[Point], results: Iterable[Result]) -> list[Pair]:
    """Measured and simulated figures of a curve, where there are both."""
    simulated = select(results, curve.case)
    return [
        Pair(
            int(point.variant), point.value, simulated[int(point.variant)]["metrics"][curve.metric]
        )
        for point in points
        if point.case == curve.case and int(point.variant) in simulated
    ]


# -------------------------------------------------------------------------------------------------
# Pictures


def write_figure(figure: Figure, name: str, folders: list[tuple[Path, str]]) -> None:
    """Write a picture in each format that is wanted."""
    for folder, ending in folders:
        folder.mkdir(parents=True, exist_ok=True)
        style.save(figure, folder / f"{name}.{ending}", dpi=120)


def set_axes(axes: Axes, curve: Curve, pairs: list[Pair]) -> None:
    """Labels and scales of a curve's picture."""
    axes.set_title(curve.title)
    axes.set_xlabel("CPUs")
    axes.set_ylabel(curve.ylabel)
    if not curve.logarithmic:
        axes.set_ylim(0, 1.15 * axes.dataLim.y1)
        axes.set_xlim(left=0)
        return
    style.set_log_axis(axes, "x", [pair.cpus for pair in pairs])
    style.set_log_axis(axes, "y", [], base=10)
    if max(pair.measured for pair in pairs) < 1:
        axes.set_ylim(0.1, 10)


def draw_curve(
    curve: Curve, pairs: list[Pair], results: list[Result], folders: list[tuple[Path, str]]
) -> None:
    """One picture: what was measured, and what was simulated."""
    figure, axes = style.new_figure(5.6, 3.5)
    axes.plot(
        [pair.cpus for pair in pairs],
        [pair.measured for pair in pairs],
        color=style.PUBLISHED,
        marker="o",
        markersize=4.5,
        linestyle="none",
        label="measured",
    )
    simulated = select(results, curve.case)
    axes.plot(
        list(simulated),
        [result["metrics"][curve.metric] for result in simulated.values()],
        color=style.SIMULATED,
        linewidth=1.8,
        label="simulated",
    )
    queued = select(results, curve.case.replace(" ticket ", " mcs "))
    if queued and " ticket " in curve.case:
        axes.plot(
            list(queued),
            [result["metrics"][curve.metric] for result in queued.values()],
            color=style.GREEN,
            linewidth=1.5,
            linestyle="--",
            label="simulated, --lock=mcs",
        )
    set_axes(axes, curve, pairs)
    axes.legend()
    write_figure(figure, curve.figure, folders)


def draw_bars(axes: Axes, bars: list[tuple[str, float, float, str]]) -> None:
    """Pairs of bars: published beside simulated, with what is fitted said."""
    width = 0.38
    places = range(len(bars))
    for shift, column, color, label, hatch in (
        (-width / 2, 1, style.PUBLISHED, "published", ""),
        (width / 2, 2, style.SIMULATED, "simulated", "//"),
    ):
        heights = [float(bar[column]) for bar in bars]
        drawn = axes.bar(
            [place + shift for place in places],
            heights,
            width,
            color=color,
            label=label,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.6,
        )
        axes.bar_label(drawn, fmt="%.2f", fontsize=8, padding=2)
    axes.set_xticks(list(places), [bar[0] + ("\n(fitted)" if bar[3] else "") for bar in bars])
    axes.margins(y=0.12)


def draw_tunnels(
    points: list[Point], results: list[Result], folders: list[tuple[Path, str]]
) -> bool:
    """The README's picture: frames a second of each tunnel, before and after."""
    bars: list[tuple[str, float, float, str]] = []
    for tunnel, name in TUNNELS.items():
        for variant in ("before", "after"):
            result = find_tunnel(results, tunnel, variant)
            if result is None or (tunnel == "none" and variant == "before"):
                continue
            point = published(points, tunnel, variant, "pps")
            label = name if tunnel == "none" else f"{name}\n{variant}"
            bars.append((label, point.value / 1e6, result["metrics"]["pps"] / 1e6, point.fitted))
    if not bars:
        return False
    figure, axes = style.new_figure(7.2, 3.4)
    draw_bars(axes, bars)
    axes.set_ylabel("million frames a second")
    axes.set_title("16 threads send UDP on two Xeon E5540: the lockless transmit patch")
    axes.grid(axis="x", visible=False)
    axes.legend(loc="upper left")
    write_figure(figure, "sit-lockless-xmit", folders)
    return True


def draw_streams(
    points: list[Point], results: list[Result], folders: list[tuple[Path, str]]
) -> bool:
    """What netperf says of the vlan transmit patch: throughput, and service demands."""
    figure = Figure(figsize=(8.4, 3.4))
    panels = figure.subplots(1, 2, width_ratios=[1, 2])
    for axes, metrics, scale, ylabel in (
        (panels[0], {"goodput_mbps": "throughput"}, 1e-3, "Gb/s"),
        (panels[1], {"send_us_per_kb": "sender", "recv_us_per_kb": "receiver"}, 1, "us/KB"),
    ):
        bars = []
        for metric, name in metrics.items():
            for point in points:
                result = find_case(results, point)
                if (point.scenario, point.metric) != ("vlan-offload", metric) or result is None:
                    continue
                label = f"{name}\n{point.variant}"
                simulated = result["metrics"][metric] * scale
                bars.append((label, point.value * scale, simulated, point.fitted))
        if not bars:
            return False
        draw_bars(axes, bars)
        axes.set_ylabel(ylabel)
        axes.grid(axis="x", visible=False)
    panels[0].margins(y=0.3)
    panels[0].legend(loc="upper left")
    figure.suptitle("A TCP stream over a tagged link: the vlan transmit patch", fontsize=10)
    write_figure(figure, "vlan-offload", folders)
    return True


# -------------------------------------------------------------------------------------------------
# Tables


def published(points: Iterable[Point], tunnel: str, variant: str, metric: str) -> Point:
    """A published figure of a tunnel."""
    for point in points:
        if (point.case, point.variant, point.metric) == (f"tunnel={tunnel}", variant, metric):
            return point
    fail(f"published.csv has no {metric} of tunnel={tunnel}, {variant}")
    raise AssertionError


def error_text(error: float) -> str:
    """An error in per cent."""
    return f"{error:+.1f} %"


def figure_text(value: float) -> str:
    """A metric's value."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def cpus_text(cpus: int) -> str:
    """A number of CPUs, in words."""
    return "1 CPU" if cpus == 1 else f"{cpus} CPUs"


def duration(seconds: float) -> str:
    """A time as time(1) prints it."""
    return f"{int(seconds // 60)}m{seconds % 60:.3f}s"


def table(header: list[str], rows: Iterable[list[str]], left: int = 1) -> str:
    """A Markdown table; all but the first columns are aligned right."""
    lines = ["| " + " | ".join(header) + " |"]
    lines.append("|" + "|".join("---" if i < left else "--:" for i in range(len(header))) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def tunnel_table(points: list[Point], results: list[Result]) -> str:
    """Time and rate of each tunnel."""
    rows = []
    errors = []
    for tunnel, name in TUNNELS.items():
        for variant in ("before", "after"):
            result = find_tunnel(results, tunnel, variant)
            if result is None or (tunnel == "none" and variant == "before"):
                continue
            real = published(points, tunnel, variant, "real_s")
            rate = published(points, tunnel, variant, "pps")
            simulated = result["metrics"]["pps"]
            error = 100 * (simulated / rate.value - 1)
            fitted = bool(rate.fitted)
            if not fitted:
                errors.append(abs(error))
            rows.append(
                [
                    name if tunnel == "none" else f"{name}, {variant}",
                    duration(real.value),
                    duration(result["metrics"]["real_s"]),
                    f"{rate.value / 1e6:.3f}",
                    f"{simulated / 1e6:.3f}",
                    error_text(error),
                    "fitted" if fitted else "predicted",
                ]
            )
    text = table(
        [
            "160 M frames, 16 threads",
            "published",
            "simulated",
            "published, Mpps",
            "simulated, Mpps",
            "error",
            "",
        ],
        rows,
    )
    if errors:
        text += (
            f"\n\nMean absolute error of the {len(errors)} predictions: "
            f"{sum(errors) / len(errors):.1f} %; largest: {max(errors):.1f} %."
        )
    return text


def profile_table(points: list[Point], results: list[Result]) -> str:
    """Profiles, published and simulated."""
    rows = []
    for tunnel in ("sit", "ipip", "gre"):
        for variant in ("before", "after"):
            result = find_tunnel(results, tunnel, variant)
            if result is None:
                continue
            shares = {row["symbol"]: 100 * row["share"] for row in result["profile"]}
            places = {row["symbol"]: i for i, row in enumerate(result["profile"], 1)}
            for point in points:
                if point.case != f"tunnel={tunnel}" or point.variant != variant:
                    continue
                if not point.metric.startswith("share:"):
                    continue
                symbol = point.metric.removeprefix("share:")
                share = shares.get(symbol, 0.0)
                rows.append(
                    [
                        f"{tunnel}, {variant}",
                        f"`{symbol}`",
                        f"{point.value:.1f}",
                        f"{share:.1f}",
                        f"{share - point.value:+.1f}",
                        str(places.get(symbol, "-")),
                    ]
                )
    return table(
        ["", "symbol", "published, %", "simulated, %", "points off", "place, simulated"],
        rows,
        left=2,
    )


def patch_table(points: list[Point], results: list[Result]) -> str:
    """What was published of the other patches."""
    rows = []
    for point in points:
        result = find_case(results, point)
        if point.scenario == "sit-lockless-xmit" or result is None:
            continue
        simulated = result["metrics"].get(point.metric)
        if simulated is None:
            continue
        rows.append(
            [
                point.scenario,
                point.case,
                point.variant,
                f"`{point.metric}`",
                figure_text(point.value),
                figure_text(simulated),
                error_text(100 * (simulated / point.value - 1)) if point.value else "",
                "fitted" if point.fitted else "predicted",
            ]
        )
    if not rows:
        return ""
    header = ["patch", "case", "variant", "metric", "published", "simulated", "error", ""]
    return table(header, rows, left=4)


NETPERF = {
    "goodput_mbps": "throughput, 10^6 bit/s",
    "send_util_pct": "sender's utilization, %",
    "recv_util_pct": "receiver's utilization, %",
    "send_us_per_kb": "sender's service demand, us/KB",
    "recv_us_per_kb": "receiver's service demand, us/KB",
}


def stream_table(points: list[Point], results: list[Result]) -> str:
    """netperf's columns of the vlan transmit patch."""
    rows = []
    errors = []
    for point in points:
        result = find_case(results, point)
        if point.scenario != "vlan-offload" or result is None:
            continue
        simulated = result["metrics"][point.metric]
        error = 100 * (simulated / point.value - 1)
        if not point.fitted:
            errors.append(abs(error))
        off = f" ({simulated - point.value:+.1f} points)" if point.metric.endswith("_pct") else ""
        rows.append(
            [
                point.variant,
                NETPERF[point.metric],
                f"{point.value:g}",
                figure_text(simulated).replace(",", ""),
                error_text(error) + off,
                "fitted" if point.fitted else "predicted",
            ]
        )
    text = table(["", "netperf's column", "published", "simulated", "error", ""], rows, left=2)
    if errors:
        text += (
            f"\n\nMean absolute error of the {len(errors)} predictions: "
            f"{sum(errors) / len(errors):.1f} %; largest: {max(errors):.1f} %."
        )
    return text


def lock_title(curve: Curve) -> str:
    """A curve's name, with a link to its picture."""
    return f"[{curve.title}](figures/{curve.figure}.svg)"


def ols_table(points: list[Point], results: list[Result]) -> str:
    """Peak and tail of the curves of OLS 2012."""
    rows = []
    for curve in CURVES:
        pairs = pairs_of(curve, points, results)
        simulated = select(results, curve.case)
        if curve.metric != "speedup" or not pairs:
            continue
        peak = max(pairs, key=lambda pair: pair.measured)
        top = max(simulated.values(), key=lambda result: float(result["metrics"]["speedup"]))
        height = top["metrics"]["speedup"]
        last = pairs[-1]
        serial, fraction = re.findall(r"[sf]=([0-9.]+)", curve.case)
        rows.append(
            [
                f"[{serial}, {float(fraction) * 100:g} %](figures/{curve.figure}.svg)",
                f"{peak.measured:.1f} at {peak.cpus}",
                f"{height:.1f} at {top['params']['cpus']}",
                error_text(100 * (height / peak.measured - 1)),
                f"{last.measured:.1f}",
                f"{last.simulated:.1f}",
                error_text(last.error),
            ]
        )
    return table(
        [
            "cycles inside, share",
            "peak, measured",
            "peak, simulated",
            "error",
            "at 48 CPUs, measured",
            "simulated",
            "error",
        ],
        rows,
    )


def curve_table(points: list[Point], results: list[Result]) -> str:
    """Errors of the other curves."""
    rows = []
    for curve in CURVES:
        pairs = pairs_of(curve, points, results)
        if curve.metric == "speedup" or not pairs:
            continue
        fitted = any(point.fitted for point in points if point.case == curve.case)
        worst = max(pairs, key=lambda pair: abs(pair.error))
        middle = [abs(pair.error) for pair in pairs if 16 <= pair.cpus <= 56]
        rows.append(
            [
                lock_title(curve),
                f"{pairs[0].cpus} to {pairs[-1].cpus}",
                f"{sum(abs(pair.error) for pair in pairs) / len(pairs):.0f} %",
                f"{worst.error:+.0f} % at {worst.cpus}",
                f"{max(middle):.0f} %" if len(middle) > 1 else "",
                "calibrated on" if fitted else "predicted",
            ]
        )
    return table(
        ["curve", "CPUs", "mean error", "worst", "worst at 16 to 56", ""],
        rows,
    )


def point_tables(points: list[Point], results: list[Result]) -> str:
    """Each point of each curve."""
    parts = []
    for curve in CURVES:
        pairs = pairs_of(curve, points, results)
        if not pairs:
            continue
        digits = 2 if max(pair.measured for pair in pairs) < 100 else 0
        rows = [
            [
                str(pair.cpus),
                f"{pair.measured:.{digits}f}",
                f"{pair.simulated:.{digits}f}",
                error_text(pair.error),
            ]
            for pair in pairs
        ]
        body = table(["CPUs", "measured", "simulated", "error"], rows, left=0)
        parts.append(
            f"<details><summary>{curve.title} ({curve.ylabel})</summary>\n\n{body}\n\n</details>"
        )
    return "\n\n".join(parts)


def lock_summary(points: list[Point], results: list[Result]) -> str:
    """What the README says of the locks."""
    rows = []
    ols = [curve for curve in CURVES if curve.metric == "speedup"]
    peaks = []
    tails = []
    for curve in ols:
        pairs = pairs_of(curve, points, results)
        simulated = select(results, curve.case)
        if pairs:
            height = max(result["metrics"]["speedup"] for result in simulated.values())
            peaks.append(abs(100 * (height / max(pair.measured for pair in pairs) - 1)))
            tails.append(abs(pairs[-1].error))
    if peaks:
        rows.append(
            [
                "six speed-up curves of a ticket lock, 1 to 48 CPUs (OLS 2012)",
                f"height of the peak {min(peaks):.0f} to {max(peaks):.0f} %, "
                f"at 48 CPUs {min(tails):.0f} to {max(tails):.0f} %",
                "one figure calibrated for all six",
            ]
        )
    for curve in CURVES:
        pairs = pairs_of(curve, points, results)
        if curve.metric == "speedup" or not pairs:
            continue
        fitted = any(point.fitted for point in points if point.case == curve.case)
        mean = sum(abs(pair.error) for pair in pairs) / len(pairs)
        worst = max(pairs, key=lambda pair: abs(pair.error))
        middle = [abs(pair.error) for pair in pairs if 16 <= pair.cpus <= 56]
        rows.append(
            [
                f"{curve.title}, {pairs[0].cpus} to {pairs[-1].cpus} CPUs",
                f"mean {mean:.0f} %, worst {worst.error:+.0f} % at {cpus_text(worst.cpus)}"
                + (f"; at 16 to 56 CPUs up to {max(middle):.0f} %" if len(middle) > 1 else ""),
                "snoop share calibrated on it" if fitted else "predicted",
            ]
        )
    return table(["measured elsewhere", "error of the simulation", ""], rows, left=3)


def replace_tables(path: Path, tables: dict[str, Callable[[], str]]) -> None:
    """Write the tables between their marks."""

    def fill(match: re.Match[str]) -> str:
        name = match.group(2)
        if name not in tables:
            fail(f"{path}: there is no table {name}")
        body = tables[name]()
        if "\n| " not in body:
            return match.group(0)  # no results for it: it stays as it is
        return f"{match.group(1)}\n{body}\n{match.group(3)}"

    text = path.read_text(encoding="utf-8")
    new = re.sub(
        r"(<!-- table: ([a-z-]+) -->).*?(<!-- end of table -->)", fill, text, flags=re.DOTALL
    )
    if new != text:
        path.write_text(new, encoding="utf-8")


def result_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that --results names: files, or folders of *.jsonl."""
    for path in paths:
        if path.is_dir():
            yield from sorted(path.glob("*.jsonl"))
        elif path.is_file():
            yield path
        else:
            fail(f"--results={path}: allowed is a file or a folder that exists")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "--bin",
        type=Path,
        default=ROOT / "build" / "examples",
        help="the folder of the built examples (default: build/examples)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        action="append",
        help="draw from this file of JSON lines, or folder of *.jsonl; repeatable",
    )
    parser.add_argument("--save", type=Path, help="keep the examples' results in this file")
    parser.add_argument("--png", type=Path, help="write the pictures as PNG too, into this folder")
    options = parser.parse_args()

    results: list[Result] = []
    if options.results:
        for path in result_files(options.results):
            results += read_results(path)
    else:
        results = run_examples(options.bin, options.save)
    data = ROOT / "examples" / "data"
    locks = read_points(data / "measured-locks.csv")
    patches = read_points(data / "published.csv")

    folders = [(ROOT / "doc" / "figures", "svg")]
    if options.png:
        folders.append((options.png, "png"))
    with style.look():
        if not draw_tunnels(patches, results, folders):
            print("no results of sit-lockless-xmit: its picture stays as it is", file=sys.stderr)
        if not draw_streams(patches, results, folders):
            print("no results of vlan-offload: its picture stays as it is", file=sys.stderr)
        for curve in CURVES:
            pairs = pairs_of(curve, locks, results)
            if pairs:
                draw_curve(curve, pairs, results, folders)
            else:
                print(f"no results of {curve.case}: its picture stays as it is", file=sys.stderr)
    tables: dict[str, Callable[[], str]] = {
        "tunnels": lambda: tunnel_table(patches, results),
        "profiles": lambda: profile_table(patches, results),
        "patches": lambda: patch_table(patches, results),
        "streams": lambda: stream_table(patches, results),
        "ols": lambda: ols_table(locks, results),
        "curves": lambda: curve_table(locks, results),
        "points": lambda: point_tables(locks, results),
        "locks": lambda: lock_summary(locks, results),
    }
    for path in (ROOT / "README.md", ROOT / "doc" / "validation.md"):
        replace_tables(path, tables)


if __name__ == "__main__":
    main()
