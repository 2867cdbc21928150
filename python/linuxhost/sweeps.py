# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps: many points of a scenario, kept in a store, run on all cores or on a cluster."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from . import designs
from .describe import FIGURE, Program, Value, file_hashes
from .errors import InputError, LinuxHostError, Stopped, refuse
from .result import main_metric
from .store import Outcome, Point, Store
from .workers import Greeting, LocalPool, greet

if TYPE_CHECKING:
    import pandas as pd

#: How often the store is asked whether another process has finished its points.
POLL_SECONDS = 0.5


class Pool(Protocol):
    """Where points are played."""

    def busy(self) -> int: ...

    def room(self) -> int: ...

    def put(self, points: Sequence[Point]) -> None: ...

    def get(self, seconds: float) -> list[tuple[Point, Outcome]]: ...

    def close(self) -> None: ...


@dataclass
class Spec:
    """What a sweep is to do; a file has the same names."""

    scenario: str
    set: dict[str, Any] = field(default_factory=dict)
    design: str = "grid"
    points: list[dict[str, Any]] | None = None
    samples: int | None = None
    design_seed: int = 1
    metric: str | None = None  # what adaptive follows; None: the scenario's main one
    bend: float = 0.02
    most: int = designs.MOST_POINTS  # points

    #: Designs that draw their points.
    SAMPLED = ("random", "lhs", "sobol")

    def plan(self, program: Program) -> Plan:
        """Check everything, and say which points there are."""
        if self.design not in designs.DESIGNS:
            raise refuse("design", self.design, "one of " + "|".join(designs.DESIGNS))
        if not 1 <= self.most <= designs.MOST_VALUES:
            raise refuse("most", self.most, f"an integer from 1 to {designs.MOST_VALUES}")
        if self.samples is not None and not 1 <= self.samples <= self.most:
            raise refuse("samples", self.samples, f"an integer from 1 to {self.most} (--most)")
        if self.design_seed < 0:
            raise refuse("design-seed", self.design_seed, "an integer from 0")
        if not 0 <= self.bend <= 1:
            raise refuse("bend", self.bend, "a number from 0 to 1")
        settings = dict(self.set)
        for a in settings:
            for b in settings:
                if a < b and a.replace("_", "-") == b.replace("_", "-"):
                    raise InputError(f"--{a}, --{b}: only one of the two is allowed")
        given = {str(name).replace("_", "-") for name in settings}
        given |= {str(name).replace("_", "-") for point in self.points or () for name in point}
        for name, option in program.parameters.items():
            if option.both and name not in given:
                # Each side is a point of its own: two can be played at a time.
                settings[name] = "both"
        draws = self.design in self.SAMPLED or self.design == "adaptive"
        axes = [designs.parse_axis(program, n, v, sampled=draws) for n, v in settings.items()]
        for axis in axes:
            if axis.name == "figure":
                for value in axis.values:
                    program.check({"figure": value})
        if self.points is not None:
            if self.design not in ("grid", "list"):
                raise refuse("design", self.design, "list, when points are listed")
            listed_points = [program.check(one) for one in self.points]
            common = designs.grid(axes, self.most, len(listed_points))
            return Plan([{**c, **one} for one in listed_points for c in common])
        if self.design == "list":
            raise InputError("--design=list: allowed is a list of points (points, --points FILE)")
        if self.design == "grid":
            return Plan(designs.grid(axes, self.most))
        if self.design == "adaptive":
            count = self.samples or 50
            return Plan([], designs.Adaptive(axes, count, self.bend, self.most), self.metric)
        # Such a point is played before and after: what differs is the patch.
        sides = [a for a in axes if a.is_both or (a.name == "variant" and self.design != "zip")]
        others = [axis for axis in axes if axis not in sides]
        drawn = list(
            designs.zipped(others)
            if self.design == "zip"
            else designs.sampled(others, self.design, self.samples or 100, self.design_seed)
        )
        common = designs.grid(sides, self.most, len(drawn))
        return Plan([{**d, **v} for d in drawn for v in common])


@dataclass
class Plan:
    """The points of a sweep, or the design that makes them round by round."""

    points: list[dict[str, Value]]
    adaptive: designs.Adaptive | None = None
    metric: str | None = None


