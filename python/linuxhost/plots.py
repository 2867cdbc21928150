# SPDX-License-Identifier: GPL-2.0-only
"""The pictures: each is made from a table or from results, and returned as a matplotlib Figure."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from . import style, tables
from .tables import CI, InputError, Published, Result

KINDS = ("bars", "curve", "speedup", "scaling", "profile", "heat", "ladder", "machine")

# More curves than this in one picture cannot be told apart.
MOST_CURVES = 12
MOST_BARS = 24
# More cells than this are colored, but not written into.
MOST_CELLS = 150


def describe(table: pd.DataFrame) -> str:
    """What all rows have in common, as a title: scenario and machine."""
    parts = []
    for name in ("scenario", "machine"):
        if name in table.columns and table[name].nunique() == 1:
            parts.append(str(table[name].iloc[0]))
    return " on ".join(parts)


def units_of(table: pd.DataFrame) -> Mapping[str, str]:
    """The units that a table knows of its columns."""
    units: Mapping[str, str] = table.attrs.get("units", {})
    return units


def order_of(values: Iterable[Any]) -> list[Any]:
    """Values in the order in which they are shown: before, after, then numbers by size."""
    first = {"before": 0, "after": 1}
    unique = list(dict.fromkeys(values))
    if all(isinstance(value, (int, float, np.number)) for value in unique):
        return sorted(unique)
    return sorted(unique, key=lambda value: first.get(value, 2))


def names_of(by: Sequence[str], values: Sequence[Any]) -> str:
    """How a curve or a group of bars is called."""
    parts = []
    for name, value in zip(by, values, strict=True):
        text = tables.value_text(value)
        # A word says what it is, a number does not.
        plain = isinstance(value, str) and bool(value) and not text[:1].isdigit()
        parts.append(text if plain else f"{style.label_of(name)[0]} {text}")
    return ", ".join(parts)


def _color(label: str, index: int) -> str:
    fixed = {"before": style.BEFORE, "after": style.AFTER}
    return fixed.get(label, style.PALETTE[index % len(style.PALETTE)])


def _need_rows(table: pd.DataFrame) -> None:
    if table.empty:
        raise InputError("FILE", "(no rows)", "a table with points in it")


def _half_width(table: pd.DataFrame, name: str) -> pd.Series[float]:
    if name + CI in table.columns:
        return table[name + CI].astype(float).fillna(0.0)
    return pd.Series(0.0, index=table.index)


def _is_empty(value: Any) -> bool:
    return isinstance(value, str) and not value


def _groups(table: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each combination of values, in order, with what it is called."""
    if not by:
        yield "", table
        return
    columns = {}
    for name in by:
        # A figure that was set in some points only has no value in the others.
        column = table[name].astype(object).where(table[name].notna(), "")
        order = order_of(value for value in column if not _is_empty(value))
        if any(map(_is_empty, column)):
            order.insert(0, "")
        columns[name] = (column, order)
    keys = sorted(
        dict.fromkeys(zip(*(column for column, _ in columns.values()), strict=True)),
        key=lambda key: [
            order.index(value) for (_, order), value in zip(columns.values(), key, strict=True)
        ],
    )
    for key in keys:
        mask = pd.Series(True, index=table.index)
        for (column, _), value in zip(columns.values(), key, strict=True):
            mask &= column == value
        yield names_of(by, key), table[mask]


def _default_by(table: pd.DataFrame, by: Sequence[str] | None, apart: Sequence[str]) -> list[str]:
    if by is not None:
        return [name for name in by if name not in apart]
    return tables.settings_that_vary(table, apart)


def _check_count(
    option: str, value: str, table: pd.DataFrame, by: Sequence[str], most: int, what: str
) -> None:
    """Raise InputError when there are more combinations of values than can be told apart."""
    count = len(table[list(by)].drop_duplicates()) if by else 1
    if count > most:
        raise InputError(
            option, value, f"{most} {what} at most; here are {count}: choose some with --where"
        )


class Averaged(UserWarning):
    """Points of different settings are shown as one."""


