# SPDX-License-Identifier: GPL-2.0-only
"""The look of all pictures, their units, and how they are written.

Colors are Okabe and Ito's, which people tell apart whatever their eyes see; no picture says by
color alone what it has to say: bars are hatched, curves have markers and dashes of their own.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .files import write_bytes
from .result import unit_of

VERMILLION = "#D55E00"
BLUE = "#0072B2"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"
YELLOW = "#F0E442"
GRAY = "#6E6E6E"

PUBLISHED = VERMILLION
SIMULATED = BLUE
BEFORE = ORANGE
AFTER = BLUE

# In this order: neighbors differ in lightness as well.
PALETTE = [BLUE, VERMILLION, GREEN, PURPLE, SKY, ORANGE, GRAY, "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = ["-", "--", "-.", ":"]
HATCHES = ["", "//", "..", "xx", "\\\\", "++", "oo", "--"]

# Even in lightness from dark to bright, so that it also reads in gray.
HEAT = "cividis"
# Purple over white to green: the middle is "no change".
CHANGE = "PuOr_r"

# What a column is called on an axis; its unit is what the schema says.
LABELS = {
    "pps": "frame rate",
    "goodput_mbps": "goodput",
    "throughput_mbps": "throughput",
    "real_s": "elapsed time",
    "user_s": "user time",
    "sys_s": "system time",
    "user_cpus": "CPUs in user mode",
    "sys_cpus": "CPUs in system mode",
    "cpus_busy": "busy CPUs",
    "cpus": "CPUs",
    "lines_per_frame": "cache lines moved",
    "ns_per_operation": "time of an operation, each CPU",
    "ns_per_operation_system": "time of an operation, all CPUs together",
    "speedup": "speed-up",
    "send_util_pct": "sender's CPU use",
    "recv_util_pct": "receiver's CPU use",
    "send_us_per_kb": "sender's CPU time",
    "recv_us_per_kb": "receiver's CPU time",
    "send_cpu_pct": "sending CPU's use",
    "recv_program_cpu_pct": "receiving program's CPU use",
    "recv_irq_cpu_pct": "use of the CPU with the interrupts",
    "wire_pct": "use of the wire",
    "wakeup_delay_us": "delay from wakeup to run",
}
# Ends of names that say a unit, and nothing that the unit does not say.
ENDS = ("_per_s", "_mbps", "_pct", "_us", "_ns", "_s", "_cycles")
SCALES = [(1e9, "billion"), (1e6, "million"), (1e3, "thousand")]

SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "linux-host",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.08,
    "figure.constrained_layout.w_pad": 0.08,
    "savefig.facecolor": "white",
}

FORMATS = ("svg", "pdf", "png")


def look() -> AbstractContextManager[None]:
    """The settings of matplotlib that pictures are drawn and written with."""
    return matplotlib.rc_context(SETTINGS)


def new_figure(width: float = 6.4, height: float = 3.8) -> tuple[Figure, Axes]:
    """An empty picture (inches). To be called within look()."""
    figure = Figure(figsize=(width, height))
    return figure, figure.add_subplot()


def label_of(name: str, units: Mapping[str, str] | None = None) -> tuple[str, str]:
    """What a column is called on an axis, and its unit ("" where it has none).

    @param units the units that a table knows of its columns (its attrs["units"])
    """
    unit = (units or {}).get(name) or unit_of(name)
    if name in LABELS:
        words = LABELS[name]
    else:
        words = next((name[: -len(end)] for end in ENDS if name.endswith(end)), "") or name
        words = words.replace("_", " ")
    # "busy CPUs, CPUs" would say nothing more.
    return words, "" if unit.lower() in words.lower().split() else unit


def axis_label(name: str, units: Mapping[str, str] | None = None) -> str:
    """A column's words with its unit."""
    return ", ".join(filter(None, label_of(name, units)))


