# SPDX-License-Identifier: GPL-2.0-only
"""Pictures: what is drawn is what the table says, and nothing of it is cut or overlaps."""

from __future__ import annotations

import importlib.util
import json
import math
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import typer
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from typer.testing import CliRunner

from linuxhost import cli_pictures, plots, style, tables
from linuxhost.result import UNITS
from linuxhost.tables import InputError

DATA = Path(__file__).parent / "data" / "results.jsonl"
RESULT = json.loads(DATA.read_text().splitlines()[0])

app = typer.Typer()
cli_pictures.register(app)


@pytest.fixture(scope="module")
def loaded() -> tuple[pd.DataFrame, list[tables.Result]]:
    return tables.load(DATA)


@pytest.fixture(scope="module")
def sit(loaded: tuple[pd.DataFrame, list[tables.Result]]) -> pd.DataFrame:
    table = loaded[0]
    chosen = table[(table["scenario"] == "sit-lockless-xmit") & (table["tunnel"] == "sit")]
    return chosen.dropna(axis="columns", how="all").reset_index(drop=True)


def check_layout(figure: Figure) -> None:
    """No text leaves the picture, and no label of an axis touches the next."""
    with style.look():
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        renderer = canvas.get_renderer()
        whole = figure.bbox
        for axes in figure.axes:
            texts = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
            for axis in (axes.xaxis, axes.yaxis):
                labels = [
                    label
                    for label in axis.get_ticklabels()
                    if label.get_text() and label.get_visible()
                ]
                low, high = sorted(axis.get_view_interval())
                place = 0 if axis is axes.xaxis else 1
                labels = [x for x in labels if low <= x.get_position()[place] <= high]
                boxes = [label.get_window_extent(renderer) for label in labels]
                if not any(label.get_rotation() for label in labels):
                    for one, other in zip(boxes, boxes[1:], strict=False):
                        assert not one.overlaps(other), "labels of an axis touch"
                texts += labels
            for text in texts:
                if text.get_text():
                    box = text.get_window_extent(renderer)
                    assert box.x0 >= whole.x0 - 1 and box.x1 <= whole.x1 + 1, text.get_text()
                    assert box.y0 >= whole.y0 - 1 and box.y1 <= whole.y1 + 1, text.get_text()


def heights(figure: Figure) -> list[list[float]]:
    """The heights of bars, a list a color."""
    found = []
    for container in figure.axes[0].containers:
        if isinstance(container, BarContainer):
            found.append([bar.get_height() for bar in container])
    return found


def test_table_has_parameters_metrics_and_intervals(
    loaded: tuple[pd.DataFrame, list[tables.Result]],
) -> None:
    table, results = loaded
    assert len(table) == len(results)
    first = json.loads(DATA.read_text().splitlines()[0])
    row = table.iloc[0]
    assert row["pps"] == first["metrics"]["pps"]
    assert row["pps_ci95"] == first["ci95"]["pps"]
    assert row["cpus"] == first["params"]["cpus"]
    assert "pps" in tables.metrics_of(table) and "cpus" not in tables.metrics_of(table)
    assert "cpus" in tables.params_of(table) and "seed" not in tables.params_of(table)


def test_what_follows_from_the_variant_is_no_setting(sit: pd.DataFrame) -> None:
    assert tables.settings_that_vary(sit, ["variant"]) == ["cpus"]


def test_curve_shows_each_point_with_its_interval(sit: pd.DataFrame) -> None:
    figure = plots.curve(sit, "cpus", "pps")
    check_layout(figure)
    lines = {
        line.get_label(): line for line in figure.axes[0].get_lines() if line.get_marker() != "None"
    }
    for variant in ("before", "after"):
        rows = sit[sit["variant"] == variant].sort_values("cpus")
        line = lines[variant]
        assert list(line.get_xdata()) == list(rows["cpus"])
        assert np.allclose(line.get_ydata(), rows["pps"] / 1e6)
    assert figure.axes[0].get_ylabel() == "frame rate, million frames/s"
    series = dict(plots.series_of(sit, "cpus", "pps"))
    rows = sit[sit["variant"] == "after"].sort_values("cpus")
    assert np.allclose(series["after"]["ci95"], rows["pps_ci95"])


