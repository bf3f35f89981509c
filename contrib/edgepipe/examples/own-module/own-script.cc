// Three Raspberry Pis on one Ethernet bus train with the planner of this project.

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/csma-helper.h"
#include "ns3/edgepipe-module.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

/** Print when an iteration ended. */
void
PrintIteration(uint32_t iteration)
{
    std::cout << "iteration " << iteration << " ended at " << Simulator::Now().As(Time::S) << "\n";
}

int
main(int argc, char* argv[])
{
    std::string type = "ns3::edgepipe::PacketTransport";
    CommandLine cmd(__FILE__);
    cmd.AddValue("transport", "TypeId of the tensor transport", type);
    cmd.Parse(argc, argv);

    NodeContainer nodes(3);
    InternetStackHelper().Install(nodes);
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(bus.Install(nodes));

    EdgeDeviceHelper("raspberry-pi-5").Install(nodes);
    TransportHelper transport(type);
    transport.Install(nodes);
    PipelineHelper pipeline("mnist_cnn");
    pipeline.SetPlanner("round-robin");
    pipeline.SetCoordinatorAttribute("Iterations", UintegerValue(2));
    pipeline.Install(nodes);

    Config::ConnectWithoutContext(
        "/NodeList/*/ApplicationList/*/$ns3::edgepipe::PipelineCoordinator/IterationEnd",
        MakeCallback(&PrintIteration));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
