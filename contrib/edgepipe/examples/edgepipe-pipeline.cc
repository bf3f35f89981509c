/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A pipeline of four Raspberry Pis and a Jetson on a custom topology, a star of wires around a
// router. Only the three helpers in the middle differ from any other ns-3 script.
//
//      pi 0 ---.       .--- pi 3
//      pi 1 --- router --- jetson
//      pi 2 ---'
//
// ./ns3 run "edgepipe-pipeline --planner=even --bandwidth=20Mbps"

#include "ns3/core-module.h"
#include "ns3/edgepipe-edge-device-helper.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-helper.h"
#include "ns3/edgepipe-transport-helper.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

/** Print the plan that a training begins with. */
void
PrintPlan(const PipelinePlan& plan, double predictedSeconds)
{
    for (const auto& stage : plan.stages)
    {
        std::cout << "node " << stage.device << " runs layers " << stage.firstLayer << " to "
                  << stage.lastLayer << "\n";
    }
    std::cout << "predicted: " << predictedSeconds << " s an iteration\n";
}

/** Print when an iteration ended. */
void
PrintIteration(uint32_t iteration)
{
    std::cout << "iteration " << iteration << " ended at " << Simulator::Now().As(Time::S) << "\n";
}

int
main(int argc, char* argv[])
{
    std::string planner = "exact";
    std::string transportType = "ns3::edgepipe::PacketTransport";
    std::string bandwidth = "1Gbps";
    CommandLine cmd(__FILE__);
    cmd.AddValue("planner", "planner that decides which device runs which layers", planner);
    cmd.AddValue("transport", "TypeId of the tensor transport, packet or flow", transportType);
    cmd.AddValue("bandwidth", "data rate of every wire", bandwidth);
    cmd.Parse(argc, argv);

    NodeContainer devices(5);
    NodeContainer router(1);
    InternetStackHelper().Install(NodeContainer(devices, router));
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue(bandwidth));
    wire.SetChannelAttribute("Delay", StringValue("200us"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        addresses.Assign(wire.Install(devices.Get(i), router.Get(0)));
        addresses.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    NodeContainer pis(devices.Get(0), devices.Get(1), devices.Get(2), devices.Get(3));
    EdgeDeviceHelper("raspberry-pi-5").Install(pis);
    EdgeDeviceHelper("jetson-orin-nano").Install(devices.Get(4));
    TransportHelper transport(transportType);
    transport.Install(devices);
    PipelineHelper pipeline("mnist_cnn");
    pipeline.SetPlanner(planner);
    pipeline.SetCoordinatorAttribute("Iterations", UintegerValue(3));
    pipeline.Install(devices);

    const std::string path = "/NodeList/*/ApplicationList/*/$ns3::edgepipe::PipelineCoordinator/";
    Config::ConnectWithoutContext(path + "Plan", MakeCallback(&PrintPlan));
    Config::ConnectWithoutContext(path + "IterationEnd", MakeCallback(&PrintIteration));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
