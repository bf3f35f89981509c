/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TOPOLOGY_H
#define EDGEPIPE_TOPOLOGY_H

#include "edgepipe-radio-link.h"

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
    uint32_t portBytes{0};            //!< see SwitchBuffer; both 0: a host's queue
    uint32_t sharedBytes{0};          //!< see SwitchBuffer

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

/** Mobile bearers, each an uplink and a downlink with rates of their own. */
struct BearerMedium
{
    std::array<LinkRate, 2> rates; //!< up and down
    Time delay;                    //!< least, one way, where no recording says it
    Time jitter;                   //!< largest additional delay of a packet
    uint32_t queuePackets;         //!< before each direction, > 0

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
    /// Of a station: where it is and how it moves; null: as its cell's link says
    Ptr<const RadioLink> place{};
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
     * @return says where it is and how it moves
     */
    const RadioLink& GetPlace(uint32_t station) const
    {
        return nodes[station].place ? *nodes[station].place
                                    : *std::get<CellMedium>(GetMedium(station)).link;
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
