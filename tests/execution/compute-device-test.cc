// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/** A device whose tasks write down when they start and end, in seconds. */
class ComputeDeviceTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        const auto note = [this](const char* what) {
            return Callback<void, uint64_t, uint32_t>(
                [this, what](uint64_t tag, uint32_t) { Note(what, tag); });
        };
        m_device->TraceConnectWithoutContext("TaskStart", note("start"));
        m_device->TraceConnectWithoutContext("TaskEnd", note("end"));
    }

    /// Submit a task.
    void Run(uint64_t tag, double seconds)
    {
        m_device->Run(tag, seconds, Callback<void>([this, tag] { Note("done", tag); }));
    }

    /// Change the share at a time.
    void ShareAt(double seconds, double share)
    {
        Simulator::Schedule(Seconds(seconds), &ComputeDevice::SetAvailableShare, m_device, share);
    }

    void Note(const std::string& what, uint64_t tag)
    {
        m_log.push_back(what + " " + std::to_string(tag) + " " +
                        std::to_string(Simulator::Now().GetMilliSeconds()));
    }

    using Log = std::vector<std::string>;

    Ptr<ComputeDevice> m_device = CreateObject<ComputeDevice>(); //!< under test
    Log m_log;                                                   //!< what, tag, milliseconds
};

} // namespace

TEST_F(ComputeDeviceTest, RunsOneTaskAtATimeInTheOrderOfSubmission)
{
    Run(7, 1);
    Run(3, 0.5);
    Simulator::Schedule(Seconds(1.2), [this] { Run(5, 0); });
    EXPECT_TRUE(m_device->IsBusy());
    Simulator::Run();
    EXPECT_EQ(m_log,
              (Log{"start 7 0",
                   "end 7 1000",
                   "start 3 1000",
                   "done 7 1000",
                   "end 3 1500",
                   "start 5 1500",
                   "done 3 1500",
                   "end 5 1500",
                   "done 5 1500"}));
    EXPECT_FALSE(m_device->IsBusy());
    EXPECT_EQ(m_device->GetLastProgress(), Seconds(1.5));
}

TEST_F(ComputeDeviceTest, ATaskSubmittedByADoneCallbackRunsNext)
{
    m_device->Run(1, 1, Callback<void>([this] { Run(2, 1); }));
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"start 1 0", "end 1 1000", "start 2 1000", "end 2 2000", "done 2 2000"}));
}

TEST_F(ComputeDeviceTest, TheShareMayChangeWhileATaskRuns)
{
    // 1 s at 1, then 1 s at 0.5, then 0.5 s are left, at 0.25: 2 s.
    Run(1, 2);
    Run(2, 1); // all of it at 0.25
    ShareAt(1, 0.5);
    ShareAt(2, 0.25);
    Simulator::Run();
    EXPECT_EQ(m_log.at(1), "end 1 4000");
    EXPECT_EQ(m_log.at(4), "end 2 8000");
}

TEST_F(ComputeDeviceTest, NothingAdvancesWithoutAShare)
{
    Run(1, 2);
    ShareAt(0.5, 0);
    ShareAt(3, 0);
    ShareAt(10, 1);
    Simulator::Schedule(Seconds(9), [this] { EXPECT_TRUE(m_device->IsBusy()); });
    Simulator::Run();
    EXPECT_EQ(m_log.at(1), "end 1 11500");
}

TEST_F(ComputeDeviceTest, ATaskMayBeSubmittedWhileThereIsNoShare)
{
    m_device->SetAvailableShare(0);
    Run(1, 1);
    ShareAt(5, 0.5);
    Simulator::Run();
    EXPECT_EQ(m_log, (Log{"start 1 0", "end 1 7000", "done 1 7000"}));
}

TEST_F(ComputeDeviceTest, SettingTheSameShareChangesNothing)
{
    Run(1, 1);
    for (int i = 1; i < 10; ++i)
    {
        ShareAt(0.1 * i, 1);
    }
    Simulator::Run();
    EXPECT_EQ(m_log.at(1), "end 1 1000");
}

TEST_F(ComputeDeviceTest, ARunningTaskMayBeShortened)
{
    Run(1, 2);
    Run(2, 1);
    ShareAt(0.5, 0.5);
    Simulator::Schedule(Seconds(1), [this] {
        EXPECT_DOUBLE_EQ(m_device->GetRemaining(), 1.25);
        m_device->Shorten(0.75);
        EXPECT_DOUBLE_EQ(m_device->GetRemaining(), 0.5);
    });
    Simulator::Run();
    EXPECT_EQ(m_log.at(1), "end 1 2000");
    EXPECT_EQ(m_log.at(4), "end 2 4000") << "only the running task is shortened";
    EXPECT_EQ(m_device->GetRemaining(), 0);
}

TEST_F(ComputeDeviceTest, AMarkIsReachedByWorkNotByTime)
{
    Run(1, 2);
    m_device->CallAtRemaining(1, Callback<void>([this] { Note("mark", 1); }));
    ShareAt(0.5, 0.25); // half a second of work is missing to the mark: 2 s
    Simulator::Run();
    EXPECT_EQ(m_log.at(1), "mark 1 2500");
    EXPECT_EQ(m_log.at(2), "end 1 6500");
}

TEST_F(ComputeDeviceTest, AMarkThatATaskIsShortenedPastIsReachedAtOnce)
{
    Run(1, 4);
    m_device->CallAtRemaining(1, Callback<void>([this] { Note("mark", 1); }));
    Simulator::Schedule(Seconds(1), [this] { m_device->Shorten(2.5); });
    Simulator::Run();
    EXPECT_EQ(m_log.at(1), "mark 1 1000");
    EXPECT_EQ(m_log.at(2), "end 1 1500");
}

TEST_F(ComputeDeviceTest, AMarkAtTheEndComesBeforeIt)
{
    Run(1, 1);
    Run(2, 1);
    m_device->CallAtRemaining(0.5, Callback<void>([this] { Note("lost", 1); }));
    m_device->CallAtRemaining(0, Callback<void>([this] { Note("mark", 1); }));
    Simulator::Run();
    EXPECT_EQ(m_log,
              (Log{"start 1 0",
                   "mark 1 1000",
                   "end 1 1000",
                   "start 2 1000",
                   "done 1 1000",
                   "end 2 2000",
                   "done 2 2000"}));
}
