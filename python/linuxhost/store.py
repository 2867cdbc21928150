# SPDX-License-Identifier: GPL-2.0-only
"""Where a sweep's points are kept: one SQLite file.

A row a finished point, written in a transaction of its own; what was claimed by a process that is
gone is taken over by another.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .describe import FIGURE, Program, Value
from .errors import InputError, LinuxHostError
from .files import check_output
from .result import unit_of

if TYPE_CHECKING:
    import pandas as pd

#: The files that a store's table can be written as.
TABLES = (".csv", ".parquet", ".jsonl")
#: What a store says that it is.
SCHEMA = "linux-host.store/1"
#: A claim lives as long as its owner, or, where that cannot be seen, so long after its last sign.
LEASE_SECONDS = 60.0

_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS program (
    scenario TEXT, model_version TEXT, description TEXT NOT NULL,
    PRIMARY KEY (scenario, model_version));
CREATE TABLE IF NOT EXISTS point (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    scenario TEXT NOT NULL,
    params TEXT NOT NULL,
    seed INTEGER NOT NULL,
    model_version TEXT NOT NULL,
    files TEXT NOT NULL,
    error TEXT,
    messages TEXT,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS result (
    point INTEGER NOT NULL REFERENCES point (number) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (point, number));
CREATE TABLE IF NOT EXISTS owner (
    owner TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL,
    beat REAL NOT NULL);
CREATE TABLE IF NOT EXISTS claim (key TEXT PRIMARY KEY, owner TEXT NOT NULL);
"""
#: The order in which points were asked for: they are finished in any.
_WANTED = "wanted (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE)"


@dataclass(frozen=True)
class Point:
    """A point of a sweep: one run of one scenario."""

    key: str
    scenario: str
    params: dict[str, Value]
    seed: int
    model_version: str
    files: dict[str, str]

    @classmethod
    def make(
        cls,
        scenario: str,
        params: dict[str, Value],
        model_version: str,
        files: dict[str, str] | None = None,
    ) -> Point:
        """A point with its key; the seed is one of the parameters (1 when it is not there)."""
        params = dict(params)
        seed = int(params.setdefault("seed", 1))
        files = files or {}
        identity = [scenario, sorted(params.items()), files, model_version]
        key = sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
        return cls(key, scenario, params, seed, model_version, files)


@dataclass
class Outcome:
    """What a point gave: results as JSON texts, or an error."""

    results: Sequence[str] = ()
    error: str | None = None
    messages: str | None = None
    seconds: float = 0.0


