/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * @param text any text
 * @returns the text as a JSON string, with its quotes
 */
std::string JsonQuote(const std::string& text);

/**
 * @ingroup linux-host
 * @param number a number
 * @returns it as JSON, to ten digits; null when it is not finite
 */
std::string JsonNumber(double number);

} // namespace linuxhost
} // namespace ns3

#endif /* JSON_TEXT_H */
