// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace
{

/** A transport that takes a fixed time for every message, whatever its size. */
class FixedTransport : public TensorTransport
{
  private:
    std::vector<Pending> DoGetPending() const override
    {
        return {};
    }

    void DoSend(Outgoing outgoing) override
    {
        NotifyStart(outgoing);
        Simulator::Schedule(MilliSeconds(5), [this, outgoing] { Deliver(outgoing); });
    }
};

/** Two devices on which a few things happen, and the timeline of them. */
class TimelineTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_timeline.Observe(m_transport);
        for (uint32_t i = 0; i < 2; ++i)
        {
            m_compute.push_back(CreateObject<ComputeDevice>());
            m_memory.push_back(CreateObject<MemoryLedger>());
            m_timeline.Observe(i, m_compute[i], m_memory[i]);
            m_transport->Listen(i, 0, Callback<void, const Message&>([](const Message&) {}));
        }
    }

    /// Submit a task at a time.
    void RunAt(uint32_t start, uint32_t device, uint64_t tag, uint32_t duration)
    {
        Simulator::Schedule(MilliSeconds(start), [=] {
            m_compute[device]->Run(tag, duration / 1000.0, Callback<void>());
        });
    }

    Ptr<FixedTransport> m_transport = CreateObject<FixedTransport>(); //!< between the two
    std::vector<Ptr<ComputeDevice>> m_compute;                        //!< by device
    std::vector<Ptr<MemoryLedger>> m_memory;                          //!< by device
    Timeline m_timeline;                                              //!< under test
};

/// @return a label that shows it
TagLabel
Label(uint64_t tag, uint16_t)
{
    return {tag < 10 ? "forward" : "say \"hi\" \\ \n", 3, tag < 10, static_cast<uint32_t>(tag)};
}

} // namespace

TEST_F(TimelineTest, RecordsTasksTransfersAndMemory)
{
    RunAt(1, 1, 4, 10);
    RunAt(2, 1, 5, 10);
    Simulator::Schedule(MilliSeconds(3), [this] {
        m_memory[0]->Reserve(100);
        m_transport->Send({0, 1, 0, 6, 1000, ""});
    });
    Simulator::Schedule(MilliSeconds(4), [this] { m_memory[0]->Release(40); });
    Simulator::Run();

    ASSERT_EQ(m_timeline.GetTasks().size(), 2U);
    const auto& task = m_timeline.GetTasks()[1];
    EXPECT_EQ(task.device, 1U);
    EXPECT_EQ(task.tag, 5U);
    EXPECT_EQ(task.start, MilliSeconds(11));
    EXPECT_EQ(task.end, MilliSeconds(21));

    ASSERT_EQ(m_timeline.GetTransfers().size(), 1U);
    const auto& transfer = m_timeline.GetTransfers()[0];
    EXPECT_EQ(transfer.from, 0U);
    EXPECT_EQ(transfer.to, 1U);
    EXPECT_EQ(transfer.tag, 6U);
    EXPECT_EQ(transfer.bytes, 1000U);
    EXPECT_EQ(transfer.start, MilliSeconds(3));
    EXPECT_EQ(transfer.end, MilliSeconds(8));

    ASSERT_EQ(m_timeline.GetMemory().size(), 2U);
    EXPECT_EQ(m_timeline.GetMemory()[1].bytes, 60U);
    EXPECT_EQ(m_timeline.GetMemory()[1].time, MilliSeconds(4));
}

TEST_F(TimelineTest, WhatHasNotEndedIsNotPartOfIt)
{
    RunAt(1, 0, 4, 100);
    Simulator::Stop(MilliSeconds(50));
    Simulator::Run();
    EXPECT_TRUE(m_timeline.GetTasks().empty());
}

TEST_F(TimelineTest, EndsWhereItIsFull)
{
    RunAt(1, 0, 4, 1);
    Simulator::Schedule(MilliSeconds(10), [this] {
        while (m_timeline.GetMarks().size() + 1 < Timeline::MOST_ENTRIES)
        {
            m_timeline.AddMark(0, 1);
        }
        EXPECT_FALSE(m_timeline.GetEnd());
    });
    RunAt(20, 0, 5, 10);
    Simulator::Schedule(MilliSeconds(40), [this] {
        m_memory[0]->Reserve(100);
        m_transport->Send({0, 1, 0, 6, 1000, ""});
        m_timeline.AddMark(0, 1);
    });
    Simulator::Run();
    EXPECT_EQ(m_timeline.GetEnd(), MilliSeconds(30));
    EXPECT_EQ(m_timeline.GetTasks().size(), 1U);
    EXPECT_TRUE(m_timeline.GetTransfers().empty());
    EXPECT_TRUE(m_timeline.GetMemory().empty());
    EXPECT_EQ(m_timeline.GetMarks().size(), Timeline::MOST_ENTRIES - 1);
    std::ostringstream os;
    ChromeTraceWriter(os).AddCase("even", {"a", "b"}, m_timeline, Label);
    EXPECT_NE(os.str().find("full: nothing is recorded from 0.03 s on"), std::string::npos);
}

