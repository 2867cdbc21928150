# SPDX-License-Identifier: GPL-2.0-only
"""Which points a sweep has: values as they are typed, and designs that combine them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .describe import Option, Program, Value, number_text
from .errors import InputError, refuse

#: The designs that `--design` knows.
DESIGNS = ("grid", "zip", "list", "random", "lhs", "sobol", "adaptive")
#: More points than this are a slip of the keyboard, unless --most says so.
MOST_POINTS = 100_000
#: More values of a parameter than this are one, whatever --most says.
MOST_VALUES = 10_000_000

_RANGE = "FIRST..LAST, FIRST..LAST:COUNT, FIRST..LAST:step=STEP, FIRST..LAST:log or :log:COUNT"


@dataclass(frozen=True)
class Range:
    """A range of numbers."""

    first: float
    last: float
    count: int | None = None
    step: float | None = None
    log: bool = False

    @classmethod
    def parse(cls, name: str, text: str) -> Range:
        """Read `1..64`, `1..64:log`, `1..64:log:7`, `0..1:11` or `0..1:step=0.1`."""
        bounds, *rest = text.split(":")
        first_text, _, last_text = bounds.partition("..")
        try:
            first, last = float(first_text), float(last_text)
        except ValueError:
            raise refuse(name, text, _RANGE) from None
        if not (math.isfinite(first) and math.isfinite(last)) or last < first:
            raise refuse(name, text, "a range whose first number is not above its last")
        log = bool(rest) and rest[0] == "log"
        if log:
            rest = rest[1:]
            if first <= 0:
                raise refuse(name, text, "a first number above 0, with :log")
        count: int | None = None
        step: float | None = None
        if len(rest) > 1:
            raise refuse(name, text, _RANGE)
        if rest:
            try:
                if rest[0].startswith("step=") and not log:
                    step = float(rest[0][5:])
                else:
                    count = int(rest[0])
            except ValueError:
                raise refuse(name, text, _RANGE) from None
            if (count is not None and count < 2) or (step is not None and not step > 0):
                raise refuse(name, text, "a COUNT from 2, or a STEP above 0")
            if count is not None and count > MOST_VALUES:
                raise refuse(name, text, f"at most {MOST_VALUES} values")
        return cls(first, last, count, step, log)

    def at(self, share: float, whole: bool) -> float:
        """The number at a share (0 to 1) of the way; whole numbers are equally likely."""
        low, high = self.first, self.last
        if whole:
            low, high = low - 0.5, high + 0.5
            if self.log:
                low = max(low, 0.5)
        if self.log:
            number = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            number = low + share * (high - low)
        if whole:
            number = float(min(max(round(number), math.ceil(self.first)), math.floor(self.last)))
        return number

    def values(self, option: Option, text: str) -> list[float]:
        """The numbers of the range, for a grid."""
        whole = option.kind != "real" and option.kind != "figure"
        if self.count is not None:
            steps = [i / (self.count - 1) for i in range(self.count)]
            if self.log:
                span = math.log(self.last / self.first)
                numbers = [self.first * math.exp(s * span) for s in steps]
                numbers[-1] = self.last
            else:
                numbers = [self.first + s * (self.last - self.first) for s in steps]
        elif self.log:
            numbers = [self.first]
            while numbers[-1] * 2 < self.last:
                numbers.append(numbers[-1] * 2)
            if self.last > numbers[-1]:
                numbers.append(self.last)
        else:
            step = self.step
            if step is None and not whole:
                raise refuse(
                    option.name, text, "a range with a :COUNT or a :step=, for this number"
                )
            step = step or 1.0
            steps_taken = (self.last - self.first) / step
            if steps_taken > MOST_VALUES:  # infinitely many, perhaps
                raise refuse(option.name, text, f"at most {MOST_VALUES} values")
            size = math.floor(steps_taken + 1e-9) + 1
            numbers = [self.first + i * step for i in range(size)]
        if whole:
            numbers = [float(round(number)) for number in numbers]
        # Without the noise of binary fractions: 0.30000000000000004.
        return list(dict.fromkeys(float(f"{number:.12g}") for number in numbers))


@dataclass(frozen=True)
class Axis:
    """A parameter of a sweep and the values it takes."""

    option: Option
    values: tuple[Value, ...]
    range: Range | None = None
    is_both: bool = False  # "both" alone: its values are the sides of an experiment

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.option.name

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are whole."""
        return self.option.kind not in ("real", "figure")

    def at(self, share: float) -> Value:
        """The value at a share (0 to 1, 1 excluded) of the way."""
        if self.range is not None:
            return self.option.read(_spell(self.range.at(share, self.is_whole)))
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


