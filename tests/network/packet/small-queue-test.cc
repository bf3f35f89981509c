// SPDX-License-Identifier: GPL-2.0-only

#include "network/transport/transport-fixture.h"
#include "test.h"

#include "ns3/config.h"
#include "ns3/edgepipe-small-queue.h"
#include "ns3/uinteger.h"

TEST(SmallQueue, BunchesAreThoseOfLinux)
{
    // tcp_tso_autosize of Linux 5.18 and later.
    constexpr double SEGMENT = 1448;
    const auto getBunch = [](double seconds) {
        return SmallQueue(1e6, seconds, 1e6, SEGMENT).bunchBytes;
    };
    EXPECT_EQ(getBunch(100e-6), 65536);
    EXPECT_EQ(getBunch(600e-6), 32768 + 1000);
    EXPECT_EQ(getBunch(1600e-6), 8192 + 1000);
    EXPECT_EQ(getBunch(20e-3), 2 * SEGMENT);
    const SmallQueue little(1e6, 100e-6, 5000, SEGMENT);
    EXPECT_EQ(little.bunchBytes, 5000);
    EXPECT_EQ(little.bytes, 10000);
    EXPECT_EQ(SmallQueue(1e9, 100e-6, 1e6, SEGMENT).bytes, 1e6);
}

TEST_F(TransportTest, AHostThatForwardsGetsItsShare)
{
    // Four cameras on a chain. Linux 6.18 with CUBIC served 26, 27, 28 and 18 % of the frames, the
    // farthest first; with two segments before the host's wire 44, 43, 7 and 4 %.
    Config::SetDefault("ns3::edgepipe::TensorTransport::SendBuffer", UintegerValue(262144));
    for (const auto& fidelity : {"packet", "flow"})
    {
        NetworkOptions options = Wires("p2p", 7.04e6, 20e-6);
        options.fidelity = fidelity;
        Join(options, 5);
        std::vector<double> frames(4);
        Connect(m_transport, "TransferEnd", [&](uint64_t, const Message& message) {
            ++frames[message.from];
            Send(message.from, 4, 268203);
        });
        for (uint32_t camera = 0; camera < 4; ++camera)
        {
            Send(camera, 4, 268203);
            Send(camera, 4, 268203);
        }
        Simulator::Stop(Seconds(35));
        Run();
        const double all = std::accumulate(frames.begin(), frames.end(), 0.0);
        EXPECT_NEAR(all, 35 * 7.04e6 / 8 / (268203 * 1.038), 5) << fidelity;
        for (uint32_t camera = 0; camera < 4; ++camera)
        {
            EXPECT_GT(frames[camera] / all, 0.14) << fidelity << ", camera " << camera;
            EXPECT_LT(frames[camera] / all, 0.36) << fidelity << ", camera " << camera;
        }
        TearDown();
    }
}

TEST_F(TransportTest, AHostWithTwoSegmentsInItsQueueIsPassedByWindowsThatItForwards)
{
    // Beyond a round trip of 512 us a bunch is two segments. Those of the host in the middle share
    // its wire with the window of the first host, which waits there too.
    std::map<std::string, double> shares;
    for (const std::string fidelity : {"packet", "flow"})
    {
        NetworkOptions options = Wires("p2p", 23e6, 4.8e-3);
        options.fidelity = fidelity;
        Join(options, 3);
        std::vector<double> messages(2);
        Connect(m_transport, "TransferEnd", [&](uint64_t, const Message& message) {
            ++messages[message.from];
            SendAt(MilliSeconds(50), message.from, 2, 790000);
        });
        for (const uint32_t from : {0, 1})
        {
            SendAt(Seconds(0.05 * from), from, 2, 100);
        }
        Simulator::Stop(Seconds(40));
        Run();
        const double all = messages[0] + messages[1];
        EXPECT_NEAR(all, 40 * 23e6 / 8 / (790000 * 1.038), 0.1 * all) << fidelity;
        shares[fidelity] = messages[1] / all;
        TearDown();
    }
    EXPECT_LT(shares["packet"], 0.35);
    EXPECT_NEAR(shares["flow"], shares["packet"], 0.05);
}

TEST_F(TransportTest, AWindowBeforeASmallQueueGrowsToWhatItIsInPackets)
{
    // In slow start hosts are paced at twice the window per round trip, so more is in flight.
    for (const auto& [bitsPerSecond, delaySeconds] :
         {std::pair(10.7e6, 1.73e-3), {10.7e6, 15e-3}, {30e6, 15e-3}})
    {
        std::map<std::string, double> windows;
        for (const std::string fidelity : {"packet", "flow"})
        {
            NetworkOptions options = Wires("p2p", bitsPerSecond, delaySeconds);
            options.fidelity = fidelity;
            Join(options, 2);
            for (uint32_t i = 0; i < 3; ++i)
            {
                SendAt(MilliSeconds(300 * i), 0, 1, 600000);
            }
            Run();
            windows[fidelity] = m_transport->GetWindowBytes(0, 1);
            TearDown();
        }
        EXPECT_NEAR(windows["flow"], windows["packet"], 0.12 * windows["packet"])
            << bitsPerSecond << ' ' << delaySeconds;
    }
}

TEST_F(TransportTest, ARingOnAChainSlowsItselfDownAtFirst)
{
    // Six steps of 1.2 MB around four hosts, of which the last answers to the first across all
    // wires. Linux 6.18 took 3.4 to 4.2 s on new connections and then 3.1 to 3.3 s; the wires alone
    // take 3.0 s.
    constexpr uint32_t DEVICES = 4;
    constexpr uint32_t STEPS = 6;
    for (const auto& fidelity : {"packet", "flow"})
    {
        NetworkOptions options = Wires("p2p", 2e7, 20e-6);
        options.fidelity = fidelity;
        Join(options, DEVICES);
        std::vector<uint32_t> steps(DEVICES);
        std::vector<double> ends;
        Connect(m_transport, "TransferEnd", [&](uint64_t, const Message& message) {
            if (++steps[message.to] % STEPS != 0)
            {
                Send(message.to, (message.to + 1) % DEVICES, 1200000);
            }
            else if (std::accumulate(steps.begin(), steps.end(), 0U) % (STEPS * DEVICES) == 0)
            {
                ends.push_back(Simulator::Now().GetSeconds());
            }
        });
        for (uint32_t i = 0; i < 2 * DEVICES; ++i)
        {
            SendAt(Seconds(i < DEVICES ? 0 : 10), i % DEVICES, (i + 1) % DEVICES, 1200000);
        }
        Run();
        ExpectAllDelivered();
        ASSERT_EQ(ends.size(), 2U);
        EXPECT_GT(ends[0], 3.3) << fidelity;
        EXPECT_LT(ends[0], 4.7) << fidelity;
        EXPECT_LT(ends[1] - 10, 3.75) << fidelity;
        TearDown();
    }
}
