// SPDX-License-Identifier: GPL-2.0-only

#include "runs/network-probe.h"
#include "test.h"
#include "workloads/pipeline/pipeline-training-workload.h"

namespace
{

/// Payload of a probe, bytes: as much as planners are told rates by.
constexpr uint64_t PROBE_BYTES = 20000000;

/**
 * Three devices by Wi-Fi, two by LTE, one with a recording of a drive and two on wires, of the
 * cluster mixed-lab, at one level.
 */
class MixedWorkloads : public BothFidelities
{
  protected:
    void SetUp() override
    {
        m_workload->Declare(m_options);
        m_options.SetDefault("cluster", "mixed-lab");
        m_options.SetDefault("model", "mnist_cnn");
        m_options.SetDefault("fidelity", GetParam());
        m_options.SetDefault("micro-batch-size", "1");
        m_options.SetDefault("micro-batches", "2");
        m_options.Apply();
        m_workload->ReadAll();
        for (const auto& device : m_workload->GetCluster().devices)
        {
            m_names.push_back(device.name);
        }
    }

    /// @return what a probe measures that has all networks to itself, payload bit/s; over the same
    ///         seconds as planners' rates where it changes by time
    double Probe(uint32_t from, uint32_t to) const
    {
        if (m_names[from] == "car-0" || m_names[to] == "car-0")
        {
            std::vector<std::string> names = m_names;
            std::swap(names[0], names[from]);
            std::swap(names[1], *std::find(names.begin(), names.end(), m_names[to]));
            return MeasureBandwidth(m_workload->GetNetwork(), names);
        }
        const Network network = NetworkHelper(m_workload->GetNetwork(), m_names).Build({from, to});
        double measured = 0;
        LinkProbe probe;
        probe.SetUp({from, to, network.transport, {}, BandwidthMonitor::MONITOR_PORT},
                    Callback<void, double, double>([&](double rate, double) {
                        measured = rate;
                        Simulator::Stop();
                    }));
        Simulator::ScheduleNow([&] { probe.Begin(PROBE_BYTES); });
        Simulator::Run();
        probe.Cancel();
        network.transport->Dispose();
        Simulator::Destroy();
        return measured;
    }

    ScenarioOptions m_options{"mixed", ""}; //!< of pipeline training
    Ptr<PipelineTrainingWorkload> m_workload{CreateObject<PipelineTrainingWorkload>()}; //!< read
    std::vector<std::string> m_names; //!< of the devices
};

INSTANTIATE_PACKETS_LONG(MixedWorkloads);

} // namespace

TEST_P(MixedWorkloads, RatesOfEveryDeviceAreWhatALoneProbeMeasures)
{
    const bool isPacket = std::string(GetParam()) == "packet";
    std::map<std::string, uint32_t> links;
    std::set<std::string> slow; // packets of LTE take half a minute, and radio-test has them
    for (const auto& group : m_workload->GetNetwork().groups)
    {
        links[group.link->GetName()] += group.devices.size();
        if (isPacket && group.link->GetName() == "lte")
        {
            slow = group.devices;
        }
    }
    EXPECT_EQ(links,
              (std::map<std::string, uint32_t>{{"wifi", 3}, {"lte", 2}, {"trace", 1}, {"lan", 2}}));
    const auto& problem = m_workload->GetProblem();
    const uint32_t last = m_names.size() - 1; // on a wire of 1 Gbit/s
    std::set<std::string> probed;
    for (uint32_t i = 0; i < last; ++i)
    {
        SCOPED_TRACE(m_names[i]);
        const auto& device = problem.devices[i];
        const std::string rates = std::to_string(device.uplinkBitsPerSecond) + " " +
                                  std::to_string(device.downlinkBitsPerSecond);
        if (slow.count(m_names[i]) || (!probed.insert(rates).second && isPacket))
        {
            continue; // as one before, and many packets
        }
        EXPECT_NEAR(Probe(i, last) / device.uplinkBitsPerSecond, 1, 0.05);
        EXPECT_NEAR(Probe(last, i) / device.downlinkBitsPerSecond, 1, 0.05);
    }
    EXPECT_EQ(probed.size(), isPacket ? 4U : 5U);
}

TEST_P(MixedWorkloads, TrainAPipelineAndServeActorsInOneSimulation)
{
    const auto problem = std::make_shared<const PipelineProblem>(m_workload->GetProblem());
    Deployment deployment(m_workload->GetNetwork(), m_names, {0, 1, 2, 3, 4, 5, 6, 7});
    const auto& nodes = deployment.GetNetwork().devices;
    for (uint32_t i = 0; i < m_names.size(); ++i)
    {
        EdgeDeviceHelper(problem->devices[i].type).Install(nodes.Get(i), m_names[i]);
    }
    // One stage on each device, whatever its link is.
    PipelinePlan plan;
    const std::size_t layers = problem->layers.size();
    for (std::size_t stage = 0; stage < m_names.size(); ++stage)
    {
        plan.stages.push_back(
            {stage, stage * layers / m_names.size(), (stage + 1) * layers / m_names.size() - 1});
    }
    ASSERT_GE(layers, m_names.size());
    constexpr uint32_t ITERATIONS = 1;
    PipelineJob job;
    job.problem = problem;
    PipelineHelper pipeline(job);
    pipeline.SetPlan(plan);
    pipeline.SetCoordinatorAttribute("Iterations", UintegerValue(ITERATIONS));
    const auto training = pipeline.Install(nodes);
    NodeContainer actors;
    for (uint32_t i = 0; i + 1 < nodes.GetN(); ++i)
    {
        actors.Add(nodes.Get(i));
    }
    ActorLearnerHelper serving("atari_cnn");
    serving.SetPlanner("all-server");
    serving.SetBandwidth(DataRate(1000000));
    const auto applications = serving.Install(actors, nodes.Get(nodes.GetN() - 1));
    deployment.Watch(training);
    deployment.Watch(applications);
    uint32_t iterations = 0;
    std::vector<uint32_t> steps(actors.GetN());
    Connect(training.Get(0), "IterationEnd", [&](uint32_t) { ++iterations; });
    for (uint32_t i = 0; i < actors.GetN(); ++i)
    {
        Connect(applications.Get(i + 1), "StepEnd", [&steps, i](const StepRecord&) { ++steps[i]; });
    }
    const auto isDone = [&] {
        return iterations == ITERATIONS &&
               std::all_of(steps.begin(), steps.end(), [](uint32_t count) { return count > 1; });
    };
    std::function<void()> look = [&] {
        if (isDone())
        {
            deployment.End();
            return;
        }
        Simulator::Schedule(MilliSeconds(100), [&] { look(); });
    };
    look();
    Simulator::Stop(Seconds(100));
    deployment.Run();
    EXPECT_TRUE(isDone());
}
