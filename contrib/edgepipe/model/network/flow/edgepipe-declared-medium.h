/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DECLARED_MEDIUM_H
#define EDGEPIPE_DECLARED_MEDIUM_H

#include "ns3/data-rate.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/net-device-container.h"
#include "ns3/nstime.h"

#include <map>

namespace ns3::edgepipe
{

/** What the user knows of devices that reach each other in a way no FlowMedium reads. */
struct DeclaredCapacity
{
    DataRate rate;       //!< of IP packets
    Time delay;          //!< one way
    bool isShared{true}; //!< whether all devices share the rate, or each sends at it
};

/**
 * @ingroup edgepipe
 *
 * Devices whose capacity the user has declared, such as those of a mesh.
 */
class DeclaredMedium : public FlowMedium
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * @param devices that reach each other
     * @param capacity by which
     */
    void Declare(const NetDeviceContainer& devices, const DeclaredCapacity& capacity);

    Ptr<Object> FindKey(const FlowHop& hop) const override;
    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override;

  private:
    NetDeviceContainer m_devices;               //!< that reach each other
    DeclaredCapacity m_capacity;                //!< of the devices
    std::map<Ptr<NetDevice>, uint32_t> m_links; //!< by device, once they are crossed
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DECLARED_MEDIUM_H */
