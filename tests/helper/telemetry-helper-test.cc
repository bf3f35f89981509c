// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace
{

/** A workload that edgepipe does not know: a task, and a message to another node. */
class StrangeApplication : public EdgeApplication
{
  public:
    std::string DescribeWait() const override
    {
        return "";
    }

  private:
    void StartApplication() override
    {
        const TensorSocket socket(GetNode(), GetJobNumber());
        socket.Listen(7, Callback<void, const Message&>([](const Message&) {}));
        socket.Send(1, 7, 42, 1000);
        GetNode()->GetObject<ComputeDevice>()->Run(42, 0.5, Callback<void>(), GetJobNumber());
    }
};

/** What a job's usage and table say, but for times, which depend on who else is there. */
struct JobFigures
{
    std::map<uint32_t, uint32_t> tasks;     //!< by node
    std::map<uint32_t, double> busySeconds; //!< by node
    std::map<uint32_t, uint64_t> sentBytes; //!< by node
    std::size_t rows{0};                    //!< of its table
};

/** Three workers and a server of a star made by script, and a folder for results. */
class TelemetryHelperTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        m_nodes = NodeContainer();
        Simulator::Destroy();
    }

    void Equip()
    {
        m_nodes = MakeStar(4, "100Mbps", "1ms").nodes;
        EdgeDeviceHelper("raspberry-pi-5").Install(GetWorkers());
        EdgeDeviceHelper("v100").Install(m_nodes.Get(3));
        TransportHelper("ns3::edgepipe::FlowTransport").Install(m_nodes);
    }

    /** @return all nodes but the server */
    NodeContainer GetWorkers() const
    {
        NodeContainer workers;
        workers.Add(m_nodes.Get(0));
        workers.Add(m_nodes.Get(1));
        workers.Add(m_nodes.Get(2));
        return workers;
    }

    /// @return its applications, installed
    ApplicationContainer InstallJob(const std::string& job) const
    {
        if (job == "shares")
        {
            DataParallelHelper helper("mnist_cnn");
            helper.SetPlanner("equal");
            helper.SetWorkerAttribute("Iterations", UintegerValue(3));
            return helper.Install(GetWorkers());
        }
        if (job == "frames")
        {
            CooperativeInferenceHelper helper("alexnet");
            helper.SetPlanner("cloud-only");
            helper.SetReplannerAttribute("ReplanThreshold", DoubleValue(100));
            helper.SetDeviceAttribute("Frames", UintegerValue(5));
            helper.SetDeviceAttribute("FramesPerSecond", DoubleValue(5));
            return helper.Install(GetWorkers(), m_nodes.Get(3));
        }
        if (job == "steps")
        {
            ActorLearnerHelper helper("atari_cnn");
            helper.SetPlanner("all-server");
            auto applications = helper.Install(GetWorkers(), m_nodes.Get(3));
            applications.Stop(Seconds(2));
            return applications;
        }
        PipelineHelper helper("mnist_cnn");
        helper.SetPlanner("even");
        helper.SetMicroBatches(job == "training" ? 4 : 2, 4);
        helper.SetCoordinatorAttribute("Iterations", UintegerValue(2));
        if (job == "without updates")
        {
            helper.SetMemoryBandwidth({});
        }
        return helper.Install(GetWorkers());
    }

    /// Run jobs on the same nodes at the same time. @return by job
    std::map<std::string, JobFigures> RunJobs(const std::vector<std::string>& jobs)
    {
        Equip();
        TelemetryHelper telemetry;
        for (const auto& job : jobs)
        {
            telemetry.Install(job, InstallJob(job));
        }
        EXPECT_EQ(Simulator::Now(), Time()) << "the helper has run the simulator";
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        telemetry.Write(m_folder);
        std::map<std::string, JobFigures> figures;
        for (const auto& job : jobs)
        {
            for (const auto& [node, usage] : telemetry.GetUsage(job).GetNodes())
            {
                figures[job].tasks[node] = usage.tasks;
                figures[job].busySeconds[node] = usage.busySeconds;
                figures[job].sentBytes[node] = usage.sentBytes;
            }
            figures[job].rows = ReadRows(job).size();
        }
        TearDown();
        return figures;
    }

    /// @return its rows, without the heading
    std::vector<std::string> ReadRows(const std::string& job) const
    {
        std::vector<std::string> rows;
        for (const auto& entry : fs::directory_iterator(m_folder))
        {
            if (entry.path().filename().string().rfind(job + "-", 0) == 0)
            {
                std::ifstream file(entry.path());
                for (std::string line; std::getline(file, line);)
                {
                    rows.push_back(line);
                }
            }
        }
        if (!rows.empty())
        {
            rows.erase(rows.begin());
        }
        return rows;
    }

    NodeContainer m_nodes;                                                 //!< of the star
    const TemporaryFolder m_temporary;                                     //!< of this test
    const fs::path m_folder = fs::path(m_temporary.GetPath()) / "results"; //!< for results
};

} // namespace

