/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "saddr-case-file.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

#ifdef LINUX_HOST_HAVE_JSON
#include <nlohmann/json.hpp>
#endif

namespace ns3
{
namespace linuxhost
{

namespace
{

/// Names of the preferences.
const struct
{
    const char* name;           //!< as a case file has it
    SaddrPreference preference; //!< its bit
} PREFERENCES[] = {{"tmp", SADDR_PREFER_TMP},
                   {"public", SADDR_PREFER_PUBLIC},
                   {"home", SADDR_PREFER_HOME},
                   {"coa", SADDR_PREFER_COA}};

#ifdef LINUX_HOST_HAVE_JSON

using nlohmann::json;

/// Deeper than any host is.
constexpr int MAX_DEPTH = 64;

/// What is wrong with a file, and where.
class FileError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * @param text any text
 * @returns its start on one line, in quotes
 */
std::string
Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (unsigned char c : text.substr(0, 60))
    {
        quoted += c < 0x20 || c >= 0x7f ? '?' : static_cast<char>(c);
    }
    return quoted + (text.size() > 60 ? "...\"" : "\"");
}

/**
 * Refuse a file.
 * @param place where
 * @param expected what should be there
 * @param found what is there
 */
[[noreturn]] void
Refuse(const std::string& place, const std::string& expected, const std::string& found)
{
    throw FileError((place.empty() ? "top level" : place) + ": expected " + expected + ", found " +
                    found);
}

/**
 * @param value a value
 * @returns it in a few words
 */
std::string
Show(const json& value)
{
    switch (value.type())
    {
    case json::value_t::object:
        return "an object";
    case json::value_t::array:
        return "a list";
    case json::value_t::string:
        return Quote(value.get_ref<const std::string&>());
    default:
        return value.dump();
    }
}

/**
 * @param object an object
 * @param place where it is
 * @param key a key
 * @param expected what its value should be
 * @returns the value
 */
const json&
Get(const json& object, const std::string& place, const std::string& key, const char* expected)
{
    if (!object.is_object())
    {
        Refuse(place, "an object", Show(object));
    }
    auto it = object.find(key);
    if (it == object.end())
    {
        Refuse((place.empty() ? "" : place + ".") + key, expected, "nothing");
    }
    return *it;
}

/**
 * @param place where an object is
 * @param key a key
 * @returns where its value is
 */
std::string
Under(const std::string& place, const std::string& key)
{
    return place.empty() ? key : place + "." + key;
}

/**
 * @param place where a list is
 * @param index an index
 * @returns where the element is
 */
std::string
Under(const std::string& place, size_t index)
{
    return place + "[" + std::to_string(index) + "]";
}

/**
 * @param object an object
 * @param place where it is
 * @param key a key
 * @returns the list under that key
 */
const json&
GetList(const json& object, const std::string& place, const std::string& key)
{
    const json& value = Get(object, place, key, "a list");
    if (!value.is_array())
    {
        Refuse(Under(place, key), "a list", Show(value));
    }
    return value;
}

/**
 * @param value a value
 * @param place where it is
 * @param min smallest value allowed
 * @param max largest value allowed
 * @returns the integer
 */
int64_t
ToInteger(const json& value, const std::string& place, int64_t min, int64_t max)
{
    // A number above the signed range is kept unsigned by the library.
    const bool fits =
        value.is_number_integer() &&
        !(value.is_number_unsigned() &&
          value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) &&
        value.get<int64_t>() >= min && value.get<int64_t>() <= max;
    if (!fits)
    {
        Refuse(place,
               "an integer from " + std::to_string(min) + " to " + std::to_string(max),
               Show(value));
    }
    return value.get<int64_t>();
}

/**
 * @param object an object
 * @param place where it is
 * @param key a key
 * @param min smallest value allowed
 * @param max largest value allowed
 * @returns the integer under that key
 */
int64_t
GetInteger(const json& object,
           const std::string& place,
           const std::string& key,
           int64_t min,
           int64_t max)
{
    return ToInteger(Get(object, place, key, "an integer"), Under(place, key), min, max);
}

/**
 * @param value a value
 * @param place where it is
 * @param expected what it should be
 * @returns the text
 */
const std::string&
ToText(const json& value, const std::string& place, const char* expected = "a string")
{
    if (!value.is_string())
    {
        Refuse(place, expected, Show(value));
    }
    return value.get_ref<const std::string&>();
}

/**
 * @param object an object
 * @param place where it is
 * @param key a key that need not be there
 * @returns the flag under that key
 */
bool
GetFlag(const json& object, const std::string& place, const std::string& key)
{
    auto it = object.find(key);
    if (it == object.end())
    {
        return false;
    }
    if (!it->is_boolean())
    {
        Refuse(Under(place, key), "true or false", Show(*it));
    }
    return it->get<bool>();
}

/**
 * @param object an object
 * @param place where it is
 * @param key a key
 * @returns the IPv6 address under that key
 */
Ipv6Bits
GetAddress(const json& object, const std::string& place, const std::string& key)
{
    const char* expected = "an IPv6 address";
    const json& value = Get(object, place, key, expected);
    Ipv6Bits bits;
    if (!Ipv6Bits::Parse(ToText(value, Under(place, key), expected), &bits))
    {
        Refuse(Under(place, key), expected, Show(value));
    }
    return bits;
}

/**
 * @param object an address as `ip -6 -j addr` prints it
 * @param place where it is
 * @returns the address
 */
SaddrAddress
ReadAddress(const json& object, const std::string& place)
{
    static const struct
    {
        const char* name; //!< as `ip` prints it
        uint16_t flag;    //!< its bit
    } FLAGS[] = {{"tentative", SADDR_TENTATIVE},
                 {"optimistic", SADDR_OPTIMISTIC},
                 {"deprecated", SADDR_DEPRECATED},
                 {"temporary", SADDR_TEMPORARY},
                 {"home", SADDR_HOME},
                 {"nodad", SADDR_NODAD}};

    const Ipv6Bits bits = GetAddress(object, place, "local");
    const auto length = GetInteger(object, place, "prefixlen", 0, 128);
    uint16_t flags = 0;
    for (const auto& flag : FLAGS)
    {
        flags |= GetFlag(object, place, flag.name) ? flag.flag : 0;
    }
    // The rest decides nothing, but must be what `ip` prints.
    for (const char* key : {"dynamic", "mngtmpaddr"})
    {
        GetFlag(object, place, key);
    }
    for (const auto& item :
         {std::make_pair("family", "\"inet6\""), std::make_pair("scope", "a scope's name")})
    {
        if (object.count(item.first))
        {
            const std::string& text =
                ToText(object[item.first], Under(place, item.first), item.second);
            if (item.second[0] == '"' && text != "inet6")
            {
                Refuse(Under(place, item.first), item.second, Quote(text));
            }
        }
    }
    for (const char* key : {"valid_life_time", "preferred_life_time"})
    {
        if (object.count(key))
        {
            GetInteger(object, place, key, 0, 0xffffffff);
        }
    }
    return {bits, static_cast<uint8_t>(length), flags};
}

/**
 * @param object an interface
 * @param place where it is
 * @returns the interface
 */
SaddrInterface
ReadInterface(const json& object, const std::string& place)
{
    SaddrInterface interface;
    interface.ifindex = static_cast<uint32_t>(GetInteger(object, place, "ifindex", 1, 0x7fffffff));
    interface.name = ToText(Get(object, place, "name", "a string"), Under(place, "name"));
    if (interface.name.empty())
    {
        Refuse(Under(place, "name"), "an interface's name", "\"\"");
    }
    if (object.count("flags"))
    {
        const json& flags = GetList(object, place, "flags");
        for (size_t i = 0; i < flags.size(); ++i)
        {
            ToText(flags[i], Under(Under(place, "flags"), i));
        }
    }
    const std::string at = Under(place, "conf");
    const json& conf = Get(object, place, "conf", "an object");
    const int64_t min = -0x7fffffff;
    const int64_t max = 0x7fffffff;
    interface.useTempaddr = static_cast<int32_t>(GetInteger(conf, at, "use_tempaddr", min, max));
    interface.useOifAddrsOnly = GetInteger(conf, at, "use_oif_addrs_only", min, max) != 0;
    interface.optimisticDad = GetInteger(conf, at, "optimistic_dad", min, max) != 0;
    interface.useOptimistic = GetInteger(conf, at, "use_optimistic", min, max) != 0;
    const json& addresses = GetList(object, place, "addrs");
    for (size_t i = 0; i < addresses.size(); ++i)
    {
        interface.addresses.push_back(ReadAddress(addresses[i], Under(Under(place, "addrs"), i)));
    }
    return interface;
}

/**
 * @param text digits
 * @param max largest value allowed
 * @param[out] number the number
 * @returns whether the text is such a number
 */
bool
ParseNumber(const std::string& text, uint64_t max, uint64_t* number)
{
    if (text.empty() || text.size() > 10 ||
        !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }))
    {
        return false;
    }
    *number = std::stoull(text);
    return *number <= max;
}

