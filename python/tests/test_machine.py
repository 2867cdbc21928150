# SPDX-License-Identifier: GPL-2.0-only
"""Machines: presets with their sources, matrices of one's own, and two side by side."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from linuxhost import binaries, cli_pictures, machine
from linuxhost.errors import InputError, LinuxHostError

app = typer.Typer()
cli_pictures.register(app)

# Two sockets of two cores of two threads, each with a latency that says what it is.
SIBLING, SOCKET, CROSS = 9.0, 40.0, 120.0


def latency(i: int, j: int) -> float:
    """CPUs are numbered as a compact pinning takes them: threads come second."""
    if i % 4 == j % 4:
        return SIBLING
    return SOCKET if i % 4 // 2 == j % 4 // 2 else CROSS


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A file as core-to-core-latency prints it: the lower triangle."""
    path = tmp_path / "box.csv"
    rows = [
        ",".join([f"{latency(i, j) + 0.1 * (j % 3):g}" for j in range(i)] + [""] * (8 - i))
        for i in range(8)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(autouse=True)
def built() -> None:
    if binaries.find(machine.PROGRAM) is None:
        pytest.skip("machine-info is not built (scripts/reproduce)")


def run(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["machine", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def test_import_tells_the_topology(box: Path) -> None:
    code, out, err = run("import", box)
    assert code == 0, err
    assert "8 CPUs on 4 cores in 2 sockets (told by the matrix)" in out
    found = machine.load(str(box))
    # Medians of what is in the file: 9.0 to 9.2, and so on.
    medians = found.medians()
    assert medians["sibling"] == pytest.approx(SIBLING, abs=0.2)
    assert medians["socket"] == pytest.approx(SOCKET, abs=0.2)
    assert medians["cross"] == pytest.approx(CROSS, abs=0.2)
    assert found.socket_of == [0, 0, 1, 1, 0, 0, 1, 1]


def test_import_as_json(box: Path) -> None:
    code, out, _ = run("import", box, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["cpus"], found["cores"], found["sockets"]) == (8, 4, 2)
    assert found["matrix_ns"][1][0] == pytest.approx(SOCKET)
    assert found["matrix_ns"][0][0] is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "two at least"),
        ("1\n", "two at least"),
        (",\nx,\n", "line 2, column 1: 'x' is not a latency"),
        (",\n-3,\n", "line 2, column 1: '-3' is not a latency"),
        (",,\n5,,\n7,,\n", "no latency between CPUs 1 and 2"),
        ("1,2,3\n1,2,3\n", "row 1 has 3 values"),
    ],
)
def test_import_refuses_what_is_no_matrix(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, out, err = run("import", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"linuxhost machine import: FILE={path}: allowed is ")
    assert message in err and err.count("\n") == 1


def test_import_of_no_file(tmp_path: Path) -> None:
    assert run("import", tmp_path / "none.csv")[0] == 2
    assert run("import", tmp_path)[0] == 2


def test_show_has_figures_with_sources() -> None:
    code, out, _ = run("show", "dual-xeon-e5540")
    assert code == 0
    assert "16 CPUs on 8 cores in 2 sockets" in out
    # Two quad-core Nehalems at 2.53 GHz: Intel's data sheet.
    assert "2.53 GHz" in out
    line = next(line for line in out.splitlines() if line.startswith("CrossLatency"))
    assert "literature" in line and "perfbook" in line


def test_show_draws_the_matrix(tmp_path: Path) -> None:
    out = tmp_path / "matrix.png"
    assert run("show", "opteron-6172-48", "--out", out)[0] == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    code, _, err = run("show", "opteron-6172-48", "--out", tmp_path / "matrix.gif")
    assert code == 2 and "--out=" in err


def test_show_of_no_machine() -> None:
    code, out, err = run("show", "nope")
    assert (code, out) == (2, "")
    assert err.startswith("linuxhost machine show: NAME=nope: allowed is dual-xeon-e5540, ")
    assert err.count("\n") == 1


def test_presets_all_say_where_their_figures_come_from() -> None:
    presets = machine.presets()
    assert {"dual-xeon-e5540", "opteron-6172-48", "generic"} <= {p.name for p in presets}
    for preset in presets:
        assert preset.matrix_ns.shape == (preset.cpus, preset.cpus)
        for figure in preset.figures:
            assert figure.provenance, f"{preset.name}: {figure.name}"


def test_compare(box: Path, tmp_path: Path) -> None:
    out = tmp_path / "both.svg"
    code, text, err = run("compare", "dual-xeon-e5540", box, "--out", out)
    assert code == 0, err
    row = next(line.split() for line in text.splitlines() if line.startswith("CPUs"))
    assert row == ["CPUs", "16", "8", "0.50"]
    assert out.is_file()
    code, text, _ = run("compare", "generic", "generic", "--json")
    found = json.loads(text)
    assert code == 0 and all(row["a"] == row["b"] for row in found["rows"])
    assert run("compare", "generic", "nope")[2].startswith(
        "linuxhost machine compare: B=nope: allowed is "
    )


def test_a_matrix_can_be_written_and_read_again(tmp_path: Path) -> None:
    preset = machine.load("opteron-6172-48")
    path = tmp_path / "again.csv"
    machine.to_csv(preset, path)
    again = machine.load(str(path))
    assert again.cpus == preset.cpus
    for name, value in again.medians().items():
        if not math.isnan(value) and name == "socket":
            assert value == pytest.approx(preset.medians()[name])
    assert abs(again.matrix_ns[47, 0] - preset.matrix_ns[47, 0]) < 1e-6


def test_without_the_program_the_message_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(binaries.VARIABLE, str(tmp_path))
    code, _, err = run("show", "generic")
    assert code == 1 and "scripts/reproduce" in err and err.count("\n") == 1
    with pytest.raises(LinuxHostError):
        machine.load("generic")
    assert issubclass(InputError, LinuxHostError)
