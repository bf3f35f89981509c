/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/network-inputs.h"

#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/fd-net-device.h"
#include "ns3/global-value.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mac48-address.h"
#include "ns3/node-list.h"
#include "ns3/realtime-simulator-impl.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <unistd.h>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// How often the clock is looked at, and how late it may be then.
const Time LOOK = MilliSeconds(1);

/** How late the simulation is. */
struct Lateness
{
    Time latest;      //!< at most
    double looks{0};  //!< how often the clock was looked at
    double misses{0}; //!< how often it was later than LOOK
};

/** @return network of a device's process: 10.200.DEVICE.0, the gateway being 1 and the process 2 */
Ipv4Address
GetOutside(uint32_t device)
{
    return Ipv4Address((10u << 24) + (200u << 16) + (device << 8));
}

/**
 * Send what is for a device's process where what is for the device goes.
 *
 * @param node any node
 * @param device a device of the network
 * @param number of the device
 */
void
Route(Ptr<Node> node, Ptr<Node> device, uint32_t number)
{
    const auto ip = node->GetObject<Ipv4>();
    if (node == device || !ip)
    {
        return;
    }
    Ipv4Header header;
    header.SetDestination(device->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal());
    Socket::SocketErrno error;
    const auto way = ip->GetRoutingProtocol()->RouteOutput(nullptr, header, nullptr, error);
    if (way)
    {
        const bool isHop = way->GetGateway() != Ipv4Address::GetAny();
        Ipv4StaticRoutingHelper().GetStaticRouting(ip)->AddNetworkRouteTo(
            GetOutside(number),
            Ipv4Mask("255.255.255.0"),
            isHop ? way->GetGateway() : header.GetDestination(),
            ip->GetInterfaceForDevice(way->GetOutputDevice()));
    }
}

/**
 * Open a device's network to a process outside.
 *
 * @param node of the device
 * @param number of the device
 * @param tap descriptor of a TAP interface
 */
void
Open(Ptr<Node> node, uint32_t number, int tap)
{
    const auto door = CreateObject<FdNetDevice>();
    door->SetAddress(Mac48Address::Allocate());
    node->AddDevice(door);
    door->SetFileDescriptor(tap);
    const auto ip = node->GetObject<Ipv4>();
    const uint32_t interface = ip->AddInterface(door);
    ip->AddAddress(interface,
                   {Ipv4Address(GetOutside(number).Get() + 1), Ipv4Mask("255.255.255.0")});
    ip->SetUp(interface);
    // Of what comes for a process before its address is known, ns-3 would keep three packets.
    DynamicCast<Ipv4L3Protocol>(ip)->GetInterface(interface)->GetArpCache()->SetAttribute(
        "PendingQueueSize",
        UintegerValue(1000));
}

/**
 * Look how late the simulation is. It begins anew at a line of standard input, and stops at its
 * end.
 *
 * @param lateness so far
 */
void
MeasureLateness(Lateness* lateness)
{
    const auto clock = DynamicCast<RealtimeSimulatorImpl>(Simulator::GetImplementation());
    const Time late = clock->RealtimeNow() - Simulator::Now();
    lateness->latest = std::max(lateness->latest, late);
    ++lateness->looks;
    lateness->misses += late > LOOK;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char text[64];
    if (poll(&input, 1, 0) > 0)
    {
        if (read(STDIN_FILENO, text, sizeof(text)) <= 0)
        {
            Simulator::Stop();
            return;
        }
        *lateness = {};
    }
    Simulator::Schedule(LOOK, &MeasureLateness, lateness);
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("live-network", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("live-network",
                                "Carry real packets over the simulated network, in real time, "
                                "between TAP interfaces; run_testbed.py --shaper=ns3 starts it.");
        NetworkOptions network;
        options.Bind("taps=").Help("descriptors of the devices' TAP interfaces, open already, such "
                                   "as 5,6; device K is 10.200.K.2 behind the gateway 10.200.K.1");
        AddNetworkOptions(options, network);
        options.SetDefault("fidelity", "packet");
        SetUsualLink(options, network, "lan");
        options.Parse(argc, argv);
        std::vector<int> taps;
        Cluster cluster{"", {}, {}, {"lan", ""}};
        for (const auto& text : options.GetList("taps"))
        {
            double tap = 0;
            options.Expect("taps",
                           ParseNumber(text, tap) && tap < 1e6 && fcntl(tap, F_GETFD) >= 0 &&
                               taps.size() < 250,
                           "at most 250 open descriptors");
            cluster.devices.push_back({"device " + std::to_string(taps.size()), "", 0, 0});
            taps.push_back(tap);
        }
        ReadNetworkOptions(options, cluster, network);
        options.Expect("fidelity", network.fidelity == "packet", "packet");
        options.Expect("link",
                       network.GetLinkName() != "lte",
                       "another one: LTE carries what has its own addresses");
        const auto names = Map(cluster.devices, &ClusterDevice::name);
        CheckNetwork(options, network, names, "");
        options.EndDryRun();

        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::RealtimeSimulatorImpl"));
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true)); // hosts look at them
        const auto all = CountUp(taps.size());
        const Network built = NetworkHelper(network, names).Build({all.begin(), all.end()});
        for (uint32_t i = 0; i < taps.size(); ++i)
        {
            const auto device = built.devices.Get(i);
            std::for_each(NodeList::Begin(), NodeList::End(), [&](const Ptr<Node>& node) {
                Route(node, device, i);
            });
            Open(device, i, taps[i]);
        }
        Lateness lateness;
        Simulator::ScheduleNow(&MeasureLateness, &lateness);
        std::cout << "ready" << std::endl;
        Simulator::Run();
        std::cout << lateness.latest.GetSeconds() << ' ' << lateness.misses / lateness.looks
                  << std::endl;
        built.transport->Dispose();
        Simulator::Destroy();
        return 0;
    });
}
