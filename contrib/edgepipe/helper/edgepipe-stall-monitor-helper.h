/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STALL_MONITOR_HELPER_H
#define EDGEPIPE_STALL_MONITOR_HELPER_H

#include "ns3/attribute.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Ends a simulation that makes no more progress, and reports what applications wait for: watches
 * the processors, the transport and the applications of nodes.
 */
class StallMonitorHelper
{
  public:
    StallMonitorHelper()
    {
        m_factory.SetTypeId(StallMonitor::GetTypeId());
    }

    /**
     * @param name of an attribute of StallMonitor
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value)
    {
        m_factory.Set(name, value);
    }

    /**
     * Watch nodes from now on.
     *
     * @param nodes edge devices of one transport, all applications installed
     * @return the monitor; its trace source Stalled gives the reasons
     * @throws InputError if a node is no edge device, has no transport or another one than the
     *         first
     */
    Ptr<StallMonitor> Install(const NodeContainer& nodes) const;

  private:
    ObjectFactory m_factory; //!< makes monitors
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STALL_MONITOR_HELPER_H */