@dataclass
class Summary:
    """What a sweep did."""

    store: str
    model_version: str
    points: int = 0
    reused: int = 0
    ran: int = 0
    elsewhere: int = 0
    failed: int = 0
    seconds: float = 0.0
    keys: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)

    @property
    def points_per_s(self) -> float:
        """How many points were played a second."""
        return self.ran / self.seconds if self.seconds > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """The summary as a JSON object has it."""
        return {
            "store": self.store,
            "model_version": self.model_version,
            "points": self.points,
            "reused": self.reused,
            "ran": self.ran,
            "elsewhere": self.elsewhere,
            "failed": self.failed,
            "seconds": round(self.seconds, 3),
            "points_per_s": round(self.points_per_s, 3),
            "errors": [{"point": point, "error": error} for point, error in self.errors[:20]],
        }


def point_text(params: Mapping[str, Value]) -> str:
    """A point's parameters as they are typed."""
    return " ".join(f"{name}={value}" for name, value in params.items())


def read_file(path: Path) -> dict[str, Any]:
    """Read a sweep's file, TOML or YAML."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: allowed is a file that can be read ({error})") from None
    try:
        if path.suffix.lower() == ".toml":
            if sys.version_info >= (3, 11):
                import tomllib
            else:
                import tomli as tomllib
            content: Any = tomllib.loads(text)
        else:
            import yaml

            content = yaml.safe_load(text)
    except Exception as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise InputError(f'{path}: allowed are names and values, such as scenario = "saddr-rcu"')
    known = {f for f in Spec.__dataclass_fields__} | {"out"}
    for name in content:
        if name not in known:
            raise InputError(f"{path}: '{name}': allowed are " + ", ".join(sorted(known)))
    if "set" in content and not isinstance(content["set"], dict):
        raise InputError(f"{path}: 'set': allowed is a table of parameters and values")
    if "points" in content and not (
        isinstance(content["points"], list) and all(isinstance(p, dict) for p in content["points"])
    ):
        raise InputError(f"{path}: 'points': allowed is a list of tables, one a point")
    for table in (content.get("set", {}), *content.get("points", ())):
        for name in table:
            if not isinstance(name, str):
                raise InputError(f"{path}: '{name}': allowed is the name of a parameter")
    for name in ("samples", "design_seed", "most"):
        if name in content and (isinstance(content[name], bool) or type(content[name]) is not int):
            raise InputError(f"{path}: '{name}': allowed is an integer, not {content[name]!r}")
    for name in ("scenario", "design", "metric", "out"):
        if name in content and not isinstance(content[name], str):
            raise InputError(f"{path}: '{name}': allowed is a text, not {content[name]!r}")
    if type(content.get("bend", 0.0)) not in (int, float):
        raise InputError(f"{path}: 'bend': allowed is a number, not {content['bend']!r}")
    return content


def read_points(path: Path) -> list[dict[str, Any]]:
    """Read a CSV of points: a column a parameter, a row a point."""
    import csv

    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
        names = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"--points={path}: allowed is a CSV file ({error})") from None
    twice = len(set(names)) < len(names)
    if not rows or twice or any(None in row or None in row.values() for row in rows):
        raise InputError(
            f"--points={path}: allowed is a CSV file with a row of names, each once, and a row"
            " a point"
        )
    return [{name: value for name, value in row.items() if value != ""} for row in rows]


class Sweep:
    """A sweep at work."""

    def __init__(
        self,
        spec: Spec,
        store: Store,
        greeting: Greeting,
        *,
        retry: bool = False,
        on_progress: Callable[[Summary, int], None] | None = None,
    ) -> None:
        """Check what is to be done; InputError names what cannot be."""
        self._program = greeting.program(spec.scenario)
        self._plan = spec.plan(self._program)
        self._store = store
        self._version = greeting.model_version
        self._retry = retry
        self._progress = on_progress or (lambda summary, done: None)
        self._hashes: dict[str, dict[str, str]] = {}
        self._stopping = False
        self.summary = Summary(str(store.path), self._version)
        self._done = 0
        self._finished = store.finished(self._version)
        store.keep_program(spec.scenario, self._version, greeting.descriptions[spec.scenario])
        self._scenario = spec.scenario
        self._first = self._points(self._plan.points)

    @property
    def points(self) -> list[Point]:
        """The points that are known before anything is run."""
        return self._first

    def stop(self) -> None:
        """End at the next moment at which nothing is half done: what a signal's handler calls."""
        self._stopping = True

    def _look(self) -> None:
        """Raise Stopped when the sweep is to end."""
        self._progress(self.summary, self._done)
        if self._stopping:
            raise Stopped(
                f"stopped; {self._done} of {self.summary.points} points are saved in"
                f" {self._store.path}, the same command goes on from there"
            )

    def _points(self, many: Iterable[Mapping[str, Value]]) -> list[Point]:
        found: dict[str, Point] = {}
        for params in many:
            checked = self._program.check(params)
            names = sorted(
                (n, v)
                for n, v in checked.items()
                if isinstance(v, str) and not n.startswith(FIGURE)
            )
            token = repr(names)
            if token not in self._hashes:
                self._hashes[token] = file_hashes(dict(names))
            point = Point.make(self._scenario, checked, self._version, self._hashes[token])
            found[point.key] = point
        return list(found.values())

    def run(self, pool: Callable[[], Pool]) -> Summary:
        """Play what is not in the store yet. The pool is made when there is something to do."""
        begun = time.monotonic()
        made: list[Pool] = []

        def working() -> Pool:
            if not made:
                made.append(pool())
            return made[0]

        try:
            if self._plan.adaptive is None:
                self._round(self._first, working)
            else:
                self._refine(self._plan.adaptive, working)
        except sqlite3.OperationalError as error:
            raise LinuxHostError(
                f"{self._store.path}: {error}; what was saved before is kept, and the same command"
                " goes on from there"
            ) from None
        finally:
            self.summary.seconds = time.monotonic() - begun
            for one in made:
                one.close()
        return self.summary

    def _refine(self, adaptive: designs.Adaptive, working: Callable[[], Pool]) -> None:
        wanted = adaptive.first()
        while wanted:
            points = {}
            for curve, params in wanted:
                (point,) = self._points([params])
                points[point.key] = (curve, params)
            self._round(self._points(params for _, params in wanted), working)
            for key, (curve, params) in points.items():
                metrics = [result["metrics"] for result in self._store.results([key])]
                names = list(metrics[0]) if metrics else []
                metric = self._plan.metric or main_metric([self._scenario], names)
                values = [one.get(metric) for one in metrics]
                worked = [v for v in values if v is not None]
                if values and not worked:
                    raise refuse("metric", metric, "one of " + "|".join(names))
                adaptive.tell(curve, params, worked[0] if worked else None)
            wanted = adaptive.next()

    def _round(self, points: Sequence[Point], working: Callable[[], Pool]) -> None:
        summary = self.summary
        self._store.want(points)
        summary.points += len(points)
        summary.keys.extend(point.key for point in points)
        if self._retry:
            bad = [p.key for p in points if self._finished.get(p.key) is False]
            self._store.forget(bad)
            for key in bad:
                del self._finished[key]
        todo: deque[Point] = deque()
        for point in points:
            if point.key in self._finished:
                self._count(point, reused=True)
            else:
                todo.append(point)
        self._look()
        others: dict[str, Point] = {}
        asked = time.monotonic()
        flying: dict[str, Point] = {}
        try:
            while todo or flying or others:
                pool = working()
                self._store.beat()
                room = pool.room()
                if todo and room > 0:
                    batch = [todo.popleft() for _ in range(min(len(todo), room))]
                    self._take(batch, pool, flying, others)
                    if others and not flying and todo:
                        continue
                for point, outcome in pool.get(POLL_SECONDS if flying else 0.0):
                    flying.pop(point.key, None)
                    self._keep(point, outcome)
                if others and not todo and not flying and time.monotonic() - asked > POLL_SECONDS:
                    asked = time.monotonic()
                    waiting, others = list(others.values()), {}
                    self._take(waiting[: max(1, room)], pool, flying, others)
                    others.update((p.key, p) for p in waiting[max(1, room) :])
                if others and not flying and not todo:
                    time.sleep(POLL_SECONDS / 5)
                self._look()
        except BaseException:
            with contextlib.suppress(Exception):
                self._store.release(flying.values())
            raise

    def _take(
        self,
        batch: Sequence[Point],
        pool: Pool,
        flying: dict[str, Point],
        others: dict[str, Point],
    ) -> None:
        """Claim points, and hand those to the pool that nobody else has."""
        mine, finished, theirs = self._store.claim(batch)
        for point in finished:
            self._finished[point.key] = self._store.worked(point.key)
            self.summary.elsewhere += 1
            self._count(point, reused=False)
        others.update((point.key, point) for point in theirs)
        flying.update((point.key, point) for point in mine)
        pool.put(mine)

    def _keep(self, point: Point, outcome: Outcome) -> None:
        self._store.finish(point, outcome)
        self._finished[point.key] = outcome.error is None
        self.summary.ran += 1
        self._done += 1
        if outcome.error is not None:
            self.summary.failed += 1
            self.summary.errors.append((point_text(point.params), outcome.error))

    def _count(self, point: Point, reused: bool) -> None:
        self._done += 1
        if reused:
            self.summary.reused += 1
        if self._finished.get(point.key) is False:
            self.summary.failed += 1


