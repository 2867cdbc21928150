# SPDX-License-Identifier: GPL-2.0-only
"""One result, as the compiled examples write it: schema `linux-host.result/1`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import LinuxHostError

#: The schema that this package reads.
SCHEMA = "linux-host.result/1"

#: Units of the metrics; what is not here has none that the package knows.
UNITS: dict[str, str] = {
    "pps": "frames/s",
    "user_cpus": "CPUs",
    "sys_cpus": "CPUs",
    "cpus_busy": "CPUs",
    "lines_per_frame": "line transfers/frame",
    "goodput_mbps": "Mbit/s",
    "throughput_mbps": "Mbit/s",
    "real_s": "s",
    "user_s": "s",
    "sys_s": "s",
    "send_util_pct": "%",
    "recv_util_pct": "%",
    "send_us_per_kb": "us/KB",
    "recv_us_per_kb": "us/KB",
    "speedup": "",
    "ns_per_operation": "ns",
    "ns_per_operation_system": "ns",
    "drops_per_s": "1/s",
    "sleeps_per_s": "1/s",
    "wakeups_per_s": "1/s",
    "wakeup_tries_per_s": "1/s",
    "sleepers_woken_per_s": "1/s",
    "running_woken_per_s": "1/s",
    "ipis_per_s": "1/s",
    "wakeup_delay_us": "us",
    "sleeps_poll_pct": "%",
    "sleeps_hlt_pct": "%",
    "sleeps_c1_pct": "%",
    "sleeps_c1e_pct": "%",
    "sleeps_c3_pct": "%",
    "sleeps_c6_pct": "%",
    "send_cpu_pct": "%",
    "recv_program_cpu_pct": "%",
    "recv_irq_cpu_pct": "%",
    "wire_pct": "%",
    "tsq_throttles_per_s": "1/s",
    "send_irqs_per_s": "1/s",
    "recv_irqs_per_s": "1/s",
    "merged_packets_per_s": "1/s",
    "acks_per_s": "1/s",
    "queue_stops_per_s": "1/s",
    "qdisc_drops_per_s": "1/s",
    "rx_drops_per_s": "1/s",
    "data_tx_queues": "",
    "data_rx_queues": "",
    "ack_tx_queues": "",
    "ack_rx_queues": "",
}


#: Units of settings, as the examples describe them: for files that do not say so themselves.
SETTINGS: dict[str, str] = {
    "payload": "bytes",
    "size": "bytes",
    "mtu": "bytes",
    "message_size": "bytes",
    "tsq": "bytes",
    "coalesce": "us",
    "idle_limit": "us",
    "serial": "cycles",
}


def unit_of(name: str) -> str:
    """The unit of a metric or a setting, from the tables or from the end of its name."""
    if name in UNITS or name in SETTINGS:
        return UNITS.get(name) or SETTINGS.get(name, "")
    for end, unit in (
        ("_per_s", "1/s"),
        ("_us_per_kb", "us/KB"),
        ("_mbps", "Mbit/s"),
        ("_pct", "%"),
        ("_cpus", "CPUs"),
        ("_per_frame", "1/frame"),
        ("_ns", "ns"),
        ("_us", "us"),
        ("_cycles", "cycles"),
        ("_s", "s"),
    ):
        if name.endswith(end):
            return unit
    return ""


#: What a scenario is about: the metric that was published of it, or measured.
MAIN: dict[str, tuple[str, ...]] = {
    "lock-scaling": ("speedup", "ns_per_operation"),
    "vlan-offload": ("goodput_mbps",),
}


def main_metric(scenarios: Collection[str], metrics: Sequence[str]) -> str:
    """The metric that is shown, and followed, when none is named."""
    first = MAIN.get(next(iter(scenarios)), ()) if len(scenarios) == 1 else ()
    wanted = (*first, "pps", "goodput_mbps", "real_s")
    return next((name for name in (*wanted, *metrics) if name in metrics), "pps")


@dataclass(frozen=True)
class Symbol:
    """A row of the profile."""

    symbol: str
    share: float
    ns_per_frame: float


@dataclass(frozen=True)
class Line:
    """A cache line's row."""

    line: str
    transfers_per_frame: float
    busy: float


@dataclass(frozen=True)
class Figure:
    """A figure that shaped the run, and where it comes from."""

    name: str
    value: float | None
    unit: str
    kind: str
    provenance: str


@dataclass(frozen=True)
class Result:
    """A result."""

    scenario: str
    variant: str
    machine: str
    params: dict[str, Any]
    seed: int
    frames: dict[str, int]
    precise: bool
    metrics: dict[str, float | None]
    ci95: dict[str, float | None]
    profile: list[Symbol] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    free_parameters: list[Figure] = field(default_factory=list)

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Result:
        """Read the JSON object; LinuxHostError when it is none of this schema."""
        if raw.get("schema") != SCHEMA:
            raise LinuxHostError(f"a result of schema {raw.get('schema')!r}; this reads {SCHEMA}")
        try:
            return cls(
                scenario=raw["scenario"],
                variant=raw["variant"],
                machine=raw["machine"],
                params=dict(raw["params"]),
                seed=raw["seed"],
                frames=dict(raw["frames"]),
                precise=raw["precise"],
                metrics=dict(raw["metrics"]),
                ci95=dict(raw["ci95"]),
                profile=[Symbol(**row) for row in raw["profile"]],
                lines=[Line(**row) for row in raw["lines"]],
                free_parameters=[Figure(**row) for row in raw["free_parameters"]],
            )
        except (KeyError, TypeError) as error:
            raise LinuxHostError(f"this is not a whole result: {error}") from None

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read one line."""
        return cls.from_dict(json.loads(text))