def test_seeds_are_averaged_and_their_interval_shrinks() -> None:
    table = pd.DataFrame(
        {"cpus": [1, 1, 2], "seed": [1, 2, 1], "pps": [10.0, 20.0, 5.0], "pps_ci95": [3.0, 4.0, 1]}
    )
    ((_, series),) = plots.series_of(table, "cpus", "pps", [])
    assert list(series["y"]) == [15.0, 5.0]
    assert list(series["ci95"]) == [2.5, 1.0]  # sqrt(3^2 + 4^2) / 2


def test_settings_are_not_averaged_without_a_word() -> None:
    rows = [(1, 64, 1.0), (1, 1500, 3.0), (2, 64, 2.0), (2, 1500, 4.0)]
    table = pd.DataFrame(rows, columns=["cpus", "payload", "pps"])
    with pytest.warns(plots.Averaged, match="differ in payload are averaged"):
        ((_, series),) = plots.series_of(table, "cpus", "pps", [])
    assert list(series["y"]) == [2.0, 3.0]
    assert len(plots.series_of(table, "cpus", "pps", ["payload"])) == 2


def test_speedup_is_after_over_before(sit: pd.DataFrame) -> None:
    figure = plots.speedup(sit)
    check_layout(figure)
    ((_, ratio),) = plots.ratio_of(sit, "cpus", "pps")
    for cpus, value in zip(ratio["x"], ratio["y"], strict=True):
        rows = sit[sit["cpus"] == cpus].set_index("variant")["pps"]
        assert value == pytest.approx(rows["after"] / rows["before"])


def test_interval_of_a_ratio() -> None:
    table = pd.DataFrame(
        {
            "variant": ["before", "after"],
            "cpus": [1, 1],
            "pps": [100.0, 200.0],
            "pps_ci95": [3.0, 8.0],
        }
    )
    ((_, ratio),) = plots.ratio_of(table, "cpus", "pps")
    # Shares of 3 % and 4 % of independent runs: 5 % of the ratio.
    assert ratio["y"].iloc[0] == 2.0
    assert ratio["ci95"].iloc[0] == pytest.approx(0.1)


def test_bars_are_set_beside_what_was_published(
    loaded: tuple[pd.DataFrame, list[tables.Result]],
) -> None:
    table = loaded[0]
    table = tables.where(table, ["scenario=sit-lockless-xmit", "cpus=16"])
    table = table.dropna(axis="columns", how="all")
    figures, settings = tables.read_published(), tables.read_settings()
    bars = plots.bars_of(table, "pps", figures, settings)
    by = {(bar["group"], bar["variant"]): bar for bar in bars}
    # The figures of the patches' own messages: 160 million frames in 195.399 s and 61.387 s.
    assert by["sit", "before"]["published"] == pytest.approx(160e6 / 195.399, rel=1e-5)
    assert by["sit", "after"]["published"] == pytest.approx(160e6 / 61.387, rel=1e-5)
    assert by["sit", "before"]["fitted"] and not by["sit", "after"]["fitted"]
    error = by["sit", "after"]["error"]
    value = float(table[(table["tunnel"] == "sit") & (table["variant"] == "after")]["pps"].iloc[0])
    assert error == pytest.approx(100 * (value / (160e6 / 61.387) - 1), abs=1e-3)
    figure = plots.before_after(table, "pps", figures, settings)
    check_layout(figure)
    published, simulated = heights(figure)
    assert np.allclose(published, [bar["published"] / 1e6 for bar in bars])
    assert np.allclose(simulated, [bar["value"] / 1e6 for bar in bars])