def series_of(
    table: pd.DataFrame, x: str, y: str, by: Sequence[str] | None = None
) -> list[tuple[str, pd.DataFrame]]:
    """The curves of a picture: each with columns x, y and ci95, by rising x.

    Points that differ in nothing that is shown (seeds, say) are put together: their mean, with the
    half-width of the mean of independent runs. A warning names settings that differ among them.
    """
    _need_rows(table)
    curves = []
    chosen = _default_by(table, by, [x])
    blended = tables.blended(table, [x, *chosen])
    if blended:
        warnings.warn(
            f"points that differ in {', '.join(blended)} are averaged;"
            " --by tells them apart, --where chooses",
            Averaged,
            stacklevel=2,
        )
    _check_count("--by", ",".join(by or []) or "(all)", table, chosen, MOST_CURVES, "curves")
    for name, rows in _groups(table, chosen):
        found = pd.DataFrame(
            {"x": rows[x], "y": rows[y].astype(float), "ci95": _half_width(rows, y)}
        ).dropna(subset=["x", "y"])
        if found.empty:
            continue
        groups = found.groupby("x", sort=True)
        curve = groups["y"].mean().to_frame("y")
        curve["ci95"] = groups["ci95"].agg(lambda ci: math.sqrt(float((ci**2).sum())) / len(ci))
        curves.append((name, curve.reset_index()))
    if not curves:
        raise InputError("--y", y, "a column with numbers in these rows")
    return curves


def _is_wide(values: Sequence[float]) -> bool:
    """Whether values spread so much that a logarithmic axis serves them better."""
    positive = sorted(value for value in set(values) if value > 0)
    steps = [b - a for a, b in zip(positive, positive[1:], strict=False)]
    if len(steps) > 4 and max(steps) - min(steps) <= 1e-6 * positive[-1]:
        return False  # they were chosen evenly
    return len(positive) == len(set(values)) > 2 and positive[-1] / positive[0] >= 12


def _draw_curves(
    axes: Axes, curves: Sequence[tuple[str, pd.DataFrame]], factor: float, intervals: bool = True
) -> None:
    for index, (name, curve) in enumerate(curves):
        color = _color(name, index)
        x, y = curve["x"].to_numpy(), curve["y"].to_numpy(float) / factor
        error = curve["ci95"].to_numpy(float) / factor
        axes.plot(
            x,
            y,
            color=color,
            marker=style.MARKERS[index % len(style.MARKERS)],
            markersize=4.5,
            linewidth=1.7,
            linestyle=style.DASHES[index % len(style.DASHES)],
            label=name or None,
        )
        if intervals and (error > 0).any():
            axes.fill_between(x, y - error, y + error, color=color, alpha=0.22, linewidth=0)
            axes.errorbar(x, y, yerr=error, fmt="none", ecolor=color, capsize=2.5, linewidth=0.9)


def _legend(axes: Axes, curves: int, names: Sequence[str]) -> None:
    if not any(names):
        return
    if curves > 5 or max(map(len, names)) > 32:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8.5)
    else:
        axes.legend(fontsize=9)


def _set_x(axes: Axes, table: pd.DataFrame, x: str, values: Sequence[Any], log: bool) -> None:
    axes.set_xlabel(style.axis_label(x, units_of(table)))
    numbers = tables.is_number(table, x)
    if numbers and log:
        style.set_log_axis(axes, "x", [float(value) for value in values])
    elif numbers:
        axes.xaxis.set_major_formatter(FuncFormatter(style.number))
        if len(values) <= 10 and all(float(value).is_integer() for value in values):
            span = max(values) - min(values) or 1
            ordered = sorted(values)
            near = any(b - a < span / 18 for a, b in zip(ordered, ordered[1:], strict=False))
            if not near:
                axes.set_xticks(ordered)


def curve(
    table: pd.DataFrame,
    x: str = "cpus",
    y: str = "pps",
    by: Sequence[str] | None = None,
    log: str | None = None,
    title: str | None = None,
) -> Figure:
    """A metric against a parameter, with 95 % intervals: throughput against CPUs.

    @param by the columns whose values have a curve each; None: all that vary
    @param log "", "x", "y" or "xy"; None: what suits the values
    """
    curves = series_of(table, x, y, by)
    every = [float(value) for _, found in curves for value in found["y"]]
    factor, label = style.scale_of(y, every, units_of(table))
    with style.look():
        figure, axes = style.new_figure()
        _draw_curves(axes, curves, factor)
        places = sorted({value for _, found in curves for value in found["x"]})
        numbers = tables.is_number(table, x)
        wide_x = numbers and _is_wide([float(place) for place in places])
        log_x = numbers and ("x" in log if log is not None else wide_x)
        log_y = "y" in log if log is not None else False
        _set_x(axes, table, x, places, log_x)
        if log_y:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(FuncFormatter(style.number))
            axes.yaxis.set_minor_formatter(NullFormatter())
        elif min(every) >= 0:
            axes.set_ylim(bottom=0)
        axes.set_ylabel(label)
        axes.set_title(describe(table) if title is None else title)
        _legend(axes, len(curves), [name for name, _ in curves])
    return figure