def _born(pid: int) -> str:
    """When a process began, in its system's own measure; empty where that cannot be told."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return ""


def _alive(pid: int, born: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return not born or _born(pid) == born


class Store:
    """A sweep's points, finished and claimed, in one SQLite file."""

    def __init__(self, path: Path | str, create: bool = False) -> None:
        """Open a store; with `create`, make one where there is none."""
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise InputError(f"{path}: allowed is a sweep's store; there is no such file")
        if self.path.is_dir() or not self.path.absolute().parent.is_dir():
            raise InputError(f"--out={path}: allowed is a file in a folder that is there")
        self._owner = ""
        self._beat = 0.0
        try:
            self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            self._write_ahead()
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA foreign_keys=ON")
            with self._change():
                tables = {row[0] for row in self._db.execute("SELECT name FROM sqlite_master")}
                if tables and "about" not in tables:
                    raise LinuxHostError(f"{path} is no sweep's store, but another SQLite file")
                for statement in _TABLES.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"CREATE TABLE IF NOT EXISTS {_WANTED}")
                self._db.execute("INSERT OR IGNORE INTO about VALUES ('schema', ?)", (SCHEMA,))
            found = self._db.execute("SELECT value FROM about WHERE name = 'schema'").fetchone()[0]
        except sqlite3.Error as error:
            try:
                if create or not isinstance(error, sqlite3.OperationalError):
                    raise error
                found = self._only_read()
            except sqlite3.Error as why:
                raise LinuxHostError(f"{path} cannot be used as a store: {why}") from None
        if found != SCHEMA:
            raise LinuxHostError(f"{path} is a store of schema {found}; this reads {SCHEMA}")

    def _only_read(self) -> Any:
        """Look into a store in a folder that may not be written; returns its schema."""
        if self.path.with_name(self.path.name + "-wal").exists():
            # Points that another process has just finished are there.
            raise sqlite3.OperationalError("it is in use, in a folder that cannot be written")
        uri = self.path.absolute().as_uri() + "?mode=ro&immutable=1"
        self._db = sqlite3.connect(uri, uri=True, isolation_level=None)
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'wanted'").fetchone():
            self._db.execute(f"CREATE TEMP TABLE {_WANTED}")  # a store of an older release
        return self._db.execute("SELECT value FROM about WHERE name = 'schema'").fetchone()[0]

    def _write_ahead(self) -> None:
        """Write ahead: readers and a writer at a time, and a kill leaves no half row."""
        until = time.monotonic() + LEASE_SECONDS
        while True:
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite does not wait here for who is doing the same in a new file.
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is claimed, and close the file."""
        try:
            if self._owner:
                with self._change():
                    self._db.execute("DELETE FROM claim WHERE owner = ?", (self._owner,))
                    self._db.execute("DELETE FROM owner WHERE owner = ?", (self._owner,))
            self._db.close()
        except sqlite3.Error:
            pass  # the claims end with this process

    @contextmanager
    def _change(self) -> Iterator[None]:
        """One transaction, which takes the file's lock at once."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # Who works on what

    def beat(self) -> None:
        """Say that this process is at work; called often, does something every few seconds."""
        now = time.time()
        if self._owner and now - self._beat < LEASE_SECONDS / 12:
            return
        self._beat = now
        if self._owner:
            self._db.execute("UPDATE owner SET beat = ? WHERE owner = ?", (now, self._owner))
            return
        self._owner = uuid.uuid4().hex
        pid = os.getpid()
        self._db.execute(
            "INSERT INTO owner VALUES (?, ?, ?, ?, ?)",
            (self._owner, socket.gethostname(), pid, _born(pid), now),
        )

    def _living(self) -> set[str]:
        """The owners that are at work; the others' rows are removed, with their claims."""
        here, now = socket.gethostname(), time.time()
        living = set()
        for owner, host, pid, born, beat in self._db.execute("SELECT * FROM owner").fetchall():
            fresh = now - beat < LEASE_SECONDS
            if owner == self._owner or (fresh and (host != here or _alive(pid, born))):
                living.add(owner)
            else:
                self._db.execute("DELETE FROM claim WHERE owner = ?", (owner,))
                self._db.execute("DELETE FROM owner WHERE owner = ?", (owner,))
        return living

    def claim(self, points: Iterable[Point]) -> tuple[list[Point], list[Point], list[Point]]:
        """Take points to work on.

        Returns those that this process has now, those that are finished, and those that another
        process is at work on.
        """
        self.beat()
        mine, finished, others = [], [], []
        with self._change():
            living = self._living()
            if self._owner not in living:
                # Others took this process for gone, say while it was stopped.
                self._owner = ""
                self.beat()
                living.add(self._owner)
            for point in points:
                if self._db.execute("SELECT 1 FROM point WHERE key = ?", (point.key,)).fetchone():
                    finished.append(point)
                    continue
                row = self._db.execute(
                    "SELECT owner FROM claim WHERE key = ?", (point.key,)
                ).fetchone()
                if row and row[0] in living and row[0] != self._owner:
                    others.append(point)
                    continue
                self._db.execute(
                    "INSERT OR REPLACE INTO claim VALUES (?, ?)", (point.key, self._owner)
                )
                mine.append(point)
        return mine, finished, others

    def release(self, points: Iterable[Point]) -> None:
        """Give back points that were claimed and not finished."""
        with self._change():
            self._db.executemany(
                "DELETE FROM claim WHERE key = ? AND owner = ?",
                [(point.key, self._owner) for point in points],
            )

    def workers(self) -> int:
        """How many processes are at work on this store, this one included."""
        with self._change():
            return len(self._living())

    # Points

    def keep_program(self, program: str, model_version: str, description: str) -> None:
        """Keep what a scenario's options are, for the units of columns."""
        self._db.execute(
            "INSERT OR REPLACE INTO program VALUES (?, ?, ?)", (program, model_version, description)
        )

    def want(self, points: Iterable[Point]) -> None:
        """Keep the order in which points are asked for: tables have it."""
        with self._change():
            self._db.executemany(
                "INSERT OR REPLACE INTO wanted (key) VALUES (?)", [(p.key,) for p in points]
            )

    def finish(self, point: Point, outcome: Outcome) -> bool:
        """Keep what a point gave; False when another process was first."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with self._change():
            cursor = self._db.execute(
                "INSERT OR IGNORE INTO point (key, scenario, params, seed, model_version, files,"
                " error, messages, seconds, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    point.key,
                    point.scenario,
                    json.dumps(point.params),
                    point.seed,
                    point.model_version,
                    json.dumps(point.files),
                    outcome.error,
                    outcome.messages,
                    outcome.seconds,
                    stamp,
                ),
            )
            if cursor.rowcount == 1:
                number = cursor.lastrowid
                self._db.executemany(
                    "INSERT INTO result VALUES (?, ?, ?)",
                    [(number, i, text) for i, text in enumerate(outcome.results)],
                )
            self._db.execute("DELETE FROM claim WHERE key = ?", (point.key,))
        return cursor.rowcount == 1

    def finished(self, model_version: str) -> dict[str, bool]:
        """The keys of the finished points of a version of the model, and whether each worked."""
        rows = self._db.execute(
            "SELECT key, error IS NULL FROM point WHERE model_version = ?", (model_version,)
        )
        return {key: bool(worked) for key, worked in rows}

    def worked(self, key: str) -> bool:
        """Whether a finished point gave results."""
        row = self._db.execute("SELECT error IS NULL FROM point WHERE key = ?", (key,)).fetchone()
        return bool(row and row[0])

    def forget(self, keys: Iterable[str]) -> None:
        """Remove points, so that they are run again."""
        with self._change():
            self._db.executemany("DELETE FROM point WHERE key = ?", [(key,) for key in keys])

    def model_versions(self) -> list[str]:
        """The versions of the model that points are of, the last used last."""
        rows = self._db.execute(
            "SELECT model_version FROM point GROUP BY model_version ORDER BY MAX(number)"
        )
        return [row[0] for row in rows]

    def _rows(
        self, keys: Sequence[str] | None, model_version: str | None, every_version: bool
    ) -> Iterator[tuple[Any, ...]]:
        columns = (
            "p.scenario, p.params, p.seed, p.model_version, p.error, p.seconds, r.result"
            " FROM point p LEFT JOIN result r ON r.point = p.number"
        )
        order = (
            "LEFT JOIN wanted o ON o.key = p.key {} ORDER BY o.number IS NULL, o.number, p.number,"
            " r.number"
        )
        values: tuple[str, ...] = ()
        if keys is not None:
            order = "JOIN json_each(?) w ON w.value = p.key ORDER BY w.key, r.number"
            values = (json.dumps(list(keys)),)
        elif every_version:
            order = order.format("")
        else:
            known = self.model_versions() if model_version is None else [model_version]
            order = order.format("WHERE p.model_version = ?")
            values = (known[-1] if known else "",)
        # A loop: `yield from` would close the rows, perhaps after the store.
        for row in self._db.execute(f"SELECT {columns} {order}", values):  # noqa: UP028
            yield row

    def results(
        self,
        keys: Sequence[str] | None = None,
        *,
        model_version: str | None = None,
        every_version: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """The results, whole, as the examples wrote them (`result.Result.from_dict` reads one).

        Without arguments: those of the version of the model that was used last.
        """
        for row in self._rows(keys, model_version, every_version):
            if row[-1] is not None:
                yield self._read(row[-1])

    def _read(self, text: str) -> Any:
        """A result that was kept."""
        try:
            return json.loads(text)
        except ValueError:
            why = f"the store is damaged: {text[:40]!r} is no result"
            raise LinuxHostError(f"{self.path}: {why}") from None

    def programs(self) -> dict[str, Program]:
        """What each scenario's options were when it was last run."""
        rows = self._db.execute("SELECT scenario, description FROM program ORDER BY rowid")
        return {name: Program.from_json(json.loads(text)) for name, text in rows}

    def units(self) -> dict[str, str]:
        """The unit of each parameter that has one."""
        units = {}
        for program in self.programs().values():
            for option in program.parameters.values():
                if option.unit:
                    units[option.column] = option.unit
        return units

    def dataframe(
        self,
        keys: Sequence[str] | None = None,
        *,
        model_version: str | None = None,
        every_version: bool = False,
    ) -> pd.DataFrame:
        """The points as a table: a row a result, a row with `error` a point that failed.

        Columns: see `linuxhost.schema`. `attrs["units"]` has the unit of each column that has one.
        Without arguments: the points of the version of the model that was used last.
        """
        import pandas as pd

        programs = self.programs()
        front = ["scenario", "variant", "machine"]
        params: dict[str, None] = {}
        metrics: dict[str, None] = {}
        defaults = {
            name: {o.column: o.default_value() for o in program.parameters.values()}
            for name, program in programs.items()
        }
        units = self.units()
        rows = []
        for scenario, asked, seed, version, error, seconds, text in self._rows(
            keys, model_version, every_version
        ):
            row: dict[str, Any] = {"scenario": scenario, **defaults.get(scenario, {})}
            for name, value in json.loads(asked).items():
                row[name.removeprefix(FIGURE).replace("-", "_")] = _number(value)
            row.pop("figure", None)
            result = self._read(text) if text is not None else None
            if result is not None and FIGURE in asked:
                figures = result.get("free_parameters", ())
                units.update((f["name"], f["unit"]) for f in figures if f["unit"])
            if result is not None:
                row.update({k.replace("-", "_"): v for k, v in result["params"].items()})
                row.update(variant=result["variant"], machine=result["machine"])
            params.update(dict.fromkeys(name for name in row if name not in front))
            row.update(seed=seed, model_version=version, error=error, seconds=seconds)
            if result is not None:
                for name, value in result["metrics"].items():
                    row[name] = value
                    metrics[name] = None
                    if name in result["ci95"]:
                        row[name + "_ci95"] = result["ci95"][name]
                        metrics[name + "_ci95"] = None
            rows.append(row)
        last = ["seed", "model_version", "error", "seconds"]
        order = front + [n for n in params if n not in last and n not in metrics]
        order += ["seed", "model_version", *metrics, "error", "seconds"]
        frame: pd.DataFrame = pd.DataFrame(rows, columns=order)
        frame["error"] = frame["error"].astype(object).where(frame["error"].notna(), None)
        for name in metrics:
            unit = unit_of(name.removesuffix("_ci95"))
            if unit:
                units[name] = unit
        units["seconds"] = "s"
        frame.attrs["units"] = {name: units[name] for name in order if name in units}
        return frame

    def export(self, path: Path | str, **which: Any) -> int:
        """Write the table as `.csv`, `.parquet` or `.jsonl` (whole results); returns its rows."""
        path = Path(path)
        kind = path.suffix.lower()
        check_output("export", path, TABLES)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            if kind == ".jsonl":
                count = 0
                with temporary.open("w", encoding="utf-8") as file:
                    for row in self._rows(
                        which.get("keys"),
                        which.get("model_version"),
                        which.get("every_version", False),
                    ):
                        if row[-1] is not None:
                            file.write(row[-1] + "\n")
                            count += 1
            else:
                frame = self.dataframe(**which)
                count = len(frame)
                if kind == ".csv":
                    frame.to_csv(temporary, index=False)
                else:
                    _write_parquet(frame, temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        return count


def _number(value: Any) -> Any:
    """A list of one number, which the option took as a text, is a number."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Parquet with each column's unit in its metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # A column that holds numbers here and words there is text.
    frame = frame.copy()
    for name in frame.columns:
        if frame[name].dtype == object:
            kinds = {type(value) for value in frame[name] if value is not None}
            if len(kinds) > 1:
                frame[name] = [None if v is None else str(v) for v in frame[name]]
    table = pa.Table.from_pandas(frame, preserve_index=False)
    units = frame.attrs.get("units", {})
    fields = [
        f.with_metadata({"unit": units[f.name]}) if f.name in units else f for f in table.schema
    ]
    pq.write_table(table.cast(pa.schema(fields, metadata=table.schema.metadata)), path)
