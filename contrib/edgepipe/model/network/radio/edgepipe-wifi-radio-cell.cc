/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-radio-cell.h"

#include "ns3/edgepipe-wifi-capacity.h"

#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** A Wi-Fi cell: one medium, on which every byte counts alike. */
class WifiRadioCell : public RadioCell
{
  public:
    /** @param capacity of the cell */
    explicit WifiRadioCell(WifiCapacity capacity)
        : m_capacity(std::move(capacity))
    {
    }

    bool IsDuplex() const override
    {
        return false;
    }

    uint32_t GetMostFlows() const override
    {
        return 8; // more have not been measured; by packets, 32 get as much
    }

    double GetSecondsPerByte(double distanceMeters, RadioDirection /* direction */) const override
    {
        return m_capacity.GetSecondsPerByte(distanceMeters);
    }

    double GetEfficiency(uint32_t activeFlows,
                         double distanceMeters,
                         RadioDirection /* direction */) const override
    {
        return m_capacity.GetEfficiency(activeFlows, distanceMeters);
    }

    double GetAccessSeconds(double distanceMeters, RadioDirection /* direction */) const override
    {
        return m_capacity.GetAccessSeconds(distanceMeters);
    }

    LinkCrossing GetCrossing(double distanceMeters, RadioDirection /* direction */) const override
    {
        return m_capacity.GetCrossing(distanceMeters);
    }

  private:
    WifiCapacity m_capacity; //!< of the cell
};

} // namespace

std::shared_ptr<const RadioCell>
MakeWifiRadioCell(const WifiCell& cell, const std::string& tablePath)
{
    return std::make_shared<WifiRadioCell>(WifiCapacity(cell, tablePath));
}

} // namespace edgepipe
} // namespace ns3
