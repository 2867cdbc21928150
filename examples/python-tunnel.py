#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Two hosts, a VLAN, a sit tunnel and a tun device, with Python functions in all the places.

    python3 examples/python-tunnel.py

Host a sends UDP over IPv6 through a sit tunnel, which goes over VLAN 100 of an Ethernet. Linux's
source address selection chooses among a's addresses. Behind a's tun device a Python function
answers pings, as a program that has opened /dev/net/tun would. Needs cppyy and the built pack.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

# Where the package is not installed, it is beside this folder.
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

try:
    from linuxhost import ns
except ImportError as missing:
    sys.exit(f"python-tunnel.py: {missing}")


def checksum(data: bytes) -> int:
    """The Internet checksum."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data[: len(data) // 2 * 2]))
    total += data[-1] << 8 if len(data) % 2 else 0
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def answer_ping(packet: bytes) -> bytes | None:
    """The program behind /dev/net/tun: an echo request's reply, and silence for all else."""
    header = (packet[0] & 15) * 4
    if packet[0] >> 4 != 4 or packet[9] != 1 or packet[header] != 8:
        return None
    icmp = b"\x00\x00\x00\x00" + packet[header + 4 :]
    icmp = icmp[:2] + struct.pack("!H", checksum(icmp)) + icmp[4:]
    ip = packet[:8] + b"\x40\x01\x00\x00" + packet[16:20] + packet[12:16] + packet[20:header]
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    return ip + icmp


def build() -> tuple[object, object, object, object]:
    """The network: returns both hosts, their VLAN devices and their tunnel devices."""
    ns.GlobalValue.Bind("ChecksumEnabled", ns.BooleanValue(True))
    hosts = ns.NodeContainer(2)
    ns.SaddrHelper().Install(hosts)
    wire = ns.CsmaHelper().Install(hosts)

    vlan = ns.VlanHelper()
    tagged = vlan.Install(wire, 100)
    outer = ns.Ipv4AddressHelper("192.0.2.0", "255.255.255.0")
    ends = outer.Assign(tagged)

    a, b = hosts.Get(0), hosts.Get(1)
    tunnel = ns.SitHelper().Install(a, ends.GetAddress(0), b, ends.GetAddress(1))
    for number in range(2):
        add_ipv6(hosts.Get(number), tunnel.Get(number), f"2001:db8:5::{number + 1}", 64)
    # A second address on a, far from b's: rule 8 (longest matching prefix) tells them apart.
    add_ipv6(a, tunnel.Get(0), "2001:db8:77::1", 64)
    return a, b, tagged, tunnel


def add_ipv6(node: object, device: object, address: str, length: int) -> None:
    """Give a device an IPv6 address."""
    ipv6 = node.GetObject[ns.Ipv6L3Protocol]()
    interface = ipv6.GetInterfaceForDevice(device)
    ipv6.AddAddress(
        interface, ns.Ipv6InterfaceAddress(ns.Ipv6Address(address), ns.Ipv6Prefix(length))
    )


def receive(node: object, port: int, got: list[tuple[float, int, str]]) -> object:
    """A UDP socket whose packets go to a list: when, how long, and from whom."""
    socket = ns.Socket.CreateSocket(node, ns.TypeId.LookupByName("ns3::UdpSocketFactory"))
    socket.Bind(ns.Inet6SocketAddress(ns.Ipv6Address.GetAny(), port).ConvertTo())

    def on_receive(ready: object) -> None:
        sender = ns.Address()
        packet = ready.RecvFrom(sender)
        source = ns.Inet6SocketAddress.ConvertFrom(sender).GetIpv6()
        got.append((ns.Simulator.Now().GetSeconds(), packet.GetSize(), text(source)))

    socket.SetRecvCallback(ns.callback("void(Ptr<Socket>)", on_receive))
    return socket


def text(item: object) -> str:
    """What C++ prints of an address."""
    out = ns.cppyy.gbl.std.ostringstream()
    item.Print(out)
    return str(out.str())


def main() -> None:
    a, b, tagged, tunnel = build()

    got: list[tuple[float, int, str]] = []
    receiver = receive(b, 9000, got)
    sender = ns.Socket.CreateSocket(a, ns.TypeId.LookupByName("ns3::UdpSocketFactory"))
    sender.Bind(ns.Inet6SocketAddress(ns.Ipv6Address.GetAny(), 5000).ConvertTo())
    peer = ns.Inet6SocketAddress(ns.Ipv6Address("2001:db8:5::2"), 9000).ConvertTo()

    def send(size: int) -> None:
        sender.SendTo(ns.Packet(size), 0, peer)

    for number, size in enumerate((100, 500, 1400)):
        ns.schedule_on(a, 1 + number, send, size)

    # The program behind a tun device of a, and a ping to it from a's own stack.
    tun = ns.TunHelper()
    device = tun.Install(a).Get(0)
    ipv4 = a.GetObject[ns.Ipv4]()
    interface = ipv4.AddInterface(device)
    ipv4.AddAddress(
        interface,
        ns.Ipv4InterfaceAddress(ns.Ipv4Address("10.9.0.1"), ns.Ipv4Mask("255.255.255.0")),
    )
    ipv4.SetUp(interface)
    file = ns.TunHelper.GetFile(device)
    pings: list[int] = []

    def program(packet: bytes) -> bytes | None:
        pings.append(len(packet))
        return answer_ping(packet)

    ns.serve(file, program)
    replies: list[int] = []
    raw = ns.Socket.CreateSocket(a, ns.TypeId.LookupByName("ns3::Ipv4RawSocketFactory"))
    raw.SetAttribute("Protocol", ns.UintegerValue(1))
    raw.Bind()
    raw.SetRecvCallback(
        ns.callback("void(Ptr<Socket>)", lambda ready: replies.append(ready.Recv().GetSize()))
    )

    def ping() -> None:
        echo = struct.pack("!BBHHH", 8, 0, 0, 7, 1) + b"a Python program behind the fd"
        echo = echo[:2] + struct.pack("!H", checksum(echo)) + echo[4:]
        target = ns.InetSocketAddress(ns.Ipv4Address("10.9.0.2"), 0).ConvertTo()
        raw.SendTo(ns.make_packet(echo), 0, target)

    ns.schedule_on(a, 1.5, ping)

    ns.Simulator.Stop(ns.Seconds(6))
    tags = ns.Trace(tagged.Get(1), "RxTag")
    for record in tags.follow():
        tci, priority = record
        print(f"{record.seconds:.6f} s: b gets a frame of VLAN {tci & 0xFFF}, priority {priority}")
    for when, size, source in got:
        print(f"{when:.6f} s: b receives {size} bytes from {source} through the tunnel")
    choice = ns.SaddrHelper.GetAddresses(a).Select(ns.Ipv6Address("2001:db8:5::2"), -1, 0)
    print(
        f"source selection looked at {choice.counts.addresses} addresses"
        f" on {choice.counts.interfaces} interfaces"
    )
    print(f"the program behind tun0 read {len(pings)} packet(s); ping had {len(replies)} reply")
    receiver.Close()


if __name__ == "__main__":
    main()
