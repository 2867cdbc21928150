/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_VERSION_H
#define MODEL_VERSION_H

#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * @returns a text that differs when results may: the release of ns-3, and a hash of the sources of
 *          model/ and helper/ that this library was built from, e.g. `ns3.44-1f0c5a...`. Stored
 *          results are reused for as long as it stays the same.
 */
std::string GetModelVersion();

} // namespace linuxhost
} // namespace ns3

#endif /* MODEL_VERSION_H */
