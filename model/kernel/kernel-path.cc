/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kernel-path.h"

#include "kernel-lock.h"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// The path that is being recorded.
KernelPath* g_current = nullptr;

/**
 * @param amount a number
 * @returns it, without needless digits
 */
std::string
AmountText(double amount)
{
    std::ostringstream os;
    os << std::setprecision(6) << amount;
    return os.str();
}

/// A step as a line of --print-path.
struct PrintedStep
{
    std::string key;    //!< what makes two steps the same
    std::string symbol; //!< mode and symbol, up to WHAT_COLUMN or further
    std::string what;   //!< what is done
    std::string locks;  //!< `[` and the locks held, or nothing
    std::string note;   //!< the note
};

/// Columns of the mode, and of the mode and the symbol.
const int MODE_COLUMNS = 8;
const int WHAT_COLUMN = 35;

/**
 * @param path a path
 * @returns its steps as they are printed
 */
std::vector<PrintedStep>
PrintSteps(const KernelPath& path)
{
    std::vector<PrintedStep> printed;
    std::vector<std::string> held;
    for (const auto& step : path.GetSteps())
    {
        auto lock = DynamicCast<KernelLock>(step.primitive);
        if (lock && KernelLock::IsRelease(step.operation))
        {
            auto i = std::find(held.begin(), held.end(), lock->GetName());
            if (i != held.end())
            {
                held.erase(i);
            }
        }
        PrintedStep line;
        std::ostringstream os;
        os << std::left << std::setw(MODE_COLUMNS) << GetModeName(step.mode)
           << std::setw(WHAT_COLUMN - MODE_COLUMNS - 1) << step.symbol << " ";
        line.symbol = os.str();
        line.what = step.Describe();
        line.key = line.symbol + line.what;
        for (const auto& name : held)
        {
            line.locks += (line.locks.empty() ? "[" : ", ") + name;
        }
        line.note = step.note;
        printed.push_back(line);
        if (lock && KernelLock::IsAcquire(step.operation))
        {
            held.push_back(lock->GetName());
        }
    }
    return printed;
}

/**
 * Print a step in lines of at most 80 columns, as far as its words let it.
 * @param os the stream
 * @param head what the first line starts with
 * @param line the step
 */
void
PrintStep(std::ostream& os, const std::string& head, const PrintedStep& line)
{
    const std::size_t COLUMNS = 80;
    std::vector<std::string> parts = {line.what};
    if (!line.locks.empty())
    {
        parts.push_back(line.locks + "]");
    }
    if (!line.note.empty())
    {
        parts.push_back("# " + line.note);
    }
    // Further lines start where it says what is done.
    const std::string indent(head.size() + WHAT_COLUMN + 2, ' ');
    std::string text = head + line.symbol;
    std::size_t start = text.size();
    auto turn = [&](std::size_t more) {
        if (text.size() > start && text.size() + more > COLUMNS)
        {
            os << text << "\n";
            text = indent;
            start = text.size();
        }
    };
    for (const auto& part : parts)
    {
        turn(2 + part.size());
        const char* space = "  ";
        std::istringstream words(part);
        for (std::string word; words >> word; space = " ")
        {
            turn(std::strlen(space) + word.size());
            text += (text.size() > start ? space : "") + word;
        }
    }
    os << text << "\n";
}

} // namespace

std::string
GetModeName(CpuMode mode)
{
    static const char* const NAMES[N_CPU_MODES] = {"user", "system", "softirq", "spin", "idle"};
    return NAMES[static_cast<uint32_t>(mode)];
}

std::string
PathStep::Describe() const
{
    switch (kind)
    {
    case WORK:
        return "work " + AmountText(amount) + " instructions";
    case DELAY:
        return "work " + AmountText(amount) + " ns";
    case COPY:
        return "copy " + AmountText(amount) + " bytes";
    case CHECKSUM:
        return "checksum " + AmountText(amount) + " bytes";
    case READ:
        return "read " + field.GetName();
    case WRITE:
        return "write " + field.GetName();
    case RMW:
        return "rmw " + field.GetName();
    case PRIMITIVE:
        return primitive->GetOperationName(operation) + " " + primitive->GetName() + " (" +
               primitive->GetKind() + ")";
    case CALL:
        return "call";
    case LABEL:
        return symbol.empty() ? "label " + AmountText(amount) : "label";
    case JUMP:
        return symbol.empty() ? "jump " + AmountText(amount) : "jump there";
    case FRAME:
        return "frame done";
    }
    return "";
}

KernelPath::KernelPath(const std::string& name)
    : m_name(name),
      m_mode(CpuMode::SYSTEM)
{
}

const std::string&
KernelPath::GetName() const
{
    return m_name;
}

const std::vector<PathStep>&
KernelPath::GetSteps() const
{
    return m_steps;
}

