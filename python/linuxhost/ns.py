# SPDX-License-Identifier: GPL-2.0-only
"""ns-3 and the pack in Python, by cppyy.

    from linuxhost import ns

    node = ns.CreateObject[ns.Node]()
    machine = ns.machine("dual-xeon-e5540")

Every name of the C++ namespaces ns3 and ns3::linuxhost is an attribute: `ns.Node`,
`ns.TunNetDevice` (or `ns.linuxhost.TunNetDevice`). A class's header is read when its name is first
used, and a module's library is loaded with it, so that an import takes about a second. In a tree
where `from ns import ns` has loaded ns-3 already, that one is used.

Objects may be dropped in any order: what Python makes is counted as what C++ makes, and Python
functions stay alive until C++ has let go of them. An exception in such a function stops the
simulation, and comes out of `Simulator.Run()`.

Beside the C++ names there are a few of Python's own: machine, play, run, callback, schedule,
schedule_on, Trace, serve, make_packet and packet_bytes.
"""

from __future__ import annotations

import atexit
import ctypes
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _ns3
from .errors import LinuxHostError
from .result import Result

try:
    import cppyy  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ImportError as error:
    raise ImportError(_ns3.CPPYY) from error

__all__ = [
    "Moment",
    "Record",
    "Trace",
    "callback",
    "machine",
    "make_packet",
    "packet_bytes",
    "play",
    "run",
    "schedule",
    "schedule_on",
    "serve",
]

_HERE = Path(__file__).resolve().parent

# Read at once: what nearly every program uses, in one go.
_HEADERS = (
    "boolean.h",
    "callback.h",
    "config.h",
    "double.h",
    "global-value.h",
    "log.h",
    "node.h",
    "node-container.h",
    "nstime.h",
    "object.h",
    "packet.h",
    "rng-seed-manager.h",
    "simulator.h",
    "string.h",
    "uinteger.h",
)

# Names in these headers that are no classes: no header has to be looked for.
_FUNCTIONS = frozenset(
    (
        "Config",
        "Create",
        "CreateObject",
        "DynamicCast",
        "Hours",
        "LogComponentEnable",
        "MakeCallback",
        "MicroSeconds",
        "MilliSeconds",
        "Minutes",
        "NanoSeconds",
        "Now",
        "Seconds",
    )
)

_DECLARED = re.compile(
    r"^[ \t]*(?:class|struct|enum(?:[ \t]+class)?)[ \t]+(\w+)(?=\s*(?:final\b)?[\s:{]*(?:$|[:{]))",
    re.MULTILINE,
)


