/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-replay.h"

#ifdef LINUX_HOST_HAVE_JSON

#include "ns3/linux-host-compat.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/sk-buff.h"
#include "ns3/tun-driver.h"
#include "ns3/tun-offload-tag.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

namespace
{

using Json = nlohmann::json;

/// Most bytes of one read or write, as the system allows.
constexpr int64_t MAX_IO = 0x7ffff000;
/// Most files that a gap in the numbering may stand for.
constexpr uint64_t MAX_GAP = 1024;
/// Largest virtio-net header of a recording of reads.
constexpr int64_t MAX_HEADER = 0xffff;
/// How much of a value a difference shows.
constexpr std::size_t MAX_SHOWN = 160;

/// A file that is not of the form that it should have.
struct Malformed
{
    std::string place;  //!< where in the file
    std::string wanted; //!< what is expected there
};

/**
 * @param value any value
 * @returns it as text, cut where it would fill the screen
 */
std::string
Show(const Json& value)
{
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > MAX_SHOWN)
    {
        text = text.substr(0, MAX_SHOWN) + "...";
    }
    return text;
}

/**
 * @param object an object
 * @param key one of its keys
 * @param place where the object is
 * @returns the value
 */
const Json&
Member(const Json& object, const std::string& key, const std::string& place)
{
    if (!object.is_object())
    {
        throw Malformed{place, "an object"};
    }
    auto i = object.find(key);
    if (i == object.end())
    {
        throw Malformed{place, "the key \"" + key + "\""};
    }
    return *i;
}

/**
 * @param object an object
 * @param key one of its keys
 * @param place where the object is
 * @returns the text there
 */
std::string
Text(const Json& object, const std::string& key, const std::string& place)
{
    const Json& value = Member(object, key, place);
    if (!value.is_string())
    {
        throw Malformed{place + "." + key, "a string"};
    }
    return value.get<std::string>();
}

/**
 * @param object an object
 * @param key one of its keys
 * @param place where the object is
 * @param min smallest value
 * @param max largest value
 * @returns the integer there
 */
int64_t
Integer(const Json& object,
        const std::string& key,
        const std::string& place,
        int64_t min = std::numeric_limits<int64_t>::min(),
        int64_t max = std::numeric_limits<int64_t>::max())
{
    const Json& value = Member(object, key, place);
    const bool tooLarge = value.is_number_unsigned() &&
                          value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max());
    if (!value.is_number_integer() || tooLarge || value.get<int64_t>() < min ||
        value.get<int64_t>() > max)
    {
        throw Malformed{place + "." + key,
                        "an integer from " + std::to_string(min) + " to " + std::to_string(max)};
    }
    return value.get<int64_t>();
}

/**
 * @param object an object
 * @param key one of its keys
 * @param place where the object is
 * @returns the truth value there
 */
bool
Boolean(const Json& object, const std::string& key, const std::string& place)
{
    const Json& value = Member(object, key, place);
    if (!value.is_boolean())
    {
        throw Malformed{place + "." + key, "true or false"};
    }
    return value.get<bool>();
}

/**
 * @param object an object
 * @param key one of its keys
 * @param place where the object is
 * @returns the array there
 */
const Json&
Array(const Json& object, const std::string& key, const std::string& place)
{
    const Json& value = Member(object, key, place);
    if (!value.is_array())
    {
        throw Malformed{place.empty() ? key : place + "." + key, "an array"};
    }
    return value;
}

/**
 * @param object an object
 * @param key one of its keys
 * @param place where the object is
 * @returns the bytes that are there in hexadecimal
 */
std::vector<uint8_t>
Bytes(const Json& object, const std::string& key, const std::string& place)
{
    const std::string text = Text(object, key, place);
    const std::string digits = "0123456789abcdef";
    std::vector<uint8_t> bytes(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const auto digit = digits.find(std::tolower(static_cast<unsigned char>(text[i])));
        if (digit == std::string::npos || text.size() % 2)
        {
            throw Malformed{place + "." + key, "bytes as pairs of hexadecimal digits"};
        }
        bytes[i / 2] |= digit << (i % 2 ? 0 : 4);
    }
    return bytes;
}

/**
 * @param value a value
 * @param place where it is
 * @returns the MAC address that it is
 */
