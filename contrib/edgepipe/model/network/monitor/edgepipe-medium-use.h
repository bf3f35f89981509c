/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MEDIUM_USE_H
#define EDGEPIPE_MEDIUM_USE_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace ns3::edgepipe
{

/**
 * How much of a medium each of a training's transfers has had, which share it equally. A device
 * hears the others on its medium.
 */
class MediumUse
{
  public:
    /**
     * A transfer begins.
     * @param id its number; known ones count once
     */
    void Begin(uint64_t id)
    {
        Advance();
        m_active.insert(id);
    }

    /**
     * A transfer ends.
     * @param id its number
     */
    void End(uint64_t id)
    {
        Advance();
        m_active.erase(id);
    }

    /** @return time in which a transfer alone would have got what one has got so far, s */
    double GetSeconds()
    {
        Advance();
        return m_seconds;
    }

  private:
    /** Count the time since the last call. */
    void Advance()
    {
        const Time now = Simulator::Now();
        m_seconds += (now - m_last).GetSeconds() / std::max<std::size_t>(1, m_active.size());
        m_last = now;
    }

    std::set<uint64_t> m_active; //!< transfers under way
    Time m_last;                 //!< time up to which m_seconds counts
    double m_seconds{0};         //!< see GetSeconds
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MEDIUM_USE_H */