TEST_F(TelemetryHelperTest, AJobsFiguresAreItsOwnWhoeverSharesItsNodes)
{
    const std::vector<std::string> jobs{"training", "other", "shares", "frames"};
    const auto together = RunJobs({"training", "other", "shares", "frames", "steps"});
    for (const auto& job : jobs)
    {
        const auto alone = RunJobs({job}).at(job);
        const auto& shared = together.at(job);
        EXPECT_FALSE(alone.tasks.empty()) << job;
        EXPECT_EQ(shared.tasks, alone.tasks) << job;
        EXPECT_EQ(shared.rows, alone.rows) << job;
        EXPECT_GT(shared.rows, 0U) << job;
        ASSERT_EQ(shared.busySeconds.size(), alone.busySeconds.size()) << job;
        for (const auto& [node, seconds] : alone.busySeconds)
        {
            EXPECT_NEAR(shared.busySeconds.at(node), seconds, 1e-6) << job << " on node " << node;
        }
        // How often workers report depends on how long they take.
        if (job != "shares")
        {
            EXPECT_EQ(shared.sentBytes, alone.sentBytes) << job;
        }
    }
    EXPECT_GT(together.at("steps").rows, 3U);
    for (const auto& row : ReadRows("frames"))
    {
        EXPECT_NE(row.find(",finished,0,"), std::string::npos) << row; // no layer on the device
    }
    // The devices' memory bandwidth is what weights are updated at.
    const auto free = RunJobs({"without updates"}).at("without updates");
    EXPECT_GT(together.at("other").busySeconds.at(0), free.busySeconds.at(0));
}

TEST_F(TelemetryHelperTest, TheOtherLogsTellJobsApart)
{
    // The same job beside others and alone, counted by the logs of the two workloads that count
    // tasks and messages themselves.
    std::vector<double> serving;
    std::vector<uint64_t> requests;
    std::vector<uint64_t> exchanged;
    for (const bool isAlone : {true, false})
    {
        Equip();
        const auto actors = InstallJob("steps");
        const auto workers = InstallJob("shares");
        // Nobody steps for longer than the other trains.
        ActorUsage usage(Seconds(100), JobFilter(actors));
        const DataParallelLog log(workers);
        const auto transport = TensorEndpoint::FindTransport(m_nodes.Get(0));
        usage.Observe(m_nodes.Get(3)->GetObject<ComputeDevice>());
        usage.Observe(transport);
        if (!isAlone)
        {
            InstallJob("frames");
            InstallJob("shares");
        }
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        const ServerUsage& span = usage.GetSpans().at(0);
        serving.push_back(span.inferenceSeconds / span.requests);
        requests.push_back(span.actionBytes / span.requests);
        exchanged.push_back(log.GetRecords().nodes.at(1).exchangeBytes);
        TearDown();
    }
    EXPECT_GT(exchanged[0], 0U);
    EXPECT_EQ(exchanged[0], exchanged[1]);
    EXPECT_EQ(requests[0], requests[1]);
    EXPECT_NEAR(serving[1] / serving[0], 1, 0.05);
}

