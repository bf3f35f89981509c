/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-network-helper.h"

#include "edgepipe-mobility.h"
#include "edgepipe-packet-network-builder.h"

#include "ns3/edgepipe-step-cursor.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3::edgepipe
{

namespace
{

/** State of the oracle between calls. */
struct OracleState
{
    Topology topology;                                    //!< the network
    NodeContainer devices;                                //!< its devices
    std::map<const void*, std::vector<StepCursor>> rates; //!< up and down, of bearers and places
    std::map<const Medium*, std::shared_ptr<const RadioCell>> cells; //!< those needed so far

    /**
     * @param owner a bearer, or a place on the air
     * @param both its rates
     * @param isUp whether of the uplink
     * @return its rate at present, bit/s
     */
    double GetRate(const void* owner, const std::array<LinkRate, 2>& both, bool isUp)
    {
        auto& cursors = rates[owner];
        for (std::size_t i = cursors.size(); i < both.size(); ++i)
        {
            cursors.emplace_back(both[i].MakeRates());
        }
        StepCursor& rate = cursors[isUp ? 0 : 1];
        rate.Advance(Simulator::Now());
        return rate.GetValue();
    }
};

/**
 * @param state of the oracle
 * @param from a device
 * @param to another
 * @return bandwidth of a lone transfer between them at present, payload bit/s
 */
double
GetCapacity(OracleState& state, uint32_t from, uint32_t to)
{
    const uint32_t mtu = state.topology.mtuBytes;
    const double payload = static_cast<double>(mtu - TCP_IP_HEADERS) / mtu;
    double least = std::numeric_limits<double>::infinity();
    std::map<const Medium*, double> onAir; // seconds per byte
    for (const auto& [node, isUp] : state.topology.GetPath(from, to))
    {
        const Medium& medium = state.topology.GetMedium(node);
        if (const auto* wire = std::get_if<WireMedium>(&medium))
        {
            least = std::min(least, wire->GetGoodput(mtu, Simulator::Now()));
        }
        else if (const auto* bearer = std::get_if<BearerMedium>(&medium))
        {
            least = std::min(least, payload * state.GetRate(&medium, bearer->rates, isUp));
        }
        else
        {
            const auto& air = std::get<CellMedium>(medium);
            const RadioLink& place = state.topology.GetPlace(node);
            if (const auto limits = place.GetLimits())
            {
                least = std::min(least, payload * state.GetRate(&place, *limits, isUp));
            }
            auto& cell = state.cells[&medium];
            cell = cell ? cell : air.link->MakeCell(mtu);
            const double seconds =
                cell->GetSecondsPerByte(GetHubDistance(place, state.devices.Get(node)),
                                        isUp ? RadioDirection::UP : RadioDirection::DOWN);
            double& sum = onAir[&medium];
            sum = cell->IsDuplex() ? std::max(sum, seconds) : sum + seconds;
        }
    }
    for (const auto& [medium, seconds] : onAir)
    {
        least = std::min(least, 8 / seconds * (mtu - TCP_IP_HEADERS) / mtu);
    }
    return least;
}

/**
 * @param topology a network; input files are read when they are first needed
 * @param devices its devices, with a mobility model if they move
 * @return true capacity between devices: the least of the wires, bearers and cells on the path,
 *         cells at present distances
 */
CapacityOracle
MakeOracle(const Topology& topology, const NodeContainer& devices)
{
    // Shared, since cursors advance and a std::function is copied.
    auto state = std::make_shared<OracleState>();
    state->topology = topology;
    state->devices = devices;
    return [state](uint32_t from, uint32_t to) { return GetCapacity(*state, from, to); };
}

} // namespace

NetworkHelper::NetworkHelper(NetworkOptions options, std::vector<std::string> names)
    : m_options(std::move(options)),
      m_names(std::move(names))
{
    CheckNetworkOptions(m_options, m_names);
}

Network
NetworkHelper::Build(const std::set<uint32_t>& active) const
{
    const Topology topology = MakeTopology(m_options, m_names);
    Network network = m_options.fidelity == "packet" ? PacketNetworkBuilder(topology).Build(active)
                                                     : BuildFlowNetwork(topology);
    network.transport->SetAttribute(
        "SendBuffer",
        UintegerValue(KERNEL_SHARE * m_options.sendBufferBytes.value_or(topology.GetSendBuffer())));
    network.capacity = MakeOracle(topology, network.devices);
    network.delaySeconds = [topology](uint32_t from, uint32_t to) {
        return topology.GetDelaySeconds(from, to);
    };
    return network;
}

} // namespace ns3::edgepipe
