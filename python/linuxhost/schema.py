# SPDX-License-Identifier: GPL-2.0-only
"""The columns of a sweep's table.

| column             | what it is                                                                  |
|--------------------|-----------------------------------------------------------------------------|
| `scenario`         | the scenario, an example's name                                             |
| `variant`          | `before` or `after` (of lock-scaling: the kind of lock, or the primitive)   |
| `machine`          | the machine's name                                                          |
| each parameter     | under its name in `--describe`, `-` as `_`; its default if not given       |
| each own parameter | what a result says of itself besides (`lltx`, ...)                          |
| each figure        | of the machine that was swept, `figure.CrossLatency`, under its bare name   |
| `seed`             | run number of ns-3's random numbers                                         |
| `model_version`    | release of ns-3, and a hash of the model's sources                          |
| each metric        | under its name: `pps` (frames/s), `sys_s` (s), ...; UNITS has their units   |
| `METRIC_ci95`      | half-width of its 95 % confidence interval, in the metric's unit            |
| `error`            | why the point failed, or null; such a row has no metrics                    |
| `seconds`          | what the point took to play, in s of wall time                              |

A row is a result: a point, unless one point gives several (the two placements of
tun-read-wakeup, the curves of lock-scaling).
"""

from __future__ import annotations

from .result import UNITS, unit_of

#: Columns that every table has.
ALWAYS = ("scenario", "variant", "machine", "seed", "model_version", "error", "seconds")
#: What stands behind a metric's name for its interval's half-width.
CI95 = "_ci95"

__all__ = ["ALWAYS", "CI95", "UNITS", "unit_of"]
