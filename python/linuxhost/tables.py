# SPDX-License-Identifier: GPL-2.0-only
"""Results as pictures and reports want them: tables with a row a point, and what was published.

A table's columns are `scenario`, `variant`, `machine`, `seed`, each parameter and each metric by
its name, and a metric's 95 % half-width as `NAME_ci95`.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from . import errors, style
from . import result as schema
from .describe import FIGURE

SCHEMA = "linux-host.result/1"
CI = "_ci95"

# What stands beside a point and is neither a parameter nor a metric.
ABOUT = ("scenario", "variant", "machine", "seed", "model_version", "error", "seconds")

# The lists of a result, and what their rows have.
ROWS = {
    "profile": ("symbol", "share", "ns_per_frame"),
    "lines": ("line", "transfers_per_frame", "busy"),
    "free_parameters": ("name", "value", "unit", "kind", "provenance"),
}

Result = dict[str, Any]


class InputError(errors.InputError):
    """What a user gave cannot be used: an option or a file, its value, and what is allowed."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name}={value}: allowed is {allowed}")


@dataclass(frozen=True)
class Published:
    """A figure that was published: of a scenario's case, in a variant."""

    scenario: str
    case: str
    variant: str
    metric: str
    value: float
    fitted: bool
    source: str


def data_folder() -> Path | None:
    """Where the published figures are: in the installed package, or in the repository."""
    here = Path(__file__).resolve().parent
    for folder in (here / "data", here.parent.parent / "examples" / "data"):
        if (folder / "published.csv").is_file():
            return folder
    return None


def read_published(path: Path | None = None) -> list[Published]:
    """Read published figures; without a path the pack's own (none where they are not there)."""
    if path is None:
        folder = data_folder()
        if folder is None:
            return []
        path = folder / "published.csv"
    found = []
    for number, row in _rows(path):
        if len(row) < 6:
            raise InputError("--published", path, f"a file of published figures; line {number}")
        try:
            value = float(row[4])
        except ValueError:
            raise InputError(
                "--published", path, f"a number on line {number}, not {row[4]}"
            ) from None
        source = ",".join(row[6:])
        found.append(Published(row[0], row[1], row[2], row[3], value, row[5] == "fitted", source))
    return found


def read_settings(path: Path | None = None) -> dict[str, dict[str, str]]:
    """The settings under which each experiment was published, by scenario."""
    if path is None:
        folder = data_folder()
        path = folder / "published-settings.csv" if folder else None
    settings: dict[str, dict[str, str]] = {}
    if path is not None and path.is_file():
        for _, (scenario, name, value, *_rest) in _rows(path):
            settings.setdefault(scenario, {})[name] = value
    return settings


def _rows(path: Path) -> Iterable[tuple[int, list[str]]]:
    with path.open(newline="", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                yield number, next(csv.reader([line]))


def same(value: object, text: str) -> bool:
    """Whether a setting has the value that a text says."""
    if isinstance(value, bool) or str(value) in ("True", "False"):
        return str(value).lower() == text.lower() or str(int(str(value) == "True")) == text
    if isinstance(value, float) and math.isnan(value):
        return not text  # an empty field of a CSV file
    try:
        return math.isclose(float(str(value)), float(text), rel_tol=1e-9)
    except ValueError:
        return str(value) == text


def published_for(
    row: Mapping[str, Any],
    figures: Iterable[Published],
    settings: Mapping[str, Mapping[str, str]],
) -> dict[str, Published]:
    """What was published of a row, by metric: nothing where its settings or figures are others."""
    if any(name.startswith(FIGURE) and not pd.isna(value) for name, value in row.items()):
        return {}
    wanted = settings.get(str(row.get("scenario")), {})
    if not all(same(row[name], text) for name, text in wanted.items() if name in row):
        return {}
    found = {}
    for figure in figures:
        if (figure.scenario, figure.variant) != (row.get("scenario"), row.get("variant")):
            continue
        case = [part.split("=", 1) for part in figure.case.split() if "=" in part]
        if all(same(row[name], text) for name, text in case if name in row):
            found[figure.metric] = figure
    return found


def main_metric(table: pd.DataFrame) -> str:
    """The metric that is shown when none is named."""
    scenarios = set(map(str, table["scenario"])) if "scenario" in table.columns else set()
    return schema.main_metric(scenarios, metrics_of(table))


def result_row(result: Result) -> dict[str, Any]:
    """A result as a row of a table."""
    row = {name: result[name] for name in ("scenario", "variant", "machine")}
    # No parameter hides what a point is called.
    row.update((k, v) for k, v in result["params"].items() if k not in ABOUT)
    # A figure that was set tells points apart as a parameter does; a sweep names it so, too.
    row.update(
        (FIGURE + figure["name"], figure["value"])
        for figure in result.get("free_parameters", ())
        if figure["kind"] == "set"
    )
    row["seed"] = result["seed"]
    row.update(result["metrics"])
    row.update((name + CI, value) for name, value in result["ci95"].items())
    return row


def read_results(path: Path) -> list[Result]:
    """Read a file of one linux-host.result/1 object a line."""
    results = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("FILE", path, f"a file that can be read ({_reason(error)})") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            result = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                "FILE", path, f"a JSON object a line; line {number}: {error}"
            ) from None
        if not isinstance(result, dict) or result.get("schema") != SCHEMA:
            raise InputError("FILE", path, f"{SCHEMA} objects; line {number} is none")
        missing = [
            name
            for name in ("scenario", "variant", "machine", "params", "seed", "metrics", "ci95")
            if name not in result
        ]
        if missing:
            raise InputError("FILE", path, f"whole results; line {number} has no {missing[0]}")
        for name, kinds in (
            ("params", (str, bool, int, float, type(None))),
            ("metrics", (int, float, type(None))),
            ("ci95", (int, float, type(None))),
        ):
            values = result[name].values() if isinstance(result[name], dict) else [{}]
            if not all(isinstance(value, kinds) for value in values):
                raise InputError("FILE", path, f"sound results; line {number} has no sound {name}")
        for name, sound in (
            ("seed", isinstance(result["seed"], int)),
            *((name, isinstance(result[name], str)) for name in ("scenario", "variant", "machine")),
            *((name, _are_rows(result.get(name, []), keys)) for name, keys in ROWS.items()),
        ):
            if not sound:
                raise InputError("FILE", path, f"sound results; line {number} has no sound {name}")
        results.append(result)
    if not results:
        raise InputError("FILE", path, "a file with results in it; it is empty")
    return results


