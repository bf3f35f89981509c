/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Three Raspberry Pis train on one Ethernet bus, while other nodes send UDP over it. ns-3's
// FlowMonitor counts the packets of both. At flow level the same traffic is declared instead.
//
//      pi 0   pi 1   pi 2   sender   receiver
//      ====================================== 100 Mbit/s
//
// ./ns3 run "edgepipe-background-traffic --load=60Mbps"

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include "ns3/edgepipe-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

/** Print when an iteration ended. */
void
PrintIteration(uint32_t iteration)
{
    std::cout << Simulator::Now().As(Time::S) << ": iteration " << iteration << " ended\n";
}

int
main(int argc, char* argv[])
{
    std::string load = "40Mbps";
    std::string transportType = "ns3::edgepipe::PacketTransport";
    CommandLine cmd(__FILE__);
    cmd.AddValue("load", "data rate of the sender", load);
    cmd.AddValue("transport", "TypeId of the tensor transport, packet or flow", transportType);
    cmd.Parse(argc, argv);
    const bool isFlow = transportType == "ns3::edgepipe::FlowTransport";

    NodeContainer pis(3);
    NodeContainer others(2);
    NodeContainer all(pis, others);
    InternetStackHelper().Install(all);
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
    bus.SetChannelAttribute("Delay", StringValue("1us"));
    const auto devices = bus.Install(all);
    const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);

    EdgeDeviceHelper("raspberry-pi-5").Install(pis);
    TransportHelper transport(transportType);
    transport.Install(pis);
    PipelineHelper pipeline("alexnet");
    pipeline.SetMicroBatches(4, 1);
    pipeline.SetPlanner("even");
    pipeline.SetCoordinatorAttribute("Iterations", UintegerValue(2));
    pipeline.Install(pis);

    transport.AddBackground(others.Get(0), others.Get(1), DataRate(load), Time(), Seconds(1000));
    OnOffHelper traffic("ns3::UdpSocketFactory", InetSocketAddress(interfaces.GetAddress(4), 9));
    traffic.SetConstantRate(DataRate(load), 1400);
    if (!isFlow)
    {
        traffic.Install(others.Get(0));
    }
    FlowMonitorHelper monitoring;
    const auto monitor = monitoring.InstallAll();

    Config::ConnectWithoutContext(
        "/NodeList/*/ApplicationList/*/$ns3::edgepipe::PipelineCoordinator/IterationEnd",
        MakeCallback(&PrintIteration));
    Config::ConnectWithoutContext(
        "/NodeList/*/ApplicationList/*/$ns3::edgepipe::PipelineCoordinator/Finished",
        Callback<void>([] { Simulator::Stop(); }));
    Simulator::Run();
    uint64_t bytes = 0;
    for (const auto& [id, stats] : monitor->GetFlowStats())
    {
        bytes += stats.rxBytes;
    }
    std::cout << "FlowMonitor has seen " << bytes / 1e6 << " MB arrive\n";
    Simulator::Destroy();
    return 0;
}
