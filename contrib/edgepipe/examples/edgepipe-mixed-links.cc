/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Devices on different links in one pipeline: a Jetson by gigabit Ethernet, a Raspberry Pi by a
// slower wire, and one over Wi-Fi.
//
//      jetson --1 Gbit/s-- access point --50 Mbit/s-- pi 1
//                             (((  )))
//                              pi 2
//
// ./ns3 run "edgepipe-mixed-links --transport=ns3::edgepipe::FlowTransport"

#include "ns3/core-module.h"
#include "ns3/edgepipe-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/wifi-module.h"

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
    std::string transportType = "ns3::edgepipe::PacketTransport";
    CommandLine cmd(__FILE__);
    cmd.AddValue("transport", "TypeId of the tensor transport, packet or flow", transportType);
    cmd.Parse(argc, argv);

    NodeContainer devices(3); // jetson, pi 1, pi 2
    NodeContainer accessPoint(1);
    NodeContainer all(devices, accessPoint);
    InternetStackHelper().Install(all);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", DoubleValue(2));
    mobility.Install(all);

    PointToPointHelper wire;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    for (const auto& [device, rate] : {std::pair{0, "1Gbps"}, {1, "50Mbps"}})
    {
        wire.SetDeviceAttribute("DataRate", StringValue(rate));
        addresses.Assign(wire.Install(devices.Get(device), accessPoint.Get(0)));
        addresses.NewNetwork();
    }
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ac);
    wifi.SetRemoteStationManager("ns3::IdealWifiManager");
    WifiMacHelper mac;
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(Ssid("edge")));
    NetDeviceContainer air = wifi.Install(phy, mac, devices.Get(2));
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("edge")));
    air.Add(wifi.Install(phy, mac, accessPoint.Get(0)));
    addresses.Assign(air);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    EdgeDeviceHelper("jetson-orin-nano").Install(devices.Get(0));
    EdgeDeviceHelper("raspberry-pi-5").Install(NodeContainer(devices.Get(1), devices.Get(2)));
    TransportHelper transport(transportType);
    transport.Install(devices);
    PipelineHelper pipeline("alexnet");
    pipeline.SetMicroBatches(4, 4);
    pipeline.SetPlanner("even");
    pipeline.SetBandwidth(DataRate("50Mbps")); // for plans: Wi-Fi has no DataRate
    auto coordinator = pipeline.Install(devices);
    coordinator.Start(Seconds(1)); // after the station has found its access point
    Config::ConnectWithoutContext(
        "/NodeList/*/ApplicationList/*/$ns3::edgepipe::PipelineCoordinator/IterationEnd",
        MakeCallback(&PrintIteration));
    Config::ConnectWithoutContext(
        "/NodeList/*/ApplicationList/*/$ns3::edgepipe::PipelineCoordinator/Finished",
        Callback<void>([] { Simulator::Stop(); }));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
