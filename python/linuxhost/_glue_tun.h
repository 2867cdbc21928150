/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUXHOST_PY_GLUE_TUN_H
#define LINUXHOST_PY_GLUE_TUN_H

// What the bindings add to tun devices: bytes in and out, and a program that sleeps in read().

#include "ns3/tun-file.h"

#include <string>

namespace linuxhost_py
{

// What a read gave, for Python: result below 0 is an error.
struct Bytes
{
    int64_t result;
    uint64_t address;
    uint64_t size;
};

inline int64_t
WriteBytes(ns3::linuxhost::TunFile& file, const std::string& data)
{
    return file.Write(reinterpret_cast<const uint8_t*>(data.data()),
                      static_cast<uint32_t>(data.size()));
}

inline void
ReadAsync(ns3::linuxhost::TunFile& file, uint32_t size, uint64_t id)
{
    auto held = std::make_shared<Held>(id);
    file.ReadAsync(
        size,
        ns3::Callback<void, ns3::linuxhost::TunReadResult>([held](
                                                               ns3::linuxhost::TunReadResult got) {
            Bytes bytes{got.result, reinterpret_cast<uint64_t>(got.data.data()), got.data.size()};
            Invoke(held->id, reinterpret_cast<uint64_t>(&bytes));
        }));
}

inline ns3::linuxhost::TunReadResult
Read(ns3::linuxhost::TunFile& file, uint32_t size)
{
    return file.Read(size);
}

inline Bytes
View(const ns3::linuxhost::TunReadResult& got)
{
    return {got.result, reinterpret_cast<uint64_t>(got.data.data()), got.data.size()};
}

inline Bytes
ViewAt(uint64_t address)
{
    return *reinterpret_cast<const Bytes*>(address);
}

} // namespace linuxhost_py

#endif /* LINUXHOST_PY_GLUE_TUN_H */
