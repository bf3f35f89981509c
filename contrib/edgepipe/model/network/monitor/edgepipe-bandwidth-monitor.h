/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BANDWIDTH_MONITOR_H
#define EDGEPIPE_BANDWIDTH_MONITOR_H

#include "ns3/callback.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ns3::edgepipe
{

class MediumUse;

/**
 * @ingroup edgepipe
 *
 * Estimates the bandwidth between two devices.
 *
 * Select one with FindByName<BandwidthMonitor>: `oracle`, `probe` or `passive`.
 */
class BandwidthMonitor : public Typed<BandwidthMonitor, Object>
{
  public:
    /// First port of monitors.
    static constexpr uint16_t MONITOR_PORT = TensorTransport::MONITOR_PORT;

    /// Rate that a lone transfer from one device to another would get at present, payload bit/s.
    using Capacity = std::function<double(uint32_t from, uint32_t to)>;

    /// Called with the estimates of uplink and downlink when one has changed, payload bit/s, > 0.
    using ChangedCallback = Callback<void, double /* uplink */, double /* downlink */>;

    /** Where a monitor listens. */
    struct Place
    {
        uint32_t device;                //!< index of the monitoring device
        uint32_t server;                //!< index of the other end
        Ptr<TensorTransport> transport; //!< between them
        Capacity capacity;              //!< used only by the oracle
        uint16_t port{0};               //!< at both ends; 0: one that the transport has left
    };

    /**
     * @param name of a monitor, see FindByName
     * @param capacity of Place
     * @return the monitor, which can be started there
     * @throws InputError if there is no such monitor, or it needs a capacity and there is none
     */
    static Ptr<BandwidthMonitor> Find(const std::string& name, const Capacity& capacity);

    /**
     * Start monitoring; call once. The monitor alone uses Place::port at both ends.
     *
     * @param place the ends, and what is between them
     * @param uplinkBitsPerSecond initial estimate, > 0
     * @param downlinkBitsPerSecond initial estimate, > 0
     * @param changed called with every new estimate
     */
    void Start(const Place& place,
               double uplinkBitsPerSecond,
               double downlinkBitsPerSecond,
               ChangedCallback changed);

    /** Update the estimates now, if that needs no traffic. */
    virtual void Refresh()
    {
    }

    /** Stop monitoring. */
    void Stop();

    /**
     * Transfers between the ends share links with others that belong to the same plan. Estimates
     * remain those for a lone transfer, as far as the monitor measures these transfers.
     *
     * @param uplink how many times as long those from the device take as alone, >= 1
     * @param downlink the same of those to the device
     */
    void SetSlowdown(double uplink, double downlink)
    {
        m_uplinkSlowdown = uplink;
        m_downlinkSlowdown = downlink;
    }

    /**
     * All transfers of the training share one medium, and whoever uses the estimates knows that.
     * They remain those for a lone transfer; call before Start.
     *
     * @param medium what the training's monitors know of it
     */
    void SetMedium(std::shared_ptr<MediumUse> medium)
    {
        m_medium = std::move(medium);
    }

    /** @return the estimate, payload bit/s, > 0 */
    double GetUplinkBitsPerSecond() const
    {
        return m_uplinkBitsPerSecond;
    }

    /** @return the estimate, payload bit/s, > 0 */
    double GetDownlinkBitsPerSecond() const
    {
        return m_downlinkBitsPerSecond;
    }

    /**
     * @return whether the estimates are measured on transfers, which share the network with others;
     *         false: they are for a lone transfer, by Place::capacity, which must then be set
     */
    virtual bool IsMeasured() const
    {
        return true;
    }

    /** @return the short name users select the monitor by */
    virtual std::string GetName() const = 0;

  protected:
    void DoDispose() override;

    /** @return where it listens */
    const Place& GetPlace() const
    {
        return m_place;
    }

    /**
     * @param isUp from the device
     * @return see SetSlowdown
     */
    double GetSlowdown(bool isUp) const
    {
        return isUp ? m_uplinkSlowdown : m_downlinkSlowdown;
    }

    /** @return see SetMedium; null: none */
    MediumUse* GetMedium() const
    {
        return m_medium.get();
    }

    /**
     * @param period of probes
     * @return part of it by which the first one waits: few devices have nearly the same
     */
    Time GetPhase(const Time& period) const;

    /**
     * Store the estimates and call back if one has changed.
     *
     * @param uplinkBitsPerSecond of the uplink; as before unless > 0
     * @param downlinkBitsPerSecond of the downlink; as before unless > 0
     */
    void SetEstimate(double uplinkBitsPerSecond, double downlinkBitsPerSecond);

  private:
    /** Start monitoring. */
    virtual void DoStart() = 0;
    /** Stop monitoring; may be called twice. */
    virtual void DoStop() = 0;

    std::shared_ptr<MediumUse> m_medium; //!< see SetMedium
    Place m_place;                       //!< where it listens
    double m_uplinkSlowdown{1};          //!< see SetSlowdown
    double m_downlinkSlowdown{1};        //!< see SetSlowdown
    double m_uplinkBitsPerSecond{0};     //!< estimate
    double m_downlinkBitsPerSecond{0};   //!< estimate
    ChangedCallback m_changed;           //!< called with new estimates
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_BANDWIDTH_MONITOR_H */
