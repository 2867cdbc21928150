# SPDX-License-Identifier: GPL-2.0-only
"""The bindings: what Python composes runs as what C++ composes, and nothing crashes at the end."""

from __future__ import annotations

import gc
import json
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from linuxhost import _ns3, binaries
from linuxhost.errors import LinuxHostError

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"


def python(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run this Python with words, and with this package on its path."""
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **variables},
    )


# What needs nothing that is compiled


def make_ns3(folder: Path, name: str, real: str = "", asserts: bool = False) -> Path:
    """A folder that looks like an ns-3 with one library."""
    (folder / "include" / "ns3").mkdir(parents=True)
    (folder / "include" / "ns3" / "core-module.h").touch()
    (folder / "lib").mkdir()
    library = folder / "lib" / (real or name)
    library.write_bytes(b"\x7fELF " + (b"NS_ASSERT failed, cond=" if asserts else b""))
    if real:
        (folder / "lib" / name).symlink_to(real)
    return folder / "include"


@pytest.mark.parametrize(
    ("name", "real", "number", "suffix"),
    [
        ("libns3.44-core.so", "", 344, ""),  # the wheel
        ("libns3-core.so", "libns3-core.so.37", 337, ""),  # Debian
        ("libns3.48-core-default.so", "", 348, "-default"),  # a tree
        ("libns3-dev-core-debug.so", "", 999, "-debug"),  # a development tree
    ],
)
def test_every_kind_of_ns3_is_read(
    name: str, real: str, number: int, suffix: str, tmp_path: Path
) -> None:
    found = _ns3.read_prefix(make_ns3(tmp_path, name, real, asserts=number != 337))
    assert found is not None
    assert (found.number, found.suffix, found.asserts) == (number, suffix, number != 337)
    assert found.library("core").name == name


def test_an_ns3_without_libraries_is_none(tmp_path: Path) -> None:
    include = make_ns3(tmp_path, "libns3.48-core-test-default.so")
    assert _ns3.read_prefix(include) is None
    assert _ns3.read_prefix(tmp_path) is None


def make_pack(folder: Path, name: str, needs: str) -> Path:
    """A folder that looks like a build of the pack."""
    (folder / "include" / "ns3").mkdir(parents=True, exist_ok=True)
    (folder / "include" / "ns3" / "host-machine.h").touch()
    library = folder / name
    library.parent.mkdir(exist_ok=True)
    library.write_bytes(b"\x7fELF " + needs.encode() + b"\0")
    return library


def test_the_pack_is_found_in_a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_ns3(tmp_path / "build", "libns3.45-core-default.so")
    make_pack(
        tmp_path / "build", "lib/libns3.45-linux-host-default.so", "libns3.45-core-default.so"
    )
    monkeypatch.setenv("LINUXHOST_LIB", str(tmp_path / "build" / "lib"))
    monkeypatch.delenv("NS3_ROOT", raising=False)
    pack = _ns3.find_pack()
    assert pack.library.name == "libns3.45-linux-host-default.so"
    assert _ns3.find_ns3(pack).number == 345


def test_an_ns3_of_another_release_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_ns3(tmp_path / "ns3", "libns3.43-core.so")
    library = make_pack(tmp_path / "pack", "liblinux-host.so", "libns3.44-core.so")
    monkeypatch.setenv("LINUXHOST_LIB", str(library))
    monkeypatch.setenv("NS3_ROOT", str(tmp_path / "ns3"))
    with pytest.raises(LinuxHostError, match="NS3_ROOT=.*: allowed is the ns-3 that"):
        _ns3.find_ns3(_ns3.find_pack())


def test_wrong_folders_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINUXHOST_LIB", str(tmp_path))
    with pytest.raises(LinuxHostError, match="LINUXHOST_LIB=.*: allowed is"):
        _ns3.find_pack()
    monkeypatch.setenv("NS3_ROOT", str(tmp_path))
    with pytest.raises(LinuxHostError, match="NS3_ROOT=.*: allowed is"):
        _ns3.find_ns3()
    assert any("LINUXHOST_LIB" in line for line in _ns3.missing())


def test_the_tree_that_ns3_run_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`./ns3 run` sets LD_LIBRARY_PATH; contrib/linux-host may be a link out of the tree."""
    library = tmp_path / "build" / "lib" / "libns3.48-linux-host-default.so"
    header = tmp_path / "build" / "include" / "ns3" / "host-machine.h"
    for file in (library, header):
        file.parent.mkdir(parents=True)
        file.touch()
    monkeypatch.delenv("LINUXHOST_LIB", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", f":{library.parent}")
    assert _ns3.find_pack().library == library.resolve()


def test_without_cppyy_the_rest_works_and_the_message_says_what_to_type() -> None:
    done = python(
        "-c",
        "import sys; sys.modules['cppyy'] = None\n"
        "from linuxhost import plots, tables, report, cli_pictures\n"
        "try:\n    from linuxhost import ns\n"
        "except ImportError as error:\n    print(error)",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == _ns3.CPPYY
    # The same words in doctor, and the same command in the documentation.
    done = python(
        "-c",
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'cppyy' else find(name, *a)\n"
        "from linuxhost.doctor import examine\n"
        "print(next(check.fix for check in examine() if check.name == 'bindings'))",
    )
    assert _ns3.CPPYY in done.stdout, done.stderr
    page = Path(__file__).parents[2] / "doc" / "python-bindings.rst"
    assert f"\n  {_ns3.CPPYY.partition(': ')[2]}\n" in page.read_text(encoding="utf-8")


# What needs cppyy and the built pack


@pytest.fixture(scope="session")
def loaded() -> Any:
    """The bindings, loaded once."""
    missing = _ns3.missing()
    if missing:
        pytest.skip("; ".join(missing))
    from linuxhost import ns

    return ns


@pytest.fixture
def ns(loaded: Any) -> Iterator[Any]:
    """The bindings, with the simulation cleared away afterwards."""
    yield loaded
    loaded.Simulator.Destroy()
    gc.collect()


def test_import_takes_at_most_three_seconds(loaded: Any) -> None:
    best = 60.0
    for _ in range(3):
        start = time.monotonic()
        done = python("-c", "from linuxhost import ns; ns.CreateObject[ns.Node]()")
        best = min(best, time.monotonic() - start)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        if best <= 3.0:
            break
    assert best <= 3.0


def test_a_name_that_is_not_there(ns: Any) -> None:
    with pytest.raises(AttributeError, match="ns-3 and the pack have no NoSuchThing"):
        ns.NoSuchThing()
    assert not hasattr(ns.linuxhost, "NoSuchThing")


def test_a_null_pointer_says_so(ns: Any) -> None:
    null = ns.linuxhost.MachinePresets.Create("nope")
    with pytest.raises(ReferenceError, match="a null ns3::Ptr<ns3::linuxhost::HostMachine>"):
        null.GetName()
    assert not null and str(null) == "null"


def test_machines(ns: Any) -> None:
    assert ns.machine("dual-xeon-e5540").GetNCpus() == 16
    own = ns.machine(Name="box", Sockets=2, CoresPerSocket=3, ThreadsPerCore=1, CrossLatency=150.5)
    assert (own.GetNCpus(), own.GetName()) == (6, "box")
    with pytest.raises(ValueError, match="machine nope: allowed is dual-xeon-e5540, "):
        ns.machine("nope")
    with pytest.raises(AttributeError, match="has no Socks; it has Name, Sockets"):
        ns.machine(Socks=2)
    with pytest.raises(ValueError, match="Sockets = -1 is not allowed"):
        ns.machine(Sockets=-1)


def quiet(ns: Any, **figures: Any) -> Any:
    """A machine without timer interrupts and spread: all times are known."""
    return ns.machine(TickHz=0, WorkSpread=0, ClockGhz=2, CyclesPerInstruction=1, **figures)


def test_a_path_of_known_times(ns: Any) -> None:
    # 1000 instructions at one a cycle of 2 GHz are 500 ns, and 500 ns of delay: 1 us a frame.
    path = ns.Create[ns.KernelPath]("known")
    path.Work("f", 1000)
    path.Delay("g", 500)
    path.Frame()
    result = ns.play(quiet(ns), [path], "known", Batch="20us", MaxFrames=2000)
    assert result.metrics["pps"] == pytest.approx(1e6, rel=1e-3)
    shares = {row.symbol: row.share for row in result.profile}
    assert shares["f"] == pytest.approx(0.5, rel=1e-6)
    assert (result.scenario, result.variant) == ("known", "played")


def test_two_cpus_with_one_line(ns: Any) -> None:
    # Each owns the line in turn: a frame each time that the line has come over, 100 ns.
    line = ns.Create[ns.CacheLine]("counter")
    paths = []
    for cpu in range(2):
        path = ns.Create[ns.KernelPath](f"cpu {cpu}")
        path.Rmw(ns.LineField(line), "atomic_inc")
        path.Work("f", 1)
        path.Frame()
        paths.append(path)
    machine = quiet(ns, Sockets=1, CoresPerSocket=2, SocketLatency=100, SnoopShare=0)
    result = ns.play(machine, paths, Batch="20us", MaxFrames=4000)
    assert result.metrics["pps"] == pytest.approx(1e7, rel=0.02)
    assert result.metrics["lines_per_frame"] == pytest.approx(1, rel=0.02)


def test_a_function_at_the_end_of_a_path(ns: Any) -> None:
    moments: list[Any] = []
    path = ns.Create[ns.KernelPath]("with a function")
    again = path.NewLabel("again")
    path.PlaceLabel(again)
    path.Work("f", 2000)

    def decide(moment: Any) -> None:
        moments.append(moment)
        if len(moments) % 2:
            moment.jump = again
        else:
            moment.work = 1_000_000  # ps

    path.Call(decide, "decide")
    path.Frame()
    result = ns.play(quiet(ns), {3: path}, Batch="50us", MaxFrames=500)
    # Twice 1 us of work, and 1 us that the function asked for.
    assert result.metrics["pps"] == pytest.approx(1e6 / 3, rel=0.01)
    assert {moment.cpu for moment in moments} == {3}
    # Moments outlive the run: they are Python's own.
    assert moments[1].now - moments[0].now == 1_000_000


def test_a_visible_function_is_called_at_its_time(ns: Any) -> None:
    seen: list[tuple[int, int]] = []
    path = ns.Create[ns.KernelPath]("visible")
    path.Work("f", 2000)
    path.Call(
        lambda moment: seen.append((moment.now, ns.Simulator.Now().GetNanoSeconds())),
        "netif_rx",
        visible=True,
    )
    path.Frame()
    ns.play(quiet(ns), [path], Batch="20us", MaxFrames=50)
    assert len(seen) >= 50
    for now, on_the_clock in seen:
        assert on_the_clock == -(-now // 1000)  # rounded up to ns


def test_an_exception_in_a_function_comes_out(ns: Any) -> None:
    def fail(_moment: Any) -> None:
        raise KeyError("from a path")

    path = ns.Create[ns.KernelPath]("bad")
    path.Work("f", 100)
    path.Call(fail, "fail")
    path.Frame()
    with pytest.raises(KeyError, match="from a path"):
        ns.play(quiet(ns), [path])
    seen: list[int] = []
    ns.schedule(1, fail, None)
    ns.schedule(2, seen.append, 2)
    with pytest.raises(KeyError):
        ns.Simulator.Run()
    assert ns.Simulator.Now().GetSeconds() == 1 and seen == []
    ns.Simulator.Run()
    assert seen == [2]


def test_play_refuses_what_cannot_be(ns: Any) -> None:
    path = ns.Create[ns.KernelPath]("f")
    path.Work("f", 1)
    path.Frame()
    with pytest.raises(ValueError, match="CPU 4: allowed is 0 to 3"):
        ns.play(ns.machine("generic"), {4: path})
    with pytest.raises(ValueError, match="no path"):
        ns.play(ns.machine("generic"), [])
    with pytest.raises(AttributeError, match="has no Precisions"):
        ns.play(ns.machine("generic"), [path], Precisions=0.1)


def test_a_path_is_printed_and_compared(ns: Any) -> None:
    paths = []
    for count in (1, 2):
        path = ns.KernelPath("p")
        path.Work("f", 100)
        for _ in range(count):
            path.Rmw(ns.LineField(ns.CacheLine("line")), "atomic_inc")
        paths.append(path)
    assert "work 100 instructions" in str(paths[0]) and "rmw line" in str(paths[0])
    changed = [line for line in paths[0].difference(paths[1]).splitlines() if line[:1] in "+-"]
    assert len([line for line in changed if "atomic_inc" in line]) == 1


def test_the_same_result_as_the_compiled_example(ns: Any) -> None:
    program = binaries.find("sit-lockless-xmit")
    if program is None:
        pytest.skip("the examples are not built")
    done = subprocess.run(
        [program, "--variant=before", "--cpus=4", "--json=-"],
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = json.loads(next(line for line in done.stdout.splitlines() if line[:1] == "{"))
    scenario = ns.CreateObject[ns.SitLocklessXmit]()
    ns._set_attribute(scenario, "Threads", 4)
    scenario.SetMachine(ns.machine("dual-xeon-e5540"))
    ns.RngSeedManager.SetRun(1)
    result = ns.run(scenario)
    assert result.metrics == wanted["metrics"]
    assert [vars(row) for row in result.profile] == wanted["profile"]


def test_a_path_is_changed_by_a_function(ns: Any) -> None:
    kept: list[Any] = []

    def without_lock(path: Any) -> None:
        steps = path.GetSteps()
        for number in range(steps.size()):
            if "lock" in str(steps[number].symbol):
                steps[number].symbol = "renamed"
        kept.append(path)

    scenario = ns.CreateObject[ns.SitLocklessXmit]()
    scenario.SetMachine(ns.machine("dual-xeon-e5540"))
    scenario.SetPathEditor(without_lock)
    assert "renamed" in str(scenario.GetPath())
    scenario.Dispose()
    del scenario
    gc.collect()
    assert "renamed" in str(kept[0])


def test_packets_hold_bytes(ns: Any) -> None:
    data = bytes(range(256)) + b"\0\0end"
    packet = ns.make_packet(data)
    assert packet.GetSize() == len(data)
    assert ns.packet_bytes(packet) == data
    assert ns.packet_bytes(ns.Packet(0)) == b""


def two_hosts(ns: Any) -> tuple[Any, Any]:
    """Two hosts on an Ethernet with VLAN 7: nodes and VLAN devices."""
    hosts = ns.NodeContainer(2)
    ns.SaddrHelper().Install(hosts)
    tagged = ns.VlanHelper().Install(ns.CsmaHelper().Install(hosts), 7)
    ns.Ipv4AddressHelper("192.0.2.0", "255.255.255.0").Assign(tagged)
    return hosts, tagged


def test_traces_are_followed_in_time(ns: Any) -> None:
    hosts, tagged = two_hosts(ns)
    sender = ns.Socket.CreateSocket(hosts.Get(0), ns.TypeId.LookupByName("ns3::UdpSocketFactory"))
    to = ns.InetSocketAddress(ns.Ipv4Address("192.0.2.2"), 9).ConvertTo()
    for second in (1, 2, 3):
        ns.schedule_on(hosts.Get(0), second, sender.SendTo, ns.Packet(100 * second), 0, to)
    tags = ns.Trace(tagged.Get(1), "RxTag")
    packets = ns.Trace(tagged.Get(1), "Sniffer")
    ns.Simulator.Stop(ns.Seconds(10))
    seen = []
    for record in tags.follow():
        assert ns.Simulator.Now() == record.time
        tci, _priority = record
        seen.append((round(record.seconds), tci & 0xFFF))
    assert {vid for _, vid in seen} == {7}
    assert {second for second, _ in seen} == {1, 2, 3}
    sizes = {arguments[0].GetSize() for arguments in (r.arguments for r in packets)}
    # UDP and IPv4 headers and an Ethernet header around 100, 200 and 300 bytes.
    assert {100 + 28 + 14, 200 + 28 + 14, 300 + 28 + 14} <= sizes
    assert len(packets) == 0
    with pytest.raises(LookupError, match="no trace source Nope; there are "):
        ns.Trace(tagged.Get(1), "Nope")


def test_traces_of_values_and_of_texts(ns: Any) -> None:
    queue = ns.CreateObject[ns.DropTailQueue[ns.Packet]]()
    count = ns.Trace(queue, "PacketsInQueue")
    same = ns.Trace(queue, "PacketsInQueue", "void(uint32_t, uint32_t)")
    queue.Enqueue(ns.Packet(10))
    queue.Enqueue(ns.Packet(10))
    queue.Dequeue()
    assert [tuple(record) for record in count] == [(0, 1), (1, 2), (2, 1)]
    assert [tuple(record) for record in same] == [(0, 1), (1, 2), (2, 1)]
    with pytest.raises(LookupError, match="give the right one as Trace"):
        ns.Trace(queue, "PacketsInQueue", "void(NoSuchType)")
    # Texts, by reference: cppyy needs to be helped with them.
    said: list[tuple[str, str]] = []
    call = ns.callback(
        "void(const std::string&, const std::string&)",
        lambda old, new: said.append((str(old), str(new))),
    )
    call("one", "two")
    assert said == [("one", "two")]


def test_a_python_function_behind_the_file(ns: Any) -> None:
    node = ns.CreateObject[ns.Node]()
    ns.InternetStackHelper().Install(node)
    device = ns.TunHelper().Install(node).Get(0)
    file = ns.TunHelper.GetFile(device)
    read: list[bytes] = []

    def program(packet: bytes) -> bytes:
        read.append(packet)
        return packet

    ns.serve(file, program)
    # An IPv4 header and three bytes, as a stack would hand them to the device.
    header = struct.pack(
        "!BBHHHBBH4s4s", 0x45, 0, 23, 1, 0, 64, 253, 0x65E7, b"\x0a\0\0\1", b"\x0a\0\0\2"
    )
    got: list[bytes] = []
    device.SetReceiveCallback(
        ns.callback(
            "bool(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)",
            lambda _device, packet, _protocol, _from: got.append(ns.packet_bytes(packet)) or True,
        )
    )
    whole = header + b"abc"
    ns.schedule_on(
        node, 1, lambda: device.Send(ns.make_packet(whole), device.GetBroadcast(), 0x0800)
    )
    ns.Simulator.Run()
    assert read == [whole]
    assert got == [whole]
    file.Close()
    assert file.read.__doc__


def test_reading_a_tun_file_without_waiting(ns: Any) -> None:
    node = ns.CreateObject[ns.Node]()
    ns.InternetStackHelper().Install(node)
    file = ns.TunHelper.GetFile(ns.TunHelper().Install(node).Get(0))
    assert file.read() is None
    with pytest.raises(OSError):
        closed = ns.TunDriver.GetDriver(node).Open()
        closed.read()  # attached to no device
    assert file.Write(b"") < 0


def test_offload_features_are_listed_and_switched(ns: Any) -> None:
    """As ethtool -k and -K; netdev_fix_features() drops TSO where there is no scatter-gather."""
    card = ns.CreateObject[ns.OffloadFeatures]()
    can = ns.OFFLOAD_SG | ns.OFFLOAD_HW_CSUM | ns.OFFLOAD_TSO
    card.Register(can, can, 0)
    listed = str(card).splitlines()
    assert "tcp-segmentation-offload: on" in listed
    assert "rx-checksumming: off [fixed]" in listed
    change = card.SwitchByName("sg", False)
    assert "tx-tcp-segmentation" in str(ns.OffloadFlagsToString(change.changed)).split()
    assert "tcp-segmentation-offload: off" in str(card).splitlines()
    change = card.SwitchByName("tso", True)
    assert not change.IsDone()
    assert "scatter-gather" in str(change.Explain())
    assert "no such feature" in str(card.SwitchByName("nope", True).Explain())
    assert card.SwitchByName("sg", True).IsDone()
    assert "tcp-segmentation-offload: on" in str(card).splitlines()  # it was wanted all the time

    # A VLAN device has what the one below it offers inside a VLAN.
    _, tagged = two_hosts(ns)
    change = tagged.Get(0).GetOffloadFeatures().SwitchByName("tso", True)
    assert not change.IsDone()
    assert "lower device" in str(change.Explain())


def test_source_selection(ns: Any) -> None:
    hosts, tagged = two_hosts(ns)
    node = hosts.Get(0)
    ipv6 = node.GetObject[ns.Ipv6L3Protocol]()
    interface = ipv6.AddInterface(tagged.Get(0))
    ipv6.SetUp(interface)
    for text in ("2001:db8:1::1", "2001:db8:2::1"):
        ipv6.AddAddress(interface, ns.Ipv6InterfaceAddress(ns.Ipv6Address(text), ns.Ipv6Prefix(64)))
    ns.Simulator.Stop(ns.Seconds(3))
    ns.Simulator.Run()  # duplicate detection ends
    addresses = ns.SaddrHelper.GetAddresses(node)
    for net in (1, 2):
        # RFC 6724, rule 8: the longest matching prefix.
        choice = addresses.Select(ns.Ipv6Address(f"2001:db8:{net}::9"), -1, 0)
        assert choice.source.address.high == 0x20010DB800000000 | net << 16
        assert choice.source.address.low == 1


def test_functions_are_let_go(ns: Any) -> None:
    class Marked:
        def __call__(self, *_: Any) -> None:
            pass

    import weakref

    gone = []
    for _ in range(3):
        function = Marked()
        gone.append(weakref.ref(function))
        path = ns.Create[ns.KernelPath]("p")
        path.Call(function, "f")
        ns.schedule(5, function)
        keep = ns.callback("void(Ptr<Packet>)", function)
        del path, keep, function
    ns.Simulator.Destroy()
    gc.collect()
    ns.schedule(1, print)  # whoever comes next clears away what is gone
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]


@pytest.mark.parametrize("seed", range(3))
def test_objects_are_dropped_in_any_order(loaded: Any, seed: int) -> None:
    done = python(HERE / "drop_in_any_order.py", seed, 5)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "done\n"


def test_the_end_without_destroy(loaded: Any) -> None:
    done = python(
        "-c",
        "from linuxhost import ns\n"
        "class Loud:\n"
        "    def __del__(self): print('gone')\n"
        "loud = Loud()\n"
        "node = ns.Node()\n"
        "ns.InternetStackHelper().Install(node)\n"
        "ns.schedule(9, lambda: loud)\n"
        "ns.schedule_on(node, 3, print, 'never')\n"
        "ns.Simulator.Stop(ns.Seconds(1)); ns.Simulator.Run()\n"
        "print('end')\n",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "end" and "never" not in done.stdout


def test_on_top_of_the_stock_bindings(loaded: Any, tmp_path: Path) -> None:
    found = _ns3.find_ns3(_ns3.find_pack())
    stock = found.include.parent / "ns" / "__init__.py"
    if not stock.is_file():
        pytest.skip("the pack was not built against the wheel, which has the stock bindings")
    program = tmp_path / "on_top.py"
    program.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(found.include.parent.parent)!r})\n"
        "from ns import ns as stock\n"
        "from linuxhost import ns\n"
        "node = stock.CreateObject[stock.Node]()\n"
        "ns.InternetStackHelper().Install(node)\n"
        "device = ns.TunHelper().Install(node).Get(0)\n"
        "ns.serve(ns.TunHelper.GetFile(device), lambda packet: packet)\n"
        "hits = []\n"
        "ns.schedule(1, hits.append, node.GetId())\n"
        "stock.Simulator.Run()\n"
        "print(hits, ns.machine('generic').GetNCpus())\n"
    )
    # Where the stock bindings look for libraries, there must be no others.
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "[0] 4\n"


def test_an_error_ends_the_process_as_errors_do(loaded: Any) -> None:
    done = python("-c", "from linuxhost import ns\nn = ns.Node()\nraise SystemExit(7)")
    assert (done.returncode, done.stderr) == (7, "")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("python-path.py", ["shared:", "locked:", "own:", "most time in _raw_spin_lock"]),
        (
            "python-tunnel.py",
            [
                "b gets a frame of VLAN 100, priority 0",
                "b receives 1400 bytes from 2001:db8:5::1 through the tunnel",
                "the program behind tun0 read 1 packet(s); ping had 1 reply",
            ],
        ),
    ],
)
def test_examples(loaded: Any, name: str, wanted: list[str]) -> None:
    done = python(EXAMPLES / name)
    assert done.returncode == 0, done.stderr[-2000:]
    for text in wanted:
        assert text in done.stdout


def test_an_example_refuses_a_machine_that_is_not_there(loaded: Any) -> None:
    done = python(EXAMPLES / "python-path.py", "--machine=nope")
    assert done.returncode == 2
    assert done.stderr.startswith("python-path.py: machine nope: allowed is ")
