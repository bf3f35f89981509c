/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-airtime.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/** A modulation and coding scheme. */
struct Scheme
{
    double bitsPerSubcarrier; //!< data bits: those of the constellation times the code rate
    double snrThresholdDb;    //!< above it the bit error rate is below 1e-6
};

/// By MCS index. Bits: IEEE 802.11ax-2021, clause 27.5. Thresholds: ns-3.37's
/// TableBasedErrorRateModel::CalculateSnr (10 and 11: its fallback, at 20 and 40 MHz; at 80 and 160
/// MHz they are 0.2 dB higher).
constexpr std::array<Scheme, 12> SCHEMES{{{0.5, 1.465},
                                          {1, 4.475},
                                          {1.5, 6.985},
                                          {2, 10.375},
                                          {3, 13.465},
                                          {4, 17.865},
                                          {4.5, 19.125},
                                          {5, 20.775},
                                          {6, 24.525},
                                          {20.0 / 3, 25.905},
                                          {7.5, 32.571},
                                          {25.0 / 3, 34.480}}};

constexpr double TX_POWER_DBM = 16.0206;     ///< ns-3's default
constexpr double NOISE_FIGURE_DB = 7;        ///< ns-3's default
constexpr double PATH_LOSS_EXPONENT = 3;     ///< of ns-3's LogDistancePropagationLossModel
constexpr double WEAKEST_PREAMBLE_DBM = -82; ///< of ns-3's ThresholdPreambleDetectionModel

constexpr double AIFSN = 3;               ///< slots of AIFS, best effort
constexpr double CW_MIN = 15;             ///< contention window, slots
constexpr double AMPDU_BYTES = 65535;     ///< largest A-MPDU
constexpr double BLOCK_ACK_WINDOW = 64;   ///< packets
constexpr double PPDU_SECONDS = 5.484e-3; ///< longest frame

constexpr double MPDU_OVERHEAD = 38;   ///< bytes: LLC 8, MAC header 26, check sequence 4
constexpr double DELIMITER = 4;        ///< bytes before each packet of an A-MPDU
constexpr double SERVICE_BITS = 22;    ///< service field 16 and tail 6
constexpr double TCP_ACK_BYTES = 52;   ///< IP header, TCP header and its timestamp option
constexpr double BLOCK_ACK_BYTES = 32; ///< compressed, bitmap of 64
constexpr double ACK_BYTES = 14;       ///< of a lone frame
constexpr double SMALL_BYTES = 16;     ///< payload of the message of GetAccessSeconds
constexpr double FRAME_HEADER = 48;    ///< of PacketTransport, before a message's payload

/**
 * @param ipBytes of a packet
 * @return its bytes in an A-MPDU
 */
double
GetSubframeBytes(double ipBytes)
{
    return 4 * std::ceil((DELIMITER + MPDU_OVERHEAD + ipBytes) / 4);
}

} // namespace

std::optional<uint32_t>
WifiAirtime::GetMcs(double distanceMeters) const
{
    const double power = TX_POWER_DBM - m_cell.lossAtOneMeterDb -
                         10 * PATH_LOSS_EXPONENT * std::log10(std::max(1.0, distanceMeters));
    if (!(power >= WEAKEST_PREAMBLE_DBM))
    {
        return std::nullopt;
    }
    const double snr = power - GetNoiseDbm();
    std::optional<uint32_t> best;
    const uint32_t schemes = m_cell.standard == "n" ? 8 : m_cell.standard == "ac" ? 10 : 12;
    for (uint32_t mcs = 0; mcs < schemes; ++mcs)
    {
        // 802.11ac has no MCS 9 at 20 MHz: its code words would not fill the symbols.
        const bool isMissing = m_cell.standard == "ac" && m_cell.channelMhz == 20 && mcs == 9;
        const double shift = mcs >= 10 && m_cell.channelMhz >= 80 ? 0.2 : 0;
        if (!isMissing && snr > SCHEMES[mcs].snrThresholdDb + shift)
        {
            best = mcs;
        }
    }
    return best;
}

double
WifiAirtime::GetRangeMeters() const
{
    const double loss = TX_POWER_DBM - WEAKEST_PREAMBLE_DBM - m_cell.lossAtOneMeterDb;
    return std::pow(10, loss / (10 * PATH_LOSS_EXPONENT));
}