def ratio_of(
    table: pd.DataFrame, x: str, y: str, by: Sequence[str] | None = None
) -> list[tuple[str, pd.DataFrame]]:
    """After over before, as curves of x: columns x, y and ci95 (of independent runs)."""
    have = set(table["variant"]) if "variant" in table.columns else set()
    if not {"before", "after"} <= have:
        raise InputError(
            "--kind", "speedup", "points of both variants, before and after (scaling needs one)"
        )
    rest = _default_by(table, by, [x, "variant"])
    before = dict(series_of(table[table["variant"] == "before"], x, y, rest))
    after = dict(series_of(table[table["variant"] == "after"], x, y, rest))
    curves = []
    for name, one in before.items():
        if name not in after:
            continue
        both = one.merge(after[name], on="x", suffixes=("_before", "_after"))
        both = both[both["y_before"] > 0]
        ratio = both["y_after"] / both["y_before"]
        share = np.hypot(
            both["ci95_before"] / both["y_before"], both["ci95_after"] / both["y_after"]
        )
        if len(both):
            curves.append((name, pd.DataFrame({"x": both["x"], "y": ratio, "ci95": ratio * share})))
    if not curves:
        raise InputError("--x", x, "a column in which before and after have a value in common")
    return curves


def speedup(
    table: pd.DataFrame,
    x: str = "cpus",
    y: str = "pps",
    by: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:
    """What the patch makes of a metric: after over before, against a parameter."""
    curves = ratio_of(table, x, y, by)
    with style.look():
        figure, axes = style.new_figure()
        _draw_curves(axes, curves, 1.0)
        axes.axhline(1, color=style.GRAY, linewidth=1, linestyle=":")
        axes.annotate(
            "no change",
            (1, 1),
            xycoords=("axes fraction", "data"),
            xytext=(-2, 3),
            textcoords="offset points",
            ha="right",
            fontsize=8,
            color=style.GRAY,
        )
        places = sorted({value for _, found in curves for value in found["x"]})
        wide = tables.is_number(table, x) and _is_wide([float(place) for place in places])
        _set_x(axes, table, x, places, wide)
        axes.set_ylim(bottom=0)
        axes.set_ylabel(f"{style.label_of(y)[0]}: after / before")
        axes.set_title(describe(table) if title is None else title)
        _legend(axes, len(curves), [name for name, _ in curves])
    return figure


def scaling(
    table: pd.DataFrame,
    x: str = "cpus",
    y: str = "pps",
    by: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:
    """A metric over its own value at the smallest x, beside the ideal: twice the CPUs, twice."""
    if not tables.is_number(table, x):
        raise InputError("--x", x, "a column of numbers")
    curves = []
    for name, found in series_of(table, x, y, by):
        first = float(found["y"].iloc[0])
        if first <= 0 or float(found["x"].iloc[0]) <= 0:
            raise InputError("--y", y, "a column of positive numbers")
        curves.append((name, found.assign(y=found["y"] / first, ci95=found["ci95"] / first)))
    with style.look():
        figure, axes = style.new_figure()
        low = min(float(found["x"].min()) for _, found in curves)
        high = max(float(found["x"].max()) for _, found in curves)
        top = 1.12 * max(float((found["y"] + found["ci95"]).max()) for _, found in curves)
        ideal = np.linspace(low, high, 200)
        axes.plot(
            ideal, ideal / low, color=style.GRAY, linewidth=1, linestyle=":", label="ideal"
        )  # fmt: skip
        _draw_curves(axes, curves, 1.0)
        places = sorted({float(value) for _, found in curves for value in found["x"]})
        _set_x(axes, table, x, places, False)
        axes.set_ylim(0, max(top, 1.2))
        axes.set_ylabel(
            f"{style.label_of(y)[0]}: times that of {style.label_of(x)[0]} = {style.number(low)}"
        )
        axes.set_title(describe(table) if title is None else title)
        _legend(axes, len(curves) + 1, ["ideal", *(name for name, _ in curves)])
    return figure


def bars_of(
    table: pd.DataFrame,
    y: str,
    figures: Sequence[Published] = (),
    settings: Mapping[str, Mapping[str, str]] | None = None,
) -> list[dict[str, Any]]:
    """The bars of before_after: label, value, ci95, and published, fitted and error (in per cent)
    where there is a published figure."""
    _need_rows(table)
    by = tables.settings_that_vary(table, ["variant"] if "variant" in table.columns else [])
    has_variants = "variant" in table.columns and table["variant"].nunique() > 1
    keys = by + (["variant"] if has_variants else [])
    _check_count("--kind", "bars", table, keys, MOST_BARS, "bars")
    bars = []
    for _, rows in _groups(table, keys):
        rows = rows.dropna(subset=[y])
        if rows.empty:
            continue
        row = rows.iloc[0]
        found = tables.published_for(
            {str(name): one for name, one in row.items()}, figures, settings or {}
        ).get(y)
        half = _half_width(rows, y)
        value = float(rows[y].mean())
        bars.append(
            {
                "group": names_of(by, [row[name] for name in by]),
                "variant": str(row["variant"]) if "variant" in table.columns else "",
                "value": value,
                "ci95": math.sqrt(float((half**2).sum())) / len(half),
                "published": found.value if found else math.nan,
                "fitted": bool(found and found.fitted),
                "error": 100 * (value / found.value - 1) if found and found.value else math.nan,
            }
        )
    if not bars:
        raise InputError("--y", y, "a column with numbers in these rows")
    return bars


def before_after(
    table: pd.DataFrame,
    y: str = "pps",
    figures: Sequence[Published] = (),
    settings: Mapping[str, Mapping[str, str]] | None = None,
    title: str | None = None,
) -> Figure:
    """Bars of a metric before and after, beside what was published.

    Under each pair stands the error in per cent, and whether the model was fitted to the figure.
    """
    bars = bars_of(table, y, figures, settings)
    factor, label = style.scale_of(y, [bar["value"] for bar in bars], units_of(table))
    has_published = any(not math.isnan(bar["published"]) for bar in bars)
    with style.look():
        wide = 1.6 + (1.0 if has_published else 0.75) * len(bars)
        figure, axes = style.new_figure(min(max(4.6, wide), 14), 3.8)
        places, place, last = [], 0.0, None
        for bar in bars:
            # Groups stand a little apart.
            place += 1.0 if last in (None, bar["group"]) else 1.35
            last = bar["group"]
            places.append(place)
        width = 0.4 if has_published else 0.72
        shift = width / 2 if has_published else 0.0
        if has_published:
            _bars(axes, places, -shift, [b["published"] / factor for b in bars], width,
                  style.PUBLISHED, "", "published")  # fmt: skip
            # What nobody published stands alone.
            own = [p - (shift if math.isnan(b["published"]) else 0)
                   for p, b in zip(places, bars, strict=True)]  # fmt: skip
            _bars(axes, own, shift, [b["value"] / factor for b in bars], width,
                  style.SIMULATED, "//", "simulated")  # fmt: skip
        else:
            for variant in order_of(bar["variant"] for bar in bars):
                chosen = [i for i, bar in enumerate(bars) if bar["variant"] == variant]
                hatch = "//" if variant == "after" else ""
                _bars(axes, [places[i] for i in chosen], 0.0,
                      [bars[i]["value"] / factor for i in chosen], width,
                      _color(variant, 0), hatch, variant)  # fmt: skip
        _bar_texts(axes, places, shift, bars, factor, has_published)
        under = [_bar_label(bar, has_published) for bar in bars]
        named: dict[str, list[float]] = {}
        for text, place in zip(under, places, strict=True):
            named.setdefault(text, []).append(place)
        # What two bars beside each other have in common stands once below them.
        axes.set_xticks([sum(group) / len(group) for group in named.values()], list(named))
        long = max(len(line) for bar in bars for line in _bar_label(bar, True).split("\n"))
        if long > 15 and len(bars) > 3:
            axes.tick_params(axis="x", labelsize=8)
            for tick in axes.get_xticklabels():
                tick.set_rotation(30)
                tick.set_horizontalalignment("right")
                tick.set_rotation_mode("anchor")
        axes.set_ylim(0, 1.22 * axes.dataLim.y1)
        axes.set_ylabel(label)
        axes.set_title(describe(table) if title is None else title)
        axes.grid(axis="x", visible=False)
        if has_published or len({bar["variant"] for bar in bars}) > 1:
            axes.legend(loc="upper left", ncols=2, fontsize=9)
            axes.set_ylim(0, 1.3 * axes.dataLim.y1)
    return figure


def _bars(
    axes: Axes,
    places: Sequence[float],
    shift: float,
    heights: Sequence[float],
    width: float,
    color: str,
    hatch: str,
    label: str,
) -> None:
    axes.bar(
        [place + shift for place in places],
        heights,
        width,
        color=color,
        label=label,
        hatch=hatch,
        edgecolor="white",
        linewidth=0.6,
    )


def _bar_texts(
    axes: Axes,
    places: Sequence[float],
    shift: float,
    bars: Sequence[Mapping[str, Any]],
    factor: float,
    has_published: bool,
) -> None:
    for place, bar in zip(places, bars, strict=True):
        height, error = bar["value"] / factor, bar["ci95"] / factor
        if math.isnan(bar["published"]):
            place -= shift
        if error > 0:
            axes.errorbar(
                place + shift, height, yerr=error, fmt="none", ecolor="black", capsize=3, lw=1
            )
        axes.annotate(style.short(height), (place + shift, height + error), xytext=(0, 2),
                      textcoords="offset points", ha="center", va="bottom",
                      fontsize=8)  # fmt: skip
        if has_published and not math.isnan(bar["published"]):
            top = bar["published"] / factor
            axes.annotate(style.short(top), (place - shift, top), xytext=(0, 2),
                          textcoords="offset points", ha="center", va="bottom",
                          fontsize=8)  # fmt: skip


def _bar_label(bar: Mapping[str, Any], says_variant: bool) -> str:
    parts = [bar["group"].replace(", ", "\n")] if bar["group"] else []
    if says_variant or not bar["group"]:
        parts.append(bar["variant"])
    if not math.isnan(bar["error"]):
        parts.append(f"{bar['error']:+.1f} %")
    if bar["fitted"]:
        parts.append("fitted")
    return "\n".join(part for part in parts if part)


def shares_of(results: Sequence[Result], top: int = 12) -> tuple[list[str], dict[str, list[float]]]:
    """The symbols that take most, and each result's shares of busy CPU time in per cent."""
    with_profile = [result for result in results if result.get("profile")]
    if not with_profile:
        raise InputError("--kind", "profile", "a file with profiles in it: .jsonl or .db")
    labels = result_labels(with_profile)
    shares = [
        {row["symbol"]: 100 * float(row["share"]) for row in result["profile"]}
        for result in with_profile
    ]
    names = dict.fromkeys(name for one in shares for name in one)
    order = sorted(names, key=lambda name: -max(one.get(name, 0.0) for one in shares))[:top]
    return order, {
        label: [one.get(name, 0.0) for name in order]
        for label, one in zip(labels, shares, strict=True)
    }


def result_labels(results: Sequence[Result]) -> list[str]:
    """What tells results apart, in a few words each."""
    table = tables.to_table(results)
    by = tables.settings_that_vary(table, ["variant"])
    by += ["variant"] if table["variant"].nunique() > 1 else []
    labels = [names_of(by, [row[name] for name in by]) for row in table.to_dict("records")]
    if len(set(labels)) < len(labels) or not all(labels):
        named = [label or str(one["variant"]) for label, one in zip(labels, results, strict=True)]
        labels = [
            f"{name} ({number})" if named.count(name) > 1 else name
            for number, name in enumerate(named, 1)
        ]
    return labels


def profile_shares(
    results: Sequence[Result],
    top: int = 12,
    figures: Sequence[Published] = (),
    settings: Mapping[str, Mapping[str, str]] | None = None,
    title: str | None = None,
) -> Figure:
    """Where the CPU time goes, side by side: shares by kernel symbol, with published ones."""
    results = [result for result in results if result.get("profile")]
    if len(results) > 4:
        raise InputError(
            "--kind", "profile", f"four profiles at most; here are {len(results)}: choose some"
            " with --where"
        )  # fmt: skip
    symbols, shares = shares_of(results, top)
    table = tables.to_table(results)
    with style.look():
        rows = len(symbols)
        height = 1.3 + rows * (0.14 + 0.16 * len(shares))
        figure, axes = style.new_figure(6.8, max(2.6, height))
        places = np.arange(rows)
        thick = 0.8 / len(shares)
        shown = False
        for index, (label, values) in enumerate(shares.items()):
            y = places + (index - (len(shares) - 1) / 2) * thick
            variant = str(results[index]["variant"])
            two = len(shares) == 2 and {str(r["variant"]) for r in results} == {"before", "after"}
            axes.barh(
                y,
                values,
                thick * 0.94,
                color=_color(variant if two else label, index),
                hatch=style.HATCHES[index % len(style.HATCHES)],
                edgecolor="white",
                linewidth=0.5,
                label=label,
            )
            row = tables.result_row(results[index])
            found = tables.published_for(row, figures, settings or {})
            known = [found.get(f"share:{symbol}") for symbol in symbols]
            for place, value, figure_of in zip(y, values, known, strict=True):
                end = max(value, figure_of.value) if figure_of else value
                if value >= 0.05 or figure_of:
                    axes.annotate(
                        f"{value:.1f} %", (end, place), xytext=(7, 0), fontsize=7.5,
                        textcoords="offset points", va="center",
                    )  # fmt: skip
                if figure_of:
                    axes.plot(
                        figure_of.value, place, marker="D", markersize=5, color="white",
                        markeredgecolor="black", linestyle="none",
                        label=None if shown else "published",
                    )  # fmt: skip
                    shown = True
        axes.set_yticks(places, symbols, fontsize=8.5, family="monospace")
        axes.invert_yaxis()
        axes.set_xlim(0, 1.14 * axes.dataLim.x1)
        axes.set_xlabel("share of busy CPU time, %")
        axes.grid(axis="y", visible=False)
        axes.set_title(describe(table) if title is None else title)
        axes.legend(loc="lower right", fontsize=9)
    return figure


def grid_of(table: pd.DataFrame, x: str, y: str, value: str) -> pd.DataFrame:
    """A metric by two parameters: rows are y, columns x; seeds are averaged."""
    if x == y:
        raise InputError("--y", y, f"another column than --x={x}")
    rest = [name for name in tables.settings_that_vary(table, [x, y]) if name not in (x, y)]
    if rest:
        values = ", ".join(str(one) for one in order_of(table[rest[0]])[:8])
        raise InputError(
            "--kind", "heat", f"one value of {rest[0]} (here {values}): choose it with --where"
        )
    for option, name in (("--x", x), ("--y", y)):
        _check_count(option, name, table, [name], 100, "columns or rows")
    grid = table.pivot_table(index=y, columns=x, values=value, aggfunc="mean", sort=False)
    return grid.loc[order_of(grid.index), order_of(grid.columns)]


def heat_map(
    table: pd.DataFrame,
    x: str,
    y: str,
    value: str = "pps",
    ratio: bool | None = None,
    title: str | None = None,
) -> Figure:
    """A metric over two parameters; with both variants, what the patch makes of it.

    @param ratio whether after over before is shown; None: where there are both
    """
    both = "variant" in table.columns and {"before", "after"} <= set(table["variant"])
    both = both and "variant" not in (x, y)
    if ratio is None:
        ratio = both
    if ratio and not both:
        raise InputError("--kind", "heat", "both variants, before and after, for their ratio")
    if ratio:
        before = grid_of(table[table["variant"] == "before"], x, y, value)
        grid = grid_of(table[table["variant"] == "after"], x, y, value) / before
    else:
        grid = grid_of(table, x, y, value)
    cells = grid.to_numpy(dtype=float)
    if not np.isfinite(cells).any():
        raise InputError("--value", value, "a column with numbers in these rows")
    with style.look():
        width = min(max(4.8, 1.9 + 0.62 * grid.shape[1]), 12)
        height = min(max(3.0, 1.4 + 0.42 * grid.shape[0]), 10)
        figure, axes = style.new_figure(width, height)
        if ratio:
            far = max(abs(np.nanmax(np.log2(cells))), abs(np.nanmin(np.log2(cells))), 0.05)
            shown, colors = cells, style.CHANGE
            norm: Normalize = LogNorm(2**-far, 2**far)
            label = f"{style.label_of(value)[0]}: after / before"
        else:
            factor, label = style.scale_of(value, cells.ravel(), units_of(table))
            shown = cells / factor
            norm, colors = Normalize(np.nanmin(shown), np.nanmax(shown)), style.HEAT
        bar = _heat(figure, axes, shown, norm, colors, label, [
            tables.value_text(one) for one in grid.columns
        ], [tables.value_text(one) for one in grid.index])  # fmt: skip
        if ratio:
            bar.set_ticks([2 ** (far * step) for step in (-1, -0.5, 0, 0.5, 1)])
        for name, which in ((x, axes.set_xlabel), (y, axes.set_ylabel)):
            which(style.axis_label(name, units_of(table)))
        axes.set_title(describe(table) if title is None else title)
    return figure


def _heat(
    figure: Figure,
    axes: Axes,
    cells: npt.NDArray[np.float64],
    norm: Normalize,
    colors: str,
    label: str,
    columns: Sequence[str],
    rows: Sequence[str],
) -> Colorbar:
    image = axes.imshow(cells, norm=norm, cmap=colors, aspect="auto", origin="lower")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    for axis, names, most in ((axes.xaxis, columns, 16), (axes.yaxis, rows, 24)):
        step = max(1, math.ceil(len(names) / most))
        axis.set_ticks(range(0, len(names), step), list(names[::step]))
    if max(map(len, columns)) > 7 and len(columns) > 5:
        for text in axes.get_xticklabels():
            text.set_rotation(35)
            text.set_horizontalalignment("right")
            text.set_rotation_mode("anchor")
    if cells.size <= MOST_CELLS:
        for row, column in np.ndindex(cells.shape):
            value = float(cells[row, column])
            if math.isfinite(value):
                red, green, blue, _ = image.cmap(float(norm(value)))
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
                axes.text(column, row, style.short(value), ha="center", va="center",
                          fontsize=8, color="white" if dark else "black")  # fmt: skip
    bar = figure.colorbar(image, ax=axes, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(label)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: style.short(value)))
    bar.ax.yaxis.set_minor_locator(NullLocator())
    return bar


Matrix = tuple[npt.NDArray[np.float64], str, Sequence[int] | None]


def machine_matrix(
    ns: npt.NDArray[np.float64], name: str, sockets: Sequence[int] | None = None
) -> Figure:
    """How long a modified line takes from each CPU to each other.

    @param ns the matrix; the diagonal is not looked at
    @param sockets the socket of each CPU, in which order CPUs are drawn; None: as they are
    """
    return machine_matrices([(ns, name, sockets)])


def machine_matrices(machines: Sequence[Matrix]) -> Figure:
    """Several matrices side by side, with one scale of colors."""
    drawn = []
    for ns, name, sockets in machines:
        order = list(range(ns.shape[0]))
        if sockets is not None:
            order.sort(key=lambda cpu, of=sockets: (of[cpu], cpu))  # type: ignore[misc]
        cells = ns[np.ix_(order, order)].astype(float).copy()
        np.fill_diagonal(cells, np.nan)
        drawn.append((cells, name, order, [sockets[cpu] for cpu in order] if sockets else None))
    known = np.concatenate([cells[np.isfinite(cells)] for cells, *_ in drawn])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    norm = Normalize(low, high) if high > low else Normalize(0, 2 * low)
    with style.look():
        figure = Figure(figsize=(1.3 + 4.9 * len(drawn), 5.2))
        every = figure.subplots(1, len(drawn), squeeze=False)[0]
        for axes, (cells, name, order, sockets_of) in zip(every, drawn, strict=True):
            image = _draw_matrix(axes, cells, norm, order, sockets_of)
            axes.set_title(name)
        every[0].set_ylabel("CPU that has it modified")
        bar = figure.colorbar(image, ax=list(every), pad=0.02, shrink=0.9)
        bar.outline.set_visible(False)
        bar.set_label("time of a cache line, ns")
    return figure


def _draw_matrix(
    axes: Axes,
    cells: npt.NDArray[np.float64],
    norm: Normalize,
    order: Sequence[int],
    sockets: Sequence[int] | None,
) -> AxesImage:
    count = len(order)
    axes.set_facecolor("#f0f0f0")
    image = axes.imshow(cells, norm=norm, cmap=style.HEAT, interpolation="nearest")
    axes.grid(visible=False)
    step = next(s for s in (1, 2, 4, 8, 16, 32, 64, 128) if count / s <= 17)
    ticks = list(range(0, count, step))
    axes.set_xticks(ticks, [str(order[tick]) for tick in ticks])
    axes.set_yticks(ticks, [str(order[tick]) for tick in ticks])
    if max(order) >= 100:
        axes.tick_params(axis="both", labelsize=8)
        axes.tick_params(axis="x", labelrotation=45)
    if count <= 8:
        for row, column in np.ndindex(cells.shape):
            value = float(cells[row, column])
            if math.isfinite(value):
                color = "white" if norm(value) < 0.5 else "black"
                axes.text(column, row, style.short(value), ha="center", va="center",
                          fontsize=8.5, color=color)  # fmt: skip
    for place in range(1, count):
        if sockets is not None and sockets[place] != sockets[place - 1]:
            axes.axhline(place - 0.5, color="white", linewidth=1.4)
            axes.axvline(place - 0.5, color="white", linewidth=1.4)
    axes.set_xlabel("CPU that wants the line")
    return image


def ladder_of(table: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """The rungs: columns step, value, ci95, and gain (in per cent, over the rung below)."""
    rungs = []
    steps = list(dict.fromkeys(table[x].dropna()))
    for value in sorted(steps) if tables.is_number(table, x) else steps:
        rows = table[table[x] == value].dropna(subset=[y])
        if len(rows):
            half = _half_width(rows, y)
            rungs.append(
                {
                    "step": tables.value_text(value),
                    "value": float(rows[y].mean()),
                    "ci95": math.sqrt(float((half**2).sum())) / len(half),
                }
            )
    ladder = pd.DataFrame(rungs, columns=["step", "value", "ci95"])
    if ladder.empty:
        raise InputError("--y", y, "a column with numbers in these rows")
    ladder["gain"] = 100 * (ladder["value"] / ladder["value"].shift() - 1)
    return ladder


def ladder(
    table: pd.DataFrame,
    x: str,
    y: str = "goodput_mbps",
    by: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:
    """One step after another, each on top of those before it: what each offload brings."""
    chosen = _default_by(table, by, [x])
    _check_count("--by", ",".join(by or []) or "(all)", table, chosen, 4, "groups")
    _check_count("--x", x, table, [x], MOST_BARS, "steps")
    groups = list(_groups(table, chosen))
    rungs = [(name, ladder_of(rows, x, y)) for name, rows in groups]
    every_value = [value for _, rung in rungs for value in rung["value"]]
    factor, label = style.scale_of(y, every_value, units_of(table))
    steps = list(dict.fromkeys(step for _, rung in rungs for step in rung["step"]))
    if tables.is_number(table, x):
        every = list(ladder_of(table, x, y)["step"])
        steps.sort(key=every.index)
    with style.look():
        height = 1.2 + len(steps) * (0.18 + 0.24 * len(rungs))
        figure, axes = style.new_figure(7.0, max(2.4, height))
        thick = 0.8 / len(rungs)
        for index, (name, rung) in enumerate(rungs):
            places = [
                steps.index(step) + (index - (len(rungs) - 1) / 2) * thick for step in rung["step"]
            ]
            drawn = axes.barh(
                places,
                rung["value"] / factor,
                thick * 0.92,
                xerr=rung["ci95"] / factor if (rung["ci95"] > 0).any() else None,
                error_kw={"capsize": 2.5, "elinewidth": 1},
                color=_color(name, index),
                hatch=style.HATCHES[index % len(style.HATCHES)],
                edgecolor="white",
                linewidth=0.5,
                label=name or None,
            )
            texts = [
                style.short(value / factor)
                + ("" if math.isnan(gain) else f"  ({round(gain):+d} %)")
                for value, gain in zip(rung["value"], rung["gain"], strict=True)
            ]
            axes.bar_label(drawn, texts, fontsize=8, padding=4)
        axes.set_yticks(range(len(steps)), steps)
        axes.invert_yaxis()
        axes.set_xlim(0, 1.25 * axes.dataLim.x1)
        axes.set_xlabel(label)
        axes.set_ylabel(style.axis_label(x, units_of(table)))
        axes.grid(axis="y", visible=False)
        axes.set_title(describe(table) if title is None else title)
        if len(rungs) > 1:
            # Bars begin at the left and are of any length: there is room beside them only.
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=9)
    return figure
