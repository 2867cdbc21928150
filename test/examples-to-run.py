#! /usr/bin/env python3

# What ns-3's test.py and the standalone build's CTest run of the examples, a line a run:
# (program and its arguments, whether to run it, whether to run it under valgrind).
# A program that was not built (what reads JSON files needs nlohmann-json) is passed over.
cpp_examples = [
    ("sit-lockless-xmit", "True", "False"),
    ("sit-lockless-xmit --variant=before --cpus=2", "True", "True"),
    ("sit-tunnel", "True", "True"),
    ("sit-tunnel --ns3::linuxhost::SitNetDevice::Ttl=9 --send=16:::ff02::1", "True", "True"),
    # Those that read files are run on the files by the tests; here they tell their options.
    ("saddr-explain --help", "True", "False"),
    ("tun-replay --help", "True", "False"),
    ("offload-replay --help", "True", "False"),
    ("bench-saddr --calls=100000", "True", "False"),
    ("lock-scaling --cpus=1,8,13,24 --max-frames=20000", "True", "False"),
    ("lock-scaling --machine=dual-xeon-e5540 --atomic", "True", "False"),
    ("lock-scaling --primitive=rwlock --cpus=1,16,56", "True", "False"),
    ("bench-engine --rounds=1 --json", "True", "False"),
    ("linux-host-runner --greet", "True", "True"),
    ("bench-vlan --rounds=1 --json", "True", "False"),
    ("saddr-rcu", "True", "False"),
    ("saddr-rcu --variant=after --cpus=2 --interfaces=3", "True", "True"),
    ("tun-read-wakeup", "True", "False"),
    ("machine-info", "True", "False"),
    ("machine-info --machine=dual-xeon-e5540 --json=-", "True", "True"),
    ("vlan-offload", "True", "False"),
    ("vlan-offload --features --tags=2 --reorder-hdr=1", "True", "True"),
    ("vlan-offload --nic=mlx4 --flows=8 --xps=off --ports=spread --rss", "True", "True"),
    ("vlan-link --egress=0:1,6:5 --send=16:0,3000:6 --ping=1", "True", "True"),
    ("vlan-link --proto=802.1ad --qinq=200", "True", "False"),
    ("vlan-link --egress=0:8,0x1:9 --ingress=017:4294967295 --send=16:1", "True", "True"),
]

# (script, whether to run it).
python_examples = [
    ("python-path.py", "True"),
    ("python-tunnel.py", "True"),
]
