/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TOPOLOGY_H
#define EDGEPIPE_TOPOLOGY_H

#include "edgepipe-radio-link.h"

#include "ns3/edgepipe-link-pacer.h"

#include <array>
#include <optional>
#include <variant>

namespace ns3::edgepipe
{

struct Network;

/** Full-duplex wires. */
struct WireMedium
{
    double bitsPerSecond;             //!< each way, > 0
    std::vector<BandwidthStep> steps; //!< later rates
    Time delay;                       //!< one way
    double overheadBytes;             //!< per packet, beyond those of IP

    /**
     * @param mtuBytes largest IP packet, bytes
     * @return rate of a point-to-point link on which a full packet takes as long, over the rate of
     *         this wire
     */
    double GetPppShare(uint32_t mtuBytes) const
    {
        return (mtuBytes + PPP_OVERHEAD) / (mtuBytes + overheadBytes);
    }

    /**
     * @param mtuBytes largest IP packet, bytes
     * @param time when
     * @return goodput of a lone transfer then, payload bit/s
     */
    double GetGoodput(uint32_t mtuBytes, const Time& time) const;
};

/// Default queue before each direction of a bearer or limit, an estimate: more than the megabyte
/// that a connection of ours has in flight. Carriers' buffers hold that much (Jiang et al.,
/// "Understanding bufferbloat in cellular networks", 2012).
constexpr uint32_t QUEUE_PACKETS = 1000;

/** The bandwidth of one direction of a bearer, or a station's limit, in IP packets: recorded, or
 * given by steps. */
struct BearerRate
{
    TraceDirection direction;         //!< which one
    std::string trace;                //!< file of a recording; empty: as the steps say
    TraceOptions replay;              //!< how to replay it
    double bitsPerSecond;             //!< at first, bit/s
    std::vector<BandwidthStep> steps; //!< later bandwidths

    /**
     * Make the rates for flows and oracles; delivery opportunities are counted over intervals of
     * 50 ms.
     *
     * @return bit/s
     * @throws InputError if the recording cannot be used
     */
    std::unique_ptr<StepSource> MakeRates() const;

    /**
     * @return decides when packets are sent
     * @throws InputError if the recording cannot be used
     */
    std::unique_ptr<LinkPacer> MakePacer() const;

    /**
     * @return the mean delay of the recording, one way, if it says it
     * @throws InputError if the recording cannot be used
     */
    std::optional<Time> GetRecordedDelay() const;

    /** @return the recording, or the bandwidth in Mbit/s */
    std::string Describe() const;

    /**
     * @return its highest rate, bit/s
     * @throws InputError if the recording cannot be used
     */
    double GetHighest() const;

  private:
    /** @return whether the bandwidth is recorded as opportunities */
    bool HasOpportunities() const;
};

/**
 * @param o of devices on bearers
 * @return the rates of every uplink and of every downlink
 */
std::array<BearerRate, 2> MakeBearerRates(const NetworkOptions& o);

/**
 * @param station options of a device on the air
 * @return limits of what it sends and receives, infinite where there is none; nothing without any
 */
std::optional<std::array<BearerRate, 2>> MakeLimits(const NetworkOptions& station);

/** Mobile bearers, each an uplink and a downlink with rates of their own. */
struct BearerMedium
{
    std::array<BearerRate, 2> rates; //!< up and down
    Time delay;                      //!< least, one way, where no recording says it
    Time jitter;                     //!< largest additional delay of a packet
    uint32_t queuePackets;           //!< before each direction, > 0

    /** @return whether a recording says how the delay of one of the ways changes */
    bool HasRecordedDelay() const;

    /**
     * @param way 0: up, 1: down
     * @return the delay without jitter, in the mean if it is recorded
     */
    Time GetDelay(std::size_t way) const;

    /**
     * @return SO_SNDBUF, bytes, of senders that want low latency and lose no bandwidth: what the
     *         highest rates send in the longest round trip without queues, between two devices or
     *         to a wired one, and at least 128 kB
     * @throws InputError if a recording cannot be used
     */
    uint32_t GetSendBuffer() const;

    /**
     * @param way 0: up, 1: down
     * @return the delay without jitter, s
     */
    std::unique_ptr<StepSource> MakeDelays(std::size_t way) const;
};

/** The air of a cell; the stations' links end at its hub, and further stations upload. */
struct CellMedium
{
    Ptr<const RadioLink> link; //!< builds it
    NetworkOptions options;    //!< of the link
};

/// What links are made of.
using Medium = std::variant<WireMedium, BearerMedium, CellMedium>;

/** A device, or a switch, hub or core that connects others, and its link to its parent. */
struct TopologyNode
{
    std::string name;      //!< for reports
    uint32_t parent;       //!< node at the link's other end: a later one, or itself if last
    uint32_t medium;       //!< index of the link's medium; the last node has none
    Time end{Time::Max()}; //!< when the link goes dead
    /// Of a station: where it is and how it moves; null: as in its cell's options
    std::shared_ptr<const NetworkOptions> place{};
};

/** A step on the way from one node to another. */
struct TopologyHop
{
    uint32_t node; //!< whose link to its parent is crossed
    bool isUp;     //!< whether to the parent, not from it
};

/**
 * @ingroup edgepipe
 *
 * The tree that connects devices, built by PacketNetworkBuilder or BuildFlowNetwork.
 */
struct Topology
{
    uint32_t mtuBytes;               //!< largest IP packet, bytes
    double lossRate;                 //!< share of packets lost on every link, 0 to 1
    uint32_t devices;                //!< how many nodes, from the first on, are devices
    std::vector<Medium> media;       //!< what links are made of
    std::vector<TopologyNode> nodes; //!< each before its parent; stations of cells are no parents

    /**
     * @param from a node
     * @param to another
     * @return the links between them
     */
    std::vector<TopologyHop> GetPath(uint32_t from, uint32_t to) const;

    /**
     * @param from a node
     * @param to another
     * @return known delay of wires and bearers between them, s, in the mean if it is recorded; that
     *         of the air is not known
     */
    double GetDelaySeconds(uint32_t from, uint32_t to) const;

    /** @return SO_SNDBUF of senders, bytes, as bearers want it; 0: none does, TCP sizes it */
    uint32_t GetSendBuffer() const;

    /**
     * @param node not the last
     * @return medium of its link
     */
    const Medium& GetMedium(uint32_t node) const
    {
        return media[nodes[node].medium];
    }

    /**
     * @param station a device on the air
     * @return options that say where it is and how it moves
     */
    const NetworkOptions& GetPlace(uint32_t station) const
    {
        return nodes[station].place ? *nodes[station].place
                                    : std::get<CellMedium>(GetMedium(station)).options;
    }
};

/**
 * @param options how devices are connected
 * @param names of the devices
 * @param center name of a further node that connects them
 * @param medium of the links; the options' wired devices have a cable instead
 * @return the star
 */
Topology MakeStar(const NetworkOptions& options,
                  const std::vector<std::string>& names,
                  const std::string& center,
                  Medium medium);

/**
 * Build a topology from the links of a FlowNetwork with FlowTransport on top: what
 * PacketNetworkBuilder builds, without packets. The nodes have no Internet stack.
 *
 * @param topology what to build in the present simulation
 * @return the network, without its oracle
 */
Network BuildFlowNetwork(const Topology& topology);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TOPOLOGY_H */
