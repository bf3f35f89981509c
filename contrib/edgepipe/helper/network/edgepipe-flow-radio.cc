/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-radio.h"

#include "ns3/edgepipe-mobility.h"
#include "ns3/edgepipe-radio-link.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// A capacity that is never a bottleneck, bytes/s.
constexpr double BEYOND_ANY_RADIO = 1e15;
/// How often the devices' distances are looked at while they move.
const Time LOOK = MilliSeconds(100);

} // namespace

/** A device's end of the network. */
struct FlowRadio::End
{
    std::optional<uint32_t> cable; //!< of a wired device: the link from it; the next is that to it
    LinkCounter* sends{nullptr};   //!< counts what the device sends, by air or cable
    LinkCounter* cableDown{nullptr};    //!< counts what comes by the cable
    std::optional<uint32_t> gate;       //!< link that is closed while the device is out of range
    std::optional<uint32_t> leaving;    //!< link that closes when the device is cut off
    std::array<double, 2> weight{1, 1}; //!< seconds per byte on the air, up and down
    std::array<double, 2> delay{};      //!< on the air, up and down, s
};

/** A cell and what is joined to it. */
struct FlowRadio::Cell
{
    NetworkOptions options;                          //!< how the devices are joined
    NodeContainer devices;                           //!< which know where they are, if they move
    std::shared_ptr<const RadioCell> radio;          //!< what it carries
    Ptr<FlowNetwork> flows;                          //!< the links
    std::array<uint32_t, 2> media;                   //!< up and down, perhaps one
    std::vector<End> ends;                           //!< by device
    std::vector<std::shared_ptr<LinkCounter>> links; //!< keeps the counters
    LinkCounter* hubSends;                           //!< counts what the hub sends over the air

    /**
     * @param distance of a device, m
     * @return whether it is in range
     */
    bool IsReached(double distance) const
    {
        return std::isfinite(radio->GetSecondsPerByte(distance, RadioDirection::UP) +
                             radio->GetSecondsPerByte(distance, RadioDirection::DOWN));
    }

    /** Take up where the devices are at present. */
    void Look()
    {
        double farthest = options.competitors > 0 ? options.wifiDistanceMeters : 0;
        for (uint32_t i = 0; i < ends.size(); ++i)
        {
            End& end = ends[i];
            if (end.cable)
            {
                continue;
            }
            const double distance = GetHubDistance(options, devices.Get(i));
            const bool isReached = IsReached(distance);
            if (end.gate)
            {
                flows->SetCapacity(*end.gate, isReached ? BEYOND_ANY_RADIO : 0);
            }
            if (isReached)
            {
                farthest = std::max(farthest, distance);
                for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
                {
                    const auto at = static_cast<std::size_t>(direction);
                    end.weight[at] = radio->GetSecondsPerByte(distance, direction);
                    end.delay[at] = radio->GetAccessSeconds(distance, direction);
                }
            }
        }
        for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
        {
            std::vector<double> efficiency;
            for (uint32_t count = 1; count <= radio->GetMostFlows(); ++count)
            {
                efficiency.push_back(radio->GetEfficiency(count, farthest, direction));
            }
            flows->SetEfficiency(media[static_cast<std::size_t>(direction)], efficiency);
        }
    }

    /**
     * Add the air, or a cable, to a route.
     *
     * @param route the route
     * @param end whose
     * @param isUp whether from the device
     */
    void AddHop(FlowRoute& route, const End& end, bool isUp) const
    {
        LinkCounter* receives = end.cable ? end.cableDown : hubSends;
        route.senders.push_back(isUp ? end.sends : receives);
        route.answerers.push_back(isUp ? receives : end.sends);
        const std::size_t direction = isUp ? 0 : 1;
        if (end.cable)
        {
            route.uses.push_back({*end.cable + (isUp ? 0 : 1), 1});
            route.delaySeconds += options.backhaulDelay.GetSeconds();
            return;
        }
        route.delaySeconds += end.delay[direction];
        if (!route.uses.empty() && route.uses.front().link == media[direction])
        {
            route.uses.front().weight += end.weight[direction];
        }
        else
        {
            route.uses.push_back({media[direction], end.weight[direction]});
        }
    }

