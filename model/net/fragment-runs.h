/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FRAGMENT_RUNS_H
#define FRAGMENT_RUNS_H

#include <algorithm>
#include <cstdint>
#include <map>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What is there of a fragmented datagram, and whether a further fragment fits
 * (inet_frag_queue_insert of Linux 5.0 and later, the same for IPv4 and IPv6).
 *
 * Fragments that came in order are one run. One that lies within a run is a duplicate and does no
 * harm; any other overlap makes the whole datagram suspect, and so does a fragment that is empty or
 * that disagrees about where the end is. Runs that touch are not joined when the gap between them
 * is filled.
 */
class FragmentRuns
{
  public:
    /// What becomes of a fragment.
    enum Verdict
    {
        TAKEN,     //!< it is part of the datagram now
        DUPLICATE, //!< what it holds is there already
        WRONG,     //!< the datagram is to be discarded
    };

    /**
     * @param offset of the fragment's first byte
     * @param end of its last byte, plus 1
     * @param more whether others follow it
     * @returns what becomes of it
     */
    Verdict Insert(uint32_t offset, uint32_t end, bool more)
    {
        if (more ? m_lastSeen && end > m_end : end < m_end || (m_lastSeen && end != m_end))
        {
            return WRONG;
        }
        m_end = std::max(m_end, end);
        m_lastSeen = m_lastSeen || !more;
        if (end == offset)
        {
            return WRONG;
        }
        const Verdict verdict = InsertRun(offset, end);
        m_have += verdict == TAKEN ? end - offset : 0;
        return verdict;
    }

    /// @returns whether nothing is missing
    bool IsWhole() const
    {
        return m_lastSeen && m_have == m_end;
    }

    /// @returns the farthest end seen
    uint32_t GetEnd() const
    {
        return m_end;
    }

  private:
    /**
     * @param offset of the fragment's first byte
     * @param end of its last byte, plus 1; more than offset
     * @returns what becomes of it
     */
    Verdict InsertRun(uint32_t offset, uint32_t end)
    {
        if (!m_runs.empty() && m_runs.rbegin()->second < end)
        {
            uint32_t& last = m_runs.rbegin()->second;
            if (offset < last)
            {
                return WRONG;
            }
            if (offset == last)
            {
                last = end;
                return TAKEN;
            }
        }
        for (const auto& run : m_runs)
        {
            if (end > run.first && offset < run.second)
            {
                return offset >= run.first && end <= run.second ? DUPLICATE : WRONG;
            }
        }
        m_runs[offset] = end;
        return TAKEN;
    }

    std::map<uint32_t, uint32_t> m_runs; //!< end of each run, by its start
    uint32_t m_end{0};                   //!< the farthest end seen
    uint32_t m_have{0};                  //!< bytes there
    bool m_lastSeen{false};              //!< whether the end is the datagram's
};

/**
 * @ingroup linux-host
 * The ECN marks on the fragments of a datagram, and the whole's (ip_frag_ecn_table).
 */
class FragmentMarks
{
  public:
    /// @param octet a fragment's type of service or traffic class
    void Add(uint8_t octet)
    {
        m_seen |= 1 << (octet & CE);
    }

    /// @returns whether an honest sender may have sent them: not both with and without ECN
    bool IsSound() const
    {
        return !(m_seen & 1) || m_seen == 1;
    }

    /**
     * @param octet the first fragment's
     * @returns the whole's: congestion that a fragment met, the whole has met (RFC 3168, 5.3)
     */
    uint8_t Apply(uint8_t octet) const
    {
        return m_seen & (1 << CE) ? octet | CE : octet;
    }

  private:
    static constexpr uint8_t CE = 3; //!< congestion experienced
    uint8_t m_seen{0};               //!< a bit for each mark seen
};

} // namespace linuxhost
} // namespace ns3

#endif /* FRAGMENT_RUNS_H */