Mac48Address
MacAddress(const Json& value, const std::string& place)
{
    std::string digits = value.is_string() ? value.get<std::string>() : "";
    digits.erase(std::remove(digits.begin(), digits.end(), ':'), digits.end());
    if (digits.size() != 12 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    {
        throw Malformed{place, "a MAC address, such as \"02:00:00:00:00:0b\""};
    }
    const auto bytes = Bytes({{"address", digits}}, "address", place);
    Mac48Address address;
    address.CopyFrom(bytes.data());
    return address;
}

/**
 * @param bytes any bytes
 * @returns them in hexadecimal
 */
std::string
Hex(const std::vector<uint8_t>& bytes)
{
    const char* digits = "0123456789abcdef";
    std::string text;
    for (uint8_t byte : bytes)
    {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

/**
 * @param address a MAC address
 * @returns it as a recording has it
 */
std::string
MacText(const Mac48Address& address)
{
    std::ostringstream text;
    text << address;
    return text.str();
}

/**
 * Read a file.
 * @param path its path
 * @returns what is in it
 */
Json
Load(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        throw Malformed{"", std::string("a file that can be read (") + std::strerror(errno) + ")"};
    }
    Json json;
    try
    {
        file >> json;
    }
    catch (const Json::parse_error& error)
    {
        throw Malformed{"byte " + std::to_string(error.byte), "JSON"};
    }
    catch (const Json::exception&)
    {
        throw Malformed{"", "JSON"};
    }
    catch (const std::ios_base::failure&)
    {
        throw Malformed{"", "a file that can be read"};
    }
    return json;
}

/**
 * @param statistics counters
 * @returns them as a recording has them
 */
Json
ToJson(const TunStatistics& statistics)
{
    return {{"rx_packets", statistics.rxPackets},
            {"rx_bytes", statistics.rxBytes},
            {"rx_dropped", statistics.rxDropped},
            {"rx_errors", statistics.rxErrors},
            {"rx_frame_errors", statistics.rxFrameErrors},
            {"tx_packets", statistics.txPackets},
            {"tx_bytes", statistics.txBytes},
            {"tx_dropped", statistics.txDropped},
            {"tx_errors", statistics.txErrors}};
}

/**
 * @param error a negative error
 * @returns it as a recording has it
 */
Json
ErrorJson(int64_t error)
{
    return {{"errno", LinuxErrnoName(error)}};
}

/**
 * @param result of an ioctl that gives nothing
 * @returns it as a recording has it
 */
Json
StatusJson(int64_t result)
{
    return result < 0 ? ErrorJson(result) : result == 0 ? Json("ok") : Json(result);
}

/**
 * @param read what a read gave
 * @returns it as a recording has it
 */
Json
ReadJson(const TunReadResult& read)
{
    return read.result < 0 ? ErrorJson(read.result)
                           : Json{{"length", read.result}, {"hex", Hex(read.data)}};
}

/**
 * Plays the steps of a case.
 */
class CasePlayer
{
  public:
    CasePlayer()
        : m_node(CreateObject<Node>()),
          m_driver(TunDriver::GetDriver(m_node))
    {
    }

    /// @returns the node
    Ptr<Node> GetNode() const
    {
        return m_node;
    }

    /**
     * Check a step's form and make it ready.
     * @param step the step
     * @param place where it is
     * @returns what plays it and gives its result
     */
    std::function<Json()> Prepare(const Json& step, const std::string& place);

  private:
    /// An ioctl with an integer argument.
    using Setter = std::function<int64_t(TunFile&, int64_t)>;
    /// An ioctl that gives an integer.
    using Getter = std::function<int64_t(const TunFile&, int32_t&)>;

    /// @returns the ioctls with an integer argument
    static const std::map<std::string, Setter>& Setters();
    /// @returns the ioctls that give an integer
    static const std::map<std::string, Getter>& Getters();
    /**
     * @param step a step
     * @param place where it is
     * @returns its flags
     */
    static uint16_t Flags(const Json& step, const std::string& place);
    /**
     * @param step a step
     * @param place where it is
     * @returns its transmit filter
     */
    static TunTxFilter Filter(const Json& step, const std::string& place);
    /**
     * A step on the host rather than on a file.
     * @param op what it does
     * @param step the step
     * @param place where it is
     * @returns what plays it, or null when it is none
     */
    std::function<Json()> PrepareHost(const std::string& op,
                                      const Json& step,
                                      const std::string& place);

    Ptr<Node> m_node;                            //!< the host
    Ptr<TunDriver> m_driver;                     //!< its /dev/net/tun
    std::set<std::string> m_names;               //!< files that a step opens
    std::map<std::string, Ptr<TunFile>> m_files; //!< files, once they are open
};

const std::map<std::string, CasePlayer::Setter>&
CasePlayer::Setters()
{
    static const std::map<std::string, Setter> setters = {
        {"TUNSETNOCSUM", [](TunFile& f, int64_t v) { return f.SetNoChecksum(v); }},
        {"TUNSETDEBUG", [](TunFile& f, int64_t v) { return f.SetDebug(v); }},
        {"TUNSETPERSIST", [](TunFile& f, int64_t v) { return f.SetPersist(v); }},
        {"TUNSETOWNER", [](TunFile& f, int64_t v) { return f.SetOwner(v); }},
        {"TUNSETLINK", [](TunFile& f, int64_t v) { return f.SetLink(v); }},
        {"TUNSETGROUP", [](TunFile& f, int64_t v) { return f.SetGroup(v); }},
        {"TUNSETOFFLOAD", [](TunFile& f, int64_t v) { return f.SetOffload(v); }},
        {"TUNSETSNDBUF", [](TunFile& f, int64_t v) { return f.SetSendBuffer(v); }},
        {"TUNSETVNETHDRSZ", [](TunFile& f, int64_t v) { return f.SetVnetHeaderSize(v); }},
        {"TUNSETIFINDEX", [](TunFile& f, int64_t v) { return f.SetIfIndex(v); }},
        {"TUNSETVNETLE", [](TunFile& f, int64_t v) { return f.SetVnetLittleEndian(v); }},
        {"TUNSETVNETBE", [](TunFile& f, int64_t v) { return f.SetVnetBigEndian(v); }},
        {"TUNSETCARRIER",
         [](TunFile& f, int64_t v) { return f.SetCarrier(static_cast<uint32_t>(v)); }},
        // The value is the file of an eBPF program; -1 takes the program away.
        {"TUNSETSTEERINGEBPF",
         [](TunFile& f, int64_t v) {
             const int32_t error = f.SetSteeringProgram(nullptr);
             return error || static_cast<int32_t>(v) == -1 ? error : -LINUX_EBADF;
         }},
        {"TUNSETFILTEREBPF",
         [](TunFile& f, int64_t v) {
             const int32_t error = f.SetFilterProgram(nullptr);
             return error || static_cast<int32_t>(v) == -1 ? error : -LINUX_EBADF;
         }},
    };
    return setters;
}

const std::map<std::string, CasePlayer::Getter>&
CasePlayer::Getters()
{
    static const std::map<std::string, Getter> getters = {
        {"TUNGETSNDBUF", [](const TunFile& f, int32_t& v) { return f.GetSendBuffer(v); }},
        {"TUNGETVNETHDRSZ", [](const TunFile& f, int32_t& v) { return f.GetVnetHeaderSize(v); }},
        {"TUNGETVNETLE", [](const TunFile& f, int32_t& v) { return f.GetVnetLittleEndian(v); }},
        {"TUNGETVNETBE", [](const TunFile& f, int32_t& v) { return f.GetVnetBigEndian(v); }},
    };
    return getters;
}

uint16_t
CasePlayer::Flags(const Json& step, const std::string& place)
{
    const Json& flags = Member(step, "flags", place);
    if (flags.is_number())
    {
        return Integer(step, "flags", place, 0, 0xffff);
    }
    uint16_t bits = 0;
    const Json& names = Array(step, "flags", place);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        uint16_t bit = 0;
        if (!names[i].is_string() || !TunFlagFromName(names[i].get<std::string>(), &bit))
        {
            throw Malformed{place + ".flags[" + std::to_string(i) + "]",
                            "the name of a flag, such as \"IFF_TAP\""};
        }
        bits |= bit;
    }
    return bits;
}

TunTxFilter
CasePlayer::Filter(const Json& step, const std::string& place)
{
    TunTxFilter filter;
    if (step.contains("flags"))
    {
        const Json& flags = step["flags"];
        if (flags.is_number())
        {
            filter.flags = Integer(step, "flags", place, 0, 0xffff);
        }
        else if (flags.is_array() && std::all_of(flags.begin(), flags.end(), [](const Json& flag) {
                     return flag == "TUN_FLT_ALLMULTI";
                 }))
        {
            filter.flags = flags.empty() ? 0 : TUN_FILTER_ALLMULTI;
        }
        else
        {
            throw Malformed{place + ".flags", "an array of \"TUN_FLT_ALLMULTI\" at most"};
        }
    }
    const std::string key = step.contains("addrs") ? "addrs" : "addresses";
    const Json& addresses = Array(step, key, place);
    for (std::size_t i = 0; i < addresses.size(); ++i)
    {
        const std::string here = place + "." + key + "[" + std::to_string(i) + "]";
        filter.addresses.push_back(MacAddress(addresses[i], here));
    }
    return filter;
}

std::function<Json()>
CasePlayer::PrepareHost(const std::string& op, const Json& step, const std::string& place)
{
    if (op == "link up" || op == "link down")
    {
        const std::string dev = Text(step, "dev", place);
        const bool up = op == "link up";
        return [this, dev, up]() { return StatusJson(m_driver->SetLinkUp(dev, up)); };
    }
    if (op == "link delete")
    {
        const std::string dev = Text(step, "dev", place);
        return [this, dev]() { return StatusJson(m_driver->DeleteLink(dev)); };
    }
    if (op == "txqueuelen")
    {
        const std::string dev = Text(step, "dev", place);
        const uint32_t length = Integer(step, "value", place, 0, 1000000);
        return [this, dev, length]() -> Json {
            Ptr<TunNetDevice> device = m_driver->GetDevice(dev);
            if (!device)
            {
                return ErrorJson(-LINUX_ENODEV);
            }
            device->SetTxQueueLen(length);
            return "ok";
        };
    }
    if (op == "exists")
    {
        const std::string dev = Text(step, "dev", place);
        return [this, dev]() { return Json(m_driver->Exists(dev)); };
    }
    if (op == "stats")
    {
        const std::string dev = Text(step, "dev", place);
        return [this, dev]() -> Json {
            TunStatistics statistics;
            const int32_t error = m_driver->GetStatistics(dev, statistics);
            return error ? ErrorJson(error) : ToJson(statistics);
        };
    }
    if (op == "send")
    {
        const std::string dev = Text(step, "dev", place);
        const std::vector<uint8_t> data = Bytes(step, "data", place);
        return [this, dev, data]() -> Json {
            Ptr<TunNetDevice> device = m_driver->GetDevice(dev);
            if (!device)
            {
                return ErrorJson(-LINUX_ENODEV);
            }
            if (!device->IsUp())
            {
                return ErrorJson(-LINUX_ENETDOWN);
            }
            Ptr<Packet> packet = Create<Packet>(data.data(), data.size());
            // As a packet socket sends it: with the checksums that are in it.
            packet->AddPacketTag(TunOffloadTag());
            Address source = device->GetAddress();
            Address destination = device->GetBroadcast();
            uint16_t protocol =
                !data.empty() && data[0] >> 4 == 6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;
            if (device->IsTap())
            {
                if (data.size() < ETHERNET_HEADER_LENGTH)
                {
                    return ErrorJson(-LINUX_EINVAL);
                }
                Mac48Address to;
                Mac48Address from;
                to.CopyFrom(data.data());
                from.CopyFrom(data.data() + 6);
                destination = to;
                source = from;
                protocol = ReadNetwork16(data.data() + 12);
                packet->RemoveAtStart(ETHERNET_HEADER_LENGTH);
            }
            device->SendFrom(packet, source, destination, protocol);
            return "ok";
        };
    }
    return nullptr;
}

std::function<Json()>
CasePlayer::Prepare(const Json& step, const std::string& place)
{
    const std::string op = Text(step, "op", place);
    if (auto host = PrepareHost(op, step, place))
    {
        return host;
    }
    static const std::set<std::string> others = {"open",
                                                 "close",
                                                 "read",
                                                 "write",
                                                 "poll",
                                                 "TUNSETIFF",
                                                 "TUNGETIFF",
                                                 "TUNSETQUEUE",
                                                 "TUNGETFEATURES",
                                                 "TUNSETTXFILTER",
                                                 "TUNGETFILTER",
                                                 "TUNDETACHFILTER",
                                                 "SIOCGIFHWADDR",
                                                 "SIOCSIFHWADDR"};
    if (!others.count(op) && !Setters().count(op) && !Getters().count(op))
    {
        throw Malformed{place + ".op",
                        "open, close, read, write, poll, an ioctl's name such as TUNSETIFF, "
                        "link up, link down, link delete, txqueuelen, send, stats or exists"};
    }
    const std::string fd = Text(step, "fd", place);
    if (op == "open")
    {
        m_names.insert(fd);
        return [this, fd]() -> Json {
            m_files[fd] = m_driver->Open();
            m_files[fd]->SetNonBlocking(true);
            return "ok";
        };
    }
    if (!m_names.count(fd))
    {
        throw Malformed{place + ".fd", "a file that an earlier step of the case opens"};
    }
    auto file = [this, fd]() -> TunFile& { return *m_files[fd]; };
    if (op == "close")
    {
        return [file]() -> Json {
            const bool open = file().IsOpen();
            file().Close();
            return open ? Json("ok") : ErrorJson(-LINUX_EBADF);
        };
    }
    if (op == "read")
    {
        const uint32_t size = Integer(step, "size", place, 0, MAX_IO);
        return [file, size]() { return ReadJson(file().Read(size)); };
    }
    if (op == "write")
    {
        const std::vector<uint8_t> data = Bytes(step, "data", place);
        return [file, data]() -> Json {
            const int64_t result = file().Write(data);
            return result < 0 ? ErrorJson(result) : Json(result);
        };
    }
    if (op == "poll")
    {
        return [file]() -> Json {
            const uint16_t events = file().Poll();
            Json names = Json::array();
            for (auto [event, name] : {std::make_pair(TUN_POLLIN, "POLLIN"),
                                       std::make_pair(TUN_POLLOUT, "POLLOUT"),
                                       std::make_pair(TUN_POLLERR, "POLLERR")})
            {
                if (events & event)
                {
                    names.push_back(name);
                }
            }
            return names;
        };
    }
    if (op == "TUNSETIFF")
    {
        const TunRequest wanted{Text(step, "name", place), Flags(step, place)};
        return [file, wanted]() -> Json {
            TunRequest request = wanted;
            const int32_t error = file().SetIff(request);
            return error ? ErrorJson(error) : Json{{"name", request.name}};
        };
    }
    if (op == "TUNGETIFF")
    {
        return [file]() -> Json {
            TunRequest request;
            const int32_t error = file().GetIff(request);
            return error ? ErrorJson(error)
                         : Json{{"name", request.name}, {"flags", TunFlagNames(request.flags)}};
        };
    }
    if (op == "TUNSETQUEUE")
    {
        const uint16_t flags = Flags(step, place);
        return [file, flags]() { return StatusJson(file().SetQueue(flags)); };
    }
    if (op == "TUNGETFEATURES")
    {
        return [file]() -> Json {
            uint32_t features = 0;
            const int32_t error = file().GetFeatures(features);
            return error ? ErrorJson(error) : Json(features);
        };
    }
    if (op == "TUNSETTXFILTER")
    {
        const TunTxFilter filter = Filter(step, place);
        return [file, filter]() { return StatusJson(file().SetTxFilter(filter)); };
    }
    if (op == "TUNDETACHFILTER")
    {
        return [file]() { return StatusJson(file().DetachFilter()); };
    }
    if (op == "TUNGETFILTER")
    {
        return [file]() {
            TunNetDevice::Filter filter;
            return StatusJson(file().GetFilter(filter));
        };
    }
    if (op == "SIOCGIFHWADDR")
    {
        return [file]() -> Json {
            Mac48Address address;
            const int32_t error = file().GetHardwareAddress(address);
            return error ? ErrorJson(error)
                         : Json{{"address", MacText(address)},
                                {"type", file().GetDevice()->GetLinkType()}};
        };
    }
    if (op == "SIOCSIFHWADDR")
    {
        const Mac48Address address = MacAddress(Member(step, "address", place), place + ".address");
        return [file, address]() { return StatusJson(file().SetHardwareAddress(address)); };
    }
    if (auto getter = Getters().find(op); getter != Getters().end())
    {
        return [file, get = getter->second]() -> Json {
            int32_t value = 0;
            const int64_t error = get(file(), value);
            return error ? ErrorJson(error) : Json(value);
        };
    }
    const int64_t value = Integer(step, "value", place);
    return [file, set = Setters().at(op), value]() { return StatusJson(set(file(), value)); };
}

/**
 * @param recorded what Linux answered
 * @param model what the model answered
 * @returns whether it is the same, in whichever form the recording has it
 */
bool
Agrees(const Json& recorded, const Json& model)
{
    // The names of one error: which one a recording has is up to the program that made it.
    if (recorded == model || (recorded == "ENOTSUP" && model == "EOPNOTSUPP"))
    {
        return true;
    }
    if (recorded.is_object() && model.is_object())
    {
        // A recording may leave out part of a result, but not add to it.
        return !recorded.empty() &&
               std::all_of(recorded.items().begin(),
                           recorded.items().end(),
                           [&model](const auto& item) {
                               const std::string key = item.key() == "data" ? "hex" : item.key();
                               return model.contains(key) && Agrees(item.value(), model[key]);
                           });
    }
    if (recorded.is_array() && model.is_number())
    {
        // Features, as names.
        return Agrees(recorded, Json(TunFlagNames(model.get<uint32_t>())));
    }
    if (recorded.is_array() && model.is_array())
    {
        return std::multiset<Json>(recorded.begin(), recorded.end()) ==
               std::multiset<Json>(model.begin(), model.end());
    }
    if (model.is_object() && model.contains("hex"))
    {
        // A read, told by its length or its bytes alone.
        return recorded == model["length"] || recorded == model["hex"];
    }
    // An ioctl that gives a number may be recorded as a plain success.
    return recorded == "ok" && model.is_number();
}

/// A step, ready to be played.
struct PlannedStep
{
    std::string place;          //!< where it is in the file; empty: it has been left out there
    std::string op;             //!< what it does
    Json recorded;              //!< what Linux answered
    std::function<Json()> play; //!< plays it
};

/**
 * The steps that a recording left out where the numbers of its files have a gap.
 * @param steps the steps of the case
 * @param index the step that opens the file behind the gap
 * @returns the steps that are missing before it
 */
std::vector<Json>
LeftOut(const Json& steps, std::size_t index)
{
    auto number = [](const std::string& fd) {
        const auto digits = fd.find_last_not_of("0123456789") + 1;
        return digits < fd.size() && fd.size() - digits <= 9
                   ? std::make_pair(fd.substr(0, digits), std::stoll(fd.substr(digits)))
                   : std::make_pair(fd, -1LL);
    };
    std::vector<Json> missing;
    const auto [prefix, last] = number(steps[index]["fd"].get<std::string>());
    std::string model;
    long long first = -1;
    for (std::size_t i = 0; i < index; ++i)
    {
        if (steps[i]["op"] == "open")
        {
            const std::string fd = steps[i]["fd"].get<std::string>();
            const auto [thisPrefix, thisNumber] = number(fd);
            if (thisPrefix == prefix && thisNumber > first && thisNumber < last)
            {
                first = thisNumber;
                model = fd;
            }
        }
    }
    if (first < 0 || uint64_t(last - first) > MAX_GAP)
    {
        return missing;
    }
    for (long long n = first + 1; n < last; ++n)
    {
        for (std::size_t i = 0; i < index; ++i)
        {
            if (steps[i].contains("fd") && steps[i]["fd"] == model)
            {
                missing.push_back(steps[i]);
                missing.back()["fd"] = prefix + std::to_string(n);
            }
        }
    }
    return missing;
}

/**
 * @param player who plays it
 * @param steps the steps of a case
 * @param place where they are
 * @returns them, ready to be played
 */
std::vector<PlannedStep>
PlanCase(CasePlayer& player, const Json& steps, const std::string& place)
{
    std::vector<PlannedStep> plan;
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const std::string here = place + ".steps[" + std::to_string(i) + "]";
        const Json& step = steps[i];
        const Json& result = Member(step, "result", here);
        const std::string op = Text(step, "op", here);
        if (op == "open" && step.contains("fd") && step["fd"].is_string())
        {
            for (const Json& missing : LeftOut(steps, i))
            {
                plan.push_back({"", "", nullptr, player.Prepare(missing, here)});
            }
        }
        plan.push_back({here, op, result, player.Prepare(step, here)});
    }
    return plan;
}