def _spell(number: float) -> str:
    return number_text(float(f"{number:.12g}"))


def parse_axis(program: Program, name: str, given: object, sampled: bool = False) -> Axis:
    """Read what a parameter is to be: a text as it is typed, a value, or a list of values.

    With `sampled`, a range without a count is a stretch to draw from.
    """
    option = program.option(name)
    if isinstance(given, (str, bytes)):
        text = given.decode() if isinstance(given, bytes) else given
        # A list of settings, such as figures of a machine or offloads, has commas of its own.
        own = option.form.startswith("NAME=")
        items: Sequence[Any] = text.split(";" if own else ",")
    elif isinstance(given, Mapping):
        raise refuse(name, given, "a value, a list of values or a range")
    elif hasattr(given, "__iter__"):
        items = list(given)
    else:
        items = [given]
    values: dict[Value, None] = {}
    found: Range | None = None
    for item in items:
        if isinstance(item, str) and ".." in item and _takes_ranges(option):
            found = Range.parse(option.name, item.strip())
            for bound in (found.first, found.last):
                option.read(_spell(bound))
            if sampled and found.count is None and found.step is None:
                numbers = [found.first, found.last]
            else:
                numbers = found.values(option, item)
            values.update(dict.fromkeys(option.read(_spell(number)) for number in numbers))
        else:
            if item is None or (hasattr(item, "__iter__") and not isinstance(item, str)):
                raise refuse(name, item, option.allowed)
            read = option.read(item.item() if hasattr(item, "item") else item)
            sides = option.both if read == "both" else ()
            values.update(dict.fromkeys(sides or (read,)))
    if not values:
        raise refuse(name, given, option.allowed)
    alone = len(items) == 1
    is_both = alone and bool(option.both) and str(items[0]).strip() == "both"
    return Axis(option, tuple(values), found if alone else None, is_both)


def _takes_ranges(option: Option) -> bool:
    return option.is_number or option.kind == "figure" or option.form == "LIST"


def grid(axes: Sequence[Axis], most: int = MOST_POINTS, times: int = 1) -> list[dict[str, Value]]:
    """All combinations, the last axis fastest; each is to be played with `times` others."""
    size = math.prod(len(axis.values) for axis in axes) * times
    if size > most:
        raise InputError(
            f"{size} points: allowed are at most {most}; --most says how many are meant"
        )
    names = [axis.name for axis in axes]
    every = itertools.product(*(axis.values for axis in axes))
    return [dict(zip(names, values, strict=True)) for values in every]


def zipped(axes: Sequence[Axis]) -> Iterator[dict[str, Value]]:
    """The first values together, then the second ones, ...; one value stands for all."""
    lengths = {len(axis.values) for axis in axes} - {1}
    if len(lengths) > 1:
        told = ", ".join(f"{axis.name} has {len(axis.values)}" for axis in axes)
        raise InputError(f"--design=zip: allowed are lists of one length; {told}")
    size = lengths.pop() if lengths else 1
    for i in range(size):
        yield {a.name: a.values[i if len(a.values) > 1 else 0] for a in axes}


def sampled(axes: Sequence[Axis], design: str, count: int, seed: int) -> Iterator[dict[str, Value]]:
    """Points drawn by chance, by a Latin hypercube, or by a Sobol sequence (SciPy's qmc)."""
    import numpy as np

    varied = [axis for axis in axes if len(axis.values) > 1 or axis.range is not None]
    fixed = {axis.name: axis.values[0] for axis in axes if axis not in varied}
    if not varied:
        yield fixed
        return
    if design == "random":
        shares = np.random.default_rng(seed).random((count, len(varied)))
    else:
        import warnings

        from scipy.stats import qmc

        if design == "lhs":
            shares = qmc.LatinHypercube(d=len(varied), rng=seed).random(count)
        else:
            with warnings.catch_warnings():
                # It is balanced for powers of two only; any count is good enough here.
                warnings.simplefilter("ignore", UserWarning)
                shares = qmc.Sobol(d=len(varied), rng=seed).random(count)
    for row in shares:
        point = dict(fixed)
        for axis, share in zip(varied, row, strict=True):
            point[axis.name] = axis.at(float(share))
        yield point


