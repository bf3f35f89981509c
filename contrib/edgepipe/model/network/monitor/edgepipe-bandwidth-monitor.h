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
#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Knows what bandwidth there is between two devices, by whatever means.
 *
 * Select one with FindByName<BandwidthMonitor>: `oracle`, `probe` or `passive`.
 */
class BandwidthMonitor : public Typed<BandwidthMonitor, Object>
{
  public:
    /// No port below is any monitor's.
    static constexpr uint16_t MONITOR_PORT = TensorTransport::MONITOR_PORT;

    /// What a lone transfer from a device to another would get at present, payload bit/s.
    using Capacity = std::function<double(uint32_t from, uint32_t to)>;

    /// Told that an estimate has changed: the uplink's and the downlink's, payload bit/s, > 0.
    using ChangedCallback = Callback<void, double /* uplink */, double /* downlink */>;

    /** Where a monitor listens. */
    struct Place
    {
        uint32_t device;                //!< index of the device that wants to know
        uint32_t server;                //!< index of the other end
        Ptr<TensorTransport> transport; //!< between them
        Capacity capacity;              //!< for the oracle alone
        uint16_t port{0};               //!< at both ends; 0: whichever the transport has left
    };

    static constexpr const char* TYPE = "ns3::edgepipe::BandwidthMonitor"; //!< see Typed

    /**
     * @param name of a monitor, see FindByName
     * @param capacity of Place
     * @return the monitor, which can be started there
     * @throws InputError if there is no such monitor, or it needs a capacity and there is none
     */
    static Ptr<BandwidthMonitor> Find(const std::string& name, const Capacity& capacity);

    /**
     * Begin to watch; to be called once. Place::port of both ends is the monitor's.
     *
     * @param place where
     * @param uplinkBitsPerSecond estimate to begin with, > 0
     * @param downlinkBitsPerSecond estimate to begin with, > 0
     * @param changed told of every new estimate
     */
    void Start(const Place& place,
               double uplinkBitsPerSecond,
               double downlinkBitsPerSecond,
               ChangedCallback changed);

    /** Look again now, if that sends nothing. */
    virtual void Refresh()
    {
    }

    /** Stop watching. */
    void Stop();

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
     * @return whether the estimates are what one's own transfers got, beside those of others;
     * false: what a lone transfer would get, by the capacity that Place has to have then
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
     * Tell of an estimate, if it is a new one.
     *
     * @param uplinkBitsPerSecond of the uplink; as before unless > 0
     * @param downlinkBitsPerSecond of the downlink; as before unless > 0
     */
    void SetEstimate(double uplinkBitsPerSecond, double downlinkBitsPerSecond);

  private:
    /** Begin to watch. */
    virtual void DoStart() = 0;
    /** Stop watching; may be called twice. */
    virtual void DoStop() = 0;

    Place m_place;                     //!< where it listens
    double m_uplinkBitsPerSecond{0};   //!< estimate
    double m_downlinkBitsPerSecond{0}; //!< estimate
    ChangedCallback m_changed;         //!< told of new estimates
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_BANDWIDTH_MONITOR_H */