/**
 * @param path the file
 * @param malformed what is wrong with it
 * @returns one line that says so
 */
std::string
Describe(const std::string& path, const Malformed& malformed)
{
    return path + (malformed.place.empty() ? "" : ": " + malformed.place) + ": expected " +
           malformed.wanted;
}

constexpr uint8_t PROTO_UDP = 17;

/// Size of the datagrams' UDP header.
constexpr uint32_t UDP_SIZE = 8;
/// Most bytes of a datagram that needs no fragments, over IPv4 and over IPv6.
constexpr uint32_t MAX_PAYLOAD = 1500 - 40 - UDP_SIZE;

/// What a host sends in one mode of a recording.
enum class Sent
{
    REPORT, //!< a multicast listener report of the host's own
    IPV4,   //!< the datagram over IPv4
    IPV6,   //!< the datagram over IPv6
};

/// A mode of a recording.
struct ReadMode
{
    std::string name;                             //!< its name
    bool tap;                                     //!< TAP, not TUN
    bool noPi;                                    //!< IFF_NO_PI
    bool vnetHeader;                              //!< IFF_VNET_HDR
    uint32_t vnetHeaderSize{TunVnetHeader::SIZE}; //!< TUNSETVNETHDRSZ
    uint32_t offloads{TUN_OFFLOAD_CSUM | TUN_OFFLOAD_TSO4 |
                      TUN_OFFLOAD_TSO6};     //!< TUNSETOFFLOAD, with a virtio-net header
    uint32_t bufferSize;                     //!< of each read
    uint32_t payload{16};                    //!< bytes of a datagram
    std::vector<Json> results;               //!< what each read gave
    std::vector<std::vector<uint8_t>> reads; //!< its bytes, none of one that failed
};

