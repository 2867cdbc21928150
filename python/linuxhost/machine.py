# SPDX-License-Identifier: GPL-2.0-only
"""Machines as the compiled pack knows them: presets, and matrices of core-to-core-latency.

The program machine-info of the pack says everything that is shown, so that it is what runs use.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure as Picture

from . import binaries, plots, style
from .errors import LinuxHostError
from .files import write_bytes
from .tables import InputError

SCHEMA = "linux-host.machine/1"
PROGRAM = "machine-info"


@dataclass(frozen=True)
class Figure:
    """One figure of a machine, and where it comes from."""

    name: str
    value: float
    unit: str
    kind: str
    provenance: str


@dataclass(frozen=True)
class Machine:
    """A machine: its figures, its topology, and its matrix in ns (the diagonal is not a number)."""

    name: str
    cpus: int
    clock_ghz: float
    has_matrix: bool
    figures: list[Figure]
    socket_of: list[int]
    core_of: list[int]
    matrix_ns: npt.NDArray[np.float64]

    @property
    def sockets(self) -> int:
        """The number of sockets."""
        return len(set(self.socket_of))

    @property
    def cores(self) -> int:
        """The number of cores."""
        return len(set(self.core_of))

    def latencies(self) -> dict[str, list[float]]:
        """Latencies in ns by distance: `sibling`, `socket` and `cross`, each pair both ways."""
        sockets, cores = np.array(self.socket_of), np.array(self.core_of)
        same_core = cores[:, None] == cores[None, :]
        same_socket = sockets[:, None] == sockets[None, :]
        apart = ~np.eye(self.cpus, dtype=bool)
        return {
            "sibling": self.matrix_ns[same_core & apart].tolist(),
            "socket": self.matrix_ns[same_socket & ~same_core].tolist(),
            "cross": self.matrix_ns[~same_socket].tolist(),
        }

    def medians(self) -> dict[str, float]:
        """The median latency in ns by distance; not a number where there are no such CPUs."""
        return {
            name: statistics.median(values) if values else math.nan
            for name, values in self.latencies().items()
        }

    def to_json(self) -> dict[str, Any]:
        """The machine as machine-info prints it, with the medians."""
        cells = [[None if math.isnan(v) else v for v in row] for row in self.matrix_ns.tolist()]
        return {
            "schema": SCHEMA,
            "name": self.name,
            "cpus": self.cpus,
            "clock_ghz": self.clock_ghz,
            "has_matrix": self.has_matrix,
            "sockets": self.sockets,
            "cores": self.cores,
            "medians_ns": {k: None if math.isnan(v) else v for k, v in self.medians().items()},
            "figures": [vars(figure) for figure in self.figures],
            "socket_of": self.socket_of,
            "core_of": self.core_of,
            "matrix_ns": cells,
        }


def _ask(option: str, value: str | None) -> list[dict[str, Any]]:
    command = [str(binaries.need(PROGRAM)), "--json=-"]
    if value is not None:
        command.append(f"--machine={value}")
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 2:
        said = done.stderr.strip()
        raise InputError(option, value, said.partition("allowed is ")[2] or said)
    if done.returncode != 0:
        raise LinuxHostError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _machine(found: dict[str, Any]) -> Machine:
    return Machine(
        name=found["name"],
        cpus=found["cpus"],
        clock_ghz=found["clock_ghz"],
        has_matrix=found["has_matrix"],
        figures=[
            Figure(f["name"], float(f["value"]), f["unit"], f["kind"], f["provenance"])
            for f in found["figures"]
        ],
        socket_of=found["socket_of"],
        core_of=found["core_of"],
        matrix_ns=np.array(
            [[math.nan if v is None else v for v in row] for row in found["matrix_ns"]], dtype=float
        ),
    )


def load(name: str, option: str = "NAME") -> Machine:
    """A preset by its name, or the machine of a CSV file.

    Raises InputError, naming the option, when there is no such machine.
    """
    return _machine(_ask(option, name)[0])


def presets() -> list[Machine]:
    """The machines that the pack knows by name."""
    return [_machine(found) for found in _ask("NAME", None)]


def to_csv(machine: Machine, path: Path) -> None:
    """Write a machine's matrix as core-to-core-latency prints it: the lower triangle, in ns."""
    lines = []
    for row in range(machine.cpus):
        cells = [f"{machine.matrix_ns[row, column]:.10g}" for column in range(row)]
        lines.append(",".join(cells + [""] * (machine.cpus - row)))
    write_bytes(path, ("\n".join(lines) + "\n").encode())


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def summary(machine: Machine) -> str:
    """Topology and medians, in three or four lines."""
    guessed = " (told by the matrix)" if machine.has_matrix else ""
    lines = [
        f"{machine.name}: {_plural(machine.cpus, 'CPU')} on {_plural(machine.cores, 'core')} in"
        f" {_plural(machine.sockets, 'socket')}{guessed}, {machine.clock_ghz:g} GHz"
    ]
    words = {
        "sibling": "between threads of a core",
        "socket": "between cores of a socket",
        "cross": "across sockets",
    }
    for name, values in machine.latencies().items():
        if values:
            low, high = min(values), max(values)
            spread = f"  ({low:.1f} to {high:.1f})" if high - low > 0.05 else ""
            lines.append(f"  {words[name]:<26} {statistics.median(values):8.1f} ns median{spread}")
    return "\n".join(lines)


def figures_table(machine: Machine) -> list[tuple[str, str, str, str]]:
    """Rows of a machine's figures: name, value with unit, kind, source."""
    return [
        (f.name, f"{style.number(f.value)} {f.unit}".strip(), f.kind, f.provenance)
        for f in machine.figures
    ]


def compare(a: Machine, b: Machine) -> list[tuple[str, float, float, str]]:
    """What tells two machines apart: rows of name, a's value, b's value, unit.

    Not a number where one of them does not say.
    """
    rows: list[tuple[str, float, float, str]] = [
        ("CPUs", a.cpus, b.cpus, ""),
        ("cores", a.cores, b.cores, ""),
        ("sockets", a.sockets, b.sockets, ""),
        ("clock", a.clock_ghz, b.clock_ghz, "GHz"),
    ]
    of_a, of_b = a.medians(), b.medians()
    rows += [(f"{name} median", of_a[name], of_b[name], "ns") for name in of_a]
    said_a = {figure.name: figure for figure in a.figures}
    said_b = {figure.name: figure for figure in b.figures}
    shape = {"Sockets", "CoresPerSocket", "ThreadsPerCore", "ClockGhz", "Matrix"}
    for name in dict.fromkeys([*said_a, *said_b]):
        if name not in shape:
            one, other = said_a.get(name), said_b.get(name)
            unit = (one or other).unit if one or other else ""  # type: ignore[union-attr]
            rows.append(
                (name, one.value if one else math.nan, other.value if other else math.nan, unit)
            )
    return rows


def picture(machine: Machine) -> Picture:
    """A machine's matrix as a heat map."""
    name = Path(machine.name).name if machine.has_matrix else machine.name
    return plots.machine_matrix(machine.matrix_ns, name, machine.socket_of)


def compare_picture(machines: Sequence[Machine]) -> Picture:
    """Machines' matrices side by side, with one scale of colors."""
    return plots.machine_matrices([(m.matrix_ns, Path(m.name).name, m.socket_of) for m in machines])