TEST_F(TelemetryHelperTest, WritesTheTimelineOfEveryJob)
{
    RunJobs({"training", "frames"});
    const auto trace = nlohmann::json::parse(std::ifstream(m_folder / "timeline.json"));
    std::map<std::string, std::size_t> spans;
    std::map<nlohmann::json, std::string> processes;
    for (const auto& event : trace.at("traceEvents"))
    {
        if (event.at("name") == "process_name")
        {
            processes[event.at("pid")] = event.at("args").at("name");
        }
    }
    for (const auto& event : trace.at("traceEvents"))
    {
        if (event.at("ph") == "X" && event.at("cat") == "task")
        {
            ++spans[processes.at(event.at("pid")) + ": " + event.at("name").get<std::string>()];
        }
    }
    // Two iterations of four micro-batches; five frames of each device, at the server.
    EXPECT_EQ(spans["training / raspberry-pi-5-0: forward"], 8U);
    EXPECT_EQ(spans["training / raspberry-pi-5-1: update"], 2U);
    EXPECT_EQ(spans["frames / v100-3: server part"], 15U);
    for (const auto& [what, count] : spans)
    {
        EXPECT_EQ(what.find("frames") == 0 && what.find("forward") != std::string::npos, false)
            << what;
    }
    std::ostringstream usage;
    usage << std::ifstream(m_folder / "usage.csv").rdbuf();
    EXPECT_EQ(
        usage.str().rfind("job,device,tasks,busySeconds,messages,sentBytes,receivedBytes\n", 0),
        0U);
    EXPECT_NE(usage.str().find("\nframes,v100-3,15,"), std::string::npos) << usage.str();
}

TEST_F(TelemetryHelperTest, WithoutTimelinesNoneIsWritten)
{
    Equip();
    TelemetryHelper telemetry;
    telemetry.SetTimeline(false);
    telemetry.Install("training", InstallJob("training"));
    Simulator::Run();
    telemetry.Write(m_folder);
    EXPECT_TRUE(fs::exists(m_folder / "training-iterations.csv"));
    EXPECT_FALSE(fs::exists(m_folder / "timeline.json"));
    EXPECT_TRUE(telemetry.GetTimeline("training").GetTasks().empty());
    std::ostringstream shown;
    telemetry.PrintUsage(shown);
    EXPECT_NE(shown.str().find("training on raspberry-pi-5-0"), std::string::npos) << shown.str();
}

TEST_F(TelemetryHelperTest, KnowsWhatAnyWorkloadTakesOfItsNodes)
{
    Equip();
    NodeContainer nodes(m_nodes.Get(0), m_nodes.Get(1));
    InstallJob("training");
    const UintegerValue number(TensorEndpoint::TakeJob(nodes));
    ApplicationContainer strange;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        strange.Add(CreateObject<StrangeApplication>());
        strange.Get(i)->SetAttribute("JobNumber", number);
        nodes.Get(i)->AddApplication(strange.Get(i));
    }
    TelemetryHelper telemetry;
    telemetry.Install("strange", strange);
    Simulator::Run();
    const auto& usage = telemetry.GetUsage("strange").GetNodes();
    ASSERT_EQ(usage.size(), 2U);
    EXPECT_EQ(usage.at(0).tasks, 1U);
    EXPECT_NEAR(usage.at(0).busySeconds, 0.5, 1e-9);
    EXPECT_EQ(usage.at(0).sentBytes, 1000U);
    EXPECT_EQ(usage.at(1).sentBytes, 0U) << "to itself";
    EXPECT_EQ(usage.at(1).receivedBytes, 1000U);
    telemetry.Write(m_folder);
    EXPECT_TRUE(ReadRows("strange").empty());
    EXPECT_TRUE(fs::exists(m_folder / "timeline.json"));
}

TEST_F(TelemetryHelperTest, WhatIsNoJobIsNamed)
{
    Equip();
    TelemetryHelper telemetry;
    const auto training = InstallJob("training");
    const auto other = InstallJob("other");
    ApplicationContainer both(training);
    both.Add(other);
    EXPECT_EQ(ErrorOf([&] { telemetry.Install("both", both); }),
              "job: found applications of jobs 0 and 1, expected what one Install returned");
    EXPECT_EQ(ErrorOf([&] { telemetry.Install("none", ApplicationContainer()); }),
              "job: found no applications, expected at least one");
    EXPECT_NE(ErrorOf([&] { telemetry.Install("a/b", training); }), "");
    EXPECT_EQ(ErrorOf([&] { telemetry.Install("a", training); }), "");
    EXPECT_EQ(ErrorOf([&] { telemetry.Install("a", other); }),
              "telemetry: found a job called \"a\", expected a name of its own that can begin a "
              "file's");
    EXPECT_EQ(ErrorOf([&] { telemetry.GetUsage("b"); }),
              "telemetry: found no job called \"b\", expected one that was installed");
    std::ofstream(m_folder) << "a file";
    EXPECT_NE(ErrorOf([&] { telemetry.Write(m_folder / "deeper"); }), "");
}
