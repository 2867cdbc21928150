# SPDX-License-Identifier: GPL-2.0-only
"""Folded stacks drawn as a flame graph: an SVG file that needs nothing else.

Each line of the input is a stack, outermost frame first, frames parted by `;`, then a space and
how much of it there was. Frames are as wide as their share; pointing at one tells its figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from zlib import crc32

WIDTH = 1200
ROW = 18
MARGIN = 10
HEAD = 44
# Of a character of the font at its size, in pixels, roughly.
CHARACTER = 7.0
# Frames narrower than this many pixels are left out.
NARROW = 0.3

# Modes have hues of their own (Okabe and Ito), a frame's lightness varies with its name.
HUES = {
    "user": (86, 180, 233),
    "system": (230, 159, 0),
    "softirq": (0, 158, 115),
    "spin": (213, 94, 0),
    "idle": (160, 160, 160),
}
PLAIN = (205, 196, 176)


@dataclass
class Frame:
    """A frame of a stack, and those that it called."""

    name: str
    value: float = 0.0
    callees: dict[str, Frame] = field(default_factory=dict)


def parse(folded: str) -> Frame:
    """Read folded stacks.

    Raises ValueError, with the line's number, for what is not one.
    """
    root = Frame("all")
    for number, line in enumerate(folded.splitlines(), 1):
        if not line.strip():
            continue
        stack, _, count = line.rstrip().rpartition(" ")
        try:
            value = float(count)
        except ValueError:
            value = -1.0
        if not stack or not 0 <= value < float("inf"):
            raise ValueError(f"line {number}: not a stack and a count: {line.strip()[:60]}")
        root.value += value
        frame = root
        for name in stack.split(";"):
            frame = frame.callees.setdefault(name, Frame(name))
            frame.value += value
    return root


def color_of(name: str, mode: str) -> str:
    """A frame's color: its mode's hue, a little lighter or darker by its name."""
    shade = 0.82 + 0.36 * (crc32(name.encode()) % 1000) / 1000
    red, green, blue = (min(255, round(part * shade)) for part in HUES.get(mode, PLAIN))
    return f"rgb({red},{green},{blue})"


def shorten(name: str, width: float) -> str:
    """As much of a name as there is room for; empty where there is none."""
    room = int((width - 6) / CHARACTER)
    if room >= len(name):
        return name
    return name[: room - 1] + "\u2026" if room >= 4 else ""


def boxes(
    frame: Frame, x: float, depth: int, scale: float, mode: str
) -> Iterator[tuple[Frame, float, int, str]]:
    """All frames wide enough to be seen: frame, left edge, depth, mode."""
    yield frame, x, depth, mode
    for name in sorted(frame.callees):
        callee = frame.callees[name]
        if callee.value * scale >= NARROW:
            own = name if not mode and name in HUES else mode
            yield from boxes(callee, x, depth + 1, scale, own)
        x += callee.value * scale


def folded_to_svg(folded: str, title: str) -> str:
    """Draw folded stacks; returns the text of an SVG file.

    Raises ValueError when the input is not folded stacks, or when there is nothing in it.
    """
    root = parse(folded)
    if root.value <= 0:
        raise ValueError("there are no stacks to draw")
    scale = (WIDTH - 2 * MARGIN) / root.value
    drawn = list(boxes(root, MARGIN, 0, scale, ""))
    depth = max(row for _, _, row, _ in drawn)
    height = HEAD + (depth + 1) * ROW + MARGIN
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" font-family="DejaVu Sans Mono, Menlo, monospace"'
        ' font-size="11">',
        "<style>g:hover rect{stroke:#000;stroke-width:1.2}text{pointer-events:none}</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{WIDTH / 2:g}" y="20" text-anchor="middle" font-size="15"'
        f' font-family="DejaVu Sans, Arial, sans-serif">{escape(title)}</text>',
    ]
    modes = [mode for mode in HUES if any(own == mode for _, _, _, own in drawn)]
    x = float(MARGIN)
    for mode in modes:
        red, green, blue = HUES[mode]
        lines.append(
            f'<rect x="{x:g}" y="29" width="10" height="10" fill="rgb({red},{green},{blue})"/>'
            f'<text x="{x + 14:g}" y="38">{mode}</text>'
        )
        x += 14 + CHARACTER * len(mode) + 18
    for frame, left, row, mode in drawn:
        width = frame.value * scale
        y = HEAD + (depth - row) * ROW
        share = 100 * frame.value / root.value
        fill = "#dddddd" if row == 0 else color_of(frame.name, mode)
        lines.append(
            f"<g><title>{escape(frame.name)}: {frame.value:g} ({share:.2f} %)</title>"
            f'<rect x="{left:.2f}" y="{y}" width="{max(width - 0.4, 0.2):.2f}" height="{ROW - 1}"'
            f' rx="1.5" fill="{fill}"/>'
        )
        text = shorten(frame.name, width)
        if text:
            lines.append(f'<text x="{left + 3:.2f}" y="{y + 13}">{escape(text)}</text>')
        lines.append("</g>")
    lines.append("</svg>")
    return "\n".join(lines) + "\n"
