// SPDX-License-Identifier: GPL-2.0-only

// Devices on mobile bearers, and a server on a cable, at either fidelity.

#include "links.h"
#include "network/transport/transport-fixture.h"

#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-paced-net-device.h"

namespace
{

/// Payload of a full packet over its size.
constexpr double PAYLOAD = 1448.0 / 1500;

/// @return bearers as they are unless told otherwise; the device d1 is on a cable
NetworkOptions
MakeOptions(const std::string& fidelity, const std::string& link)
{
    NetworkOptions options;
    options.fidelity = fidelity;
    options.SetLink(link);
    options.wiredDevices = {"d1"};
    return options;
}

/** Messages over bearers at a fidelity. */
class BearerTest : public TransportTest, public ::testing::WithParamInterface<std::string>
{
  protected:
    /// @param from sender of a first message that opens the connection and of one that is measured
    /// @return how long the second takes, s
    double Measure(const NetworkOptions& options, uint32_t from, uint64_t bytes)
    {
        TearDown();
        Join(options, 2);
        SendAt(Time(), from, 1 - from, bytes);
        SendAt(Seconds(1000), from, 1 - from, bytes);
        Run();
        ExpectAllDelivered();
        return (m_events[1].end - Seconds(1000)).GetSeconds();
    }

    /// @return its file
    std::string Record(const std::string& rows)
    {
        return m_folder.Write("recording.csv", "seconds,bitsPerSecond\n" + rows);
    }

    TemporaryFolder m_folder; //!< for recordings
};

} // namespace

TEST_P(BearerTest, TheTwoDirectionsHaveRatesOfTheirOwn)
{
    KeepWindowsInPauses();
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.Set("Jitter", TimeValue(Time()));
    const double bits = 8 * 5e6;
    const double up = Measure(options, 0, 5000000) - GetDelay(options).GetSeconds();
    const double down = Measure(options, 1, 5000000) - GetDelay(options).GetSeconds();
    EXPECT_NEAR(up, bits / (5.85e6 * PAYLOAD), 0.02 * up);
    EXPECT_NEAR(down, bits / (14.7e6 * PAYLOAD), 0.02 * down);
    options.Set("DownlinkBandwidth", RateStepsValue(5.85e6));
    EXPECT_NEAR(Measure(options, 1, 5000000) - GetDelay(options).GetSeconds(), up, 0.01 * up);
}

TEST_P(BearerTest, AShortMessageTakesTheDelayAndHalfTheJitterMore)
{
    NetworkOptions options = MakeOptions(GetParam(), "3g");
    options.Set("Delay", TimeValue(MilliSeconds(150)));
    options.Set("Jitter", TimeValue(Time()));
    const double up = 8 * (100 + 48 + 52) / 1.1e6;
    EXPECT_NEAR(Measure(options, 0, 100), 0.15 + up, 1e-4);
    options.Set("Jitter", TimeValue(MilliSeconds(100)));
    // One draw at packet level, the mean for flows.
    const double tolerance = GetParam() == "flow" ? 1e-4 : 0.05;
    EXPECT_NEAR(Measure(options, 0, 100), 0.15 + 0.05 + up, tolerance);
}

TEST_P(BearerTest, ADenseMessageWaitsForTheLatestOfItsPackets)
{
    NetworkOptions options = MakeOptions(GetParam(), "3g");
    options.Set("Delay", TimeValue(MilliSeconds(150)));
    options.Set("Jitter", TimeValue(MilliSeconds(100)));
    options.Set("UplinkBandwidth", RateStepsValue(1e9));
    constexpr uint32_t PACKETS = 8;
    constexpr uint32_t MESSAGES = 60;
    Join(options, 2);
    for (uint32_t i = 0; i <= MESSAGES; ++i)
    {
        SendAt(Seconds(1000) * i, 0, 1, PACKETS * 1448 - 48);
    }
    Run();
    ExpectAllDelivered();
    double mean = 0;
    for (uint32_t i = 1; i <= MESSAGES; ++i)
    {
        mean += (m_events[i].end - m_events[i].start).GetSeconds() / MESSAGES;
    }
    // The largest of 8 uniform numbers is 8/9 in the mean; that of 60 such has an error of 1.3 ms.
    const double tolerance = GetParam() == "flow" ? 5e-4 : 4e-3;
    EXPECT_NEAR(mean, 0.15 + 0.1 * PACKETS / (PACKETS + 1), tolerance);
}