/**
 * @param json what is in the file
 * @returns the modes of the recording
 */
std::vector<ReadMode>
ParseModes(const Json& json)
{
    if (!json.is_object())
    {
        throw Malformed{"", "an object with a member for each mode"};
    }
    std::vector<ReadMode> modes;
    for (const auto& [name, value] : json.items())
    {
        ReadMode mode;
        mode.name = name;
        const std::string type = Text(value, "mode", name);
        if (type != "IFF_TUN" && type != "IFF_TAP")
        {
            throw Malformed{name + ".mode", "\"IFF_TUN\" or \"IFF_TAP\""};
        }
        mode.tap = type == "IFF_TAP";
        mode.noPi = Boolean(value, "no_pi", name);
        mode.vnetHeader = Boolean(value, "vnet_hdr", name);
        mode.bufferSize = Integer(value, "read_buffer_bytes", name, 0, MAX_IO);
        const auto optional = [&](const char* key, int64_t min, int64_t max, uint32_t* number) {
            *number = value.contains(key) ? Integer(value, key, name, min, max) : *number;
        };
        optional("vnet_hdr_bytes", TunVnetHeader::SIZE, MAX_HEADER, &mode.vnetHeaderSize);
        optional("offloads", 0, std::numeric_limits<uint16_t>::max(), &mode.offloads);
        optional("payload_bytes", 0, MAX_PAYLOAD, &mode.payload);
        const Json& reads = Array(value, "reads", name);
        for (std::size_t i = 0; i < reads.size(); ++i)
        {
            const std::string here = name + ".reads[" + std::to_string(i) + "]";
            std::vector<uint8_t> bytes;
            if (!reads[i].is_object() || !reads[i].contains("errno"))
            {
                bytes = Bytes(reads[i], "hex", here);
                if (Integer(reads[i], "length", here, 0, MAX_IO) != int64_t(bytes.size()))
                {
                    throw Malformed{here + ".length", "the number of bytes in hex"};
                }
            }
            mode.results.push_back(reads[i]);
            mode.reads.push_back(bytes);
        }
        modes.push_back(mode);
    }
    return modes;
}