class _Loader:
    """What is loaded, and what can be."""

    def __init__(self) -> None:
        self.includes: list[Path] = []
        self.ns3: _ns3.Ns3 | None = None
        self.included: set[str] = set()
        self.loaded: set[str] = set()
        self.looked_up: set[str] = set()
        self.index: dict[str, str] | None = None
        self.modules: dict[str, str] | None = None

    def load(self) -> None:
        """Load libraries and the first headers, or take what the stock bindings have loaded."""
        stock = sys.modules.get("ns")
        if stock is not None and hasattr(cppyy.gbl, "ns3"):
            self._take_stock(stock)
        else:
            pack = _ns3.find_pack()
            found = _ns3.find_ns3(pack)
            self.ns3 = found
            self.includes = [pack.include, found.include]
            defines = [f"#define LINUX_HOST_NS3_VERSION {found.number}"]
            if found.asserts:
                defines += ["#define NS3_ASSERT_ENABLE 1", "#define NS3_LOG_ENABLE 1"]
            cppyy.cppexec("\n".join(defines))
            for folder in dict.fromkeys(self.includes):
                cppyy.add_include_path(str(folder))
            for module in _ns3.MODULES:
                if not found.library(module).is_file():
                    raise LinuxHostError(f"the ns-3 in {found.include.parent} has no {module}")
                cppyy.load_library(str(found.library(module)))
                self.loaded.add(module)
            cppyy.load_library(str(pack.library))
            cppyy.cppdef("".join(f'#include "ns3/{name}"\n' for name in _HEADERS))
            self.included.update(_HEADERS)
        cppyy.include(str(_HERE / "_glue.h"))

    def _take_stock(self, stock: Any) -> None:
        """Use what `from ns import ns` has loaded; load the pack where it is no module of that."""
        if hasattr(cppyy.gbl.ns3, "linuxhost"):
            return
        pack = _ns3.find_pack()
        found = _ns3.find_ns3(pack)
        prefix = found.include.parent.resolve()
        if prefix not in Path(getattr(stock, "__file__", None) or "/").resolve().parents:
            raise LinuxHostError(
                f"'from ns import ns' has loaded another ns-3 than that of the pack, {prefix};"
                " import linuxhost.ns first"
            )
        self.includes = [pack.include]
        cppyy.cppexec(f"#define LINUX_HOST_NS3_VERSION {found.number}")
        cppyy.add_include_path(str(pack.include))
        cppyy.load_library(str(pack.library))
        self.include("host-machine.h")

    def include(self, header: str) -> None:
        """Read a header, and load the library of its module."""
        if header in self.included:
            return
        if self.ns3 is not None:
            module = self._module_of(header)
            if module is not None and module not in self.loaded:
                self.loaded.add(module)
                library = self.ns3.library(module)
                if library.is_file():
                    cppyy.load_library(str(library))
        cppyy.include(f"ns3/{header}")
        self.included.add(header)

    def _module_of(self, header: str) -> str | None:
        """The ns-3 module that a header belongs to; None: the pack's, or nobody's."""
        if self.modules is None:
            assert self.ns3 is not None
            self.modules = {}
            for path in sorted((self.ns3.include / "ns3").glob("*-module.h")):
                module = path.name.removesuffix("-module.h")
                for name in re.findall(r'#include\s+[<"](?:ns3/)?([^">]+)', path.read_text()):
                    self.modules[name] = module
        return self.modules.get(header)

    def header_of(self, name: str) -> str | None:
        """The header that has a name in it: by the usual spelling, else by looking into all."""
        usual = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower() + ".h"
        for folder in self.includes:
            path = folder / "ns3" / usual
            if path.is_file():
                return usual
        if self.index is None:
            self.index = {}
            for folder in reversed(self.includes):
                for path in sorted((folder / "ns3").glob("*.h")):
                    self._read_names(path)
        return self.index.get(name)

    def _read_names(self, path: Path) -> None:
        assert self.index is not None
        text = path.read_text(encoding="utf-8", errors="replace")
        # The pack's folder holds headers that lead to the real ones.
        leads = re.fullmatch(r'#include "([^"]+)"\s*', text)
        if leads:
            text = Path(leads[1]).read_text(encoding="utf-8", errors="replace")
        for name in _DECLARED.findall(text):
            self.index.setdefault(name, path.name)

    def look_up(self, name: str) -> Any:
        """A name of ns3 or ns3::linuxhost; AttributeError where there is none."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in _FUNCTIONS and name not in self.looked_up:
            # First, since another header may have declared a class that only its own defines.
            self.looked_up.add(name)
            header = self.header_of(name)
            if header is not None:
                self.include(header)
        for space in (cppyy.gbl.ns3, getattr(cppyy.gbl.ns3, "linuxhost", None)):
            if space is not None:
                try:
                    return getattr(space, name)
                except AttributeError:
                    pass
        raise AttributeError(f"ns-3 and the pack have no {name}")


class _Space:
    """The namespace ns3::linuxhost, with headers read when they are needed."""

    def __getattr__(self, name: str) -> Any:
        return _loader.look_up(name)


_loader = _Loader()

# -------------------------------------------------------------------------------------------------
# Python functions that C++ calls

_functions: dict[int, Callable[[int], int | None]] = {}
_next_number = 1
_pending: list[BaseException] = []


def _hold(function: Callable[[int], int | None]) -> int:
    """Keep a function until C++ has let go of the number that stands for it."""
    global _next_number
    for number in cppyy.gbl.linuxhost_py.TakeReleased():
        _functions.pop(number, None)
    number = _next_number
    _next_number += 1
    _functions[number] = function
    return number


def _invoke(number: int, arguments: int) -> int:
    function = _functions.get(number)
    if function is None or _pending:
        return 0
    try:
        return int(function(arguments) or 0)
    except BaseException as error:  # whatever it is, it goes on behind Run()
        _pending.append(error)
        cppyy.gbl.ns3.Simulator.Stop()
        return 0


_invoker = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint64)(_invoke)


def _raise_pending() -> None:
    if _pending:
        error = _pending[0]
        _pending.clear()
        raise error


def _finish() -> None:
    """End the simulation while all of Python is there; C++ calls nobody afterwards."""
    try:
        cppyy.gbl.ns3.Simulator.Destroy()
    finally:
        cppyy.gbl.linuxhost_py.SetInvoker(0)
        _functions.clear()


# -------------------------------------------------------------------------------------------------
# What C++ classes get on top


def _hold_counted(klass: Any) -> None:
    """Objects that Python constructs are counted, as those of Create() and CreateObject() are.

    Else Python would delete what C++ still uses.
    """
    original = klass.__init__
    space = cppyy.gbl.linuxhost_py

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        if type(self) is not klass or not self.__python_owns__:
            return
        self.__python_owns__ = False
        is_object = issubclass(klass, cppyy.gbl.ns3.Object)
        hold = space.HoldObject if is_object else space.HoldCounted
        self._held = hold[klass](self)

    klass.__init__ = __init__


def _follow(klass: Any) -> None:
    """A Ptr stands for its object: a null one says so, where C++ would abort."""

    def __getattr__(self: Any, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not self:
            raise ReferenceError(f"a null {klass.__cpp_name__} has no {name}")
        item = self.__follow__()
        # A method that is called on a temporary Ptr keeps it, and with it the object.
        item._held_by = self
        return getattr(item, name)

    def __str__(self: Any) -> str:
        return str(self.__follow__()) if self else "null"

    klass.__getattr__ = __getattr__
    klass.__str__ = __str__


def _pythonize(klass: Any, name: str) -> None:
    klass._linuxhost = True
    if name.startswith("Ptr<"):
        _follow(klass)
    elif hasattr(klass, "Unref") and hasattr(klass, "GetReferenceCount"):
        _hold_counted(klass)
    if (
        name.endswith("Address")
        and hasattr(klass, "ConvertFrom")
        and not hasattr(klass, "ConvertTo")
    ):
        klass.ConvertTo = lambda self: cppyy.gbl.linuxhost_py.ToAddress(self)
    extend = _EXTENSIONS.get(name)
    if extend is not None:
        extend(klass)


def _extend_simulator(klass: Any) -> None:
    run = klass.Run
    cpp_schedule, cpp_now = klass.Schedule, klass.ScheduleNow

    def Run() -> None:
        _pending.clear()
        run()
        _raise_pending()

    def Schedule(delay: Any, what: Any, *arguments: Any) -> Any:
        if _is_python(what):
            return schedule(delay, what, *arguments)
        return cpp_schedule(delay, what, *arguments)

    def ScheduleNow(what: Any, *arguments: Any) -> Any:
        if _is_python(what):
            return schedule(0, what, *arguments)
        return cpp_now(what, *arguments)

    klass.Run = staticmethod(Run)
    klass.Schedule = staticmethod(Schedule)
    klass.ScheduleNow = staticmethod(ScheduleNow)


def _is_python(what: Any) -> bool:
    return callable(what) and not type(what).__module__.startswith(("cppyy", "libcppyy"))


class Moment:
    """The moment at which a path's call step is played.

    cpu and now (in ps since the engine's start) tell when; jump (to a label of the path), work (in
    ps) and sleep (until CpuEngine.Wake) are for the function to set.
    """

    __slots__ = ("cpu", "jump", "now", "sleep", "work")

    def __init__(self, cpu: int, now: int) -> None:
        self.cpu = cpu
        self.now = now
        self.jump = -1
        self.work = 0
        self.sleep = False


def _extend_path(klass: Any) -> None:
    cpp_call = klass.Call

    def Call(self: Any, call: Any, symbol: str, note: str = "", visible: bool = False) -> None:
        if not _is_python(call):
            cpp_call(self, call, symbol, note, visible)
            return
        space = _engine_glue()

        def invoke(address: int) -> None:
            cpp = space.Moment(address)
            moment = Moment(cpp.cpu, cpp.now)
            call(moment)
            cpp.jump, cpp.work, cpp.sleep = moment.jump, moment.work, bool(moment.sleep)

        space.PathCall(self, _hold(invoke), symbol, note, visible)

    def __str__(self: Any) -> str:
        return str(_engine_glue().PathText(self))

    def difference(self: Any, after: Any) -> str:
        """What differs in another path, as --diff-path prints it."""
        return str(_engine_glue().PathDifference(self, _raw(after)))

    klass.Call = Call
    klass.__str__ = __str__
    klass.difference = difference


def _extend_scenario(klass: Any) -> None:
    cpp_set = klass.SetPathEditor

    def SetPathEditor(self: Any, editor: Any) -> None:
        if not _is_python(editor):
            cpp_set(self, editor)
            return
        space = _engine_glue()
        space.SetEditor(self, _hold(lambda address: editor(space.Path(address))))

    klass.SetPathEditor = SetPathEditor


def _extend_tun_file(klass: Any) -> None:
    cpp_write = klass.Write

    def Write(self: Any, data: Any, *size: Any) -> int:
        if isinstance(data, (bytes, bytearray, memoryview)):
            return int(_tun_glue().WriteBytes(self, bytes(data)))
        return int(cpp_write(self, data, *size))

    def read(self: Any, size: int = 65535) -> bytes | None:
        """A packet's bytes, without waiting; None when there is none, OSError for an error."""
        space = _tun_glue()
        got = space.Read(self, size)
        return _bytes_of(space.View(got), nothing=True)

    klass.Write = Write
    klass.read = read


