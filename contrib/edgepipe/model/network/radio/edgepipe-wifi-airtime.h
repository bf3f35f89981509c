/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_AIRTIME_H
#define EDGEPIPE_WIFI_AIRTIME_H

#include <cstdint>
#include <optional>
#include <string>

namespace ns3::edgepipe
{

/** An 802.11 infrastructure network, as far as its capacity depends on it. */
struct WifiCell
{
    std::string standard{"ac"};       //!< n, ac or ax
    double bandGhz{5};                //!< 2.4, 5 or 6 GHz
    uint32_t channelMhz{80};          //!< channel width: 20, 40, 80 or 160 MHz
    uint32_t guardIntervalNs{800};    //!< n, ac: 400 or 800; ax: 800, 1600 or 3200 ns
    std::string rateControl{"ideal"}; //!< ideal or minstrel
    double lossAtOneMeterDb{46.6777}; //!< path loss at 1 m, dB
    uint32_t mtuBytes{1500};          //!< largest IP packet, bytes, headers included
};

/**
 * @ingroup edgepipe
 *
 * Airtime of TCP over 802.11n, ac or ax with one spatial stream, from the standard's own figures.
 *
 * Rate: the power received at distance d is P - L - 30 log10(d / 1 m) in dBm, with ns-3's transmit
 * power P and the cell's loss L at 1 m; noise is thermal at 290 K over the channel, plus ns-3's
 * noise figure. The modulation and coding scheme (MCS) is the fastest whose SNR threshold is
 * exceeded, like that of ns-3's IdealWifiManager at its default bit error rate of 1e-6. A frame
 * below ns-3's -82 dBm is not detected, which limits the range.
 *
 * Duration: a sender's turn carries an A-MPDU of n full IP packets,
 *
 *   T(n, s) = AIFS + backoff + preamble + symbols(n, s) + SIFS + block acknowledgement,     (1)
 *
 * where each packet of s IP bytes has 38 bytes of LLC, MAC header and check sequence, 4 of
 * delimiter, and is padded to 4. AIFS is SIFS and 3 slots, the mean backoff half of CWmin = 15
 * slots. n is limited by 65535 bytes (ns-3's BE_MaxAmpduSize), the block-ack window of 64 and the
 * longest PPDU of 5.484 ms. The receiver acknowledges every other segment, in a turn of its own:
 *
 *   seconds per byte on one hop = (T(n, mtu) + T(n / 2, 52)) / (n mtu).                     (2)
 *
 * Timing is of IEEE 802.11-2020 (n: clause 19, ac: 21) and 802.11ax-2021 (clause 27). Contention,
 * collisions and TCP's own losses are left to WifiCapacity, which calibrates (2).
 */
class WifiAirtime
{
  public:
    /** @param cell the network; its values must be valid in the standard */
    explicit WifiAirtime(const WifiCell& cell)
        : m_cell(cell)
    {
    }

    /**
     * @param distanceMeters between a station and the access point, m
     * @return index of the modulation and coding scheme, 0 to 11; none beyond the range
     */
    std::optional<uint32_t> GetMcs(double distanceMeters) const;

    /**
     * @param mcs index of the modulation and coding scheme
     * @return data rate of the physical layer, bit/s
     */
    double GetPhyRate(uint32_t mcs) const
    {
        return GetBitsPerSymbol(mcs) / GetSymbolSeconds();
    }

    /** @return distance from the access point beyond which frames are not detected, m */
    double GetRangeMeters() const;

    /**
     * @param mcs index of the modulation and coding scheme
     * @return equation (2), seconds per byte of IP packets that carry data
     */
    double GetSecondsPerByte(uint32_t mcs) const;

    /**
     * @param mcs index of the modulation and coding scheme
     * @return bytes of IP packets in the longest A-MPDU
     */
    double GetBurstBytes(uint32_t mcs) const;

    /**
     * @param mcs index of the modulation and coding scheme
     * @return share of equation (2) in which no data are on the air: spacing and acknowledgement of
     *         A-MPDUs. A lone message that fits into one does not wait for it.
     */
    double GetTrailShare(uint32_t mcs) const;

    /**
     * @param mcs index of the modulation and coding scheme
     * @return seconds that a lone small message takes on a hop: it is sent at once
     */
    double GetAccessSeconds(uint32_t mcs) const;

    /**
     * @param mcs index of the modulation and coding scheme
     * @return seconds after a lone small message's hop until the access point forwards it: as soon
     *         as allowed after its acknowledgement
     */
    double GetForwardSeconds(uint32_t mcs) const;

    /** @return mean seconds of a sender's first backoff */
    double GetBackoffSeconds() const;

  private:
    /** Times that separate the frames of a cell, s. */
    struct Spacing
    {
        double sifs;      //!< short interframe space
        double slot;      //!< slot
        double extension; //!< what ERP adds to every frame at 2.4 GHz
    };

    /** @return the cell's spacing */
    Spacing GetSpacing() const;

    /** @return channel noise at the receiver, dBm */
    double GetNoiseDbm() const;

    /** @return duration of what precedes the data in a frame, s */
    double GetPreambleSeconds() const;

    /** @return duration of an OFDM symbol, guard interval included, s */
    double GetSymbolSeconds() const
    {
        return (m_cell.standard == "ax" ? 12.8e-6 : 3.2e-6) + m_cell.guardIntervalNs * 1e-9;
    }

    /**
     * @param mcs index of the modulation and coding scheme
     * @return data bits in an OFDM symbol
     */
    double GetBitsPerSymbol(uint32_t mcs) const;

    /**
     * @param bytes of a frame's payload
     * @param mcs index of the modulation and coding scheme
     * @return seconds of a frame on the air
     */
    double GetFrameSeconds(double bytes, uint32_t mcs) const;

    /**
     * @param mcs index of the modulation and coding scheme of the frame to respond to
     * @param bytes of the response
     * @return seconds of the response on the air, which uses the legacy OFDM format
     */
    double GetResponseSeconds(uint32_t mcs, double bytes) const;

    /**
     * @param packets in the A-MPDU
     * @param ipBytes of each
     * @param mcs index of the modulation and coding scheme
     * @return equation (1), s
     */
    double GetTurnSeconds(double packets, double ipBytes, uint32_t mcs) const;

    WifiCell m_cell; //!< the network
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_WIFI_AIRTIME_H */
