# SPDX-License-Identifier: GPL-2.0-only
"""Where the bindings find ns-3 and the compiled pack: files only, nothing is loaded here.

What can be set: LINUXHOST_LIB, the pack's shared library or the folder that it is in, and NS3_ROOT,
where ns-3 is, as for the build: an install prefix, a virtual environment with the wheel, or a built
tree.
"""

from __future__ import annotations

import glob
import mmap
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from . import binaries
from .errors import LinuxHostError

#: What to type where the bindings lack something.
CPPYY = "the bindings need cppyy, which is not installed: pip install cppyy"
WHEEL = "pip install --no-deps 'ns3==3.44.*'"

#: The ns-3 modules that the pack needs, in the order in which they are loaded.
MODULES = (
    "core",
    "stats",
    "network",
    "bridge",
    "traffic-control",
    "internet",
    "point-to-point",
    "csma",
    "applications",
)

# libns3.44-core.so (wheel), libns3-core.so (Debian), libns3.48-core-default.so, libns3-dev-core-...
_CORE = re.compile(
    r"(libns3(?:\.[0-9.]+|-dev|))-core((?:-(?:default|debug|optimized|release|minsizerel))?)\.so"
)


@dataclass(frozen=True)
class Ns3:
    """An ns-3 that is installed or built."""

    include: Path
    libraries: Path
    stem: str
    suffix: str
    number: int  # 337, 344, ..., 999 for a development tree
    asserts: bool

    def library(self, module: str) -> Path:
        """Where a module's library would be."""
        return self.libraries / f"{self.stem}-{module}{self.suffix}.so"


@dataclass(frozen=True)
class Pack:
    """The compiled pack: its library, and the folder of its headers."""

    library: Path
    include: Path


def contains(path: Path, texts: tuple[bytes, ...]) -> bool:
    """Whether a file has one of these bytes in it."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        return any(view.find(text) >= 0 for text in texts)


def read_prefix(include: Path) -> Ns3 | None:
    """The ns-3 whose headers are in this folder; None where its libraries are missing."""
    prefix = include.parent
    if not (include / "ns3" / "core-module.h").is_file():
        return None
    folders = [prefix / "lib64", prefix / "lib", *sorted((prefix / "lib").glob("*"))]
    for folder in folders:
        for path in sorted(folder.glob("libns3*-core*.so")):
            match = _CORE.fullmatch(path.name)
            if match is None:
                continue
            behind = path.resolve().name.rpartition(".so")[2]
            found = re.match(
                r"(?:3\.|3-|-|\.)(dev|[0-9]+)", match[1].removeprefix("libns") + behind
            )
            if found is None:
                continue
            number = 999 if found[1] == "dev" else int("3" + found[1])
            asserts = contains(path, (b"assert failed. cond=", b"NS_ASSERT failed, cond="))
            return Ns3(include, folder, match[1], match[2], number, asserts)
    return None


def _under(root: Path) -> list[Path]:
    """The folders of headers that a root may stand for."""
    wheels = sorted(root.glob("lib/python3*/site-packages/ns3"))
    return [p / "include" for p in (root, root / "build", root / "usr", *wheels)]


def _repository() -> Path:
    return Path(__file__).resolve().parents[2]


def find_pack() -> Pack:
    """The compiled pack; LinuxHostError, with what to type, where there is none."""
    named = os.environ.get("LINUXHOST_LIB")
    patterns = ("liblinux-host.so", "libns3*-linux-host*.so")
    if named:
        folders = [Path(named)]
        files = [Path(named)] if Path(named).is_file() else []
    else:
        here, root = Path(__file__).resolve().parent, _repository()
        # In contrib/linux-host of an ns-3 tree the libraries are in the tree's build/lib, which
        # `./ns3 run` names, also where contrib/linux-host is a link to here.
        folders = [here / "lib"]
        folders += [Path(p) for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
        folders += [Path(p).parents[1] / "lib" for p in sys.path if p.endswith("/bindings/python")]
        folders += [root / "build", root.parent.parent / "build" / "lib"]
        # Whoever said where the examples are has said where the build is.
        folders += [place.parent for place in binaries.places()]
        files = []
    for folder in folders:
        for pattern in patterns:
            files += [Path(p) for p in sorted(glob.glob(f"{glob.escape(str(folder))}/{pattern}"))]
    for file in files:
        if "-test" in file.name:
            continue
        for include in (file.parent / "include", file.parent.parent / "include"):
            if (include / "ns3" / "host-machine.h").is_file():
                return Pack(file.resolve(), include.resolve())
    if named:
        raise LinuxHostError(
            f"LINUXHOST_LIB={named}: allowed is the compiled pack (liblinux-host.so, with its"
            " folder include beside it), or the folder that it is in"
        )
    raise LinuxHostError(
        "the pack is not built; type scripts/reproduce in the repository, or set LINUXHOST_LIB to"
        " its liblinux-host.so"
    )


def _built_against(pack: Pack) -> list[Path]:
    """The folder of ns-3's headers that the pack's build was set up with."""
    cache = pack.library.parent / "CMakeCache.txt"
    if not cache.is_file():
        # In a tree the headers of both are in one folder.
        return [pack.include]
    for line in cache.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("NS3_INCLUDE_DIR:"):
            return [Path(line.partition("=")[2])]
    return []


def find_ns3(pack: Pack | None = None) -> Ns3:
    """The ns-3 that the pack was built against; LinuxHostError where it cannot be found."""
    named = os.environ.get("NS3_ROOT")
    if named:
        places = _under(Path(named))
    else:
        places = _built_against(pack) if pack else []
        places += [Path(folder) / "ns3" / "include" for folder in sys.path if folder]
        places += _under(_repository() / ".venv")
        places += [Path("/usr/local/include"), Path("/usr/include")]
    for include in places:
        found = read_prefix(include)
        if found is None:
            continue
        core = found.library("core").name.encode()
        soname = found.library("core").resolve().name.encode()
        if pack is None or contains(pack.library, (core, soname)):
            return found
        if named:
            raise LinuxHostError(
                f"NS3_ROOT={named}: allowed is the ns-3 that {pack.library} was built against"
            )
    if named:
        raise LinuxHostError(
            f"NS3_ROOT={named}: allowed is an install prefix, a virtual environment with the wheel,"
            " or a built tree of ns-3"
        )
    raise LinuxHostError(f"no ns-3 that the pack was built against; type {WHEEL}, or set NS3_ROOT")


def missing() -> list[str]:
    """What is missing for the bindings and what to type, for `doctor`; empty if all is there."""
    import importlib.util

    found = []
    if importlib.util.find_spec("cppyy") is None:
        found.append(CPPYY)
    try:
        find_ns3(find_pack())
    except LinuxHostError as error:
        found.append(str(error))
    return found