/**
 * When the host's own reports went out, and the IPv4 identification that it drew.
 * @param mode a mode of a recording
 * @param[out] identification the IPv4 identification
 * @returns what is to be sent, in order
 */
std::vector<Sent>
FindOrder(const ReadMode& mode, uint16_t* identification)
{
    std::vector<Sent> order;
    bool seenIpv4 = false;
    bool seenIpv6 = false;
    const uint32_t link =
        (mode.noPi ? 0 : TUN_PI_SIZE) + (mode.vnetHeader ? mode.vnetHeaderSize : 0);
    const uint32_t network = link + (mode.tap ? ETHERNET_HEADER_LENGTH : 0);
    for (std::size_t i = 0; i < mode.reads.size(); ++i)
    {
        const auto& read = mode.reads[i];
        // Of reads that do not show what was sent, the two datagrams are the last.
        const bool isReport = read.size() > link ? read[link] == 0x33 : i + 2 < mode.reads.size();
        if (mode.tap && isReport)
        {
            order.push_back(Sent::REPORT);
        }
        else if (!seenIpv4)
        {
            seenIpv4 = true;
            order.push_back(Sent::IPV4);
            std::vector<uint8_t> start = read;
            start.resize(network + 6);
            *identification = ReadNetwork16(start.data() + network + 4);
        }
        else if (!seenIpv6)
        {
            seenIpv6 = true;
            order.push_back(Sent::IPV6);
        }
    }
    for (auto [seen, sent] :
         {std::make_pair(seenIpv4, Sent::IPV4), std::make_pair(seenIpv6, Sent::IPV6)})
    {
        if (!seen)
        {
            order.push_back(sent);
        }
    }
    return order;
}

