/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUXHOST_PY_GLUE_H
#define LINUXHOST_PY_GLUE_H

// What the Python bindings add to ns-3, compiled by cppyy when they are loaded (python/linuxhost/
// ns.py). C++ never holds a Python object: it holds a number, and Python keeps what the number
// stands for until C++ has let go of it.

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{
// A signature's names are looked up there, also when no header of the pack has been read.
namespace linuxhost
{
} // namespace linuxhost
} // namespace ns3

namespace linuxhost_py
{

// Calls what a number stands for; the second argument is the address of the arguments.
using Invoker = int64_t (*)(uint64_t, uint64_t);
inline Invoker g_invoker = nullptr;

// Numbers that C++ has let go of. Never freed: static objects let go of numbers at the very end.
inline std::vector<uint64_t>* g_released = new std::vector<uint64_t>;

inline void
SetInvoker(uint64_t address)
{
    g_invoker = reinterpret_cast<Invoker>(address);
}

inline int64_t
Invoke(uint64_t id, uint64_t arguments)
{
    // After Python's end nobody answers.
    return g_invoker ? g_invoker(id, arguments) : 0;
}

inline std::vector<uint64_t>
TakeReleased()
{
    std::vector<uint64_t> taken;
    taken.swap(*g_released);
    return taken;
}

// A Python function, as C++ holds it.
struct Held
{
    uint64_t id;

    explicit Held(uint64_t number)
        : id(number)
    {
    }

    ~Held()
    {
        g_released->push_back(id);
    }

    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
};

// Constructed in Python, as CreateObject() would have.
template <class T>
ns3::Ptr<T>
HoldObject(T* object)
{
    return ns3::CompleteConstruct(object);
}

// Constructed in Python, as Create() would have.
template <class T>
ns3::Ptr<T>
HoldCounted(T* object)
{
    return ns3::Ptr<T>(object, false);
}

inline ns3::EventId
Schedule(const ns3::Time& delay, uint64_t id)
{
    auto held = std::make_shared<Held>(id);
    return ns3::Simulator::Schedule(delay, [held]() { Invoke(held->id, 0); });
}

inline void
ScheduleWithContext(uint32_t context, const ns3::Time& delay, uint64_t id)
{
    auto held = std::make_shared<Held>(id);
    ns3::Simulator::ScheduleWithContext(context, delay, [held]() { Invoke(held->id, 0); });
}

// What ConvertTo() of an address does, which ns-3.37 keeps to itself.
template <class T>
ns3::Address
ToAddress(const T& address)
{
    return address;
}

inline ns3::Ptr<ns3::Packet>
MakePacket(const std::string& data)
{
    return ns3::Create<ns3::Packet>(reinterpret_cast<const uint8_t*>(data.data()),
                                    static_cast<uint32_t>(data.size()));
}

// Copies a packet's bytes to where Python has room for them.
inline void
CopyPacket(const ns3::Packet& packet, uint64_t address)
{
    packet.CopyData(reinterpret_cast<uint8_t*>(address), packet.GetSize());
}

// How an argument is kept for Python: a copy, or, of what cannot be copied, where it is.
template <class A, bool = std::is_copy_constructible<std::decay_t<A>>::value>
struct Keep
{
    using Type = std::decay_t<A>;

    static Type From(const Type& value)
    {
        return value;
    }
};

template <class A>
struct Keep<A, false>
{
    using Type = std::decay_t<A>*;

    static Type From(const std::decay_t<A>& value)
    {
        return const_cast<Type>(&value);
    }
};

template <class F>
struct Signature;

template <class R, class... A>
struct Signature<R (*)(A...)>
{
    using Row = std::tuple<typename Keep<A>::Type...>;
    static constexpr std::size_t COUNT = sizeof...(A);

    // A callback that calls a Python function.
    static ns3::Callback<R, A...> Make(uint64_t id)
    {
        auto held = std::make_shared<Held>(id);
        return ns3::Callback<R, A...>([held](A... arguments) -> R {
            auto row = Row(Keep<A>::From(arguments)...);
            int64_t answer = Invoke(held->id, reinterpret_cast<uint64_t>(&row));
            if constexpr (!std::is_void<R>::value)
            {
                return static_cast<R>(answer);
            }
            else
            {
                static_cast<void>(answer);
            }
        });
    }

    template <std::size_t I>
    static std::tuple_element_t<I, Row> Get(uint64_t row)
    {
        return std::get<I>(*reinterpret_cast<const Row*>(row));
    }
};

template <class R, class... A>
struct Signature<R(A...)> : public Signature<R (*)(A...)>
{
};

// What a trace source has said, until Python asks for it.
template <class F>
class Log
{
  public:
    using Row = typename Signature<F>::Row;

    Log()
        : m_rows(std::make_shared<Rows>())
    {
    }

    bool Connect(ns3::ObjectBase* object, const std::string& name)
    {
        return object->TraceConnectWithoutContext(name,
                                                  Sink(static_cast<std::decay_t<F>>(nullptr)));
    }

    // Whether the simulation stops at the next record.
    void SetStop(bool stop)
    {
        m_rows->stop = stop;
    }

    std::size_t Size() const
    {
        return m_rows->rows.size();
    }

    int64_t TimeStep(std::size_t i) const
    {
        return m_rows->rows[i].first;
    }

    uint64_t Address(std::size_t i) const
    {
        return reinterpret_cast<uint64_t>(&m_rows->rows[i].second);
    }

    void Clear()
    {
        m_rows->rows.clear();
    }

  private:
    struct Rows
    {
        std::deque<std::pair<int64_t, Row>> rows;
        bool stop = false;
    };

    template <class R, class... A>
    ns3::CallbackBase Sink(R (*)(A...))
    {
        // The source may outlive the log, and the log the source.
        std::weak_ptr<Rows> log = m_rows;
        return ns3::Callback<R, A...>([log](A... arguments) {
            if (auto rows = log.lock())
            {
                rows->rows.emplace_back(ns3::Simulator::Now().GetTimeStep(),
                                        Row(Keep<A>::From(arguments)...));
                if (rows->stop)
                {
                    ns3::Simulator::Stop();
                }
            }
        });
    }

    std::shared_ptr<Rows> m_rows;
};

} // namespace linuxhost_py

#endif /* LINUXHOST_PY_GLUE_H */