/**
 * Read a line of `ip addrlabel`: `prefix P/L [dev NAME] label N`.
 * @param value the line
 * @param place where it is
 * @param host the host, whose interfaces have been read
 */
void
ReadLabel(const json& value, const std::string& place, SaddrHost* host)
{
    const char* expected = "\"prefix ADDRESS/LENGTH [dev NAME] label NUMBER\"";
    std::istringstream line(ToText(value, place, expected));
    std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
    Ipv6Bits prefix;
    uint64_t length = 0;
    uint64_t label = 0;
    uint32_t ifindex = 0;
    const bool hasDevice = words.size() == 6 && words[2] == "dev";
    bool good = (words.size() == 4 || hasDevice) && words[0] == "prefix" &&
                words[words.size() - 2] == "label" &&
                ParseNumber(words.back(), Ipv6AddressLabels::NO_LABEL - 1, &label);
    if (good)
    {
        const auto slash = words[1].find('/');
        good = slash != std::string::npos && Ipv6Bits::Parse(words[1].substr(0, slash), &prefix) &&
               ParseNumber(words[1].substr(slash + 1), 128, &length);
    }
    if (!good)
    {
        Refuse(place, expected, Show(value));
    }
    if (hasDevice)
    {
        const SaddrInterface* interface = host->FindInterface(words[3]);
        if (!interface)
        {
            Refuse(place, "an interface of this host after dev", Show(value));
        }
        ifindex = interface->ifindex;
    }
    if (!host->labels.Append(prefix,
                             static_cast<uint8_t>(length),
                             static_cast<uint32_t>(label),
                             ifindex))
    {
        Refuse(place, "a prefix of 96 bits at most for IPv4-mapped addresses", Show(value));
    }
}