def test_other_settings_are_not_set_beside_what_was_published(sit: pd.DataFrame) -> None:
    figures, settings = tables.read_published(), tables.read_settings()
    for bar in plots.bars_of(sit[sit["cpus"] == 4], "pps", figures, settings):
        assert math.isnan(bar["published"])
    figure = plots.before_after(sit[sit["cpus"] == 4], "pps", figures, settings)
    check_layout(figure)
    assert [len(one) for one in heights(figure)] == [1, 1]


def test_every_published_case_can_be_found() -> None:
    figures, settings = tables.read_published(), tables.read_settings()
    assert figures
    for figure in figures:
        row = {"scenario": figure.scenario, "variant": figure.variant}
        row |= dict(part.split("=", 1) for part in figure.case.split() if "=" in part)
        row |= settings.get(figure.scenario, {})
        assert tables.published_for(row, figures, settings)[figure.metric].value == figure.value


def test_what_has_a_figure_of_the_users_is_not_compared(
    loaded: tuple[pd.DataFrame, list[tables.Result]],
) -> None:
    figures, settings = tables.read_published(), tables.read_settings()
    result = next(one for one in loaded[1] if one["params"].get("cpus") == 16)
    assert "pps" in tables.published_for(tables.result_row(result), figures, settings)
    mine = {"name": "TunnelWork", "value": 500, "unit": "instructions", "kind": "set"}
    row = tables.result_row({**result, "free_parameters": [mine]})
    assert row["figure.TunnelWork"] == 500
    assert tables.published_for(row, figures, settings) == {}


def test_profile_shares(loaded: tuple[pd.DataFrame, list[tables.Result]]) -> None:
    chosen = cli_pictures.select_results(
        loaded[1], ["scenario=sit-lockless-xmit", "cpus=16", "tunnel=sit"]
    )
    symbols, shares = plots.shares_of(chosen, 5)
    assert symbols[0] == "_raw_spin_lock"
    first = {row["symbol"]: row["share"] for row in chosen[0]["profile"]}
    assert shares["before"][0] == pytest.approx(100 * first["_raw_spin_lock"])
    figures, settings = tables.read_published(), tables.read_settings()
    figure = plots.profile_shares(chosen, 12, figures, settings)
    check_layout(figure)
    diamonds = [line for line in figure.axes[0].get_lines() if line.get_marker() == "D"]
    # The published profile begins with 87.5 % in the lock.
    assert float(diamonds[0].get_xdata()[0]) == 87.5


def test_heat_map_of_two_parameters() -> None:
    rows = [
        {"variant": v, "cpus": c, "payload": p, "seed": 1, "pps": f * c + p}
        for v, f in (("before", 10.0), ("after", 30.0))
        for c in (1, 2, 4)
        for p in (16, 1400)
    ]
    table = pd.DataFrame(rows)
    before = table[table["variant"] == "before"]
    grid = plots.grid_of(before, "cpus", "payload", "pps")
    assert list(grid.columns) == [1, 2, 4] and list(grid.index) == [16, 1400]
    assert grid.loc[1400, 4] == 1440.0
    figure = plots.heat_map(before, "cpus", "payload")
    check_layout(figure)
    assert np.allclose(figure.axes[0].get_images()[0].get_array(), grid.to_numpy() / 1e3)
    ratio = plots.heat_map(table, "cpus", "payload")
    check_layout(ratio)
    assert ratio.axes[0].get_images()[0].get_array()[0, 2] == pytest.approx(136 / 56)
    with pytest.raises(InputError, match="--kind=heat: allowed is one value of size"):
        more = before.copy()
        more.insert(0, "size", range(len(more)))
        plots.heat_map(more, "cpus", "payload")


