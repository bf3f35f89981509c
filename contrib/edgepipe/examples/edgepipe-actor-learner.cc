/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Actors that play Atari and the server that learns from them, on one Ethernet bus. One actor joins
// late and another leaves early; at each change the server decides anew which layers each infers.
//
//      actor 0   actor 1   actor 2   actor 3   server
//   ------+---------+---------+---------+--------+------ bus
//
// ./ns3 run "edgepipe-actor-learner --planner=all-server --rate=10Mbps"

#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include "ns3/edgepipe-actor-learner-helper.h"
#include "ns3/edgepipe-edge-device-helper.h"
#include "ns3/edgepipe-transport-helper.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <iostream>
#include <map>

using namespace ns3;
using namespace ns3::edgepipe;

std::map<uint32_t, uint32_t> g_steps; //!< ended, by actor

/** Print what a join, a leave or a report has changed. */
void
PrintChange(const PlanChangeRecord& change)
{
    static const char* WHAT[] = {" has joined, ", " has left, ", " has reported, ", ", its load, "};
    std::cout << change.time.As(Time::S) << ": actor " << change.actor << WHAT[change.kind]
              << change.actors << " play, " << change.moved << " others cut elsewhere\n";
}

/** Count a step. */
void
CountStep(const StepRecord& step)
{
    ++g_steps[step.actor];
}

int
main(int argc, char* argv[])
{
    std::string planner = "defp";
    std::string transportType = "ns3::edgepipe::PacketTransport";
    std::string rate = "100Mbps";
    CommandLine cmd(__FILE__);
    cmd.AddValue("planner", "planner of the layer after which an actor asks the server", planner);
    cmd.AddValue("transport", "TypeId of the tensor transport, packet or flow", transportType);
    cmd.AddValue("rate", "data rate of the bus", rate);
    cmd.Parse(argc, argv);

    NodeContainer actors(4);
    NodeContainer server(1);
    NodeContainer all(actors, server);
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", StringValue(rate));
    const auto devices = bus.Install(all);
    InternetStackHelper().Install(all);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);

    EdgeDeviceHelper("raspberry-pi-4b").Install(actors);
    EdgeDeviceHelper("v100").Install(server);
    TransportHelper transport(transportType);
    transport.Install(all);
    ActorLearnerHelper helper("atari_cnn");
    helper.SetPlanner(planner);
    helper.SetActorAttribute("EnvironmentSeconds",
                             StringValue("ns3::UniformRandomVariable[Min=0.02|Max=0.04]"));
    ApplicationContainer applications = helper.Install(actors, server.Get(0));
    ActorLearnerHelper::AssignStreams(applications, 100);
    applications.Stop(Seconds(9));
    applications.Get(3)->SetStopTime(Seconds(5)); // after the server's, those of actors 0 to 3
    applications.Get(4)->SetStartTime(Seconds(3));

    const std::string path = "/NodeList/*/ApplicationList/*/$ns3::edgepipe::";
    Config::ConnectWithoutContext(path + "ActorServer/PlanChange", MakeCallback(&PrintChange));
    Config::ConnectWithoutContext(path + "ActorDevice/StepEnd", MakeCallback(&CountStep));
    Simulator::Run();
    for (const auto& [actor, steps] : g_steps)
    {
        std::cout << "actor " << actor << ": " << steps << " steps\n";
    }
    Simulator::Destroy();
    return 0;
}