/**
 * The report with which Linux joins the solicited-node group of 2001:db8:7::1, while it has no
 * address yet to send it from (RFC 3810, 5.2).
 * @returns the IPv6 packet
 */
std::vector<uint8_t>
ListenerReport()
{
    const std::vector<uint8_t> group = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 1};
    std::vector<uint8_t> packet = {0x60, 0, 0, 0, 0, 36, 0, 1};
    packet.resize(24);
    packet.insert(packet.end(), {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x16});
    // Hop-by-hop options: router alert, padding.
    packet.insert(packet.end(), {58, 0, 5, 2, 0, 0, 1, 0});
    const std::size_t icmp = packet.size();
    // One record: change to exclude mode, no sources.
    packet.insert(packet.end(), {143, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0});
    packet.insert(packet.end(), group.begin(), group.end());
    const uint32_t length = packet.size() - icmp;
    const uint64_t pseudo = PseudoHeaderSum(packet.data(), true, 58, length);
    WriteNetwork16(&packet[icmp + 2], ~ChecksumFold(ChecksumAdd(&packet[icmp], length, pseudo)));
    return packet;
}

/**
 * The datagram of a recording: port 5000 to port 9.
 * @param ipv6 whether it goes over IPv6
 * @param payload how many bytes it has
 * @param identification its IPv4 identification
 * @param[out] tag what Linux would know of its checksum
 * @returns the IP packet
 */
