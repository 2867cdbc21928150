/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "json-text.h"

#include <cmath>
#include <cstdio>

namespace ns3
{
namespace linuxhost
{

std::string
JsonQuote(const std::string& text)
{
    std::string quoted = "\"";
    for (unsigned char c : text)
    {
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += static_cast<char>(c);
        }
        else if (c < 0x20)
        {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", c);
            quoted += escape;
        }
        else
        {
            quoted += static_cast<char>(c);
        }
    }
    return quoted + "\"";
}

std::string
JsonNumber(double number)
{
    if (!std::isfinite(number))
    {
        return "null";
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.10g", number);
    return text;
}

} // namespace linuxhost
} // namespace ns3
