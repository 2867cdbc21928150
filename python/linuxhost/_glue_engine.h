/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUXHOST_PY_GLUE_ENGINE_H
#define LINUXHOST_PY_GLUE_ENGINE_H

// What the bindings add to machines and paths; compiled when a path first gets a Python function,
// or is first played.

#include "ns3/kernel-path.h"
#include "ns3/patch-scenario.h"

#include <map>
#include <sstream>
#include <string>

namespace linuxhost_py
{

// A step that calls a Python function, with the address of its moment.
inline void
PathCall(ns3::linuxhost::KernelPath& path,
         uint64_t id,
         const std::string& symbol,
         const std::string& note,
         bool visible)
{
    auto held = std::make_shared<Held>(id);
    path.Call(
        [held](ns3::linuxhost::CallMoment& moment) {
            Invoke(held->id, reinterpret_cast<uint64_t>(&moment));
        },
        symbol,
        note,
        visible);
}

inline ns3::linuxhost::CallMoment*
Moment(uint64_t address)
{
    return reinterpret_cast<ns3::linuxhost::CallMoment*>(address);
}

inline void
SetEditor(ns3::linuxhost::PatchScenario& scenario, uint64_t id)
{
    auto held = std::make_shared<Held>(id);
    scenario.SetPathEditor([held](ns3::linuxhost::KernelPath& path) {
        // A counted pointer: Python may keep the path.
        ns3::Ptr<ns3::linuxhost::KernelPath> kept(&path);
        Invoke(held->id, reinterpret_cast<uint64_t>(&kept));
    });
}

inline ns3::Ptr<ns3::linuxhost::KernelPath>
Path(uint64_t address)
{
    return *reinterpret_cast<ns3::Ptr<ns3::linuxhost::KernelPath>*>(address);
}

inline std::string
PathText(const ns3::linuxhost::KernelPath& path)
{
    std::ostringstream text;
    path.Print(text);
    return text.str();
}

inline std::string
PathDifference(const ns3::linuxhost::KernelPath& before, const ns3::linuxhost::KernelPath& after)
{
    std::ostringstream text;
    ns3::linuxhost::KernelPath::PrintDifference(text, before, after);
    return text.str();
}

inline std::string
RunToJson(ns3::linuxhost::PatchScenario& scenario)
{
    std::ostringstream text;
    scenario.Run().WriteJson(text);
    return text.str();
}

// Paths that a user has composed, each pinned to a CPU.
class ComposedScenario : public ns3::linuxhost::PatchScenario
{
  public:
    ComposedScenario(const std::string& name, const std::string& variant)
        : m_name(name),
          m_variant(variant)
    {
    }

    void AddTask(uint32_t cpu, ns3::Ptr<ns3::linuxhost::KernelPath> path)
    {
        m_paths[cpu] = path;
    }

    std::string GetName() const override
    {
        return m_name;
    }

    std::string GetVariant() const override
    {
        return m_variant;
    }

    ns3::Ptr<ns3::linuxhost::KernelPath> GetPath() override
    {
        return m_paths.empty() ? nullptr : m_paths.begin()->second;
    }

  protected:
    void Build(ns3::Ptr<ns3::linuxhost::CpuEngine> engine) override
    {
        for (const auto& [cpu, path] : m_paths)
        {
            engine->AddTask(cpu, path);
        }
    }

    void Complete(ns3::linuxhost::ScenarioResult& result) override
    {
        result.AddNumber("cpus", static_cast<double>(m_paths.size()));
    }

    void DoDispose() override
    {
        m_paths.clear();
        ns3::linuxhost::PatchScenario::DoDispose();
    }

  private:
    std::string m_name;
    std::string m_variant;
    std::map<uint32_t, ns3::Ptr<ns3::linuxhost::KernelPath>> m_paths;
};

inline ns3::Ptr<ComposedScenario>
Compose(const std::string& name, const std::string& variant)
{
    return ns3::CompleteConstruct(new ComposedScenario(name, variant));
}

} // namespace linuxhost_py

#endif /* LINUXHOST_PY_GLUE_ENGINE_H */