std::vector<PathStep>&
KernelPath::GetSteps()
{
    return m_steps;
}

void
KernelPath::SetMode(CpuMode mode)
{
    m_mode = mode;
}

CpuMode
KernelPath::GetMode() const
{
    return m_mode;
}

PathStep&
KernelPath::Add(PathStep::Kind kind,
                const std::string& symbol,
                double amount,
                const std::string& note)
{
    PathStep step{};
    step.kind = kind;
    step.mode = m_mode;
    step.symbol = symbol;
    step.amount = amount;
    step.note = note;
    m_steps.push_back(step);
    return m_steps.back();
}

void
KernelPath::Work(const std::string& symbol, double instructions, const std::string& note)
{
    Add(PathStep::WORK, symbol, instructions, note);
}

void
KernelPath::Delay(const std::string& symbol, double ns, const std::string& note)
{
    Add(PathStep::DELAY, symbol, ns, note);
}

void
KernelPath::Copy(const std::string& symbol, double bytes, const std::string& note)
{
    Add(PathStep::COPY, symbol, bytes, note);
}

void
KernelPath::Checksum(const std::string& symbol, double bytes, const std::string& note)
{
    Add(PathStep::CHECKSUM, symbol, bytes, note);
}

void
KernelPath::Read(const LineField& field, const std::string& symbol, const std::string& note)
{
    Add(PathStep::READ, symbol, 0, note).field = field;
}

void
KernelPath::Write(const LineField& field, const std::string& symbol, const std::string& note)
{
    Add(PathStep::WRITE, symbol, 0, note).field = field;
}

void
KernelPath::Rmw(const LineField& field, const std::string& symbol, const std::string& note)
{
    Add(PathStep::RMW, symbol, 0, note).field = field;
}

void
KernelPath::Operate(Ptr<KernelPrimitive> primitive,
                    uint32_t operation,
                    const std::string& symbol,
                    const std::string& note,
                    double instructions)
{
    PathStep& step = Add(PathStep::PRIMITIVE, symbol, instructions, note);
    step.primitive = primitive;
    step.operation = operation;
}

void
KernelPath::Call(CallFunction call,
                 const std::string& symbol,
                 const std::string& note,
                 bool visible)
{
    PathStep& step = Add(PathStep::CALL, symbol, 0, note);
    step.call = call;
    step.visible = visible;
}

int32_t
KernelPath::NewLabel(const std::string& name)
{
    m_labels.push_back(name);
    return static_cast<int32_t>(m_labels.size()) - 1;
}

void
KernelPath::PlaceLabel(int32_t label)
{
    Add(PathStep::LABEL, m_labels.at(label), label, "");
}

void
KernelPath::Jump(int32_t label)
{
    Add(PathStep::JUMP, m_labels.at(label), label, "");
}

void
KernelPath::Frame()
{
    Add(PathStep::FRAME, "", 0, "");
}

void
KernelPath::Append(const KernelPath& other)
{
    m_steps.insert(m_steps.end(), other.m_steps.begin(), other.m_steps.end());
}

void
KernelPath::Print(std::ostream& os) const
{
    os << m_name << ":\n";
    uint32_t number = 0;
    for (const auto& line : PrintSteps(*this))
    {
        std::ostringstream head;
        head << std::setw(3) << ++number << " ";
        PrintStep(os, head.str(), line);
    }
}

void
KernelPath::PrintDifference(std::ostream& os, const KernelPath& before, const KernelPath& after)
{
    auto a = PrintSteps(before);
    auto b = PrintSteps(after);
    // Longest common subsequence; paths have some tens of steps.
    std::vector<std::vector<uint32_t>> common(a.size() + 1, std::vector<uint32_t>(b.size() + 1, 0));
    for (std::size_t i = a.size(); i-- > 0;)
    {
        for (std::size_t j = b.size(); j-- > 0;)
        {
            common[i][j] = a[i].key == b[j].key ? common[i + 1][j + 1] + 1
                                                : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    os << "--- " << before.GetName() << "\n+++ " << after.GetName() << "\n";
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size())
    {
        if (i < a.size() && j < b.size() && a[i].key == b[j].key)
        {
            PrintStep(os, "  ", b[j]);
            ++i;
            ++j;
        }
        else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1]))
        {
            PrintStep(os, "- ", a[i++]);
        }
        else
        {
            PrintStep(os, "+ ", b[j++]);
        }
    }
}

PathRecorder::PathRecorder(Ptr<KernelPath> path)
    : m_path(path),
      m_outer(g_current)
{
    g_current = PeekPointer(path);
}

PathRecorder::~PathRecorder()
{
    g_current = m_outer;
}

KernelPath*
PathRecorder::Current()
{
    return g_current;
}

} // namespace linuxhost
} // namespace ns3