def _bytes_of(view: Any, nothing: bool = False) -> bytes | None:
    again = 11  # EAGAIN
    if view.result < 0:
        if nothing and view.result == -again:
            return None
        raise OSError(-view.result, "read of /dev/net/tun")
    return ctypes.string_at(view.address, view.size) if view.size else b""


def _extend_features(klass: Any) -> None:
    def __str__(self: Any) -> str:
        """What `ethtool -k` lists."""
        text = cppyy.gbl.std.ostringstream()
        self.Print(text)
        return str(text.str())

    klass.__str__ = __str__


_EXTENSIONS: dict[str, Callable[[Any], None]] = {
    "Simulator": _extend_simulator,
    "KernelPath": _extend_path,
    "PatchScenario": _extend_scenario,
    "TunFile": _extend_tun_file,
    "OffloadFeatures": _extend_features,
}


def _engine_glue() -> Any:
    for header in ("kernel-path.h", "patch-scenario.h"):
        _loader.include(header)
    cppyy.include(str(_HERE / "_glue_engine.h"))
    return cppyy.gbl.linuxhost_py


def _tun_glue() -> Any:
    _loader.include("tun-file.h")
    cppyy.include(str(_HERE / "_glue_tun.h"))
    return cppyy.gbl.linuxhost_py


