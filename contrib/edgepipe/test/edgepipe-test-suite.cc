/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// That the module works in the ns-3 it was built into: types are found by name, simulated time and
// TCP behave as the module expects. The module's own logic is tested in tests/.

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-packet-transport.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** Two equal layers on two equal devices: `exact` uses both, `even` agrees. */
class PlannerTestCase : public TestCase
{
  public:
    PlannerTestCase()
        : TestCase("planners are found by name and cut two equal layers in the middle")
    {
    }

  private:
    void DoRun() override
    {
        PipelineProblem problem;
        problem.microBatches = 2;
        problem.layers = {{"a", {}, 1000000, 0, 0}, {"b", {0}, 1000000, 0, 0}};
        problem.devices = {{"d0", "t", 1000}, {"d1", "t", 1000}};
        problem.costs["t"] = {{1, 1}, {2, 2}};
        problem.bandwidthBitsPerSecond = 8e9;
        const PipelineCostModel costModel(problem);
        for (const std::string name : {"even", "exact"})
        {
            const PipelinePlan plan = FindPipelinePlanner(name)->Plan(problem);
            NS_TEST_ASSERT_MSG_EQ(plan.stages.size(), 2U, name << " uses both devices");
            NS_TEST_EXPECT_MSG_EQ(plan.stages[0].lastLayer, 0U, name << " cuts after a");
            // Forward 1 + c + 1 and one more micro-batch of 1, backward 2 + c + 2 and one more
            // of 2, with c = 1 MB at 1 GB/s.
            NS_TEST_EXPECT_MSG_EQ_TOL(costModel.IterationSeconds(plan), 9.002, 1e-9, name);
        }
    }
};

/** The clock: a device that is half busy takes twice the time. */
class ComputeTestCase : public TestCase
{
  public:
    ComputeTestCase()
        : TestCase("a device with half its share left takes twice the time")
    {
    }

  private:
    void DoRun() override
    {
        auto device = CreateObject<ComputeDevice>();
        device->SetAvailableShare(0.5);
        Time done;
        device->Run(0, 3, Callback<void>([&done] { done = Simulator::Now(); }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(done, Seconds(6), "3 s of work");
        device->Dispose();
        Simulator::Destroy();
    }
};

/** TCP: two tensors cross a wire in order, at the wire's rate. */
class TransportTestCase : public TestCase
{
  public:
    TransportTestCase()
        : TestCase("tensors arrive whole, in order and at the wire's rate")
    {
    }

  private:
    void DoRun() override
    {
        NetworkOptions options;
        options.link = "p2p";
        options.bandwidthBitsPerSecond = 1e8;
        const Network network = NetworkHelper(options, {"d0", "d1"}).Build();
        auto transport = CreateObject<PacketTransport>();
        std::vector<Message> arrived;
        for (uint32_t i = 0; i < 2; ++i)
        {
            transport->AddDevice(network.devices.Get(i), network.addresses[i]);
            transport->Listen(i,
                              1,
                              Callback<void, const Message&>([&arrived](const Message& message) {
                                  arrived.push_back(message);
                              }));
        }
        transport->Send({0, 1, 1, 10, 10000000, "ten"});
        transport->Send({0, 1, 1, 11, 1000, ""});
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(arrived.size(), 2U, "both arrive");
        NS_TEST_EXPECT_MSG_EQ(arrived[0].tag, 10U, "the first one first");
        NS_TEST_EXPECT_MSG_EQ(arrived[0].bytes, 10000000U, "with all its bytes");
        NS_TEST_EXPECT_MSG_EQ(arrived[0].body, "ten", "and with its body");
        NS_TEST_EXPECT_MSG_EQ(arrived[1].tag, 11U, "the second one second");
        // 10001000 bytes at 100 Mbit/s are 0.80008 s; headers of 54 bytes on 1448 add 3.7 %, and
        // connecting and slow start on a 40 us round trip far less than the rest of 10 %.
        const double seconds = transport->GetLastProgress().GetSeconds();
        NS_TEST_EXPECT_MSG_GT(seconds, 0.80008, "not faster than the wire");
        NS_TEST_EXPECT_MSG_LT(seconds, 0.80008 * 1.1, "not slower than TCP's own costs explain");
        transport->Dispose();
        Simulator::Destroy();
    }
};

/** The module's suite under an ns-3 tree: ./test.py -s edgepipe. */
class EdgepipeTestSuite : public TestSuite
{
  public:
    EdgepipeTestSuite()
        : TestSuite("edgepipe", Type::UNIT)
    {
        AddTestCase(new PlannerTestCase);
        AddTestCase(new ComputeTestCase);
        AddTestCase(new TransportTestCase);
    }
};

EdgepipeTestSuite g_edgepipeTestSuite; //!< registers itself

} // namespace
