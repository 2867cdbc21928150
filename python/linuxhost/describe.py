# SPDX-License-Identifier: GPL-2.0-only
"""What the compiled examples say about themselves (`EXAMPLE --describe`)."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import binaries
from .errors import InputError, LinuxHostError, refuse

#: A value of a parameter.
Value = bool | int | float | str

#: Options that say what is printed and where, not what is simulated.
OUTPUTS = frozenset({"json", "print-path", "diff-path", "timeline", "folded", "pcap", "features"})
#: A figure of the machine: `figure.CrossLatency`.
FIGURE = "figure."


def number_text(number: float) -> str:
    """A number as short as it can be read back."""
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e15 else repr(number)


@dataclass(frozen=True)
class Option:
    """An option of an example."""

    name: str
    kind: str  # choice, integer, real, text, switch; figure: of the machine
    help: str = ""
    default: str = ""
    unit: str = ""
    min: float = -math.inf
    max: float = math.inf
    choices: tuple[str, ...] = ()
    both: tuple[str, ...] = ()  # the choices that the choice "both" stands for
    form: str = ""

    @property
    def column(self) -> str:
        """Its name as a column of a table."""
        return self.name.replace("-", "_")

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return self.kind in ("integer", "real")

    @property
    def presets(self) -> tuple[str, ...]:
        """The words that the form of a text lists (`a|b|FILE.csv`: a and b)."""
        words = self.form.split("|")
        return tuple(w for w in words if w and not w.isupper() and "FILE" not in w)

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.kind == "choice":
            return "one of " + "|".join(self.choices)
        if self.is_number:
            noun = "an integer" if self.kind == "integer" else "a number"
            unit = f" {self.unit}" if self.unit else ""
            return f"{noun} from {number_text(self.min)} to {number_text(self.max)}{unit}"
        if self.kind == "switch":
            return "1 or 0"
        if self.kind == "figure":
            return "a number, true or false"
        return self.form or "a text"

    def read(self, value: object) -> Value:
        """A value as the option takes it; InputError names what is allowed."""
        text = str(value).strip() if not isinstance(value, bool) else ("1" if value else "0")
        if self.kind == "choice" and text in self.choices:
            return text
        if self.kind == "switch" and text in ("1", "0", "true", "false"):
            return text in ("1", "true")
        if self.is_number:
            try:
                number = float(text)
            except ValueError:
                raise refuse(self.name, value, self.allowed) from None
            whole = self.kind == "integer"
            if (
                math.isfinite(number)
                and self.min <= number <= self.max
                and (not whole or number.is_integer())
            ):
                return int(number) if whole else number
        if self.kind == "figure" and text in ("true", "false"):
            return text
        if self.kind == "figure":
            try:
                if math.isfinite(float(text)):
                    return float(text)
            except ValueError:
                pass
        if self.kind == "text" and self._text_is_good(text):
            return text
        raise refuse(self.name, value, self.allowed)

    def _text_is_good(self, text: str) -> bool:
        if "FILE" not in self.form:
            return True
        return text in self.presets or Path(text).is_file()

    def default_value(self) -> Value | None:
        """The default as a value; None when there is none that can be told."""
        if self.default == "":
            return None
        try:
            return self.read(self.default)
        except InputError:
            return self.default


def figure_option(said: Mapping[str, str]) -> Option:
    """A figure of a machine, as the runner tells of it: `double 0:1000`, `bool`."""
    words = said.get("allowed", "").split()
    name = FIGURE + said["name"]
    bounds = words[1].split(":") if len(words) == 2 else []
    if words == ["bool"]:
        return Option(name, "switch", said["help"], said["default"])
    if len(bounds) == 2:
        kind = "integer" if "int" in words[0] else "real"
        low, high = map(float, bounds)
        return Option(name, kind, said["help"], said["default"], min=low, max=high)
    return Option(name, "figure", said["help"], said["default"], form="X")


@dataclass(frozen=True)
class Program:
    """An example."""

    name: str
    about: str
    options: Mapping[str, Option] = field(default_factory=dict)
    figures: Mapping[str, Option] = field(default_factory=dict)  # of a machine; empty: not known

    @classmethod
    def from_json(
        cls, described: Mapping[str, Any], figures: Mapping[str, Option] | None = None
    ) -> Program:
        """Read what `--describe` printed."""
        options = {}
        for one in described["options"]:
            known = {k: v for k, v in one.items() if k in Option.__dataclass_fields__}
            for name in ("choices", "both"):
                known[name] = tuple(known.get(name, ()))
            options[one["name"]] = Option(**known)
        return cls(described["program"], described["about"], options, figures or {})

    @property
    def parameters(self) -> dict[str, Option]:
        """The options that shape a run."""
        return {name: o for name, o in self.options.items() if name not in OUTPUTS}

    def option(self, name: str) -> Option:
        """A parameter by its name (`max-frames` or `max_frames`); InputError when it has none."""
        if name.startswith(FIGURE) and "figure" in self.options:
            figure = self.figures.get(name[len(FIGURE) :])
            if self.figures and figure is None:
                raise InputError(f"--{name}: a machine has the figures {', '.join(self.figures)}")
            return figure or Option(name, "figure", "A figure of the machine.", form="X")
        parameters = self.parameters
        found = parameters.get(name) or parameters.get(name.replace("_", "-"))
        if found is None:
            names = ", ".join(parameters)
            raise InputError(f"--{name}: {self.name} has no such parameter; it has {names}")
        return found

    def check(self, params: Mapping[str, object]) -> dict[str, Value]:
        """Parameters as the example takes them, sorted by name."""
        checked: dict[str, Value] = {}
        figures: dict[str, Value] = {}
        for name, value in params.items():
            option = self.option(name)
            read = option.read(value)
            if option.name.startswith(FIGURE):
                figures[option.name[len(FIGURE) :]] = read
            elif option.name == "figure":
                # --figure=CrossLatency=80,SnoopShare=0.3 is the same as one figure.NAME each.
                for part in filter(None, str(read).split(",")):
                    key, equals, number = part.partition("=")
                    if not equals:
                        raise refuse("figure", read, option.form)
                    figures[key] = self.option(FIGURE + key).read(number)
            else:
                checked[option.name] = read
        for key, value_ in figures.items():
            checked[FIGURE + key] = value_
        return dict(sorted(checked.items()))


def arguments(params: Mapping[str, Value]) -> dict[str, Value]:
    """Parameters as options of the example: the figures of the machine in one option."""
    options = {name: v for name, v in params.items() if not name.startswith(FIGURE)}
    figures = [f"{n[len(FIGURE) :]}={_text(v)}" for n, v in params.items() if n.startswith(FIGURE)]
    if figures:
        options["figure"] = ",".join(figures)
    return options


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return number_text(value) if isinstance(value, float) else str(value)


def command_line(params: Mapping[str, Value]) -> list[str]:
    """Parameters as an example's arguments."""
    return [f"--{name}={_text(value)}" for name, value in arguments(params).items()]


def file_hashes(params: Mapping[str, Value]) -> dict[str, str]:
    """Hashes of the files that parameters name: with other contents they are other parameters."""
    hashes = {}
    for name, value in params.items():
        if isinstance(value, str) and value and ("." in value or "/" in value):
            path = Path(value)
            if path.is_file():
                hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return hashes


def describe(name: str) -> Program:
    """Ask an example what its options are."""
    path = binaries.need(name)
    try:
        done = subprocess.run(
            [str(path), "--describe"], capture_output=True, text=True, timeout=60, check=False
        )
        return Program.from_json(json.loads(done.stdout))
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        raise LinuxHostError(f"{path} --describe did not say what it can do ({error})") from None
