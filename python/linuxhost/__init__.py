# SPDX-License-Identifier: GPL-2.0-only
"""linux-host from Python: runs, sweeps, tables, pictures and reports.

>>> import linuxhost
>>> table = linuxhost.sweep("sit-lockless-xmit", cpus="1..16:log", precision=0.02)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .errors import InputError as InputError
    from .errors import LinuxHostError as LinuxHostError
    from .result import Result as Result
    from .store import Store as Store
    from .sweeps import sweep as sweep

_FROM = {
    "InputError": "errors",
    "LinuxHostError": "errors",
    "Result": "result",
    "Store": "store",
    "sweep": "sweeps",
}

__all__ = ["InputError", "LinuxHostError", "Result", "Store", "__version__", "ns", "sweep"]


def __getattr__(name: str) -> Any:
    # What is not used is not loaded: the command answers --help at once.
    import importlib

    if name in _FROM:
        found = getattr(importlib.import_module(f".{_FROM[name]}", __name__), name)
        globals()[name] = found
        return found
    if name == "ns":
        return importlib.import_module(".ns", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
