# SPDX-License-Identifier: GPL-2.0-only
"""Values as they are typed, and designs, against what they are by definition."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from linuxhost import designs
from linuxhost.describe import Option, Program
from linuxhost.errors import InputError
from linuxhost.sweeps import Spec

PROGRAM = Program(
    "demo",
    "a demo",
    {
        o.name: o
        for o in (
            Option("cpus", "integer", default="16", min=1, max=1024),
            Option("share", "real", default="0.5", min=0, max=1),
            Option("lock", "choice", default="ticket", choices=("ticket", "mcs", "tas")),
            Option("list", "text", form="LIST"),
            Option("figure", "text", form="NAME=VALUE,..."),
            Option(
                "variant",
                "choice",
                default="both",
                choices=("before", "after", "both"),
                both=("before", "after"),
            ),
            Option("json", "text", form="FILE|-"),
        )
    },
)


def values(name: str, given: object) -> list[object]:
    return list(designs.parse_axis(PROGRAM, name, given).values)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("cpus", "4", [4]),
        ("cpus", "1,2,4", [1, 2, 4]),
        ("cpus", "3..6", [3, 4, 5, 6]),
        ("cpus", "1..64:log", [1, 2, 4, 8, 16, 32, 64]),
        ("cpus", "1..48:log", [1, 2, 4, 8, 16, 32, 48]),
        ("cpus", "1..1000:log:4", [1, 10, 100, 1000]),
        ("cpus", "1..10:4", [1, 4, 7, 10]),
        ("cpus", "2..10:step=4", [2, 6, 10]),
        ("cpus", "1..2,8,16..18", [1, 2, 8, 16, 17, 18]),
        ("cpus", "1,1,2", [1, 2]),
        ("cpus", [1, "2..3"], [1, 2, 3]),
        ("cpus", range(2, 4), [2, 3]),
        ("cpus", 8, [8]),
        ("share", "0..1:5", [0, 0.25, 0.5, 0.75, 1]),
        ("share", "0..0.3:step=0.1", [0, 0.1, 0.2, 0.3]),
        ("share", "0.01..1:log:3", [0.01, 0.1, 1]),
        ("lock", "mcs,tas", ["mcs", "tas"]),
        ("list", "1..4:log", ["1", "2", "4"]),
        ("figure.L1Rmw", "10..20:3", [10, 15, 20]),
    ],
)
def test_values(name: str, given: object, expected: list[object]) -> None:
    assert values(name, given) == expected


@pytest.mark.parametrize("given", ["", "0", "1,,2", "1..", "..4", "x..y", [], {}, None, [None]])
def test_values_that_are_refused(given: object) -> None:
    with pytest.raises(InputError):
        values("cpus", given)


def axes(**given: object) -> list[designs.Axis]:
    return [designs.parse_axis(PROGRAM, name, value, sampled=True) for name, value in given.items()]


def test_a_grid_has_all_combinations_and_a_zip_pairs() -> None:
    points = list(designs.grid(axes(cpus="1,2,4", lock="mcs,tas")))
    assert len(points) == 6 and len({tuple(p.items()) for p in points}) == 6
    pairs = list(designs.zipped(axes(cpus="1,2,4", lock="mcs,tas,ticket", share="0.5")))
    assert [(p["cpus"], p["lock"], p["share"]) for p in pairs] == [
        (1, "mcs", 0.5),
        (2, "tas", 0.5),
        (4, "ticket", 0.5),
    ]


def test_a_zip_is_played_before_and_after_unless_sides_are_listed() -> None:
    points = Spec("demo", {"cpus": "1,2,4", "share": "0,0.5,1"}, "zip").plan(PROGRAM).points
    assert [(p["cpus"], p["share"], p["variant"]) for p in points] == [
        (cpus, share, side)
        for cpus, share in ((1, 0), (2, 0.5), (4, 1))
        for side in ("before", "after")
    ]
    sides = {"cpus": "1,2", "variant": ["after", "before"]}
    points = Spec("demo", sides, "zip").plan(PROGRAM).points
    assert [(p["cpus"], p["variant"]) for p in points] == [(1, "after"), (2, "before")]


def test_a_value_that_is_a_list_keeps_its_commas() -> None:
    assert values("figure", "A=1,B=2") == ["A=1,B=2"]
    assert values("figure", "A=1,B=2;A=3") == ["A=1,B=2", "A=3"]


def test_a_latin_hypercube_has_one_point_in_each_stratum() -> None:
    count = 50
    points = list(designs.sampled(axes(share="0..1"), "lhs", count, 7))
    strata = Counter(min(int(float(p["share"]) * count), count - 1) for p in points)
    assert strata == Counter(range(count))


def test_a_sobol_sequence_halves_evenly() -> None:
    points = list(designs.sampled(axes(share="0..1", lock="mcs,tas"), "sobol", 64, 3))
    assert Counter(float(p["share"]) < 0.5 for p in points) == {True: 32, False: 32}
    assert Counter(p["lock"] for p in points) == {"mcs": 32, "tas": 32}


@pytest.mark.parametrize("design", ["random", "lhs", "sobol"])
def test_draws_are_within_bounds_and_the_same_for_a_seed(design: str) -> None:
    drawn = [
        list(designs.sampled(axes(cpus="1..64:log", share="0.2..0.4"), design, 40, seed))
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(1 <= int(p["cpus"]) <= 64 and 0.2 <= float(p["share"]) <= 0.4 for p in drawn[0])
    # Equally likely per octave: half of the points are below 8.
    assert 10 <= sum(int(p["cpus"]) < 8 for p in drawn[0]) <= 30


def test_adaptive_goes_where_a_curve_bends() -> None:
    knee = 37.0
    design = designs.Adaptive(axes(cpus="1..100", lock="mcs,tas"), 40, 0.01)
    wanted = design.first()
    asked: list[float] = []
    while wanted:
        for curve, point in wanted:
            x = float(point["cpus"])
            # One curve has a knee, the other is straight.
            design.tell(curve, point, min(x, knee) if curve == 0 else 3 * x)
            if curve == 0:
                asked.append(x)
        wanted = design.next()
    assert {36, 37, 38} <= set(asked)
    assert len(asked) < 30, "far from the knee there are few"
    assert sum(abs(x - knee) < 10 for x in asked) > len(asked) / 3
    assert len(design._asked[1]) == 5, "a straight line needs no more than the first round"


def test_adaptive_stops_at_its_count_and_survives_failures() -> None:
    design = designs.Adaptive(axes(share="0..1"), 12, 1e-9)
    wanted, count = design.first(), 0
    while wanted:
        for curve, point in wanted:
            x = float(point["share"])
            design.tell(curve, point, None if x == 0.5 else math.sin(9 * x))
            count += 1
        wanted = design.next()
    assert count == 12


def test_both_sides_of_a_patch_are_points_of_their_own() -> None:
    points = Spec("demo", {"cpus": "1,2"}).plan(PROGRAM).points
    assert [(p["cpus"], p["variant"]) for p in points] == [
        (1, "before"),
        (1, "after"),
        (2, "before"),
        (2, "after"),
    ]
    listed = Spec("demo", {"lock": "mcs"}, "list", [{"cpus": 3, "variant": "after"}, {"cpus": 4}])
    assert listed.plan(PROGRAM).points == [
        {"lock": "mcs", "cpus": 3, "variant": "after"},
        {"lock": "mcs", "cpus": 4},
    ]


def test_both_beside_one_of_its_sides_is_each_side_once() -> None:
    assert values("variant", "both") == ["before", "after"]
    assert values("variant", "after,both") == values("variant", ["after", "both"])
    assert values("variant", "after,both") == ["after", "before"]
    drawn = Spec("demo", {"cpus": "1..9", "variant": "both"}, "random", samples=5).plan(PROGRAM)
    assert Counter(p["variant"] for p in drawn.points) == {"before": 5, "after": 5}


def test_more_points_than_are_meant_are_refused() -> None:
    with pytest.raises(InputError, match="60 points: allowed are at most 59; --most"):
        Spec("demo", {"cpus": "1..30"}, most=59).plan(PROGRAM)
    assert len(Spec("demo", {"cpus": "1..30"}, most=60).plan(PROGRAM).points) == 60
    listed = [{"cpus": n} for n in range(1, 6)]
    with pytest.raises(InputError, match="10 points"):
        Spec("demo", {}, "list", listed, most=9).plan(PROGRAM)
    with pytest.raises(InputError, match="20 points"):
        Spec("demo", {"cpus": "1..10"}, "zip", most=19).plan(PROGRAM)


def test_figures_of_the_machine_are_one_parameter_each() -> None:
    one = PROGRAM.check({"figure": "CrossLatency=80,SnoopShare=0.3"})
    other = PROGRAM.check({"figure.SnoopShare": 0.3, "figure.CrossLatency": "80"})
    assert one == other == {"figure.CrossLatency": 80.0, "figure.SnoopShare": 0.3}
    assert PROGRAM.check({"cpus": 4.0}) == PROGRAM.check({"cpus": "4"}) == {"cpus": 4}