class Adaptive:
    """Refines curves where they bend.

    One axis is a range; each combination of the others' values is a curve. A curve starts with a
    few values. In each round, of every three neighbours the middle one is compared with the
    straight line through the others; where it is off by more than `bend` of the curve's span, the
    stretches beside it are halved.
    """

    def __init__(
        self, axes: Sequence[Axis], count: int, bend: float, most: int = MOST_POINTS
    ) -> None:
        ranges = [a for a in axes if a.range is not None and _takes_ranges(a.option)]
        ranges = [a for a in ranges if len(a.values) > 1]
        if len(ranges) != 1:
            raise InputError(
                f"--design=adaptive: allowed is one range to refine; there are {len(ranges)}"
                " (others are lists of values)"
            )
        self.axis = ranges[0]
        assert self.axis.range is not None
        self._log = self.axis.range.log
        self._count = count
        self._bend = bend
        self._others = grid([axis for axis in axes if axis is not self.axis], most)
        self._curves: list[dict[float, float | None]] = [{} for _ in self._others]
        self._asked: list[set[float]] = [set() for _ in self._others]

    def _snap(self, x: float) -> float:
        return float(round(x)) if self.axis.is_whole else float(f"{x:.12g}")

    def _between(self, a: float, b: float) -> float:
        return self._snap(math.sqrt(a * b) if self._log else (a + b) / 2)

    def first(self) -> list[tuple[int, dict[str, Value]]]:
        """The first round: curve numbers and points."""
        assert self.axis.range is not None
        bounds = self.axis.range
        if len(self.axis.values) > 2:
            xs = [float(v) for v in self.axis.values]
        else:
            steps = [i / 4 for i in range(5)]
            span = math.log(bounds.last / bounds.first) if self._log else bounds.last - bounds.first
            xs = [
                self._snap(
                    bounds.first * math.exp(s * span) if self._log else bounds.first + s * span
                )
                for s in steps
            ]
        return [wanted for i in range(len(self._others)) for wanted in self._want(i, xs)]

    def _want(self, curve: int, xs: Sequence[float]) -> Iterator[tuple[int, dict[str, Value]]]:
        for x in dict.fromkeys(xs):
            if x not in self._asked[curve] and len(self._asked[curve]) < self._count:
                self._asked[curve].add(x)
                point = dict(self._others[curve])
                point[self.axis.name] = self.axis.option.read(_spell(x))
                yield curve, point

    def tell(self, curve: int, point: Mapping[str, Value], y: float | None) -> None:
        """Say what the metric is at a point; None: the point failed."""
        self._curves[curve][float(point[self.axis.name])] = y

    def next(self) -> list[tuple[int, dict[str, Value]]]:
        """The next round; empty when no curve bends any more, or all have their count."""
        wanted: list[tuple[int, dict[str, Value]]] = []
        for number, curve in enumerate(self._curves):
            known = sorted((x, y) for x, y in curve.items() if y is not None)
            if len(known) < 3:
                continue
            ys = [y for _, y in known]
            span = (max(ys) - min(ys)) or 1.0
            scale = [math.log(x) if self._log else x for x, _ in known]
            new: list[tuple[float, float]] = []
            for i in range(1, len(known) - 1):
                share = (scale[i] - scale[i - 1]) / (scale[i + 1] - scale[i - 1])
                straight = ys[i - 1] + share * (ys[i + 1] - ys[i - 1])
                off = abs(ys[i] - straight) / span
                if off > self._bend:
                    for a, b in ((i - 1, i), (i, i + 1)):
                        x = self._between(known[a][0], known[b][0])
                        if known[a][0] < x < known[b][0]:
                            new.append((-off, x))
            wanted.extend(self._want(number, [x for _, x in sorted(new)]))
        return wanted
