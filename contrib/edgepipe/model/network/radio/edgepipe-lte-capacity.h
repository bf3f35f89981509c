/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LTE_CAPACITY_H
#define EDGEPIPE_LTE_CAPACITY_H

#include "ns3/edgepipe-radio-cell.h"

#include <cstdint>
#include <map>

namespace ns3::edgepipe
{

/** Powers and losses of an LTE cell, the same at flow and packet level. */
struct LteRadio
{
    /// Of the base station, dBm: 3GPP TR 36.814, table A.2.1.1-2, for carriers up to 5 MHz.
    static constexpr double BASE_STATION_DBM = 43;
    /// Of a device, dBm: power class 3 of 3GPP TS 36.101.
    static constexpr double DEVICE_DBM = 23;
    /// Noise figure of the base station's receiver, dB: ns-3's default.
    static constexpr double BASE_STATION_NOISE_DB = 5;
    /// Noise figure of a device's receiver, dB: ns-3's default.
    static constexpr double DEVICE_NOISE_DB = 9;
    /// Path loss at 1 m, dB, and its exponent: 128.1 + 37.6 log10(distance / 1 km), the macro cell
    /// at 2 GHz of 3GPP TR 36.942, section 4.5.2; it holds from some 35 m on.
    static constexpr double LOSS_AT_ONE_METER_DB = 15.3;
    static constexpr double LOSS_EXPONENT = 3.76; //!< see LOSS_AT_ONE_METER_DB
};

/** Times of the uplink grants that a device has requested, s. */
struct LteGrants
{
    double first{0}; //!< start of the first
    double free{0};  //!< start of the first that no data wait for
    double until{0}; //!< end of the last
};

/**
 * @ingroup edgepipe
 *
 * Capacity of an LTE cell of ns-3: FDD, one antenna, round-robin scheduler.
 *
 * The modulation and coding scheme (MCS) follows from the SNR over the whole carrier as in ns-3:
 * downlink by the block error rate of LteMiErrorModel, at most 10 %; uplink by the bound
 * log2(1 + SNR / 5.53) on the spectral efficiency (a bit error rate of 5e-5). A transport block per
 * millisecond carries B bytes, by LteAmc's tables, of which 2 are RLC's header; RLC and PDCP add
 * 3.5 to every packet. A lost block is sent once more. So, with k users,
 *
 *   seconds per byte = 1 ms (1 + block error rate) / (k (B_k - 2) mtu / (mtu + 3.5)).
 *
 * The base station grants whole groups of resource blocks in the downlink and equal shares in the
 * uplink; the remainder is lost, which determines the efficiency with k users.
 *
 * Blocks begin at multiples of a millisecond. A device reports what it has to send and waits for
 * grants. Data that are ready when a grant comes use it, whatever it was requested for: earlier
 * messages, whose bytes a device reports again with each later one, so that it is granted more than
 * it needs, or acknowledgements of a received message.
 */
class LteCapacity : public RadioCell
{
  public:
    /**
     * @param resourceBlocks 6, 15, 25, 50, 75 or 100
     * @param mtuBytes largest IP packet, bytes, headers included
     */
    LteCapacity(uint32_t resourceBlocks, uint32_t mtuBytes)
        : m_resourceBlocks(resourceBlocks),
          m_mtuBytes(mtuBytes)
    {
    }

    bool IsDuplex() const override
    {
        return true;
    }

    uint32_t GetMostFlows() const override;

    double GetSecondsPerByte(double distanceMeters, RadioDirection direction) const override
    {
        return 1 / GetRate(1, distanceMeters, direction);
    }

    double GetEfficiency(uint32_t activeFlows,
                         double distanceMeters,
                         RadioDirection direction) const override;
    void AddHop(const RadioHop& hop, FlowRoute& route) override;
    double GetAcknowledgementShare(uint32_t activeFlows, double distanceMeters) const override;

  private:
    /**
     * @param users that share the medium
     * @param distanceMeters of each from the base station, m
     * @param direction of the bytes
     * @return IP bytes/s of all together; 0 beyond the range
     */
    double GetRate(uint32_t users, double distanceMeters, RadioDirection direction) const;

    uint32_t m_resourceBlocks;                   //!< of the carrier
    uint32_t m_mtuBytes;                         //!< largest IP packet
    std::map<const Object*, LteGrants> m_grants; //!< by device
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LTE_CAPACITY_H */
