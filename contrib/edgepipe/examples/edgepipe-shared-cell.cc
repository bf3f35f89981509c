/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two workloads in one simulation: three Raspberry Pis train in a pipeline while a fourth infers
// together with a server behind the access point of the same Wi-Fi cell.
//
//      pi 0, pi 1, pi 2, camera )))   ((( access point ---- server
//
// ./ns3 run "edgepipe-shared-cell --alone=true" shows the inference without the training.

#include "ns3/core-module.h"
#include "ns3/edgepipe-cooperative-inference-helper.h"
#include "ns3/edgepipe-edge-device-helper.h"
#include "ns3/edgepipe-pipeline-helper.h"
#include "ns3/edgepipe-transport-helper.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/wifi-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

/** Print when something ended. */
template <typename Number>
void
PrintEnd(std::string what, Number number)
{
    std::cout << Simulator::Now().As(Time::S) << ": " << what << " " << number << " ended\n";
}

int
main(int argc, char* argv[])
{
    bool isAlone = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("alone", "whether nobody trains", isAlone);
    cmd.Parse(argc, argv);

    NodeContainer stations(4);
    NodeContainer wired(2); // access point, server
    const auto all = NodeContainer(stations, wired);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator",
                                  "DeltaX",
                                  DoubleValue(3),
                                  "GridWidth",
                                  UintegerValue(3));
    mobility.Install(all);
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ac);
    wifi.SetRemoteStationManager("ns3::IdealWifiManager");
    WifiMacHelper mac;
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(Ssid("edge")));
    NetDeviceContainer air = wifi.Install(phy, mac, stations);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("edge")));
    air.Add(wifi.Install(phy, mac, wired.Get(0)));
    PointToPointHelper cable;
    cable.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    const auto ends = cable.Install(wired.Get(0), wired.Get(1));
    InternetStackHelper().Install(all);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(air);
    Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(ends);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    EdgeDeviceHelper("raspberry-pi-5").Install(stations);
    EdgeDeviceHelper("rtx-2080-ti").Install(wired.Get(1));
    TransportHelper transport("ns3::edgepipe::PacketTransport");
    transport.Install(NodeContainer(stations, wired.Get(1)));
    PipelineHelper pipeline("alexnet");
    pipeline.SetMicroBatches(4, 4);
    pipeline.SetPlanner("even");
    pipeline.SetBandwidth(DataRate("100Mbps"));
    if (!isAlone)
    {
        pipeline.Install(NodeContainer(stations.Get(0), stations.Get(1), stations.Get(2)));
    }
    CooperativeInferenceHelper inference("alexnet");
    inference.SetPlanner("cloud-only");
    inference.SetBandwidth(DataRate("100Mbps"), DataRate("100Mbps"));
    inference.SetDeviceAttribute("Frames", UintegerValue(10));
    inference.SetDeviceAttribute("FramesPerSecond", DoubleValue(5));
    inference.Install(stations.Get(3), wired.Get(1));

    const std::string path = "/NodeList/*/ApplicationList/*/$ns3::edgepipe::";
    Config::ConnectWithoutContextFailSafe(
        path + "PipelineCoordinator/IterationEnd",
        MakeBoundCallback(&PrintEnd<uint32_t>, std::string("iteration")));
    Config::ConnectWithoutContext(path + "InferenceDevice/FrameEnd",
                                  MakeBoundCallback(&PrintEnd<uint64_t>, std::string("frame")));
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