    /**
     * @param from a device
     * @param to another
     * @return the route between them at the present distances
     */
    FlowRoute GetRoute(uint32_t from, uint32_t to) const
    {
        FlowRoute route;
        AddHop(route, ends[from], true);
        AddHop(route, ends[to], false);
        for (const uint32_t device : {from, to})
        {
            for (const auto& link : {ends[device].leaving, ends[device].gate})
            {
                if (link)
                {
                    route.uses.push_back({*link, 1});
                }
            }
        }
        return route;
    }
};

FlowRouter
FlowRadio::Join()
{
    m_network.capacity = MakeRadioCapacity(m_options, m_names, m_network.devices);
    // Capacities and calibration are for IP packets.
    m_transport->SetAttribute("HeaderSize", UintegerValue(TCP_IP_HEADERS));
    auto cell = std::make_shared<Cell>();
    cell->options = m_options;
    cell->devices = m_network.devices;
    cell->radio = MakeRadioCell(m_options);
    cell->flows = m_flows;
    const bool isMoving = m_options.mobility != "static" && m_options.speedMetersPerSecond > 0;
    const double capacity = isMoving || cell->IsReached(m_options.wifiDistanceMeters) ? 1 : 0;
    cell->media.fill(m_flows->AddLink(capacity));
    if (cell->radio->IsDuplex())
    {
        cell->media[1] = m_flows->AddLink(capacity);
    }
    std::set<uint32_t> onAir;
    cell->ends.resize(m_names.size());
    for (uint32_t i = 0; i < m_names.size(); ++i)
    {
        cell->ends[i] = MakeEnd(i, isMoving);
        if (!cell->ends[i].cable)
        {
            onAir.insert(i);
        }
    }
    AddCounter(m_options.link == "lte" ? "base station -> air" : "access point -> air");
    cell->hubSends = m_network.links.back().get();
    cell->links = m_network.links;
    if (isMoving)
    {
        InstallMobility(m_options, m_network.devices, onAir);
    }
    cell->Look();
    if (capacity > 0)
    {
        const double weight =
            cell->radio->GetSecondsPerByte(m_options.wifiDistanceMeters, RadioDirection::UP);
        for (uint32_t i = 0; i < m_options.competitors && std::isfinite(weight); ++i)
        {
            m_flows->StartEndlessFlow({{cell->media[0], weight}});
        }
    }
    if (isMoving)
    {
        FollowDevices(m_transport, cell);
    }
    return [cell](uint32_t from, uint32_t to) { return cell->GetRoute(from, to); };
}

FlowRadio::End
FlowRadio::MakeEnd(uint32_t device, bool isMoving)
{
    End end;
    if (IsWired(device))
    {
        end.cable = AddCable(m_names[device], m_options.link == "lte" ? "gateway" : "access point");
        end.sends = (m_network.links.end() - 2)->get();
        end.cableDown = m_network.links.back().get();
        return end;
    }
    AddCounter(m_names[device] + " -> air");
    end.sends = m_network.links.back().get();
    if (m_names[device] == m_options.cutDevice)
    {
        end.leaving = m_flows->AddLink(BEYOND_ANY_RADIO);
        m_cutLinks.push_back(*end.leaving);
    }
    if (isMoving)
    {
        end.gate = m_flows->AddLink(BEYOND_ANY_RADIO);
    }
    return end;
}

void
FlowRadio::FollowDevices(Ptr<FlowTransport> transport, std::shared_ptr<Cell> cell)
{
    Simulator::Schedule(LOOK, [transport, cell] {
        if (transport->IsSetUp())
        {
            cell->Look();
            transport->UpdateRoutes();
            FollowDevices(transport, cell);
        }
    });
}

} // namespace edgepipe
} // namespace ns3