std::vector<uint8_t>
Datagram(bool ipv6, uint32_t payload, uint16_t identification, TunOffloadTag* tag)
{
    std::vector<uint8_t> packet;
    const uint16_t length = UDP_SIZE + payload;
    if (ipv6)
    {
        packet = {0x60, 0, 0, 0, 0, 0, PROTO_UDP, 64};
        WriteNetwork16(&packet[4], length);
        for (uint8_t last : {1, 2})
        {
            packet.insert(packet.end(), {0x20, 1, 0x0d, 0xb8, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0});
            packet.push_back(last);
        }
    }
    else
    {
        packet = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, PROTO_UDP, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2};
        WriteNetwork16(&packet[2], packet.size() + length);
        WriteNetwork16(&packet[4], identification);
        WriteNetwork16(&packet[10], ~ChecksumFold(ChecksumAdd(packet.data(), packet.size())));
    }
    const std::size_t udp = packet.size();
    packet.insert(packet.end(), {0x13, 0x88, 0, 9, 0, 0, 0, 0});
    WriteNetwork16(&packet[udp + 4], length);
    for (uint32_t i = 0; i < payload; ++i)
    {
        packet.push_back(i);
    }
    const uint64_t pseudo = PseudoHeaderSum(packet.data(), ipv6, PROTO_UDP, length);
    tag->needsChecksum = true;
    tag->checksumBack = length;
    tag->checksumOffset = 6;
    tag->partialSum = ChecksumFold(pseudo);
    tag->wholeSum = ~ChecksumFold(ChecksumAdd(&packet[udp], length, pseudo));
    WriteNetwork16(&packet[udp + 6], tag->wholeSum);
    return packet;
}

/**
 * Send one packet of a recording over a device.
 * @param device the device
 * @param sent which one
 * @param payload how many bytes a datagram has
 * @param identification its IPv4 identification
 */
