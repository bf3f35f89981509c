// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

namespace
{

/// Installs a job on three workers and perhaps a server.
using JobInstaller = std::function<ApplicationContainer(const NodeContainer&, const Ptr<Node>&)>;

/** A workload and how long it takes undisturbed. */
struct StoppedJob
{
    const char* name;     //!< of the workload
    JobInstaller install; //!< puts it on nodes
};

/// @return what installs a pipeline
JobInstaller
TrainPipeline(bool isAssisted)
{
    return [isAssisted](const NodeContainer& workers, const Ptr<Node>&) {
        PipelineHelper helper("alexnet");
        helper.SetPlanner("even");
        helper.SetMicroBatches(4, 4);
        helper.SetCoordinatorAttribute("Iterations", UintegerValue(3));
        helper.SetAdjacentAttribute("AdjacentScheduling", BooleanValue(isAssisted));
        return helper.Install(workers);
    };
}

/** The workload that is stopped. */
class StopTest : public ::testing::TestWithParam<StoppedJob>
{
  protected:
    /// Install the job on a star of its own. @return its applications
    ApplicationContainer Install()
    {
        Simulator::Destroy();
        const auto nodes = MakeStar(4, "100Mbps", "1ms").nodes;
        m_workers = NodeContainer(nodes.Get(0), nodes.Get(1), nodes.Get(2));
        m_server = nodes.Get(3);
        EdgeDeviceHelper("raspberry-pi-5").Install(m_workers);
        EdgeDeviceHelper("v100").Install(m_server);
        TransportHelper("ns3::edgepipe::FlowTransport").Install(nodes);
        return GetParam().install(m_workers, m_server);
    }

    /** @return bytes in use and the most that were, on all workers */
    std::pair<uint64_t, uint64_t> CountMemory() const
    {
        std::pair<uint64_t, uint64_t> bytes;
        for (uint32_t i = 0; i < m_workers.GetN(); ++i)
        {
            const auto ledger = m_workers.Get(i)->GetObject<MemoryLedger>();
            bytes.first += ledger->GetInUse();
            bytes.second += ledger->GetPeak();
        }
        return bytes;
    }

    NodeContainer m_workers; //!< of the star
    Ptr<Node> m_server;      //!< of the star
};

} // namespace

TEST_P(StopTest, StoppedAtAnyTimeItGivesItsMemoryBackAndTheSimulationEnds)
{
    bool hasHeldAny = false;
    for (const double second : {0.0005, 0.05, 0.3, 0.7, 1.1, 1.6, 2.3, 3.7})
    {
        const auto applications = Install();
        for (uint32_t i = 0; i < applications.GetN(); ++i)
        {
            applications.Get(i)->SetStopTime(Seconds(second));
        }
        Simulator::Run();
        EXPECT_EQ(CountMemory().first, 0U) << second;
        hasHeldAny = hasHeldAny || CountMemory().second > 0;
    }
    const bool usesMemory = std::string(GetParam().name).find("raining") != std::string::npos;
    EXPECT_EQ(hasHeldAny, usesMemory);
}

TEST_P(StopTest, OneThatStopsAloneLeavesTheOthersWaiting)
{
    for (uint32_t one = 0; one < Install().GetN(); ++one)
    {
        const auto applications = Install();
        applications.Get(one)->SetStopTime(Seconds(0.4));
        Simulator::Stop(Seconds(30));
        Simulator::Run();
        for (uint32_t i = 0; i < applications.GetN(); ++i)
        {
            DynamicCast<EdgeApplication>(applications.Get(i))->DescribeWait();
        }
        Simulator::Destroy();
    }
}

TEST_P(StopTest, OneThatStartsLaterThanTheOthersDelaysThem)
{
    const auto run = [this](const ApplicationContainer& applications) {
        std::map<uint32_t, uint32_t> finished;
        for (uint32_t i = 0; i < applications.GetN(); ++i)
        {
            Connect(applications.Get(i), "Finished", [&finished, i] { ++finished[i]; });
        }
        Simulator::Run();
        EXPECT_EQ(CountMemory().first, 0U);
        return finished;
    };
    const auto together = run(Install());
    for (uint32_t one = 0; one < Install().GetN(); ++one)
    {
        const auto applications = Install();
        applications.Get(one)->SetStartTime(Seconds(0.4));
        EXPECT_EQ(run(applications), together) << "application " << one;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Workloads,
    StopTest,
    ::testing::Values(StoppedJob{"PipelineTraining", TrainPipeline(false)},
                      StoppedJob{"AssistedTraining", TrainPipeline(true)},
                      StoppedJob{"DataParallelTraining",
                                 [](const NodeContainer& workers, const Ptr<Node>&) {
                                     DataParallelHelper helper("mnist_cnn");
                                     helper.SetWorkerAttribute("Iterations", UintegerValue(20));
                                     return helper.Install(workers);
                                 }},
                      StoppedJob{"Inference",
                                 [](const NodeContainer& workers, const Ptr<Node>& server) {
                                     CooperativeInferenceHelper helper("alexnet");
                                     helper.SetDeviceAttribute("Frames", UintegerValue(20));
                                     return helper.Install(workers, server);
                                 }},
                      StoppedJob{"Actors",
                                 [](const NodeContainer& workers, const Ptr<Node>& server) {
                                     auto all =
                                         ActorLearnerHelper("atari_cnn").Install(workers, server);
                                     all.Stop(Seconds(5));
                                     return all;
                                 }}),
    [](const auto& info) { return std::string(info.param.name); });