def test_scaling_is_over_the_first_value(sit: pd.DataFrame) -> None:
    figure = plots.scaling(sit)
    check_layout(figure)
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert float(lines["after"].get_ydata()[0]) == 1.0
    assert np.allclose(lines["ideal"].get_ydata(), lines["ideal"].get_xdata())


def test_ladder_shows_what_each_step_brings() -> None:
    table = pd.DataFrame(
        {
            "offloads": ["none", "+ checksum", "+ segmentation"] * 2,
            "variant": ["before"] * 3 + ["after"] * 3,
            "seed": 1,
            "goodput_mbps": [3000.0, 4500.0, 9000.0, 3000.0, 4500.0, 18000.0],
        }
    )
    ladder = plots.ladder_of(table[table["variant"] == "after"], "offloads", "goodput_mbps")
    assert list(ladder["step"]) == ["none", "+ checksum", "+ segmentation"]
    assert list(ladder["gain"].dropna()) == [50.0, 300.0]
    check_layout(plots.ladder(table, "offloads"))


def test_machine_matrix_draws_sockets_together() -> None:
    sockets = [0, 1, 0, 1]
    ns = np.array([[0.0 if i == j else 10 * i + j for j in range(4)] for i in range(4)])
    figure = plots.machine_matrix(ns, "box", sockets)
    check_layout(figure)
    drawn = figure.axes[0].get_images()[0].get_array()
    order = [0, 2, 1, 3]
    for row, one in enumerate(order):
        for column, other in enumerate(order):
            if one != other:
                assert drawn[row, column] == ns[one, other]
    assert np.ma.is_masked(drawn) or math.isnan(drawn[0, 0])


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_same_bytes_each_time(form: str, sit: pd.DataFrame, tmp_path: Path) -> None:
    for name in ("a", "b"):
        style.save(plots.curve(sit), tmp_path / f"{name}.{form}")
    one = (tmp_path / f"a.{form}").read_bytes()
    assert one == (tmp_path / f"b.{form}").read_bytes()
    assert one.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form])
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_inline_svg_has_names_of_its_own(sit: pd.DataFrame) -> None:
    one = style.inline_svg(plots.curve(sit), "one", 'a "quoted" <alt>')
    root = ElementTree.fromstring(one)
    assert root.attrib["aria-label"] == 'a "quoted" <alt>'
    names = [item.attrib["id"] for item in root.iter() if "id" in item.attrib]
    assert names and all(name.startswith("one-") for name in names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1"), (2.5, "2.5"), (123456, "123\u202f456"), (0.00001, "1.0e-05")],
)
def test_numbers(value: float, text: str) -> None:
    assert style.number(value) == text


def test_labels_have_units() -> None:
    assert style.scale_of("pps", [2.5e6]) == (1e6, "frame rate, million frames/s")
    assert style.scale_of("goodput_mbps", [940.0]) == (1.0, "goodput, Mbit/s")
    assert style.scale_of("goodput_mbps", [23500.0]) == (1e3, "goodput, Gbit/s")
    assert style.label_of("drops_per_s") == ("drops", "1/s")
    assert style.label_of("some_setting") == ("some setting", "")
    assert style.scale_of("wakeups_per_s", [7e5]) == (1e3, "wakeups, thousands/s")
    assert style.axis_label("coalesce_us") == "coalesce, us"
    for name, unit in UNITS.items():
        for largest in (1.0, 5e3, 5e6):
            label = style.scale_of(name, [largest])[1]
            last = unit.removeprefix("1").lower()
            assert last in label.lower() or unit == "Mbit/s" and "Gbit/s" in label, name


