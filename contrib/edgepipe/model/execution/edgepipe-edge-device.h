/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EDGE_DEVICE_H
#define EDGEPIPE_EDGE_DEVICE_H

#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/node.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The device type of a node; EdgeDeviceHelper aggregates it to the node, beside the ComputeDevice
 * and the MemoryLedger that model its processor and its memory.
 */
class EdgeDevice : public Typed<EdgeDevice, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /** @param spec what a device of this type can do */
    void SetSpec(DeviceSpec spec);

    /** @return what a device of this type can do */
    const DeviceSpec& GetSpec() const
    {
        return m_spec;
    }

    /** @return its name, unique among devices that work together */
    const std::string& GetName() const
    {
        return m_name;
    }

    /**
     * @param node id of any node
     * @return its name: that of its device, or else "node" and the id
     */
    static std::string NameNode(uint32_t node);

  private:
    std::string m_name;  //!< unique among devices that work together
    DeviceSpec m_spec{}; //!< what it can do
};

/**
 * @tparam T EdgeDevice, ComputeDevice or MemoryLedger
 * @param node a node
 * @return what EdgeDeviceHelper has aggregated to it
 * @throws InputError if there is none
 */
template <typename T>
Ptr<T>
GetFromDevice(const Ptr<Node>& node)
{
    const auto found = node->GetObject<T>();
    if (!found)
    {
        throw InputError("node " + std::to_string(node->GetId()) +
                         " is no edge device, expected EdgeDeviceHelper::Install before");
    }
    return found;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_EDGE_DEVICE_H */
