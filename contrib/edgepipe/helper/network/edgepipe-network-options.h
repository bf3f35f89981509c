/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NETWORK_OPTIONS_H
#define EDGEPIPE_NETWORK_OPTIONS_H

#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** A bandwidth from some time on. */
struct BandwidthStep
{
    Time time;            //!< since when
    double bitsPerSecond; //!< of every wire, bit/s
};

struct NetworkGroup;

/** How the devices are connected. */
struct NetworkOptions
{
    std::string fidelity{"flow"}; //!< packet or flow
    std::string link{"lan"};      //!< name of a LinkType
    /// lan and p2p: of every wire, 0: 1 Gbit/s; 4g, 3g, cat1 and trace: of every uplink, > 0; wifi
    /// and lte: limit of what a device sends, 0: none; bit/s
    double bandwidthBitsPerSecond{0};
    std::vector<BandwidthStep> bandwidthSteps; //!< later bandwidths of these links
    Time delay{MicroSeconds(20)};              //!< one way, of these links and of every downlink
    uint32_t mtuBytes{1500};                   //!< largest IP packet, bytes; wifi: at most 2296
    double lossRate{0};                        //!< share of packets lost on every link, 0 to 1
    std::string wifiStandard{"ac"};            //!< n, ac or ax
    double wifiBandGhz{5};                     //!< 2.4, 5 or 6 GHz, as the standard allows
    uint32_t wifiChannelMhz{0};           //!< channel width, MHz; 0: 80, or the widest there is
    uint32_t wifiGuardIntervalNs{0};      //!< ns; 0: 800 for n and ac, 3200 for ax, as ns-3
    std::string wifiRateControl{"ideal"}; //!< ideal (by the SNR last seen) or minstrel
    /// wifi and lte: of every device from the access point or base station, at first
    double distanceMeters{5};
    /// Measured capacities of Wi-Fi cells, for the fidelity flow; empty: links/wifi-capacity.csv in
    /// the folder $EDGEPIPE_TRACES, or traces
    std::string wifiCapacityFile;
    /// Devices with a cable of their own whatever the link is: servers, to the access point, or to
    /// the network behind the base station; not used by lan and p2p
    std::set<std::string> wiredDevices;
    double backhaulBitsPerSecond{1e9};    //!< of such a cable, bit/s, > 0
    Time backhaulDelay{MicroSeconds(20)}; //!< of such a cable, one way
    /// 4g, 3g, cat1, trace, wifi and lte: the same of every downlink, bit/s; 0: as the uplink;
    /// infinite: none, wifi and lte only
    double downlinkBitsPerSecond{0};
    std::vector<BandwidthStep> downlinkSteps; //!< later bandwidths of the same
    Time jitter;              //!< 4g, 3g, cat1 and trace: largest additional delay of a packet
    uint32_t queuePackets{0}; //!< 4g, 3g, cat1 and trace: before each link; 0: its default
    /// SO_SNDBUF of every sender, bytes, at most 2^30; 0: TCP sizes its send buffer; empty: as
    /// Topology::GetSendBuffer says
    std::optional<uint32_t> sendBufferBytes;
    std::string uplinkTrace; //!< trace: file of every uplink's bandwidth; empty: as bandwidth says
    std::string downlinkTrace;      //!< trace: file of every downlink's; empty: as bandwidth says
    TraceOptions trace;             //!< how to replay them
    uint32_t competitors{0};        //!< wifi and lte: further stations that upload all the time
    std::string mobility{"static"}; //!< wifi and lte: static, away or random-walk
    double speedMetersPerSecond{1}; //!< wifi and lte: of a device that moves, >= 0
    uint32_t lteResourceBlocks{25}; //!< lte: each way, of 180 kHz: 6, 15, 25, 50, 75 or 100
    std::string cutDevice;          //!< device whose links go dead, empty for none
    Time cutTime;                   //!< when they go dead
    /// Devices with networks of their own, see MixedLink; not empty: link is only a name. Their own
    /// fidelity, MTU, loss, cables, send buffer and cut are ignored: those of the whole network
    /// apply.
    std::vector<NetworkGroup> groups;
};

/** Devices connected in the same way, each to the common core. */
struct NetworkGroup
{
    std::string cell;              //!< devices of one link and cell share it
    std::set<std::string> devices; //!< their names
    NetworkOptions network;        //!< how they are connected
};

/**
 * @param options of devices on one kind of link or several
 * @return options of each kind
 */
std::vector<NetworkOptions> ListNetworks(const NetworkOptions& options);

/**
 * Refuse invalid options.
 *
 * @param options the options
 * @param names of the devices
 * @throws InputError naming the option
 */
void CheckNetworkOptions(const NetworkOptions& options, const std::vector<std::string>& names);

/**
 * @param option name of a bandwidth's option
 * @param bitsPerSecond its value
 * @param mayBeOff whether it may also be 0, for a while
 * @throws InputError unless it is from 1e3 to 1e12
 */
void CheckBandwidth(const std::string& option, double bitsPerSecond, bool mayBeOff = false);

/// Bytes an Ethernet frame adds on the wire: preamble 8, header 14, check sequence 4, gap 12.
constexpr double ETHERNET_OVERHEAD = 38;

/// Bytes ns-3's point-to-point device adds.
constexpr double PPP_OVERHEAD = 2;

/// IP header, TCP header and its timestamp option, bytes.
constexpr uint32_t TCP_IP_HEADERS = 52;

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NETWORK_OPTIONS_H */
