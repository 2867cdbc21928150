# SPDX-License-Identifier: GPL-2.0-only
"""Where the compiled examples are."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .errors import InputError, LinuxHostError

#: The program that plays the points of a sweep.
RUNNER = "linux-host-runner"
#: The environment variable that says where the examples are.
VARIABLE = "LINUXHOST_BIN"

_chosen: Path | None = None


def choose(folder: Path | str | None) -> None:
    """Take the examples from this folder from now on (`--bin`); None: search again."""
    global _chosen
    if folder is not None and not Path(folder).is_dir():
        raise InputError(f"--bin={folder}: allowed is the folder of the built examples")
    _chosen = None if folder is None else Path(folder).resolve()


def repository() -> Path | None:
    """The repository that this package is run from, or None when it is installed elsewhere."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "scripts" / "reproduce").is_file() else None


def places() -> list[Path]:
    """The folders that are searched, in order."""
    if _chosen is not None:
        return [_chosen]
    named = os.environ.get(VARIABLE)
    if named:
        return [Path(named)]
    found = []
    root = repository()
    if root is not None:
        found.append(root / "build" / "examples")
    found.append(Path(__file__).resolve().parent / "bin")
    return found


def find(name: str) -> Path | None:
    """Where an example is, by its name; None when it was not built."""
    if not name or "/" in name:
        return None
    for folder in places():
        path = folder / name
        if path.is_file() and os.access(path, os.X_OK):
            return path
        # ns-3's build names programs ns3.44-NAME-default.
        for path in sorted(folder.glob(f"ns3*-{name}-*")):
            rest = path.name.rsplit("-", 1)[0]
            if rest.endswith("-" + name) and os.access(path, os.X_OK):
                return path
    if _chosen is None and VARIABLE not in os.environ:
        on_path = shutil.which(name)
        return Path(on_path) if on_path else None
    return None


def need(name: str) -> Path:
    """Where an example is; LinuxHostError with what to type when it was not built."""
    path = find(name)
    if path is None:
        others = built()
        if others and name not in (RUNNER, "machine-info"):
            raise InputError(f"'{name}': allowed is one of {'|'.join(others)}")
        looked = ", ".join(str(place) for place in places())
        raise LinuxHostError(
            f"the program {name} is not there (looked in {looked}); scripts/reproduce builds it,"
            f" --bin=DIR or {VARIABLE}=DIR says where it is"
        )
    return path


def built() -> list[str]:
    """The names of all examples that are there, the runner left out."""
    names: dict[str, None] = {}
    for folder in places():
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            if path.is_file() and os.access(path, os.X_OK):
                name = path.name
                if name.startswith("ns3") and name.count("-") >= 2:
                    name = name.split("-", 1)[1].rsplit("-", 1)[0]
                names[name] = None
    names.pop(RUNNER, None)
    return list(names)
