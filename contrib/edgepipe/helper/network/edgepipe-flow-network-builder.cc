/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-mobility.h"
#include "edgepipe-network-helper.h"
#include "edgepipe-topology.h"

#include "ns3/edgepipe-capacity-replay.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-flow-cell.h"
#include "ns3/edgepipe-flow-transport.h"
#include "ns3/edgepipe-jitter-rules.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3::edgepipe
{

namespace
{

/// Interval of reading the distances of moving devices.
const Time LOOK = MilliSeconds(100);

/** Makes routes follow the recorded delay of bearers, one way. */
class DelayReplay : public StepReplay
{
  public:
    /**
     * @param seconds the delay
     * @param transport whose routes change; it keeps this object
     */
    DelayReplay(std::unique_ptr<StepSource> seconds, FlowTransport* transport)
        : StepReplay(std::move(seconds)),
          m_transport(transport)
    {
    }

  private:
    void Apply(double seconds) override
    {
        if (seconds != m_seconds && m_transport->IsSetUp())
        {
            m_transport->UpdateRoutes();
        }
        m_seconds = seconds;
    }

    FlowTransport* m_transport; //!< whose routes change
    double m_seconds{-1};       //!< known to the routes
};

/** A topology at flow level; its transport keeps it to find routes. */
class FlowTree
{
  public:
    /** @param topology what to build */
    explicit FlowTree(const Topology& topology)
        : m_topology(topology),
          m_hops(topology.nodes.size())
    {
    }

    /**
     * @param self this object
     * @return the network
     */
    Network Build(const std::shared_ptr<FlowTree>& self)
    {
        const auto transport = CreateObject<FlowTransport>();
        m_transport = PeekPointer(transport);
        m_network.devices.Create(m_topology.devices);
        m_transport->AssignStreams(random_streams::FLOW_LOSS.first);
        m_transport->SetAttribute("SegmentSize",
                                  UintegerValue(m_topology.mtuBytes - TCP_IP_HEADERS));
        for (uint32_t i = 0; i < m_topology.media.size(); ++i)
        {
            if (!std::holds_alternative<WireMedium>(m_topology.media[i]))
            {
                // Rates, capacities and calibration are for IP packets.
                m_transport->SetAttribute("HeaderSize", UintegerValue(TCP_IP_HEADERS));
            }
            if (const auto* air = std::get_if<CellMedium>(&m_topology.media[i]))
            {
                m_cells[i].cell =
                    std::make_unique<FlowCell>(m_flows, air->link->MakeCell(m_topology.mtuBytes));
            }
        }
        for (uint32_t i = 0; i + 1 < m_topology.nodes.size(); ++i)
        {
            AddHop(i);
        }
        StartCells();
        FollowMessages();
        // The devices' ids are consecutive, but do not start at 0 if there were nodes before.
        const uint32_t first = m_network.devices.Get(0)->GetId();
        m_transport->SetUp(m_flows, [self, first](uint32_t from, uint32_t to) {
            return self->GetRoute(from - first, to - first);
        });
        ScheduleCapacities(self);
        if (AnyOf(m_cells, [](const auto& entry) { return entry.second.isMoving; }))
        {
            Follow(self, transport);
        }
        Network network = m_network;
        network.transport = transport;
        return network;
    }

  private:
    /** A link at flow level: up from a node to its parent, and down. */
    struct Hop
    {
        std::array<uint32_t, 2> links{};             //!< up and down, on the air if it is limited
        double delaySeconds{0};                      //!< each way, beside recorded delays
        std::vector<Ptr<StepReplay>> delays;         //!< recorded, up and down; empty: none
        double jitterSeconds{0};                     //!< largest; its mean is in the delay
        double queueBytes{MaxMinSharing::UNBOUNDED}; //!< before the link, each way
        std::array<LinkCounter*, 2> senders{};       //!< count what is sent up and down
        FlowCell* cell{nullptr};                     //!< on the air: the cell
        bool isWire{false};                          //!< whether it is a wire
        bool isLimited{false};                       //!< whether it is on the air, with limits
    };

    /** A cell and its stations. */
    struct Air
    {
        std::unique_ptr<FlowCell> cell; //!< the cell
        std::vector<uint32_t> stations; //!< their nodes
        bool isMoving{false};           //!< whether any of these moves
    };

    /**
     * @param from a node
     * @param to another
     * @return the current route between them
     */
    FlowRoute GetRoute(uint32_t from, uint32_t to) const
    {
        FlowRoute route;
        for (const auto& [node, isUp] : m_topology.GetPath(from, to))
        {
            const Hop& hop = m_hops[node];
            const std::size_t way = isUp ? 0 : 1;
            route.senders.push_back(hop.senders[way]);
            route.acknowledgers.push_back(hop.senders[1 - way]);
            route.queueBytes = std::min(route.queueBytes, hop.queueBytes);
            if (hop.cell)
            {
                if (hop.isLimited)
                {
                    route.isLimited = true;
                    Cross(hop.links[way], 1, 0, route);
                }
                hop.cell->AddHop(m_network.devices.Get(node),
                                 isUp ? RadioDirection::UP : RadioDirection::DOWN,
                                 route);
            }
            else
            {
                if (hop.isWire && route.uses.empty())
                {
                    route.hostLink = hop.links[way];
                }
                Cross(hop.links[way], 1, hop.delaySeconds, route);
                if (!hop.delays.empty())
                {
                    route.delaySeconds += hop.delays[way]->GetValue();
                    route.backSeconds += hop.delays[1 - way]->GetValue();
                }
                if (hop.jitterSeconds > 0)
                {
                    GetRules<JitterRules>(route).largest.push_back(hop.jitterSeconds);
                }
                Lose(m_topology.lossRate, route);
            }
        }
        return route;
    }

    /**
     * Build the link from a node to its parent.
     * @param node a node
     */
    void AddHop(uint32_t node)
    {
        const TopologyNode& end = m_topology.nodes[node];
        const Medium& medium = m_topology.GetMedium(node);
        Hop& hop = m_hops[node];
        if (std::holds_alternative<CellMedium>(medium))
        {
            Air& air = m_cells.at(end.medium);
            const RadioLink& place = m_topology.GetPlace(node);
            air.stations.push_back(node);
            air.isMoving |= place.GetSpeed() > 0;
            hop.cell = air.cell.get();
            hop.senders[0] = AddCounter(end.name, "air");
            if (const auto limits = place.GetLimits())
            {
                hop.isLimited = true;
                const uint32_t first = m_firsts.emplace(&place, node).first->second;
                AddReplayed(m_topology.media.size() + first, *limits, QUEUE_PACKETS, end.end, hop);
            }
            return;
        }
        if (const auto* wire = std::get_if<WireMedium>(&medium))
        {
            const double rate = wire->bitsPerSecond * wire->GetPppShare(m_topology.mtuBytes) / 8;
            hop.isWire = true;
            hop.links = {m_flows->AddLink(rate), m_flows->AddLink(rate)};
            hop.delaySeconds = wire->delay.GetSeconds();
            m_flows->SetDuplex(hop.links[0], hop.links[1], m_transport->GetAcknowledgementShare());
        }
        else
        {
            const auto& bearer = std::get<BearerMedium>(medium);
            AddReplayed(end.medium, bearer.rates, bearer.queuePackets, end.end, hop);
            hop.jitterSeconds = bearer.jitter.GetSeconds();
            hop.delaySeconds = hop.jitterSeconds / 2;
            if (bearer.HasRecordedDelay())
            {
                auto& delays = m_delays[end.medium];
                for (std::size_t way = delays.size(); way < 2; ++way)
                {
                    delays.push_back(Create<DelayReplay>(bearer.MakeDelays(way), m_transport));
                }
                hop.delays = delays;
            }
            else
            {
                hop.delaySeconds += bearer.delay.GetSeconds();
            }
        }
        const std::string& parent = m_topology.nodes[end.parent].name;
        hop.senders = {AddCounter(end.name, parent), AddCounter(parent, end.name)};
    }

    /**
     * Give a hop links up and down that follow rates.
     *
     * @param key by which hops share the replays of their rates
     * @param rates up and down
     * @param queuePackets before each direction
     * @param end when the links go dead
     * @param hop gets the links
     */
    void AddReplayed(uint32_t key,
                     const std::array<LinkRate, 2>& rates,
                     uint32_t queuePackets,
                     const Time& end,
                     Hop& hop)
    {
        auto& replays = m_replays[key];
        for (std::size_t i = replays.size(); i < rates.size(); ++i)
        {
            replays.push_back(Create<CapacityReplay>(m_flows, rates[i].MakeRates()));
        }
        hop.links = {replays[0]->AddLink(end), replays[1]->AddLink(end)};
        hop.queueBytes = static_cast<double>(queuePackets) * m_topology.mtuBytes;
        m_flows->SetDuplex(hop.links[0], hop.links[1], m_transport->GetAcknowledgementShare());
    }

    /**
     * @param from name of a transmitter
     * @param to what it sends to
     * @return counter of its bytes
     */
    LinkCounter* AddCounter(const std::string& from, const std::string& to)
    {
        m_network.links.push_back(std::make_shared<LinkCounter>());
        m_network.links.back()->name = from + " -> " + to;
        return m_network.links.back().get();
    }

    /** Start the cells, to which all stations have been added. */
    void StartCells()
    {
        for (const auto& [medium, air] : m_cells)
        {
            const auto& link = std::get<CellMedium>(m_topology.media[medium]).link;
            LinkCounter* sender = AddCounter(link->GetTransmitter(), "air");
            for (const uint32_t station : air.stations)
            {
                m_hops[station].senders[1] = sender;
                if (air.isMoving)
                {
                    InstallMobility(m_topology.GetPlace(station), m_network.devices, {station});
                }
            }
            air.cell->AddCompetitors(link->GetCompetitors(), link->GetDistance());
            ReadPositions(air);
        }
    }

    /**
     * Read the current positions of a cell's stations.
     * @param air the cell
     */
    void ReadPositions(const Air& air)
    {
        for (const uint32_t station : air.stations)
        {
            const auto device = m_network.devices.Get(station);
            const double meters = GetHubDistance(m_topology.GetPlace(station), device);
            const bool isFixed = !air.isMoving && m_topology.nodes[station].end == Time::Max();
            air.cell->SetDistances(device, {meters, meters}, isFixed);
        }
        air.cell->Settle();
    }

    /**
     * Read the positions of moving stations at intervals.
     * @param self this object
     * @param transport whose routes change, until it is disposed of
     */
    void Follow(const std::shared_ptr<FlowTree>& self, Ptr<FlowTransport> transport)
    {
        Simulator::Schedule(LOOK, [this, self, transport] {
            if (transport->IsSetUp())
            {
                for (const auto& [medium, air] : m_cells)
                {
                    if (air.isMoving)
                    {
                        ReadPositions(air);
                    }
                }
                transport->UpdateRoutes();
                Follow(self, transport);
            }
        });
    }

    /**
     * Schedule the capacity changes of every wire, and the links that go dead.
     * @param self this object
     */
    void ScheduleCapacities(const std::shared_ptr<FlowTree>& self)
    {
        for (uint32_t medium = 0; medium < m_topology.media.size(); ++medium)
        {
            const auto* wire = std::get_if<WireMedium>(&m_topology.media[medium]);
            for (std::size_t i = 0; wire && i < wire->steps.size(); ++i)
            {
                Simulator::Schedule(wire->steps[i].time, [self, medium, wire, i] {
                    const double rate = wire->steps[i].bitsPerSecond *
                                        wire->GetPppShare(self->m_topology.mtuBytes) / 8;
                    self->SetCapacities(medium, wire->steps[i].time, rate);
                });
            }
        }
        for (uint32_t i = 0; i + 1 < m_topology.nodes.size(); ++i)
        {
            if (m_topology.nodes[i].end != Time::Max())
            {
                Simulator::Schedule(m_topology.nodes[i].end, [self, i] {
                    const Hop& hop = self->m_hops[i];
                    if (hop.cell)
                    {
                        hop.cell->Cut(self->m_network.devices.Get(i));
                        return;
                    }
                    for (const uint32_t link : hop.links)
                    {
                        self->m_flows->SetCapacity(link, 0);
                    }
                });
            }
        }
    }

    /**
     * @param medium number of wires
     * @param time now
     * @param bytesPerSecond of those that are not dead, each way
     */
    void SetCapacities(uint32_t medium, const Time& time, double bytesPerSecond)
    {
        for (uint32_t i = 0; i + 1 < m_topology.nodes.size(); ++i)
        {
            if (m_topology.nodes[i].medium == medium && time < m_topology.nodes[i].end)
            {
                m_flows->SetCapacity(m_hops[i].links[0], bytesPerSecond);
                m_flows->SetCapacity(m_hops[i].links[1], bytesPerSecond);
            }
        }
    }

    /** Replay the bearers' capacities and delays while messages are in flight. */
    void FollowMessages()
    {
        std::vector<Ptr<StepReplay>> replays;
        for (const auto& [medium, both] : m_replays)
        {
            replays.insert(replays.end(), both.begin(), both.end());
        }
        for (const auto& [medium, both] : m_delays)
        {
            replays.insert(replays.end(), both.begin(), both.end());
        }
        if (replays.empty())
        {
            return;
        }
        const auto moving = std::make_shared<uint64_t>(0);
        const Ptr<FlowTransport> transport(m_transport);
        Connect(transport, "TransferStart", [replays, moving](uint64_t, const Message&) {
            ++*moving;
            for (const auto& replay : replays)
            {
                replay->Start();
            }
        });
        Connect(transport, "TransferEnd", [replays, moving](uint64_t, const Message&) {
            --*moving;
            for (std::size_t i = 0; i < replays.size() && *moving == 0; ++i)
            {
                replays[i]->Stop();
            }
        });
    }

    Topology m_topology;                                   //!< what to build
    Ptr<FlowNetwork> m_flows{CreateObject<FlowNetwork>()}; //!< the links
    FlowTransport* m_transport{nullptr}; //!< on top of the links; keeps this object
    Network m_network;                   //!< under construction
    std::vector<Hop> m_hops;             //!< by lower node
    std::map<uint32_t, Air> m_cells;     //!< by medium
    /// Up and down, by medium of bearers, or after all media by the first station with such limits
    std::map<uint32_t, std::vector<Ptr<CapacityReplay>>> m_replays;
    std::map<uint32_t, std::vector<Ptr<StepReplay>>> m_delays; //!< up and down, by medium
    std::map<const RadioLink*, uint32_t> m_firsts; //!< first limited station of each place
};

} // namespace

Network
BuildFlowNetwork(const Topology& topology)
{
    const auto tree = std::make_shared<FlowTree>(topology);
    return tree->Build(tree);
}

} // namespace ns3::edgepipe