void
SendRecorded(Ptr<TunNetDevice> device, Sent sent, uint32_t payload, uint16_t identification)
{
    TunOffloadTag tag;
    const std::vector<uint8_t> bytes =
        sent == Sent::REPORT ? ListenerReport()
                             : Datagram(sent == Sent::IPV6, payload, identification, &tag);
    Ptr<Packet> packet = BytesToPacket(bytes);
    packet->AddPacketTag(tag);
    Address destination = device->GetBroadcast();
    if (device->IsTap())
    {
        destination =
            Mac48Address(sent == Sent::REPORT ? "33:33:00:00:00:16" : "02:00:00:00:00:0d");
    }
    device->Send(packet, destination, sent == Sent::IPV4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6);
}

/**
 * Set a device up as a mode of a recording wants it, send, and read.
 * @param mode the mode
 * @param[in,out] report the comparison
 */
void
PlayMode(const ReadMode& mode, TunReplayReport* report)
{
    Ptr<Node> node = CreateObject<Node>();
    Ptr<TunFile> file = TunDriver::GetDriver(node)->Open();
    TunRequest request;
    request.flags = (mode.tap ? TUN_FLAG_TAP : TUN_FLAG_TUN) | (mode.noPi ? TUN_FLAG_NO_PI : 0) |
                    (mode.vnetHeader ? TUN_FLAG_VNET_HDR : 0);
    file->SetIff(request);
    if (mode.vnetHeader)
    {
        file->SetVnetHeaderSize(mode.vnetHeaderSize);
        file->SetOffload(mode.offloads);
    }
    Ptr<TunNetDevice> device = file->GetDevice();
    if (mode.tap)
    {
        file->SetHardwareAddress(Mac48Address("02:00:00:00:00:0c"));
    }
    device->SetUp(true);
    uint16_t identification = 0;
    for (Sent sent : FindOrder(mode, &identification))
    {
        SendRecorded(device, sent, mode.payload, identification);
    }
    for (std::size_t i = 0; i < mode.reads.size(); ++i)
    {
        const Json model = ReadJson(file->Read(mode.bufferSize));
        ++report->total;
        if (Agrees(mode.results[i], model))
        {
            ++report->right;
            continue;
        }
        report->differences.push_back(mode.name + ".reads[" + std::to_string(i) + "]: Linux " +
                                      Show(mode.results[i]) + ", model " + Show(model));
    }
    const TunReadResult rest = file->Read(mode.bufferSize);
    if (rest.result > 0)
    {
        ++report->total;
        report->differences.push_back(mode.name + ".reads: Linux ends here, model has " +
                                      Show(Hex(rest.data)));
    }
    file->Close();
}

} // namespace

TunReplayReport
ReplayTunAnswers(const std::string& path)
{
    TunReplayReport report;
    try
    {
        const Json json = Load(path);
        const Json& cases = Array(json, "cases", "");
        // The whole file is checked before anything is played.
        for (int pass = 0; pass < 2; ++pass)
        {
            for (std::size_t c = 0; c < cases.size(); ++c)
            {
                const std::string place = "cases[" + std::to_string(c) + "]";
                const std::string name = Text(cases[c], "name", place);
                CasePlayer player;
                const auto plan = PlanCase(player, Array(cases[c], "steps", place), place);
                auto play = [&plan, &report, &name]() {
                    for (const auto& step : plan)
                    {
                        const Json model = step.play();
                        if (step.place.empty())
                        {
                            continue;
                        }
                        ++report.total;
                        if (Agrees(step.recorded, model))
                        {
                            ++report.right;
                            continue;
                        }
                        report.differences.push_back(step.place + " (" + Show(name) + ") " +
                                                     step.op + ": Linux " + Show(step.recorded) +
                                                     ", model " + Show(model));
                    }
                };
                if (pass == 1)
                {
                    Simulator::ScheduleWithContext(player.GetNode()->GetId(), Time(0), play);
                    Simulator::Run();
                }
                Simulator::Destroy();
            }
        }
    }
    catch (const Malformed& malformed)
    {
        report = TunReplayReport();
        report.error = Describe(path, malformed);
        Simulator::Destroy();
    }
    return report;
}

TunReplayReport
ReplayTunReads(const std::string& path)
{
    TunReplayReport report;
    try
    {
        for (const auto& mode : ParseModes(Load(path)))
        {
            PlayMode(mode, &report);
        }
    }
    catch (const Malformed& malformed)
    {
        report = TunReplayReport();
        report.error = Describe(path, malformed);
    }
    Simulator::Destroy();
    return report;
}

} // namespace linuxhost
} // namespace ns3

#else // LINUX_HOST_HAVE_JSON

namespace ns3
{
namespace linuxhost
{

TunReplayReport
ReplayTunAnswers(const std::string& path)
{
    TunReplayReport report;
    report.error = path + ": this build has no JSON reader (nlohmann/json.hpp was not found)";
    return report;
}

TunReplayReport
ReplayTunReads(const std::string& path)
{
    return ReplayTunAnswers(path);
}

} // namespace linuxhost
} // namespace ns3

#endif // LINUX_HOST_HAVE_JSON