/**
 * @param object a host
 * @param place where it is
 * @returns the host
 */
SaddrHost
ReadHostObject(const json& object, const std::string& place)
{
    SaddrHost host;
    std::set<uint32_t> indexes;
    std::set<std::string> names;
    const json& interfaces = GetList(object, place, "interfaces");
    const std::string at = Under(place, "interfaces");
    for (size_t i = 0; i < interfaces.size(); ++i)
    {
        host.interfaces.push_back(ReadInterface(interfaces[i], Under(at, i)));
        const auto& interface = host.interfaces.back();
        if (!indexes.insert(interface.ifindex).second)
        {
            Refuse(Under(Under(at, i), "ifindex"),
                   "an index of its own",
                   std::to_string(interface.ifindex) + " again");
        }
        if (!names.insert(interface.name).second)
        {
            Refuse(Under(Under(at, i), "name"),
                   "a name of its own",
                   Quote(interface.name) + " again");
        }
    }
    host.labels = Ipv6AddressLabels();
    const json& labels = GetList(object, place, "addrlabel");
    for (size_t i = 0; i < labels.size(); ++i)
    {
        ReadLabel(labels[i], Under(Under(place, "addrlabel"), i), &host);
    }
    return host;
}

/**
 * @param object an object
 * @param place where it is
 * @param key a key
 * @param host the host
 * @returns the index of the interface that is named under that key
 */
uint32_t
GetInterface(const json& object,
             const std::string& place,
             const std::string& key,
             const SaddrHost& host)
{
    const char* expected = "the name of an interface of this host";
    const json& value = Get(object, place, key, expected);
    const SaddrInterface* interface =
        host.FindInterface(ToText(value, Under(place, key), expected));
    if (!interface)
    {
        Refuse(Under(place, key), expected, Show(value));
    }
    return interface->ifindex;
}

