# SPDX-License-Identifier: GPL-2.0-only
"""What is installed, what is missing, and what to type."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import sqlite3
import sys
from dataclasses import dataclass
from pathlib import Path

from . import __version__, _ns3, binaries
from .errors import LinuxHostError
from .workers import greet

NEEDED = ("typer", "rich", "numpy", "scipy", "pandas", "pyarrow", "matplotlib", "jinja2", "pyyaml")
OPTIONAL = (
    ("distributed", "sweeps on a cluster (--scheduler)", "pip install 'dask[distributed]'"),
    ("dask-jobqueue", "sweeps on Slurm (--slurm)", "pip install dask-jobqueue"),
    ("ns3", "ns-3's wheel; an ns-3 of yours will do", _ns3.WHEEL),
    ("pytest", "the tests of this package", "pip install pytest"),
)
TOOLS = (
    ("cmake", "to build the examples", "apt-get install cmake"),
    ("c++", "to build the examples", "apt-get install g++"),
    ("ninja", "builds faster than make", "apt-get install ninja-build"),
)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: str  # ok, missing (something does not work without it), optional
    found: str
    fix: str = ""


def _package(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def examine() -> list[Check]:
    """Look at everything."""
    checks = [
        Check("linuxhost", "ok", f"{__version__} in {Path(__file__).resolve().parent}"),
        Check("Python", "ok", f"{platform.python_version()} ({sys.executable})"),
        Check("SQLite", "ok", sqlite3.sqlite_version),
    ]
    for name in NEEDED:
        version = _package(name)
        state = "ok" if version else "missing"
        checks.append(
            Check(name, state, version or "not installed", "" if version else f"pip install {name}")
        )
    built = binaries.built()
    where = ", ".join(str(place) for place in binaries.places())
    fix = "scripts/reproduce builds them; --bin=DIR or LINUXHOST_BIN=DIR says where they are"
    if built:
        checks.append(Check("examples", "ok", f"{len(built)} in {where}"))
    else:
        checks.append(Check("examples", "missing", f"none in {where}", fix))
    try:
        greeting = greet()
        told = f"{len(greeting.programs)} scenarios of model {greeting.model_version}"
        checks.append(Check(binaries.RUNNER, "ok", told))
    except LinuxHostError as error:
        checks.append(Check(binaries.RUNNER, "missing", str(error), fix))
    missing = _ns3.missing()
    checks.append(
        Check("bindings", "optional", "from linuxhost import ns does not work", "; ".join(missing))
        if missing
        else Check("bindings", "ok", f"cppyy {_package('cppyy')}, {_ns3.find_pack().library}")
    )
    for name, what, fix in OPTIONAL:
        version = _package(name)
        if version:
            checks.append(Check(name, "ok", version))
        else:
            checks.append(Check(name, "optional", f"not installed: {what}", fix))
    for name, what, fix in TOOLS:
        path = shutil.which(name)
        if path:
            checks.append(Check(name, "ok", path))
        else:
            checks.append(Check(name, "optional", f"not found: {what}", fix))
    return checks