# -------------------------------------------------------------------------------------------------
# What Python adds


def _raw(item: Any) -> Any:
    """What a Ptr points to, for C++ functions that take a reference."""
    return item.__follow__() if hasattr(type(item), "__follow__") else item


def _time(delay: Any) -> Any:
    """A Time; a number is seconds."""
    return cppyy.gbl.ns3.Seconds(float(delay)) if isinstance(delay, (int, float)) else delay


def schedule(delay: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a Python function after a delay (a Time, or seconds); returns the EventId."""

    def invoke(_address: int) -> None:
        function(*arguments)

    return cppyy.gbl.linuxhost_py.Schedule(_time(delay), _hold(invoke))


def schedule_on(node: Any, delay: Any, function: Callable[..., Any], *arguments: Any) -> None:
    """The same, in the context of a node, as what a program on it does."""

    def invoke(_address: int) -> None:
        function(*arguments)

    number = _hold(invoke)
    cppyy.gbl.linuxhost_py.ScheduleWithContext(node.GetId(), _time(delay), number)


_signatures: dict[str, Any] = {}


def _signature(text: str) -> Any:
    """The glue of a C++ signature, e.g. `void(ns3::Ptr<ns3::Socket>)`."""
    if text not in _signatures:
        for name in re.findall(r"\w+", text):
            if name[:1].isupper():
                try:
                    _loader.look_up(name)
                except AttributeError:
                    pass
        k = len(_signatures)
        head = (
            "namespace linuxhost_py { namespace signatures {\n"
            "using namespace ns3; using namespace ns3::linuxhost;\n"
        )
        # Plain names for all that Python touches: cppyy may crash where it has to instantiate a
        # template to find out what a name is.
        cppyy.cppdef(
            f"{head}"
            f"struct Signature{k} : public ::linuxhost_py::Signature<{text}> {{}};\n"
            f"struct Log{k} : public ::linuxhost_py::Log<{text}> {{}};\n"
            f"inline auto Make{k}(uint64_t id) {{ return Signature{k}::Make(id); }}\n"
            f"constexpr std::size_t COUNT{k} = Signature{k}::COUNT;\n"
            f"constexpr std::size_t SIZE{k} = sizeof(Log{k}) + sizeof(Signature{k}::Row);\n"
            "} }"
        )
        space = cppyy.gbl.linuxhost_py.signatures
        count = int(getattr(space, f"COUNT{k}"))
        getters = "".join(
            f"inline auto Get{k}_{i}(uint64_t row) {{ return Signature{k}::Get<{i}>(row); }}\n"
            for i in range(count)
        )
        cppyy.cppdef(head + getters + "} }")
        _signatures[text] = (
            getattr(space, f"Make{k}"),
            [getattr(space, f"Get{k}_{i}") for i in range(count)],
            getattr(space, f"Log{k}"),
        )
    return _signatures[text]


def callback(signature: str, function: Callable[..., Any]) -> Any:
    """An ns-3 Callback that calls a Python function.

        socket.SetRecvCallback(ns.callback("void(Ptr<Socket>)", on_receive))

    The signature is C++, with names of ns3 and ns3::linuxhost; it may return a number or a truth.
    """
    make, getters, _ = _signature(signature)

    def invoke(address: int) -> int | None:
        answer = function(*(getter(address) for getter in getters))
        return None if answer is None else int(answer)

    return make(_hold(invoke))


class Record:
    """What a trace source said: when, in seconds and as a Time, and its arguments."""

    __slots__ = ("arguments", "time")

    def __init__(self, step: int, arguments: tuple[Any, ...]) -> None:
        self.time = cppyy.gbl.ns3.Time(step)
        self.arguments = arguments

    @property
    def seconds(self) -> float:
        """The simulated time, in seconds."""
        return float(self.time.GetSeconds())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.arguments)

    def __repr__(self) -> str:
        return f"<{self.seconds:.9f} s: {len(self.arguments)} arguments>"


class Trace:
    """What a trace source says, kept until it is looked at.

        trace = ns.Trace(device, "PhyTxEnd")
        ns.Simulator.Run()
        for record in trace:
            (packet,) = record

    Iterating gives what has been said since the last time. `follow()` runs the simulation itself,
    and gives each record at its own simulated time.
    """

    def __init__(self, source: Any, name: str, signature: str | None = None) -> None:
        """Listen to the trace source `name` of an object.

        The C++ signature is the one that ns-3 describes; where that is wrong it has to be given,
        e.g. `void(uint32_t, uint32_t)` (ns-3 ends the program if it does not fit).

        Raises LookupError, with the names that there are, when it has no such source.
        """
        kind = source.GetInstanceTypeId()
        known: dict[str, str] = {}
        while True:
            for number in range(kind.GetTraceSourceN()):
                found = kind.GetTraceSource(number)
                known.setdefault(str(found.name), str(found.callback))
            if not kind.HasParent() or str(kind.GetParent().GetName()) == str(kind.GetName()):
                break
            kind = kind.GetParent()
        if name not in known:
            raise LookupError(f"no trace source {name}; there are {', '.join(sorted(known))}")
        self.name = name
        try:
            if signature is None:
                signature = known[name]
                # The typedef is a member of a class, whose header has to be read.
                for part in signature.split("::")[:-1]:
                    if part[:1].isupper() and part != "TracedValueCallback":
                        _loader.look_up(part)
            _, self._getters, make = _signature(signature)
        except (AttributeError, SyntaxError):
            raise LookupError(
                f"the trace source {name} is said to have the signature {signature}, which does"
                " not exist: give the right one as Trace(source, name, signature)"
            ) from None
        self._log = make()
        if not self._log.Connect(_raw(source), name):
            raise LookupError(f"the trace source {name} cannot be listened to")

    def __len__(self) -> int:
        return int(self._log.Size())

    def __iter__(self) -> Iterator[Record]:
        return iter(self.take())

    def take(self) -> list[Record]:
        """The records since the last time."""
        found = []
        for number in range(self._log.Size()):
            address = self._log.Address(number)
            arguments = tuple(getter(address) for getter in self._getters)
            found.append(Record(self._log.TimeStep(number), arguments))
        self._log.Clear()
        return found

    def follow(self) -> Iterator[Record]:
        """Run the simulation to its end, and give each record when it happens.

        What is done to the network between two records happens at the time of the first.
        """
        yield from self.take()
        simulator = cppyy.gbl.ns3.Simulator
        self._log.SetStop(True)
        try:
            while True:
                simulator.Run()
                found = self.take()
                if not found:
                    return
                yield from found
        finally:
            self._log.SetStop(False)


def machine(name: str | Path | None = None, **figures: float | str) -> Any:
    """A machine: a preset, a CSV file of core-to-core-latency, or one's own.

        ns.machine("dual-xeon-e5540")
        ns.machine("my-box.csv")
        ns.machine(Sockets=2, CoresPerSocket=8, SocketLatency=40, CrossLatency=110)

    The figures are attributes of HostMachine; they replace those of a preset.
    """
    if name is None:
        made = look_up("CreateObject")[look_up("HostMachine")]()
    else:
        error = cppyy.gbl.std.string()
        made = look_up("MachinePresets").CreateFromUser(str(name), error)
        if not made:
            raise ValueError(f"machine {name}: allowed is {error}")
    for figure, value in figures.items():
        _set_attribute(made, figure, value)
    return made


def _set_attribute(item: Any, name: str, value: Any) -> None:
    text = str(int(value)) if isinstance(value, bool) else str(value)
    if isinstance(value, bool):
        text = "true" if value else "false"
    wrapped = cppyy.gbl.ns3.StringValue(text)
    if not item.SetAttributeFailSafe(name, wrapped):
        kind = item.GetInstanceTypeId()
        names = [str(kind.GetAttribute(i).name) for i in range(kind.GetAttributeN())]
        if name not in names:
            raise AttributeError(f"{kind.GetName()} has no {name}; it has {', '.join(names)}")
        raise ValueError(f"{kind.GetName()}::{name} = {value} is not allowed")


def run(scenario: Any) -> Result:
    """Run one of the pack's scenarios; returns its result."""
    import json

    space = _engine_glue()
    _pending.clear()
    text = str(space.RunToJson(_raw(scenario)))
    _raise_pending()
    return Result.from_dict(json.loads(text))


def play(
    host: Any,
    paths: Sequence[Any] | Mapping[int, Any],
    name: str = "composed",
    variant: str = "played",
    seed: int = 1,
    **settings: float | str,
) -> Result:
    """Play paths on a machine to the steady state; returns the result.

    @param host the machine
    @param paths the path of each CPU from 0 on, or of chosen CPUs by number
    @param settings attributes of PatchScenario: Precision, MaxFrames, ...
    """
    space = _engine_glue()
    pairs = dict(paths.items() if isinstance(paths, Mapping) else enumerate(paths))
    cpus = int(host.GetNCpus())
    for cpu in pairs:
        if not 0 <= cpu < cpus:
            raise ValueError(f"CPU {cpu}: allowed is 0 to {cpus - 1}")
    if not pairs:
        raise ValueError("no path to play")
    scenario = space.Compose(name, variant)
    for setting, value in settings.items():
        _set_attribute(scenario, setting, value)
    for cpu, path in pairs.items():
        scenario.AddTask(cpu, path)
    look_up("RngSeedManager").SetRun(seed)
    scenario.SetMachine(host)
    try:
        return run(scenario)
    finally:
        scenario.Dispose()


def serve(
    file: Any, program: Callable[[bytes], bytes | None | Sequence[bytes]], size: int = 65535
) -> None:
    """Let a Python function be the program behind a file of /dev/net/tun.

    It is called with each packet that the program reads, and returns what it writes: nothing, a
    packet, or several. It ends when the file is closed.
    """
    space = _tun_glue()

    def wait() -> None:
        if file.IsOpen():
            space.ReadAsync(_raw(file), size, _hold(invoke))

    def invoke(address: int) -> None:
        view = space.ViewAt(address)
        if view.result < 0:
            return
        answer = program(_bytes_of(view) or b"")
        for data in (answer,) if isinstance(answer, bytes) else answer or ():
            written = int(space.WriteBytes(_raw(file), data))
            if written < 0:
                raise OSError(-written, "write to /dev/net/tun")
        wait()

    wait()


def make_packet(data: bytes) -> Any:
    """A packet with these bytes."""
    return cppyy.gbl.linuxhost_py.MakePacket(bytes(data))


def packet_bytes(packet: Any) -> bytes:
    """A packet's bytes."""
    size = int(packet.GetSize())
    buffer = ctypes.create_string_buffer(size) if size else None
    if buffer is None:
        return b""
    cppyy.gbl.linuxhost_py.CopyPacket(_raw(packet), ctypes.addressof(buffer))
    return buffer.raw


def look_up(name: str) -> Any:
    """A C++ name of ns3 or ns3::linuxhost."""
    return _loader.look_up(name)


linuxhost = _Space()


def __getattr__(name: str) -> Any:
    return _loader.look_up(name)


def __dir__() -> list[str]:
    _loader.header_of("")  # reads which names there are
    return sorted({*__all__, *(_loader.index or ()), *_FUNCTIONS, "linuxhost"})


cppyy.py.add_pythonization(_pythonize, "ns3")
cppyy.py.add_pythonization(_pythonize, "ns3::linuxhost")
try:
    _loader.load()
except LinuxHostError as error:
    raise ImportError(str(error)) from None
for _name in _EXTENSIONS:
    # Of classes that the stock bindings have made before.
    if _loader.ns3 is None and "_linuxhost" not in vars(look_up(_name)):
        _pythonize(look_up(_name), _name)
cppyy.gbl.linuxhost_py.SetInvoker(ctypes.cast(_invoker, ctypes.c_void_p).value)
atexit.register(_finish)