TEST_F(TimelineTest, ChromeTraceIsJsonWithAnEventForEverything)
{
    RunAt(1, 1, 4, 10);
    Simulator::Schedule(NanoSeconds(3000001), [this] {
        m_memory[1]->Reserve(100);
        m_transport->Send({1, 0, 0, 12, 1000, ""});
    });
    Simulator::Run();

    std::ostringstream os;
    ChromeTraceWriter writer(os);
    writer.AddCase("even", {"a \"1\"", "b\\2"}, m_timeline, Label);
    writer.AddCase("exact", {"a \"1\"", "b\\2"}, m_timeline, Label);
    writer.Finish();
    const json trace = json::parse(os.str());
    EXPECT_EQ(trace.at("displayTimeUnit"), "ms");

    std::map<std::string, std::vector<json>> events;
    for (const auto& event : trace.at("traceEvents"))
    {
        events[event.at("ph")].push_back(event);
    }
    ASSERT_EQ(events["X"].size(), 4U) << "a task and a transfer for each case";
    const json& task = events["X"][0];
    const json& transfer = events["X"][1];
    EXPECT_EQ(task.at("cat"), "task");
    EXPECT_EQ(task.at("name"), "forward");
    EXPECT_EQ(task.at("ts"), 1000.0);
    EXPECT_EQ(task.at("dur"), 10000.0);
    EXPECT_EQ(task.at("args"), (json{{"iteration", 3}, {"microBatch", 4}}));
    EXPECT_EQ(transfer.at("cat"), "transfer");
    EXPECT_EQ(transfer.at("name"), "say \"hi\" \\ \n");
    EXPECT_EQ(transfer.at("ts"), 3000.001) << "microseconds, to the nanosecond";
    EXPECT_EQ(transfer.at("dur"), 5000.0);
    EXPECT_EQ(transfer.at("args"), (json{{"iteration", 3}, {"bytes", 1000}}));
    EXPECT_EQ(task.at("pid"), transfer.at("pid"));
    EXPECT_NE(task.at("tid"), transfer.at("tid"));
    EXPECT_NE(task.at("pid"), events["X"][2].at("pid")) << "cases are apart";

    std::map<json, std::string> processes;
    std::map<std::pair<json, json>, std::string> threads;
    for (const auto& event : events["M"])
    {
        const auto& args = event.at("args");
        if (event.at("name") == "process_name")
        {
            processes[event.at("pid")] = args.at("name");
        }
        else if (event.at("name") == "thread_name")
        {
            threads[{event.at("pid"), event.at("tid")}] = args.at("name");
        }
    }
    EXPECT_EQ(processes[task.at("pid")], "even / b\\2");
    EXPECT_EQ(processes[events["X"][2].at("pid")], "exact / b\\2");
    EXPECT_EQ((threads[{task.at("pid"), task.at("tid")}]), "compute");
    EXPECT_EQ((threads[{transfer.at("pid"), transfer.at("tid")}]), "to a \"1\"");

    ASSERT_EQ(events["C"].size(), 2U);
    EXPECT_EQ(events["C"][0].at("args"), (json{{"bytes", 100}}));
    EXPECT_EQ(events["C"][0].at("pid"), task.at("pid"));
}

TEST_F(TimelineTest, AnEmptyTraceIsJsonToo)
{
    std::ostringstream os;
    ChromeTraceWriter writer(os);
    writer.AddCase("nothing", {"a", "b"}, m_timeline, Label);
    writer.Finish();
    EXPECT_TRUE(json::parse(os.str()).at("traceEvents").empty());
}

TEST_F(TimelineTest, BubblesAreIdleTimeBetweenADevicesFirstAndLastTask)
{
    PipelineUsageMeter meter;
    meter.Observe(0, m_compute[0]);
    meter.Observe(1, m_compute[1]);
    // Iteration 0, 0 to 50 ms: device 0 idles for 10 of its 40 ms, device 1 never.
    Simulator::Schedule(MilliSeconds(0), [&meter] { meter.BeginIteration(); });
    RunAt(0, 0, 1, 10);
    RunAt(20, 0, 2, 20);
    RunAt(10, 1, 1, 10);
    Simulator::Schedule(MilliSeconds(50), [&meter] { meter.EndIteration(); });
    // Iteration 1, 50 to 90 ms: nobody idles.
    Simulator::Schedule(MilliSeconds(50), [&meter] { meter.BeginIteration(); });
    RunAt(50, 0, 1, 10);
    RunAt(60, 1, 1, 29);
    Simulator::Schedule(MilliSeconds(90), [&meter] { meter.EndIteration(); });
    // A task of an iteration that never ends.
    Simulator::Schedule(MilliSeconds(92), [&meter] { meter.BeginIteration(); });
    RunAt(95, 0, 1, 3);
    Simulator::Run();
    const auto& usage = meter.GetUsage();
    ASSERT_EQ(meter.GetIterations().size(), 2U);
    EXPECT_EQ(meter.GetIterations()[1].start, MilliSeconds(50));
    EXPECT_EQ(meter.GetIterations()[1].end, MilliSeconds(90));
    ASSERT_EQ(usage.bubbleRates.size(), 2U);
    EXPECT_DOUBLE_EQ(usage.bubbleRates[0], 0.1);
    EXPECT_DOUBLE_EQ(usage.bubbleRates[1], 0);
    ASSERT_EQ(usage.idleRates.size(), 2U);
    EXPECT_DOUBLE_EQ(usage.idleRates[0], 0.6);
    EXPECT_DOUBLE_EQ(usage.idleRates[1], 0.5125);
    EXPECT_NEAR(usage.busySeconds.at(0), 0.04, 1e-12);
    EXPECT_NEAR(usage.busySeconds.at(1), 0.039, 1e-12);
}
