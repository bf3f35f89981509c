/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Data-parallel training in two rooms, with a slow wire between their switches. Each worker's
// share follows from what the workers report.
//
//      pi 0, pi 1 ---- switch ========= switch ---- jetson 0, jetson 1
//
// ./ns3 run "edgepipe-data-parallel --planner=equal --exchange=parameter-server"

#include "ns3/core-module.h"
#include "ns3/edgepipe-data-parallel-helper.h"
#include "ns3/edgepipe-edge-device-helper.h"
#include "ns3/edgepipe-transport-helper.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

/** Print shares that have been decided. */
void
PrintShares(uint32_t version, const std::vector<uint64_t>& shares)
{
    std::cout << Simulator::Now().As(Time::S) << ": shares " << version << ":";
    for (const uint64_t samples : shares)
    {
        std::cout << " " << samples;
    }
    std::cout << "\n";
}

/** Print when the first worker has new weights. */
void
PrintUpdate(uint32_t iteration, uint32_t version)
{
    std::cout << Simulator::Now().As(Time::S) << ": update " << iteration << " with shares "
              << version << "\n";
}

int
main(int argc, char* argv[])
{
    std::string planner = "bno";
    std::string exchange = "ring";
    std::string transportType = "ns3::edgepipe::PacketTransport";
    CommandLine cmd(__FILE__);
    cmd.AddValue("planner", "planner that decides how many samples each worker computes", planner);
    cmd.AddValue("exchange", "how workers sum their gradients", exchange);
    cmd.AddValue("transport", "TypeId of the tensor transport, packet or flow", transportType);
    cmd.Parse(argc, argv);

    NodeContainer workers(4);
    NodeContainer switches(2);
    InternetStackHelper().Install(NodeContainer(workers, switches));
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i < workers.GetN(); ++i)
    {
        addresses.Assign(wire.Install(workers.Get(i), switches.Get(i / 2)));
        addresses.NewNetwork();
    }
    wire.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    addresses.Assign(wire.Install(switches));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    EdgeDeviceHelper("raspberry-pi-5").Install(NodeContainer(workers.Get(0), workers.Get(1)));
    EdgeDeviceHelper("jetson-orin-nano").Install(NodeContainer(workers.Get(2), workers.Get(3)));
    TransportHelper transport(transportType);
    transport.Install(workers);
    DataParallelHelper training("mnist_cnn");
    training.SetPlanner(planner);
    training.SetAttribute("Exchange", StringValue(exchange));
    training.SetWorkerAttribute("Iterations", UintegerValue(8));
    training.Install(workers);

    const std::string path = "ApplicationList/*/$ns3::edgepipe::";
    Config::ConnectWithoutContext("/NodeList/*/" + path + "DataParallelFirstNode/Decided",
                                  MakeCallback(&PrintShares));
    Config::ConnectWithoutContext("/NodeList/0/" + path + "DataParallelWorker/IterationEnd",
                                  MakeCallback(&PrintUpdate));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