TEST_P(BearerTest, TheFirstWindowIsTenSegments)
{
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.Set("Jitter", TimeValue(Time()));
    options.Set("Delay", TimeValue(MilliSeconds(45)));
    options.Set("UplinkBandwidth", RateStepsValue(50e6));
    const double trip = 2 * GetDelay(options).GetSeconds();
    // Half a round trip after the handshake's, and one more for every window before the last.
    for (const auto& [segments, trips] :
         std::vector<std::pair<int, double>>{{10, 1.5}, {11, 2.5}, {28, 2.5}, {31, 3.5}, {66, 3.5}})
    {
        TearDown();
        Join(options, 2);
        SendAt(Time(), 0, 1, segments * 1448 - 48);
        Run();
        const double sent = segments % 10 == 0 ? 10 : segments - (segments > 30 ? 28 : 10);
        const double expected = trips * trip + sent * 8 * 1500 / 50e6;
        EXPECT_NEAR(m_events[0].end.GetSeconds(), expected, 0.03 * expected) << segments;
    }
}

TEST_P(BearerTest, TheFirstWindowIsAnAttribute)
{
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.Set("Jitter", TimeValue(Time()));
    options.Set("UplinkBandwidth", RateStepsValue(50e6));
    const double trip = 2 * GetDelay(options).GetSeconds();
    for (const int window : {4, 40})
    {
        Config::SetDefault("ns3::edgepipe::TensorTransport::InitialWindow", UintegerValue(window));
        for (const int more : {0, 1})
        {
            TearDown();
            Join(options, 2);
            SendAt(Time(), 0, 1, (window + more) * 1448 - 48);
            Run();
            const double sent = more ? 1 : window;
            const double expected = (1.5 + more) * trip + sent * 8 * 1500 / 50e6;
            EXPECT_NEAR(m_events[0].end.GetSeconds(), expected, 0.03 * expected) << window;
        }
    }
    Config::SetDefault("ns3::edgepipe::TensorTransport::InitialWindow", UintegerValue(10));
}

TEST_P(BearerTest, AWindowIsAcknowledgedARoundTripAfterItWasSent)
{
    KeepWindowsInPauses();
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.Set("Jitter", TimeValue(Time()));
    options.Set("Delay", TimeValue(MilliSeconds(45)));
    options.Set("UplinkBandwidth", RateStepsValue(50e6));
    Join(options, 2);
    SendAt(Time(), 0, 1, 100);
    SendAt(Seconds(1), 0, 1, 100);
    SendAt(Seconds(1.045), 0, 1, 20 * 1448 - 48);
    Run();
    // The short message's acknowledgement, after half of this time, makes no room for the rest.
    const double expected = 3 * 0.045 + 10 * 8 * 1500 / 50e6;
    EXPECT_NEAR((m_events[2].end - Seconds(1.045)).GetSeconds(), expected, 0.03 * expected);
}

TEST_P(BearerTest, AHandshakeWaitsBehindWhatOthersHaveQueued)
{
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.Set("Jitter", TimeValue(Time()));
    options.wiredDevices.clear();
    options.Set("Delay", TimeValue(MilliSeconds(45)));
    options.Set("UplinkBandwidth", RateStepsValue(10e6));
    options.Set("DownlinkBandwidth", RateStepsValue(200e3));
    Join(options, 3);
    SendAt(Time(), 0, 1, 100 * 1448 - 48);
    SendAt(Seconds(3), 2, 1, 100);
    Run();
    // The first's window, which stays before the slow downlink, is waited for twice: by the SYN and
    // by the data. Once is 2.3 s.
    EXPECT_NEAR((m_events[1].end - Seconds(3)).GetSeconds(), 3.3, 0.15);
}

TEST_P(BearerTest, BetweenDevicesGoesUpOneBearerAndDownTheOther)
{
    KeepWindowsInPauses();
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.wiredDevices.clear();
    options.Set("Jitter", TimeValue(Time()));
    const double seconds = Measure(options, 0, 3000000) - 2 * GetDelay(options).GetSeconds();
    EXPECT_NEAR(seconds, 8 * 3e6 / (5.85e6 * PAYLOAD), 0.02 * seconds);
    ASSERT_EQ(m_network.links.size(), 4u);
    const std::vector<std::string> names{"d0 -> core", "core -> d0", "d1 -> core", "core -> d1"};
    const double bytes = 2 * 3e6 / PAYLOAD;
    const std::vector<double> expected{bytes, bytes / 57.7, bytes / 57.7, bytes};
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        EXPECT_EQ(m_network.links[i]->name, names[i]);
        EXPECT_NEAR(m_network.links[i]->bytes, expected[i], 0.05 * expected[i]) << names[i];
    }
}