/**
 * @param object a question
 * @param place where it is
 * @param host its host
 * @returns the question
 */
SaddrCaseQuery
ReadQuery(const json& object, const std::string& place, const SaddrHost& host)
{
    SaddrCaseQuery query;
    query.query.destination = GetAddress(object, place, "dst");
    if (object.count("scope_if") && !object["scope_if"].is_null())
    {
        // Names the outgoing interface where the address does not; `oif` says the same.
        GetInterface(object, place, "scope_if", host);
    }
    query.query.oif = GetInterface(object, place, "oif", host);
    if (object.count("pref") && !object["pref"].is_null())
    {
        const char* expected = "\"tmp\", \"public\", \"home\", \"coa\" or null";
        const json& value = object["pref"];
        query.preference = ToText(value, Under(place, "pref"), expected);
        if (!SaddrCaseFile::ParsePreference(query.preference, &query.query.preferences))
        {
            Refuse(Under(place, "pref"), expected, Show(value));
        }
    }
    query.hasExpected = !Get(object, place, "src", "an IPv6 address or null").is_null();
    if (query.hasExpected)
    {
        query.expected = GetAddress(object, place, "src");
    }
    return query;
}

/**
 * @param in the text
 * @returns it as JSON
 */
json
ParseJson(std::istream& in)
{
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    try
    {
        return json::parse(text, [](int depth, json::parse_event_t, json&) {
            if (depth > MAX_DEPTH)
            {
                throw FileError("expected JSON at most " + std::to_string(MAX_DEPTH) +
                                " levels deep, found more");
            }
            return true;
        });
    }
    catch (const json::parse_error& e)
    {
        const auto end = text.begin() + std::min<size_t>(e.byte == 0 ? 0 : e.byte - 1, text.size());
        const auto line = 1 + std::count(text.begin(), end, '\n');
        const auto start = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
        throw FileError("line " + std::to_string(line) + ", column " +
                        std::to_string(1 + (end - start)) + ": expected JSON, found " +
                        (end == text.end() ? "the end of the file"
                                           : Quote(std::string(end, text.end()).substr(0, 20))));
    }
    catch (const json::exception&)
    {
        throw FileError("expected JSON, found a number that is out of range");
    }
}

#endif

} // namespace

bool
SaddrCaseFile::IsSupported()
{
#ifdef LINUX_HOST_HAVE_JSON
    return true;
#else
    return false;
#endif
}

std::string
SaddrCaseFile::ReadCases(std::istream& in, std::vector<SaddrCase>* cases)
{
#ifdef LINUX_HOST_HAVE_JSON
    try
    {
        const json file = ParseJson(in);
        const json& list = GetList(file, "", "cases");
        for (size_t i = 0; i < list.size(); ++i)
        {
            const std::string place = Under("cases", i);
            SaddrCase item;
            item.id = GetInteger(list[i], place, "id", 0, std::numeric_limits<int64_t>::max());
            item.host = ReadHostObject(list[i], place);
            const json& queries = GetList(list[i], place, "queries");
            for (size_t j = 0; j < queries.size(); ++j)
            {
                item.queries.push_back(
                    ReadQuery(queries[j], Under(Under(place, "queries"), j), item.host));
            }
            cases->push_back(std::move(item));
        }
        return "";
    }
    catch (const FileError& e)
    {
        return e.what();
    }
#else
    (void)in;
    (void)cases;
    return "this build has no JSON library (nlohmann/json.hpp)";
#endif
}

std::string
SaddrCaseFile::ReadHost(std::istream& in, SaddrHost* host)
{
#ifdef LINUX_HOST_HAVE_JSON
    try
    {
        *host = ReadHostObject(ParseJson(in), "");
        return "";
    }
    catch (const FileError& e)
    {
        return e.what();
    }
#else
    (void)in;
    (void)host;
    return "this build has no JSON library (nlohmann/json.hpp)";
#endif
}

bool
SaddrCaseFile::ParsePreference(const std::string& name, uint16_t* preference)
{
    for (const auto& known : PREFERENCES)
    {
        if (name == known.name)
        {
            *preference = known.preference;
            return true;
        }
    }
    return false;
}

} // namespace linuxhost
} // namespace ns3
