/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two workloads in one simulation: three Raspberry Pis train in a pipeline while a fourth infers
// together with the access point of the same Wi-Fi cell, an edge server. At the end it prints what
// each device did for each of the two.
//
//      pi 0, pi 1, pi 2, camera )))   ((( access point and server
//
// ./ns3 run "edgepipe-shared-cell --alone=true" shows the inference without the training.

#include "ns3/core-module.h"
#include "ns3/edgepipe-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

/** Print when something ended. */
template <typename Number>
void
PrintEnd(const char* what, Number number)
{
    std::cout << Simulator::Now().As(Time::S) << ": " << what << " " << number << " ended\n";
}

int
main(int argc, char* argv[])
{
    bool isAlone = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("alone", "whether to leave out the training", isAlone);
    cmd.Parse(argc, argv);

    NodeContainer stations(4);
    NodeContainer server(1);
    const NodeContainer all(stations, server);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", DoubleValue(2));
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
    air.Add(wifi.Install(phy, mac, server));
    InternetStackHelper().Install(all);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(air);

    EdgeDeviceHelper("raspberry-pi-5").Install(stations);
    EdgeDeviceHelper("rtx-2080-ti").Install(server);
    TransportHelper("ns3::edgepipe::PacketTransport").Install(all);
    TelemetryHelper telemetry;
    PipelineHelper pipeline("alexnet");
    pipeline.SetMicroBatches(4, 4);
    pipeline.SetPlanner("even");
    pipeline.SetBandwidth(DataRate("100Mbps"));
    if (!isAlone)
    {
        const NodeContainer pis(stations.Get(0), stations.Get(1), stations.Get(2));
        telemetry.Install("training", pipeline.Install(pis));
    }
    CooperativeInferenceHelper inference("alexnet");
    inference.SetPlanner("cloud-only");
    inference.SetBandwidth(DataRate("100Mbps"), DataRate("100Mbps"));
    inference.SetDeviceAttribute("Frames", UintegerValue(10));
    inference.SetDeviceAttribute("FramesPerSecond", DoubleValue(5));
    telemetry.Install("inference", inference.Install(stations.Get(3), server.Get(0)));

    const std::string path = "/NodeList/*/ApplicationList/*/$ns3::edgepipe::";
    Config::ConnectWithoutContextFailSafe(path + "PipelineCoordinator/IterationEnd",
                                          MakeBoundCallback(&PrintEnd<uint32_t>, "iteration"));
    Config::ConnectWithoutContext(path + "InferenceDevice/FrameEnd",
                                  MakeBoundCallback(&PrintEnd<uint64_t>, "frame"));
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    telemetry.PrintUsage(std::cout);
    Simulator::Destroy();
    return 0;
}
