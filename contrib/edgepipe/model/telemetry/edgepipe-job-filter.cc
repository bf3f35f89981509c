/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/node.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

JobFilter::JobFilter(const ApplicationContainer& applications)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const auto application = DynamicCast<EdgeApplication>(*i);
        if (!application)
        {
            throw InputError("job: found a " + (*i)->GetInstanceTypeId().GetName() + " on node " +
                             std::to_string((*i)->GetNode()->GetId()) +
                             ", expected an EdgeApplication");
        }
        if (m_number && *m_number != application->GetJobNumber())
        {
            throw InputError("job: found applications of jobs " + std::to_string(*m_number) +
                             " and " + std::to_string(application->GetJobNumber()) +
                             ", expected what one Install returned");
        }
        m_number = application->GetJobNumber();
        m_nodes.insert(application->GetNode()->GetId());
    }
    if (m_nodes.empty())
    {
        throw InputError("job: found no applications, expected at least one");
    }
}

bool
JobFilter::Has(uint32_t job) const
{
    return !m_number || job == *m_number;
}

bool
JobFilter::Has(const Message& message) const
{
    return !m_number || (TensorSocket::GetJob(message.port) == *m_number &&
                         m_nodes.count(message.from) && m_nodes.count(message.to));
}

const std::set<uint32_t>&
JobFilter::GetNodes() const
{
    return m_nodes;
}

} // namespace edgepipe
} // namespace ns3