TEST_P(BearerTest, TheSendBufferFillsAFasterBearer)
{
    KeepWindowsInPauses();
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.wiredDevices.clear();
    options.Set("Jitter", TimeValue(Time()));
    options.Set("DownlinkBandwidth", RateStepsValue(50e6));
    const auto isFull = [&](const NetworkOptions& fast) {
        const double seconds = Measure(fast, 0, 10000000) - 2 * GetDelay(options).GetSeconds();
        EXPECT_NEAR(seconds, 8 * 10e6 / (50e6 * PAYLOAD), 0.02 * seconds);
    };
    options.Set("UplinkBandwidth", RateStepsValue({5.85e6, {{Seconds(500), 50e6}}}));
    isFull(options);
    options.Set("UplinkBandwidth", RateStepsValue(50e6));
    isFull(options);
    EXPECT_EQ(DescribeLink(options).find("TCP's window"), std::string::npos);
    options.sendBufferBytes = 131072;
    // What two of them carry in a round trip of 90.2 ms.
    EXPECT_NE(DescribeLink(options).find("by TCP's window of 262.1 kB at most 23.25 Mbit/s"),
              std::string::npos);
    NetworkOptions wires;
    wires.SetLink("lan");
    SetRate(wires, 1e6);
    wires.Set("Delay", TimeValue(MilliSeconds(50)));
    EXPECT_EQ(DescribeLink(wires).find("TCP's window"), std::string::npos);
    SetLaterRates(wires, {{Seconds(1), 1e9}});
    EXPECT_NE(DescribeLink(wires).find("at most 41.94 Mbit/s"), std::string::npos);
    const double least = 8 * 10e6 / 23.25e6;
    EXPECT_NEAR(Measure(options, 0, 10000000), 1.05 * least, 0.05 * least);
    options = MakeOptions(GetParam(), "trace");
    options.wiredDevices.clear();
    options.Set("Trace", StringValue(Record("0,1e6\n500,50e6\n2000,50e6\n")));
    isFull(options);
}

TEST_P(BearerTest, AMessageCrossesATimeWithoutBandwidth)
{
    NetworkOptions options = MakeOptions(GetParam(), "trace");
    options.Set("Trace", StringValue(Record("0,4e6\n2,0\n12,4e6\n100,4e6\n")));
    Join(options, 2);
    SendAt(MilliSeconds(500), 0, 1, 2000000);
    SendAt(Seconds(30), 0, 1, 100000);
    Run(); // comes to an end although the recording starts over and over
    ExpectAllDelivered();
    const double moving = 8 * 2e6 / (4e6 * PAYLOAD);
    // After a time-out, TCP tries again at double the time it has waited; it may be late by that.
    const double late = GetParam() == "flow" ? 0.1 : 8;
    EXPECT_GE(m_events[0].end.GetSeconds(), 10.5 + moving);
    EXPECT_LE(m_events[0].end.GetSeconds(), 10.5 + moving + late);
    EXPECT_LT(m_events[1].end.GetSeconds(), 31);
}

TEST_P(BearerTest, TheOracleFollowsStepsAndRecordings)
{
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.Set("UplinkBandwidth", RateStepsValue({5.85e6, {{Seconds(10), 1e6}}}));
    options.Set("DownlinkBandwidth", RateStepsValue({14.7e6, {{Seconds(5), 3e6}}}));
    options.wiredDevices = {"d2"};
    Join(options, 3);
    std::vector<double> found;
    const auto look = [this, &found] {
        for (const auto& [from, to] : {std::pair(0, 2), std::pair(2, 0), std::pair(0, 1)})
        {
            found.push_back(m_network.capacity(from, to) / PAYLOAD);
        }
    };
    for (const int second : {1, 6, 11})
    {
        Simulator::Schedule(Seconds(second), look);
    }
    Run();
    const std::vector<double> expected{5.85e6, 14.7e6, 5.85e6, 5.85e6, 3e6, 3e6, 1e6, 3e6, 1e6};
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        EXPECT_NEAR(found[i], expected[i], 1e-6 * expected[i]) << i;
    }

    TearDown();
    found.clear();
    options = MakeOptions(GetParam(), "trace");
    options.Set("DownlinkBandwidth", RateStepsValue(7e6));
    options.Set("Trace", StringValue(Record("0,4e6\n2,0\n4,2e6\n6,2e6\n")));
    Join(options, 3);
    for (const int second : {1, 3, 5, 9})
    {
        Simulator::Schedule(Seconds(second), [&] {
            found.push_back(m_network.capacity(0, 1) / PAYLOAD);
            EXPECT_NEAR(m_network.capacity(1, 0) / PAYLOAD, 7e6, 1);
        });
    }
    Run();
    ASSERT_EQ(found.size(), 4u);
    EXPECT_NEAR(found[0], 4e6, 1);
    EXPECT_EQ(found[1], 0);
    EXPECT_NEAR(found[2], 2e6, 1);
    EXPECT_NEAR(found[3], 4e6, 1); // from its start again, after 8 s
}