double
WifiAirtime::GetBurstBytes(uint32_t mcs) const
{
    const double subframe = GetSubframeBytes(m_cell.mtuBytes);
    const double airBytes = (PPDU_SECONDS - GetPreambleSeconds()) * GetPhyRate(mcs) / 8;
    const double packets = std::max(
        1.0,
        std::floor(std::min({AMPDU_BYTES / subframe, BLOCK_ACK_WINDOW, airBytes / subframe})));
    return packets * m_cell.mtuBytes;
}

double
WifiAirtime::GetSecondsPerByte(uint32_t mcs) const
{
    const double bytes = GetBurstBytes(mcs);
    const double packets = bytes / m_cell.mtuBytes;
    return (GetTurnSeconds(packets, m_cell.mtuBytes, mcs) +
            GetTurnSeconds(packets / 2, TCP_ACK_BYTES, mcs)) /
           bytes;
}

double
WifiAirtime::GetTrailShare(uint32_t mcs) const
{
    const double data = 8 * GetSubframeBytes(m_cell.mtuBytes) / GetPhyRate(mcs);
    return 1 - data / (m_cell.mtuBytes * GetSecondsPerByte(mcs));
}

double
WifiAirtime::GetAccessSeconds(uint32_t mcs) const
{
    return GetFrameSeconds(GetSubframeBytes(TCP_ACK_BYTES + FRAME_HEADER + SMALL_BYTES), mcs);
}

double
WifiAirtime::GetForwardSeconds(uint32_t mcs) const
{
    const auto [sifs, slot, extension] = GetSpacing();
    return sifs + GetResponseSeconds(mcs, ACK_BYTES) + sifs + AIFSN * slot;
}

double
WifiAirtime::GetBackoffSeconds() const
{
    return CW_MIN / 2 * GetSpacing().slot;
}

WifiAirtime::Spacing
WifiAirtime::GetSpacing() const
{
    return m_cell.bandGhz < 5 ? Spacing{10e-6, 9e-6, 6e-6} : Spacing{16e-6, 9e-6, 0};
}

double
WifiAirtime::GetNoiseDbm() const
{
    constexpr double BOLTZMANN = 1.380649e-23; // J/K
    const double watts = BOLTZMANN * 290 * m_cell.channelMhz * 1e6;
    return 10 * std::log10(watts * 1e3) + NOISE_FIGURE_DB;
}

double
WifiAirtime::GetPreambleSeconds() const
{
    // Legacy preamble 20 us, then the standard's own signal and training fields for one stream.
    return m_cell.standard == "n" ? 36e-6 : m_cell.standard == "ac" ? 40e-6 : 44e-6;
}

double
WifiAirtime::GetBitsPerSymbol(uint32_t mcs) const
{
    const bool isAx = m_cell.standard == "ax";
    const double subcarriers = m_cell.channelMhz == 20   ? (isAx ? 234 : 52)
                               : m_cell.channelMhz == 40 ? (isAx ? 468 : 108)
                               : m_cell.channelMhz == 80 ? (isAx ? 980 : 234)
                                                         : (isAx ? 1960 : 468);
    // The margin keeps rounding from lowering products that are whole.
    return std::floor(subcarriers * SCHEMES.at(mcs).bitsPerSubcarrier + 1e-6);
}

double
WifiAirtime::GetFrameSeconds(double bytes, uint32_t mcs) const
{
    const double symbols = std::ceil((SERVICE_BITS + 8 * bytes) / GetBitsPerSymbol(mcs));
    return GetPreambleSeconds() + symbols * GetSymbolSeconds() + GetSpacing().extension;
}

double
WifiAirtime::GetResponseSeconds(uint32_t mcs, double bytes) const
{
    // The fastest of the mandatory 6, 12 and 24 Mbit/s that is not above the frame's rate.
    const double rate = GetPhyRate(mcs);
    const double bitsPerSymbol = rate >= 24e6 ? 96 : rate >= 12e6 ? 48 : 24;
    return 20e-6 + 4e-6 * std::ceil((SERVICE_BITS + 8 * bytes) / bitsPerSymbol) +
           GetSpacing().extension;
}

double
WifiAirtime::GetTurnSeconds(double packets, double ipBytes, uint32_t mcs) const
{
    const auto [sifs, slot, extension] = GetSpacing();
    return sifs + AIFSN * slot + GetBackoffSeconds() +
           GetFrameSeconds(packets * GetSubframeBytes(ipBytes), mcs) + sifs +
           GetResponseSeconds(mcs, BLOCK_ACK_BYTES);
}

} // namespace ns3::edgepipe