def test_each_picture_names_the_units_of_what_it_shows(
    sit: pd.DataFrame, loaded: tuple[pd.DataFrame, list[tables.Result]]
) -> None:
    table = sit.assign(CrossLatency=sit["cpus"] * 10.0, payload=172)
    assert "CrossLatency" not in tables.metrics_of(sit)
    table = table[["CrossLatency", "payload", *sit.columns.drop("payload")]]
    table.attrs["units"] = {"CrossLatency": "ns"}
    wide = pd.concat([table, table.assign(payload=1400)]).reset_index(drop=True)
    wide.attrs = table.attrs
    after = table[table["variant"] == "after"]
    drawn = {
        "curve": plots.curve(table, "CrossLatency", "real_s", ["variant"]),
        "speedup": plots.speedup(table, "CrossLatency", "pps", []),
        "scaling": plots.scaling(table, "CrossLatency", "pps", ["variant"]),
        "bars": plots.before_after(sit, "real_s"),
        "profile": plots.profile_shares(loaded[1][:2]),
        "ladder": plots.ladder(after, "CrossLatency", "sys_s", []),
        "heat": plots.heat_map(
            wide[wide["variant"] == "after"].drop(columns="cpus"),
            "CrossLatency",
            "payload",
            "sys_s",
        ),
        "machine": plots.machine_matrix(np.full((2, 2), 40.0), "box"),
    }
    assert set(drawn) == set(plots.KINDS)
    said = {
        kind: [figure.axes[0].get_xlabel(), *(axes.get_ylabel() for axes in figure.axes)]
        for kind, figure in drawn.items()
    }
    assert said["curve"] == ["CrossLatency, ns", "elapsed time, s"]
    assert said["speedup"] == ["CrossLatency, ns", "frame rate: after / before"]
    assert said["scaling"][0] == "CrossLatency, ns"
    assert said["bars"][1] == "elapsed time, s"
    assert said["profile"][0] == "share of busy CPU time, %"
    assert said["ladder"] == ["system time, s", "CrossLatency, ns"]
    assert said["heat"] == ["CrossLatency, ns", "payload, bytes", "system time, s"]
    assert said["machine"][2] == "time of a cache line, ns"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--x", "nope"], "--x=nope: allowed is "),
        (["--y", "cpus"], "--y=cpus: allowed is pps"),
        (["--by", "nope"], "--by=nope: allowed is "),
        (["--kind", "pie"], "--kind=pie: allowed is bars, curve"),
        (["--log", "z"], "--log=z: allowed is no, x, y or xy"),
        (["--where", "cpus=3"], "--where=cpus=3: allowed is cpus=1 or 4 or 16"),
        (["--where", "nope"], "--where=nope: allowed is "),
        (["--out", "x.gif"], "--out=x.gif: allowed is a name that ends in .svg, .pdf, .png"),
        (["--out", "nope/x.svg"], "--out=nope/x.svg: allowed is a file in a folder"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_code_2(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["plot", str(DATA), *words])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"linuxhost plot: {message}")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.jsonl", "{", "a JSON object a line; line 1"),
        ("x.jsonl", '{"schema": "other"}\n', "linux-host.result/1 objects; line 1"),
        ("x.jsonl", '{"schema": "linux-host.result/1"}\n', "whole results; line 1 has no scenario"),
        ("x.jsonl", "", "a file with results in it"),
        (
            "x.jsonl",
            json.dumps({**RESULT, "params": {"a": [1]}}),
            "sound results; line 1 has no sound",
        ),
        ("x.jsonl", json.dumps({**RESULT, "metrics": None}), "sound results; line 1 has no sound"),
        (
            "x.jsonl",
            json.dumps({**RESULT, "ci95": {"pps": "1"}}),
            "sound results; line 1 has no sound",
        ),
        ("x.txt", "a", "a file that ends in .db, .jsonl, .csv or .parquet"),
        ("x.csv", "", "a sweep's table as CSV"),
        ("x.csv", "scenario,cpus,seed,pps\n", "a file with finished points in it"),
    ],
)
def test_a_wrong_file_is_one_line_and_exit_code_2(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    done = CliRunner().invoke(app, ["plot", str(path), "--out", str(tmp_path / "out.svg")])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"linuxhost plot: FILE={path}: allowed is {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--where", "scenario=sit-lockless-xmit", "--where", "tunnel=sit"],
        ["--where", "tunnel=sit", "--kind", "speedup"],
        ["--where", "tunnel=sit", "--kind", "scaling"],
        ["--where", "cpus=16", "--kind", "bars"],
        ["--where", "placement=same-socket", "--kind", "profile"],
        ["--where", "cpus=16", "--kind", "ladder", "--x", "tunnel"],
        ["--where", "tunnel=sit", "--where", "variant=after", "--kind", "curve", "--log", "xy"],
        ["--where", "tunnel=sit", "--by", "variant,variant", "--title", r"5 $ of \frac{$"],
    ],
)
def test_pictures_from_the_command(words: list[str], tmp_path: Path) -> None:
    out = tmp_path / "picture.svg"
    done = CliRunner().invoke(app, ["plot", str(DATA), *words, "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    ElementTree.parse(out)


def test_data_without_anything_to_see(tmp_path: Path) -> None:
    path, out = tmp_path / "table.csv", tmp_path / "picture.svg"
    path.write_text("scenario,variant,cpus,seed,pps\nx,before,1,1,0\nx,after,1,1,0\n")
    for words in (["--kind", "bars"], ["--kind", "curve", "--log", "xy"], ["--kind", "ladder"]):
        done = CliRunner().invoke(app, ["plot", str(path), *words, "--out", str(out)])
        assert (done.exit_code, done.stderr.count("\n")) == (0, 1), done.stderr
    path.write_text("a,b\n1,2\n")
    done = CliRunner().invoke(app, ["plot", str(path), "--out", str(out)])
    assert done.exit_code == 2 and "--y=pps: allowed is nothing" in done.stderr


def test_a_table_as_csv_gives_the_same_picture(sit: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    sit.to_csv(path, index=False)
    again, results = tables.load(path)
    assert not results
    assert style.render(plots.curve(again)) == style.render(plots.curve(sit))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A sweep's store with the results of the file in it, and a point that failed."""
    from linuxhost.store import Outcome, Point, Store

    path = tmp_path / "sweep.db"
    opened = Store(path, create=True)
    for line in DATA.read_text().splitlines():
        result = json.loads(line)
        params = {"variant": result["variant"], "machine": result["machine"], **result["params"]}
        params = {name: v for name, v in params.items() if not isinstance(v, bool)}
        point = Point.make(result["scenario"], params, "a model")
        opened.claim([point])
        opened.finish(point, Outcome(results=[line]))
    bad = Point.make("sit-lockless-xmit", {"cpus": 3}, "a model")
    opened.claim([bad])
    opened.finish(bad, Outcome(error="it was not to be"))
    opened.close()
    return path


def test_what_is_drawn_is_what_the_store_has(store: Path, tmp_path: Path) -> None:
    table, results = tables.load(store)
    lines = [json.loads(line) for line in DATA.read_text().splitlines()]
    assert results == lines and len(table) == len(lines)
    sit = tables.where(table, ["scenario=sit-lockless-xmit", "tunnel=sit"])
    wanted = {
        (r["variant"], r["params"]["cpus"]): r for r in lines if r["params"].get("tunnel") == "sit"
    }
    # The curve, line by line.
    figure = plots.curve(sit, "cpus", "pps")
    drawn = 0
    for line in figure.axes[0].get_lines():
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
            if line.get_label() in ("before", "after"):
                result = wanted[str(line.get_label()), int(x)]
                assert y == pytest.approx(result["metrics"]["pps"] / 1e6)
                drawn += 1
    assert drawn == len(wanted)
    # The ratio.
    ((_, ratio),) = plots.ratio_of(sit, "cpus", "pps")
    for cpus, value in zip(ratio["x"], ratio["y"], strict=True):
        pps = [wanted[variant, int(cpus)]["metrics"]["pps"] for variant in ("before", "after")]
        assert value == pytest.approx(pps[1] / pps[0])
    # The heat map, cell by cell.
    grid = plots.grid_of(sit, "cpus", "variant", "pps")
    for (variant, cpus), result in wanted.items():
        assert grid.loc[variant, cpus] == result["metrics"]["pps"]
    # The bars, with their intervals.
    for bar in plots.bars_of(sit[sit["cpus"] == 16], "sys_s"):
        result = wanted[bar["variant"], 16]
        assert bar["value"] == result["metrics"]["sys_s"]
        assert bar["ci95"] == pytest.approx(result["ci95"]["sys_s"])
    # The profiles.
    two = [wanted["before", 16], wanted["after", 16]]
    symbols, shares = plots.shares_of(two, 6)
    for result in two:
        known = {row["symbol"]: 100 * row["share"] for row in result["profile"]}
        assert shares[result["variant"]] == [known.get(symbol, 0.0) for symbol in symbols]
    out = tmp_path / "store.svg"
    done = CliRunner().invoke(app, ["plot", str(store), "--where", "tunnel=sit", "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    ElementTree.parse(out)


def test_failed_points_are_left_out(sit: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    table = sit.assign(error=None)
    table.loc[0, "error"] = "it ran out of memory"
    table.to_csv(path, index=False)
    assert len(tables.load(path)[0]) == len(sit) - 1


def test_published_settings_are_the_defaults_of_the_examples() -> None:
    from linuxhost import binaries, describe

    checked = 0
    for scenario, settings in tables.read_settings().items():
        program = binaries.find(scenario)
        if program is None or not shutil.which(str(program)):
            continue
        options = describe.describe(scenario).parameters
        for name, text in settings.items():
            option = options.get(name) or options.get(name.replace("_", "-"))
            if option is not None and option.default:
                assert tables.same(option.default, text), f"{scenario}: {name}"
                checked += 1
    if not checked:
        pytest.skip("the examples are not built")


def test_points_with_and_without_a_figure(loaded: tuple[pd.DataFrame, list[tables.Result]]) -> None:
    """A figure of the machine that was set in some points only has no value in the others."""
    table = loaded[0]
    table = table[table["tunnel"] == "sit"].reset_index(drop=True)
    table.insert(3, "CrossLatency", [math.nan if i % 2 else 80.0 for i in range(len(table))])
    curves = plots.series_of(table, "cpus", "pps", ["CrossLatency"])
    assert [name for name, _ in curves] == ["CrossLatency (default)", "CrossLatency 80"]


def test_rungs_with_numbers_are_in_order() -> None:
    table = pd.DataFrame({"mtu": [9000, 1500], "goodput_mbps": [9000.0, 5000.0]})
    assert list(plots.ladder_of(table, "mtu", "goodput_mbps")["value"]) == [5000, 9000]


def test_the_validation_pictures_have_the_style_of_all(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "plot_validation.py"
    found = importlib.util.spec_from_file_location("plot_validation", script)
    assert found is not None and found.loader is not None
    pages = importlib.util.module_from_spec(found)
    sys.modules["plot_validation"] = pages  # its data classes look for it
    found.loader.exec_module(pages)
    results = tables.read_results(DATA)
    folders = [(tmp_path, "svg"), (tmp_path, "png")]
    points = pages.read_points(script.parents[1] / "examples" / "data" / "published.csv")
    pairs = [pages.Pair(cpus, 10.0 * cpus, 11.0 * cpus) for cpus in (1, 2, 4)]
    with style.look():
        assert pages.draw_tunnels(points, results, folders)
        for curve in (pages.CURVES[0], pages.CURVES[-2]):
            pages.draw_curve(curve, pairs, results, folders)
            text = (tmp_path / f"{curve.figure}.svg").read_text()
            assert style.PUBLISHED.lower() in text and "#dddddd" in text
            assert (tmp_path / f"{curve.figure}.png").is_file()
