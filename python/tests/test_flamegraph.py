# SPDX-License-Identifier: GPL-2.0-only
"""Flame graphs: widths are shares, names are escaped, what is no stack is refused by line."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from linuxhost.flamegraph import NARROW, WIDTH, folded_to_svg, parse

SVG = "{http://www.w3.org/2000/svg}"


def frames(svg: str) -> dict[str, ElementTree.Element]:
    """The rectangle of each frame, by the text that pointing at it tells."""
    root = ElementTree.fromstring(svg)
    found = {}
    for group in root.iter(f"{SVG}g"):
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        assert title is not None and title.text and rect is not None
        found[title.text.rpartition(": ")[0]] = rect
    return found


def width(rect: ElementTree.Element) -> float:
    return float(rect.attrib["width"])


def test_widths_are_shares() -> None:
    drawn = frames(folded_to_svg("a;b 30\na;c 60\nd 10\n", "title"))
    whole = width(drawn["all"])
    assert width(drawn["a"]) == pytest.approx(0.9 * whole, abs=1)
    assert width(drawn["b"]) == pytest.approx(0.3 * whole, abs=1)
    assert width(drawn["c"]) == pytest.approx(0.6 * whole, abs=1)
    assert width(drawn["d"]) == pytest.approx(0.1 * whole, abs=1)
    # A callee is over its caller, and within it.
    assert float(drawn["b"].attrib["y"]) < float(drawn["a"].attrib["y"])
    assert float(drawn["c"].attrib["x"]) >= float(drawn["a"].attrib["x"])
    assert whole <= WIDTH


def test_same_frames_are_put_together() -> None:
    root = parse("a;b 1\na;b 2\n\n")
    assert root.value == 3
    assert root.callees["a"].callees["b"].value == 3


def test_modes_have_colors_of_their_own() -> None:
    drawn = frames(folded_to_svg("s;spin;f 1\ns;user;f2 1\n", "title"))
    assert drawn["f"].attrib["fill"] != drawn["f2"].attrib["fill"]


def test_names_are_escaped() -> None:
    svg = folded_to_svg("a<b>&;operator<< 5\n", "<title> & more")
    drawn = frames(svg)
    assert "a<b>&" in drawn and "operator<<" in drawn
    assert "<title> & more" in "".join(ElementTree.fromstring(svg).itertext())


def test_what_is_too_narrow_is_left_out() -> None:
    drawn = frames(folded_to_svg(f"wide 1000000\nnarrow {NARROW / WIDTH / 10}\n", "title"))
    assert "narrow" not in drawn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1\nb\n", "line 2"),
        ("a x\n", "line 1"),
        ("a -1\n", "line 1"),
        ("a nan\n", "line 1"),
        ("", "no stacks"),
        ("a 0\n", "no stacks"),
    ],
)
def test_what_is_no_stack_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        folded_to_svg(text, "title")


def test_same_bytes_each_time() -> None:
    text = "a;b 30\na;c 60\n"
    assert folded_to_svg(text, "t") == folded_to_svg(text, "t")
