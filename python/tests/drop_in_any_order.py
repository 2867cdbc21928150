# SPDX-License-Identifier: GPL-2.0-only
"""Makes objects of all kinds, drops them in a random order, and ends in a random way.

Run by test_bindings.py: python drop_in_any_order.py SEED ROUNDS; prints `done` at its end.
"""

from __future__ import annotations

import gc
import random
import sys
from typing import Any

from linuxhost import ns


def network(pool: list[Any], choose: random.Random, heard: list[Any], number: int) -> None:
    """Hosts, devices, sockets, callbacks, traces; all of them go to the pool."""
    hosts = ns.NodeContainer(2)
    ns.SaddrHelper().Install(hosts)
    wire = ns.CsmaHelper().Install(hosts)
    vlan = ns.VlanHelper()
    tagged = vlan.Install(wire, choose.randrange(1, 4000))
    addresses = ns.Ipv4AddressHelper(f"10.{number}.0.0", "255.255.255.0")
    ends = addresses.Assign(tagged)
    a, b = hosts.Get(0), hosts.Get(1)
    tunnel = ns.SitHelper().Install(a, ends.GetAddress(0), b, ends.GetAddress(1))
    device = ns.TunHelper().Install(a).Get(0)
    file = ns.TunHelper.GetFile(device)
    ns.serve(file, lambda data: data)
    socket = ns.Socket.CreateSocket(b, ns.TypeId.LookupByName("ns3::UdpSocketFactory"))
    socket.Bind(ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 9).ConvertTo())
    hear = ns.callback("void(Ptr<Socket>)", lambda ready: heard.append(ready.Recv()))
    socket.SetRecvCallback(hear)
    sender = ns.Socket.CreateSocket(a, ns.TypeId.LookupByName("ns3::UdpSocketFactory"))
    to = ns.InetSocketAddress(ends.GetAddress(1), 9).ConvertTo()
    packet = ns.Packet(choose.randrange(1, 1000))
    event = ns.schedule_on(a, choose.random(), lambda: sender.SendTo(packet, 0, to))
    later = ns.schedule(100 + choose.random(), heard.append, pool)
    trace = ns.Trace(tagged.Get(1), "RxTag")
    sniffed = ns.Trace(tagged.Get(1), "Sniffer")
    node, spare = ns.Node(), ns.CreateObject[ns.Node]()
    pool += [hosts, wire, vlan, tagged, addresses, ends, a, b, tunnel, device, file, socket, hear]
    pool += [sender, to, packet, event, later, trace, sniffed, node, spare]
    pool += [tagged.Get(0), tunnel.Get(1), node.GetObject[ns.Node](), sniffed.take()]


def machines(pool: list[Any], choose: random.Random) -> None:
    """Machines, lines, locks, paths with functions in them, engines."""
    machine = ns.machine(choose.choice(["generic", "dual-xeon-e5540"]))
    line = ns.CacheLine("line")
    lock = ns.KernelLock.Make("ticket", "lock", ns.Create[ns.CacheLine]("word"))
    path = ns.KernelPath("path")
    path.Work("f", 300)
    path.Rmw(ns.LineField(ns.Create[ns.CacheLine]("other")), "g")
    path.Operate(lock, ns.KernelLock.LOCK, "lock")
    path.Operate(lock, ns.KernelLock.UNLOCK, "unlock")
    path.Call(lambda moment: pool.append(moment) if len(pool) < 60 else None, "call")
    path.Frame()
    steps = path.GetSteps()
    engine = ns.CreateObject[ns.CpuEngine]()
    engine.SetMachine(machine)
    engine.AddTask(0, path)
    scenario = ns.CreateObject[ns.SitLocklessXmit]()
    scenario.SetMachine(ns.machine("dual-xeon-e5540"))
    scenario.SetPathEditor(lambda edited: pool.append(edited))
    pool += [machine, line, lock, path, engine, scenario, scenario.GetPath(), steps, str(path)]
    if choose.random() < 0.5:
        engine.Start()
        engine.RunUntil(1_000_000)
        pool += [engine.GetProfile(), engine.GetLines(), engine.GetMachine()]


def drop(pool: list[Any], choose: random.Random, keep: int) -> None:
    """Drop all but some, in a random order, with the collector running now and then."""
    choose.shuffle(pool)
    while len(pool) > keep:
        pool.pop()
        if choose.random() < 0.1:
            gc.collect()


def main() -> None:
    seed, rounds = int(sys.argv[1]), int(sys.argv[2])
    choose = random.Random(seed)
    pool: list[Any] = []
    heard: list[Any] = []
    for number in range(rounds):
        network(pool, choose, heard, number)
        machines(pool, choose)
        if choose.random() < 0.5:
            drop(pool, choose, choose.randrange(len(pool)))
        ns.Simulator.Stop(ns.Seconds(2))
        ns.Simulator.Run()
        if choose.random() < 0.5:
            drop(pool, choose, choose.randrange(len(pool) + 1))
        if choose.random() < 0.7:
            ns.Simulator.Destroy()
        drop(pool, choose, choose.choice([0, 0, 5, len(pool)]))
        if choose.random() < 0.5:
            heard.clear()
        gc.collect()
    print("done", flush=True)
    if choose.random() < 0.3:
        # What is left goes with the module, in whatever order Python likes.
        globals()["left"] = (pool, heard)


if __name__ == "__main__":
    main()