def pool_maker(
    greeting: Greeting,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    slurm: int | None = None,
    slurm_options: Mapping[str, Any] | None = None,
    point_timeout: float | None = None,
) -> Callable[[], Pool]:
    """Where points are to be played: here, on a dask cluster, or on Slurm's machines."""
    if scheduler is not None and slurm is not None:
        raise InputError("--scheduler, --slurm: only one of the two is allowed")
    if scheduler is not None:
        from . import cluster

        client = cluster.connect(scheduler)
        return lambda: cluster.DaskPool(client, greeting.model_version)
    if slurm is not None:
        from . import cluster

        def on_slurm() -> Pool:
            made, client = cluster.slurm(slurm, slurm_options or {})
            return cluster.DaskPool(client, greeting.model_version, [made])

        cluster.need_dask()
        return on_slurm
    return lambda: LocalPool(jobs or cores(), greeting.model_version, point_timeout)


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def sweep(
    scenario: str | Path | Spec,
    set: Mapping[str, Any] | None = None,
    *,
    out: Path | str | None = None,
    design: str = "grid",
    points: Sequence[Mapping[str, Any]] | None = None,
    samples: int | None = None,
    design_seed: int = 1,
    metric: str | None = None,
    bend: float = 0.02,
    most: int = designs.MOST_POINTS,
    jobs: int | None = None,
    scheduler: str | None = None,
    point_timeout: float | None = None,
    retry: bool = False,
    on_progress: Callable[[Summary, int], None] | None = None,
    **params: Any,
) -> pd.DataFrame:
    """Play the points of a sweep that are not in the store yet, and return all of them.

    A parameter is a value, a list of values, or a text as the command takes it:

    >>> linuxhost.sweep("sit-lockless-xmit", cpus="1..64:log", lock=["ticket", "mcs"],
    ...                 precision=0.02, out="sweep.db")

    `scenario` may be a sweep's file. Without `out`, nothing is kept. The table's columns are those
    of `linuxhost.schema`; `attrs["summary"]` says what was done.
    """
    if isinstance(scenario, Spec):
        spec = scenario
    elif str(scenario).endswith((".toml", ".yaml", ".yml")):
        content = read_file(Path(scenario))
        out = out if out is not None else content.pop("out", None)
        content.pop("out", None)
        content["set"] = {**content.get("set", {}), **(set or {}), **params}
        content.setdefault("scenario", "")
        spec = Spec(**content)
    else:
        spec = Spec(
            str(scenario),
            {**(set or {}), **params},
            "list" if points is not None and design == "grid" else design,
            None if points is None else [dict(point) for point in points],
            samples,
            design_seed,
            metric,
            bend,
            most,
        )
    greeting = greet()
    with contextlib.ExitStack() as stack:
        if out is None:
            out = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "sweep.db"
        store = stack.enter_context(Store(out, create=True))
        work = Sweep(spec, store, greeting, retry=retry, on_progress=on_progress)
        maker = pool_maker(greeting, jobs=jobs, scheduler=scheduler, point_timeout=point_timeout)
        summary = work.run(maker)
        frame = store.dataframe(summary.keys)
        frame.attrs["summary"] = summary.to_json()
        return frame


__all__ = [
    "LinuxHostError",
    "Plan",
    "Spec",
    "Stopped",
    "Summary",
    "Sweep",
    "cores",
    "pool_maker",
    "read_file",
    "read_points",
    "sweep",
]
