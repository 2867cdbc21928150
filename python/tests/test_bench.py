# SPDX-License-Identifier: GPL-2.0-only
"""The benchmark's object: its keys, and the limits that do not depend on how busy the box is."""

from __future__ import annotations

import json
import subprocess

import pytest

from linuxhost import binaries


def test_engine() -> None:
    bench = binaries.find("bench-engine")
    if bench is None:
        pytest.skip("the examples are not built (scripts/reproduce); LINUXHOST_BIN names a folder")
    done = subprocess.run(
        [bench, "--rounds=1", "--json"], capture_output=True, text=True, timeout=600, check=True
    )
    result = json.loads(done.stdout)
    assert list(result) == [
        "accesses_over_scheduler_events",
        "frames_over_real_sit_before",
        "frames_over_real_sit_after",
        "peak_rss_mb",
        "ns_per_frame_by_cpus",
    ]
    cost = result["ns_per_frame_by_cpus"]
    assert list(cost) == ["1", "4", "16", "64", "256", "1024"]
    assert all(value > 0 for value in cost.values())
    # With the machine of 1024 CPUs in it.
    assert 1 < result["peak_rss_mb"] <= 100
    # A frame costs more where more CPUs wait, not much more than in proportion to their number.
    assert cost["1024"] < 64 * cost["16"]