def _are_rows(value: object, keys: tuple[str, ...]) -> bool:
    """Whether a value is a list of objects: texts and numbers under these keys."""
    return isinstance(value, list) and all(
        isinstance(row, dict)
        and all(isinstance(row.get(key), (str, int, float, type(None))) for key in keys)
        and set(keys) <= set(row)
        for row in value
    )


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8 text"


def read_store(path: Path) -> tuple[pd.DataFrame, list[Result]]:
    """Read a sweep's store: its table, and the results that it keeps whole."""
    from . import store  # only who has a store needs SQLite

    opened = store.Store(path)
    try:
        return opened.dataframe(), list(opened.results())
    finally:
        opened.close()


def load(path: Path | str) -> tuple[pd.DataFrame, list[Result]]:
    """Read a file of results, a sweep's store, or a sweep's table.

    Returns the table, and the results with their profiles and figures (none where the file has
    only numbers). Points that failed are left out of the table.
    """
    table, results, _ = load_with_failed(path)
    return table, results


def load_with_failed(path: Path | str) -> tuple[pd.DataFrame, list[Result], pd.DataFrame]:
    """The same, and the points that failed, with their errors."""
    path = Path(path)
    if not path.is_file():
        raise InputError("FILE", path, "a file that is there")
    kind = path.suffix.lower()
    results: list[Result] = []
    if kind in (".db", ".sqlite"):
        table, results = read_store(path)
    elif kind in (".jsonl", ".json", ".ndjson"):
        results = read_results(path)
        table = to_table(results)
    elif kind == ".csv":
        try:
            table = pd.read_csv(path, comment="#")
        except (OSError, ValueError) as error:
            raise InputError("FILE", path, f"a sweep's table as CSV ({error})") from None
    elif kind == ".parquet":
        try:
            table = pd.read_parquet(path)
        except ImportError:
            raise InputError("FILE", path, ".csv here: Parquet needs pip install pyarrow") from None
        except (OSError, ValueError) as error:
            raise InputError("FILE", path, f"a sweep's table as Parquet ({error})") from None
    else:
        raise InputError("FILE", path, "a file that ends in .db, .jsonl, .csv or .parquet")
    failed = pd.Series(False, index=table.index)
    if "error" in table.columns:
        failed = table["error"].notna() & (table["error"].astype(str) != "")
    if failed.all():
        raise InputError("FILE", path, "a file with finished points in it; there are none")
    return table[~failed].reset_index(drop=True), results, table[failed].reset_index(drop=True)


def to_table(results: Sequence[Result]) -> pd.DataFrame:
    """Results as a table."""
    rows = [result_row(result) for result in results]
    params: dict[str, None] = {}
    metrics: dict[str, None] = {}
    for result, row in zip(results, rows, strict=True):
        own = dict.fromkeys(name for name in row if name.removesuffix(CI) in result["metrics"])
        metrics.update(own)
        params.update(dict.fromkeys(name for name in row if name not in own and name != "seed"))
    table: pd.DataFrame = pd.DataFrame(
        rows, columns=[*params, "seed", *(m for m in metrics if m not in params)]
    )
    table.attrs["units"] = {
        figure["name"]: figure["unit"]
        for result in results
        for figure in result.get("free_parameters", ())
        if figure["unit"] and figure["name"] in params
    }
    return table