TEST_P(BearerTest, ACutBearerGoesDeadAndNoOther)
{
    NetworkOptions options = MakeOptions(GetParam(), "4g");
    options.wiredDevices = {"d2"};
    options.Set("UplinkBandwidth",
                RateStepsValue({5.85e6, {{Seconds(1), 5e6}, {Seconds(4), 6e6}}}));
    options.cutDevice = "d0";
    options.cutTime = Seconds(2);
    Join(options, 3);
    SendAt(Time(), 0, 2, 100000);
    SendAt(Time(), 1, 2, 5000000);
    SendAt(Seconds(3), 0, 2, 1000);
    SendAt(Seconds(3), 2, 0, 1000);
    Simulator::Stop(Seconds(60));
    Run();
    const auto pending = m_transport->GetPending();
    ASSERT_EQ(pending.size(), 2u);
    for (const auto& one : pending)
    {
        EXPECT_TRUE(one.message.from == 0 || one.message.to == 0);
        EXPECT_EQ(one.deliveredBytes, 0u);
    }
    EXPECT_EQ(m_completions, 2u);
}

INSTANTIATE_BOTH_FIDELITIES(BearerTest);

/** Both fidelities side by side. */
class BearerFidelityTest : public BearerTest
{
};

TEST_P(BearerFidelityTest, MessagesTakeTheSameTime)
{
    // The first message opens the connection, the second one finds it open. In jitter a window
    // waits for its last packet, and flows for the mean: windows after pauses are compared without.
    for (const bool hasJitter : {false, true})
    {
        Config::SetDefault("ns3::edgepipe::TensorTransport::SlowStartAfterIdle",
                           BooleanValue(!hasJitter));
        for (const uint32_t from : {0, 1})
        {
            for (const uint64_t bytes : {100000, 500000, 2000000})
            {
                std::map<std::string, std::vector<double>> seconds;
                for (const std::string fidelity : {"flow", "packet"})
                {
                    NetworkOptions options = MakeOptions(fidelity, GetParam());
                    if (!hasJitter)
                    {
                        options.Set("Jitter", TimeValue(Time()));
                    }
                    const double second = Measure(options, from, bytes);
                    seconds[fidelity] = {m_events[0].end.GetSeconds(), second};
                }
                for (std::size_t i = 0; i < 2; ++i)
                {
                    const double packet = seconds["packet"][i];
                    EXPECT_NEAR(seconds["flow"][i], packet, (hasJitter ? 0.05 : 0.03) * packet)
                        << "message " << i << " of " << bytes << " bytes from d" << from;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Bearers,
                         BearerFidelityTest,
                         ::testing::Values("4g", "3g", "cat1"),
                         [](const auto& info) { return "on" + info.param; });

/** Packets over bearers. */
class BearerPacketTest : public BearerTest
{
};

TEST_F(BearerPacketTest, LossesAreMadeGoodAndTakeTime)
{
    NetworkOptions options = MakeOptions("packet", "4g");
    const double clean = Measure(options, 0, 1000000);
    options.lossRate = 0.02;
    const double lossy = Measure(options, 0, 1000000);
    EXPECT_GT(lossy, 1.05 * clean);
    EXPECT_EQ(Measure(options, 0, 1000000), lossy) << "another run of the same";
}

TEST_F(BearerPacketTest, AShortQueueDropsAndTheMessageArrivesAllTheSame)
{
    NetworkOptions options = MakeOptions("packet", "4g");
    // By default there is room for all that TCP sends.
    for (const uint32_t packets : {20, 0})
    {
        options.SetLink("4g", "Queue", UintegerValue(packets ? packets : 1000));
        TearDown();
        Join(options, 2);
        uint32_t drops = 0;
        Connect(m_network.devices.Get(0)->GetDevice(1), "MacTxDrop", [&drops](Ptr<const Packet>) {
            ++drops;
        });
        SendAt(Time(), 0, 1, packets > 0 ? 3000000 : 20000000);
        Run();
        ExpectAllDelivered();
        EXPECT_EQ(drops > 0, packets > 0) << drops;
    }
}

TEST_F(BearerPacketTest, AnswersDoNotWaitForAcknowledgementsBehindAFullUplink)
{
    // Acknowledgements take 2 s, far more than the time-out that the first answers set.
    Join(MakeOptions("packet", "3g"), 2);
    for (uint32_t i = 0; i < 30; ++i)
    {
        SendAt(Seconds(i), 0, 1, i < 5 ? 1000 : 140000);
        SendAt(Seconds(i + 0.5), 1, 0, 4000);
    }
    SendAt(Seconds(5), 0, 1, 200000);
    Run();
    ExpectAllDelivered();
    std::size_t answers = 0;
    for (const auto& [id, events] : m_events)
    {
        const double begun = events.start.GetSeconds();
        if (begun - std::floor(begun) > 0.49 && begun - std::floor(begun) < 0.51)
        {
            ++answers;
            EXPECT_LT((events.end - events.start).GetSeconds(), 0.1) << "message " << id;
        }
    }
    EXPECT_GE(answers, 29U);
}
