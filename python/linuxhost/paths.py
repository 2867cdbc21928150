# SPDX-License-Identifier: GPL-2.0-only
"""A packet's steps read back from what `--print-path` and `--diff-path` print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

#: Where a step's mode and symbol end, seen from the mode, unless the symbol is longer.
_MODE, _SYMBOL = 8, 34
#: What a line starts with that continues the one above.
_INDENT = " " * 30
_HEAD = re.compile(r"( *[0-9]+|[-+ ]) ((?:user|system|softirq|spin|idle) .*)")


def _step(text: str) -> dict[str, Any]:
    """A step, from its mode on."""
    end = text.find(" ", _SYMBOL)
    what, _, note = text[end:].partition("  # ")
    what, _, locks = what.partition("  [")
    return {
        "mode": text[:_MODE].strip(),
        "symbol": text[_MODE:end].strip(),
        "what": what.strip(),
        "locks": locks.rstrip("]").split(", ") if locks else [],
        "note": note,
    }


def _lines(text: str) -> Iterator[str]:
    """The lines, each with those that continue it."""
    whole = ""
    for line in text.splitlines():
        if line.startswith(_INDENT) and whole:
            more = line.strip()
            # What is done, the locks and the note are apart by two spaces.
            whole += ("  " if more.startswith(("[", "# ")) else " ") + more
            continue
        if whole:
            yield whole
        whole = line
    if whole:
        yield whole


def read_paths(text: str) -> list[dict[str, Any]]:
    """What `--print-path` printed: each path's name and steps."""
    paths: list[dict[str, Any]] = []
    for line in _lines(text):
        found = _HEAD.fullmatch(line)
        if found:
            paths[-1]["steps"].append(_step(found[2]))
        else:
            paths.append({"name": line.removesuffix(":"), "steps": []})
    return paths


def read_differences(text: str) -> list[dict[str, Any]]:
    """What `--diff-path` printed: two paths' names, and steps with the side that has them."""
    sides = {" ": "both", "-": "before", "+": "after"}
    found: list[dict[str, Any]] = []
    for line in _lines(text):
        if line.startswith("--- "):
            found.append({"before": line[4:], "after": "", "steps": []})
        elif line.startswith("+++ "):
            found[-1]["after"] = line[4:]
        elif head := _HEAD.fullmatch(line):
            found[-1]["steps"].append({"side": sides[head[1]], **_step(head[2])})
    return found