def together(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Tables as one, with columns in the order of all tables here: parameters, seed, metrics."""
    metrics = dict.fromkeys(name for part in parts for name in metrics_of(part))
    params = dict.fromkeys(name for part in parts for name in params_of(part))
    table = pd.concat(parts, ignore_index=True, sort=False)
    order = [*params, *(name for name in ("seed", "model_version") if name in table.columns)]
    for name in metrics:
        order += [one for one in (name, name + CI) if one in table.columns]
    order += [str(name) for name in table.columns if name not in order]
    table = table[order]
    table.attrs["units"] = {k: v for part in parts for k, v in part.attrs.get("units", {}).items()}
    return table


def metrics_of(table: pd.DataFrame) -> list[str]:
    """The columns that are metrics, in the table's order: the numbers behind the seed.

    In a table that has no seed: those with an interval, and those with a known name.
    """
    names = [str(name) for name in table.columns]
    if "seed" in names:
        behind = names[names.index("seed") + 1 :]
        return [n for n in behind if n not in ABOUT and not n.endswith(CI) and is_number(table, n)]
    return [
        name
        for name in names
        if name + CI in names
        or (name in style.LABELS and name != "cpus" and is_number(table, name))
    ]


def params_of(table: pd.DataFrame) -> list[str]:
    """The columns that are parameters, in the table's order, machine and variant included."""
    metrics = set(metrics_of(table))
    return [
        str(name)
        for name in table.columns
        if name not in metrics
        and not str(name).endswith(CI)
        and (name in ("scenario", "variant", "machine") or name not in ABOUT)
    ]


def is_number(table: pd.DataFrame, name: str) -> bool:
    """Whether a column holds numbers."""
    column = table[name]
    return bool(pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column))


def varying(table: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Of these columns, those that have more than one value."""
    return [name for name in names if table[name].nunique(dropna=False) > 1]


def follows(table: pd.DataFrame, name: str, leader: str) -> bool:
    """Whether a column says nothing that another one does not say: the patch's own switch."""
    return bool((table.groupby(leader, dropna=False)[name].nunique(dropna=False) <= 1).all())


def settings_that_vary(table: pd.DataFrame, apart: Iterable[str] = ()) -> list[str]:
    """The parameters that tell rows apart, but for some, and for what follows from those."""
    apart = [name for name in apart if name in table.columns]
    found = [name for name in varying(table, params_of(table)) if name not in apart]
    leaders = [name for name in apart if name in table.columns]
    kept: list[str] = []
    for name in found:
        if not any(follows(table, name, leader) for leader in leaders + kept):
            kept.append(name)
    return kept


def blended(table: pd.DataFrame, shown: Iterable[str]) -> list[str]:
    """The parameters that differ among rows whose shown columns do not."""
    names = [name for name in shown if name in table.columns]
    others = [name for name in varying(table, params_of(table)) if name not in names]
    if not names:
        return others
    groups = table.groupby(names, dropna=False)
    return [name for name in others if (groups[name].nunique(dropna=False) > 1).any()]


def value_text(value: object) -> str:
    """A setting's value as a label shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return style.number(float(value))
    return str(value) or "(default)"


def where(table: pd.DataFrame, conditions: Sequence[str]) -> pd.DataFrame:
    """The rows with these settings, each given as NAME=VALUE or NAME=VALUE,VALUE."""
    for condition in conditions:
        name, equals, text = condition.partition("=")
        check_column(table, "--where", name, params_of(table) + ["seed"])
        values = [
            f"{value:.12g}" if isinstance(value, float) else str(value)
            for value in table[name].dropna().drop_duplicates()
        ]
        if not equals:
            raise InputError("--where", condition, f"{name}=VALUE, of {', '.join(values)}")
        wanted = text.split(",")
        keep = table[name].map(lambda value, w=wanted: any(same(value, one) for one in w))
        if not keep.any():
            raise InputError("--where", condition, f"{name}=" + " or ".join(values[:20]))
        table = table[keep].reset_index(drop=True)
    return table


def check_column(table: pd.DataFrame, option: str, name: str, allowed: Sequence[str]) -> None:
    """Raise InputError when a column is not one of those allowed."""
    if not allowed:
        raise InputError(option, name, "nothing: there are no such columns in the file")
    if name not in allowed:
        raise InputError(option, name, ", ".join(dict.fromkeys(map(str, allowed))))
    if name not in table.columns:
        raise InputError(option, name, ", ".join(map(str, table.columns)))
