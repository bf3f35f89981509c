/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-grants.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

bool
FlowGrants::IsUsed() const
{
    return m_isUsed;
}

void
FlowGrants::Expect(const FlowRoute& route)
{
    m_isUsed = m_isUsed || route.requestSeconds > 0;
}

void
FlowGrants::Notice(uint32_t node, double seconds, double lasted, double answers)
{
    if (answers > 0)
    {
        m_answers[node] = {seconds, lasted, answers};
    }
}

double
FlowGrants::GetWaitedSeconds(uint32_t node,
                             const FlowRoute& route,
                             double bytes,
                             double seconds) const
{
    const auto found = route.requestSeconds == 0 ? m_answers.end() : m_answers.find(node);
    if (found == m_answers.end())
    {
        return 0;
    }
    const Answers& answers = found->second;
    const double since = seconds - answers.end;
    // What does not fit is asked for anew.
    const bool isGranted =
        since < route.requestSeconds && bytes <= answers.count * route.grantBytes;
    return isGranted ? std::min(route.requestSeconds, since + answers.lasted) : 0;
}

} // namespace edgepipe
} // namespace ns3
