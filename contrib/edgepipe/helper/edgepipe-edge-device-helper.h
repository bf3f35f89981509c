/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EDGE_DEVICE_HELPER_H
#define EDGEPIPE_EDGE_DEVICE_HELPER_H

#include "ns3/attribute.h"
#include "ns3/edgepipe-device-spec.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Makes nodes edge devices: aggregates EdgeDevice, ComputeDevice and MemoryLedger to them.
 *
 * A device's name is that of its node in ns3::Names, or else its type and the number of its node,
 * such as "raspberry-pi-5-3".
 */
class EdgeDeviceHelper
{
  public:
    /**
     * @param type a file's path or a name in the folder `devices` of the traces folder, such as
     *        "raspberry-pi-5"
     * @throws InputError for an unknown type or a malformed file
     */
    explicit EdgeDeviceHelper(const std::string& type);

    /** @param spec what the devices can do */
    explicit EdgeDeviceHelper(DeviceSpec spec);

    /**
     * @param name of an attribute of ComputeDevice
     * @param value its value
     */
    void SetComputeAttribute(const std::string& name, const AttributeValue& value)
    {
        m_compute.Set(name, value);
    }

    /**
     * @param name of an attribute of MemoryLedger
     * @param value its value
     */
    void SetMemoryAttribute(const std::string& name, const AttributeValue& value)
    {
        m_memory.Set(name, value);
    }

    /**
     * @param nodes that become edge devices
     * @throws InputError if any already is one
     */
    void Install(const NodeContainer& nodes) const;

    /**
     * @param node that becomes an edge device
     * @param name of the device
     * @throws InputError if it already is one
     */
    void Install(const Ptr<Node>& node, const std::string& name) const;

  private:
    DeviceSpec m_spec;       //!< what the devices can do
    ObjectFactory m_compute; //!< makes processors
    ObjectFactory m_memory;  //!< makes ledgers
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_EDGE_DEVICE_HELPER_H */
