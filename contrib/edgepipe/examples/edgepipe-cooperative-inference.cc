/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A Raspberry Pi with a camera shares the layers of a network with a server. The wire between them
// slows down during the run, and the planner moves the cut.
//
//      pi ------ server
//
// ./ns3 run "edgepipe-cooperative-inference --planner=neurosurgeon"

#include "ns3/core-module.h"
#include "ns3/edgepipe-cooperative-inference-helper.h"
#include "ns3/edgepipe-edge-device-helper.h"
#include "ns3/edgepipe-inference-device.h"
#include "ns3/edgepipe-transport-helper.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <algorithm>
#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

/** Print a plan when frames are first inferred by it. */
void
PrintPlan(const PlanRecord& plan)
{
    const auto& isOnDevice = plan.plan.isOnDevice;
    std::cout << plan.inForce.As(Time::S) << ": "
              << std::count(isOnDevice.begin(), isOnDevice.end(), true) << " of "
              << isOnDevice.size() << " layers on the device, for "
              << plan.uplinkBitsPerSecond / 1e6 << " Mbit/s up; predicted latency "
              << plan.predictedSeconds << " s\n";
}

/** Print when a frame has its result. */
void
PrintFrame(uint64_t frame)
{
    std::cout << Simulator::Now().As(Time::S) << ": frame " << frame << "\n";
}

int
main(int argc, char* argv[])
{
    std::string planner = "qdmp";
    std::string transportType = "ns3::edgepipe::PacketTransport";
    CommandLine cmd(__FILE__);
    cmd.AddValue("planner", "planner that decides which layers run where", planner);
    cmd.AddValue("transport", "TypeId of the tensor transport, packet or flow", transportType);
    cmd.Parse(argc, argv);

    NodeContainer nodes(2);
    InternetStackHelper().Install(nodes);
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("20Mbps"));
    wire.SetChannelAttribute("Delay", StringValue("5ms"));
    const auto ends = wire.Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(ends);
    Simulator::Schedule(Seconds(5), [ends] {
        ends.Get(0)->SetAttribute("DataRate", StringValue("500kbps"));
        ends.Get(1)->SetAttribute("DataRate", StringValue("500kbps"));
    });

    EdgeDeviceHelper("raspberry-pi-4b").Install(nodes.Get(0));
    EdgeDeviceHelper("rtx-2080-ti").Install(nodes.Get(1));
    TransportHelper transport(transportType);
    transport.Install(nodes);
    CooperativeInferenceHelper inference("alexnet");
    inference.SetPlanner(planner);
    inference.SetDeviceAttribute("Frames", UintegerValue(20));
    inference.SetDeviceAttribute("FramesPerSecond", DoubleValue(2));
    inference.Install(nodes.Get(0), nodes.Get(1));

    const std::string path = "/NodeList/*/ApplicationList/*/$ns3::edgepipe::InferenceDevice/";
    Config::ConnectWithoutContext(path + "PlanChange", MakeCallback(&PrintPlan));
    Config::ConnectWithoutContext(path + "FrameEnd", MakeCallback(&PrintFrame));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