def scale_of(
    name: str, values: Iterable[float], units: Mapping[str, str] | None = None
) -> tuple[float, str]:
    """What to divide a column's values by, and the axis label that goes with it."""
    label, unit = label_of(name, units)
    largest = max((abs(value) for value in values if value == value), default=0.0)
    if unit == "Mbit/s" and largest >= 10_000:
        return 1e3, f"{label}, Gbit/s"
    if unit and unit not in ("frames/s", "1/s"):
        return 1.0, f"{label}, {unit}"
    for factor, word in SCALES:
        if largest >= factor and not unit:
            return factor, f"{word} {label}"
        if largest >= factor:
            return factor, f"{label}, {word}s/s" if unit == "1/s" else f"{label}, {word} {unit}"
    return 1.0, axis_label(name, units)


def number(value: float, _position: object = None) -> str:
    """A number as a tick or a bar shows it: at most four digits."""
    if value != value:
        return "-"
    if abs(value) >= 9999.5:
        return f"{value:,.0f}".replace(",", "\u202f")
    return f"{value:.4g}" if abs(value) >= 1e-4 or value == 0 else f"{value:.1e}"


def short(value: float) -> str:
    """A number with three digits, for where there is little room."""
    if abs(value) >= 999.5:
        return number(float(f"{value:.3g}"))
    return f"{value:.3g}"


def set_log_axis(axes: Axes, which: str, values: Iterable[float], base: int = 2) -> None:
    """A logarithmic axis with plain numbers, of those values as far as they have room."""
    places = sorted({value for value in values if value > 0})
    axis = axes.xaxis if which == "x" else axes.yaxis
    if which == "x":
        axes.set_xscale("log", base=base)
    else:
        axes.set_yscale("log", base=base)
    axis.set_major_formatter(FuncFormatter(number))
    if which == "x" and places:
        axis.set_major_locator(FixedLocator(spread(places)))
        axis.set_minor_locator(NullLocator())


def spread(places: list[float], most: int = 10, ratio: float = 1.35) -> list[float]:
    """Of these places on a logarithmic axis, those whose labels do not touch each other."""
    kept: list[float] = []
    while True:
        kept = []
        for place in places:
            if not kept or place >= ratio * kept[-1]:
                kept.append(place)
        if len(kept) <= most:
            return kept
        ratio *= 1.1


def render(figure: Figure, form: str = "svg", dpi: int = 150) -> bytes:
    """A picture as bytes: svg, pdf or png; the same bytes each time."""
    data = io.BytesIO()
    # Only SVG and PDF would say when they were drawn.
    stamp = {"svg": "Date", "pdf": "CreationDate"}.get(form)
    with look():
        figure.savefig(data, format=form, metadata={stamp: None} if stamp else None, dpi=dpi)
    if form == "svg":
        # matplotlib ends some lines in spaces.
        return re.sub(rb"[ \t]+\n", b"\n", data.getvalue())
    return data.getvalue()


def save(figure: Figure, path: Path | str, dpi: int = 150) -> None:
    """Write a picture in the format that the file's name says."""
    path = Path(path)
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise ValueError(f"{path}: allowed is a name that ends in .svg, .pdf or .png")
    write_bytes(path, render(figure, form, dpi))


def inline_svg(figure: Figure, name: str, alt: str) -> str:
    """A picture as an <svg> element for an HTML page: names in it are the picture's own."""
    text = render(figure, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for found in sorted(set(re.findall(r'\bid="([^"]+)"', text)), key=len, reverse=True):
        new = f"{name}-{found}"
        text = text.replace(f'id="{found}"', f'id="{new}"')
        text = text.replace(f'"#{found}"', f'"#{new}"').replace(f"url(#{found})", f"url(#{new})")
    escaped = alt.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    # As wide as the page lets it be, but not so wide that its letters grow.
    text = re.sub(r' (width|height)="[0-9.]+pt"', "", text, count=2)
    widest = round(figure.get_figwidth() * 7.4, 1)
    head = f'<svg role="img" aria-label="{escaped}" style="max-width: {widest}rem" '
    return text.replace("<svg ", head, 1).strip()
