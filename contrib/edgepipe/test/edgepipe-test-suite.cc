// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-edge-device-helper.h"
#include "ns3/edgepipe-pipeline-helper.h"
#include "ns3/edgepipe-transport-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// Make nodes edge devices on a chain of wires with an Internet stack and a transport.
void
JoinChain(const NodeContainer& nodes)
{
    InternetStackHelper().Install(nodes);
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    wire.SetChannelAttribute("Delay", StringValue("1us"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i + 1 < nodes.GetN(); ++i)
    {
        addresses.Assign(wire.Install(nodes.Get(i), nodes.Get(i + 1)));
        addresses.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    DeviceSpec spec{};
    spec.name = "some";
    spec.usableMemoryBytes = 1000000000;
    spec.memoryBandwidthBytesPerSecond = 1e15;
    EdgeDeviceHelper(spec).Install(nodes);
    TransportHelper("ns3::edgepipe::PacketTransport").Install(nodes);
}

/// @ingroup edgepipe-tests
/// Training over a chain of fast wires takes as long as the closed form says.
class PipelineTimeTestCase : public TestCase
{
  public:
    PipelineTimeTestCase(const std::string& name,
                         const std::string& schedule,
                         std::vector<double> forwardSeconds,
                         std::vector<double> backwardSeconds,
                         uint32_t microBatches,
                         double iterationSeconds)
        : TestCase(name),
          m_schedule(schedule),
          m_forwardSeconds(std::move(forwardSeconds)),
          m_backwardSeconds(std::move(backwardSeconds)),
          m_microBatches(microBatches),
          m_iterationSeconds(iterationSeconds)
    {
    }

  private:
    void DoRun() override
    {
        auto problem = std::make_shared<PipelineProblem>();
        PipelinePlan plan;
        problem->microBatches = m_microBatches;
        problem->bandwidthBitsPerSecond = 1e11;
        problem->costs["some"] = {m_forwardSeconds, m_backwardSeconds};
        const NodeContainer nodes(m_forwardSeconds.size());
        JoinChain(nodes);
        for (std::size_t i = 0; i < m_forwardSeconds.size(); ++i)
        {
            const std::string number = std::to_string(i);
            const auto inputs = i ? std::vector<std::size_t>{i - 1} : std::vector<std::size_t>{};
            problem->layers.push_back({"layer-" + number, inputs, 2000, 1000, 50000});
            problem->devices.push_back({"device-" + number, "some", 1000000000});
            plan.stages.push_back({i, i, i});
        }
        PipelineJob job;
        job.problem = problem;
        PipelineHelper helper(job);
        helper.SetPlan(plan);
        helper.SetSchedule(m_schedule);
        helper.SetCoordinatorAttribute("Iterations", UintegerValue(2));
        const auto coordinator = helper.Install(nodes).Get(0);
        std::vector<Time> starts;
        std::vector<Time> ends;
        coordinator->TraceConnectWithoutContext(
            "IterationStart",
            Callback<void, uint32_t>([&starts](uint32_t) { starts.push_back(Simulator::Now()); }));
        coordinator->TraceConnectWithoutContext(
            "IterationEnd",
            Callback<void, uint32_t>([&ends](uint32_t) { ends.push_back(Simulator::Now()); }));
        Simulator::Run();
        Simulator::Destroy();

        NS_TEST_ASSERT_MSG_EQ(ends.size(), 2, "wrong number of iterations");
        for (std::size_t i = 0; i < ends.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL((ends[i] - starts[i]).GetSeconds(),
                                      m_iterationSeconds,
                                      0.01 * m_iterationSeconds,
                                      "an iteration takes too long or too short");
        }
    }

    std::string m_schedule;                //!< name of a PipelineSchedule
    std::vector<double> m_forwardSeconds;  //!< of each stage
    std::vector<double> m_backwardSeconds; //!< of each stage
    uint32_t m_microBatches;               //!< how many
    double m_iterationSeconds;             //!< expected
};

/// @ingroup edgepipe-tests
/// The test suite of module edgepipe.
class EdgepipeTestSuite : public TestSuite
{
  public:
    EdgepipeTestSuite()
        : TestSuite("edgepipe", Type::UNIT)
    {
        // (s + M - 1) (f + b) = 6 * 0.03 s
        for (const char* schedule : {"gpipe", "1f1b"})
        {
            AddTestCase(new PipelineTimeTestCase(std::string("Equal stages, ") + schedule,
                                                 schedule,
                                                 {0.01, 0.01, 0.01},
                                                 {0.02, 0.02, 0.02},
                                                 4,
                                                 0.18));
        }
        // sum(f) + 3 max(f) + sum(b) + 3 max(b) = 0.06 + 0.09 + 0.11 + 0.15 s
        AddTestCase(new PipelineTimeTestCase("Unequal stages, gpipe",
                                             "gpipe",
                                             {0.01, 0.03, 0.02},
                                             {0.02, 0.05, 0.04},
                                             4,
                                             0.41));
    }
};

EdgepipeTestSuite g_edgepipeTestSuite; //!< registers itself

} // namespace
