#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A path of one's own, played on a machine: what does a shared counter cost, and a lock?

    python3 examples/python-path.py --machine=dual-xeon-e5-2690

Eight CPUs each count their packets: in a counter that all share, in one behind a ticket lock, and
in one of their own. Needs cppyy and the built pack.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Where the package is not installed, it is beside this folder.
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

try:
    from linuxhost import ns
except ImportError as missing:
    sys.exit(f"python-path.py: {missing}")

CPUS = 8


def compose(kind: str, cpu: int, shared: dict[str, object], seen: list[int]) -> object:
    """The path of one CPU: some work, the counter, and a Python function at the end."""
    path = ns.Create[ns.KernelPath](f"{kind} counter, CPU {cpu}")
    path.Work("ip_rcv", 400, "whatever a packet takes")
    if kind == "shared":
        path.Rmw(ns.LineField(shared["line"]), "atomic_long_inc")
    elif kind == "locked":
        path.Operate(shared["lock"], ns.KernelLock.LOCK, "_raw_spin_lock")
        path.Write(ns.LineField(shared["line"]), "count_packet")
        path.Operate(shared["lock"], ns.KernelLock.UNLOCK, "_raw_spin_unlock")
    else:
        path.Write(ns.LineField(ns.Create[ns.CacheLine](f"counter.{cpu}")), "this_cpu_inc")

    def at_the_end(moment: ns.Moment) -> None:
        seen[moment.cpu] += 1

    path.Call(at_the_end, "tracepoint", "a Python function")
    path.Frame()
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description="What a counter costs on eight CPUs.")
    parser.add_argument("--machine", default="dual-xeon-e5-2690", help="a preset or a FILE.csv")
    parser.add_argument("--precision", type=float, default=0.05, help="half-width, as a share")
    options = parser.parse_args()
    try:
        machine = ns.machine(options.machine)
    except ValueError as wrong:
        parser.exit(2, f"python-path.py: {wrong}\n")
    if machine.GetNCpus() < CPUS:
        parser.exit(2, f"python-path.py: --machine={options.machine}: allowed is {CPUS} CPUs\n")

    for kind in ("shared", "locked", "own"):
        line = ns.Create[ns.CacheLine]("counter")
        shared = {"line": line, "lock": ns.KernelLock.Make("ticket", "lock", line)}
        seen = [0] * CPUS
        paths = [compose(kind, cpu, shared, seen) for cpu in range(CPUS)]
        result = ns.play(
            ns.machine(options.machine),
            paths,
            kind,
            Precision=options.precision,
            MaxFrames=2000,
            Batch="50us",
        )
        top = result.profile[0]
        print(
            f"{kind:>7}: {result.metrics['pps'] / 1e6:6.1f} million packets a second;"
            f" most time in {top.symbol} ({100 * top.share:.0f} %);"
            f" Python was called {sum(seen)} times"
        )


if __name__ == "__main__":
    main()
