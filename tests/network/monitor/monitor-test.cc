// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "network/transport/transport-fixture.h"

#include "ns3/edgepipe-medium-use.h"

#include <cstdio>

namespace
{

/// Estimate that every monitor starts with, bit/s: wrong.
constexpr double WRONG = 7e7;

/** A monitor on one wire. */
class Monitors : public TransportTest
{
  protected:
    /** Join device 0 and server 1, and start a monitor. */
    void Watch(const std::string& name, const NetworkOptions& options)
    {
        Join(options, 2);
        m_estimates.clear();
        m_monitor = FindByName<BandwidthMonitor>("monitor", name);
        if (name == "passive")
        {
            m_monitor->SetAttribute("IdleProbe", TimeValue(m_idleProbe));
        }
        const auto changed = Callback<void, double, double>(
            [this](double up, double) { m_estimates.emplace_back(Simulator::Now(), up); });
        m_monitor->Start({0, 1, m_transport, m_network.capacity}, WRONG, WRONG, changed);
    }

    /** Send from the device and then from the server, every second. */
    void SendEverySecond(uint64_t bytes, uint32_t seconds)
    {
        for (uint32_t i = 0; i < seconds; ++i)
        {
            SendAt(Seconds(i), 0, 1, 16);
            SendAt(Seconds(i) + MilliSeconds(1), 1, 0, 16);
            SendAt(Seconds(i) + MilliSeconds(100), 0, 1, bytes);
            SendAt(Seconds(i) + MilliSeconds(550), 1, 0, bytes);
        }
    }

    void RunUntil(double seconds)
    {
        Simulator::Stop(Seconds(seconds) - Simulator::Now());
        Simulator::Run();
    }

    void TearDown() override
    {
        if (m_monitor)
        {
            m_monitor->Dispose();
            m_monitor = nullptr;
        }
        TransportTest::TearDown();
    }

    Ptr<BandwidthMonitor> m_monitor;                  //!< under test
    Time m_idleProbe;                                 //!< of a passive one
    std::vector<std::pair<Time, double>> m_estimates; //!< of the uplink, as they came
};

NetworkOptions
MakeWire(const std::string& fidelity, const std::string& link, double bitsPerSecond)
{
    NetworkOptions options;
    options.fidelity = fidelity;
    options.SetLink(link);
    SetRate(options, bitsPerSecond);
    options.Set("Delay", TimeValue(MilliSeconds(2)));
    return options;
}

} // namespace

TEST_F(Monitors, ConvergeToTheCapacityOfAConstantLink)
{
    const std::vector<std::pair<std::string, bool>> monitors{{"oracle", false},
                                                             {"probe", false},
                                                             {"passive", false},
                                                             {"passive", true}};
    for (const auto& [name, restarts] : monitors)
    {
        Config::SetDefault("ns3::edgepipe::TensorTransport::SlowStartAfterIdle",
                           BooleanValue(restarts));
        for (const char* fidelity : {"flow", "packet"})
        {
            for (const char* link : {"lan", "p2p"})
            {
                for (const double bandwidth : {1.1e6, 1e7, 2e7})
                {
                    SCOPED_TRACE(name + ' ' + fidelity + ' ' + link + ' ' +
                                 std::to_string(bandwidth));
                    Watch(name, MakeWire(fidelity, link, bandwidth));
                    if (name == "passive")
                    {
                        SendEverySecond(50000, 15);
                    }
                    RunUntil(16);
                    const double truth = m_network.capacity(0, 1);
                    const double up = m_monitor->GetUplinkBitsPerSecond() / truth;
                    const double down = m_monitor->GetDownlinkBitsPerSecond() / truth;
                    for (const double share : {up, down})
                    {
                        // After a pause, slow start begins with 10 segments.
                        const double most = name == "oracle" ? 0 : 0.05;
                        EXPECT_GE(share, 1 - (restarts ? 0.17 : most));
                        EXPECT_LE(share, 1 + most);
                    }
                    TearDown();
                }
            }
        }
    }
}

TEST_F(Monitors, PassiveLeavesOutWhatMessagesWaitForAcknowledgements)
{
    Config::SetDefault("ns3::edgepipe::TensorTransport::SlowStartAfterIdle", BooleanValue(true));
    m_idleProbe = Seconds(5);
    const std::vector<std::pair<double, double>> wires{{3e6, 0.028},
                                                       {1e7, 0.028},
                                                       {2e7, 0.005},
                                                       {2e7, 0.08},
                                                       {4e7, 0.028}};
    for (const char* fidelity : {"flow", "packet"})
    {
        for (const uint64_t bytes : {0, 17000, 60000, 150000, 300000})
        {
            for (const auto& [rate, delay] : wires)
            {
                SCOPED_TRACE(std::string(fidelity) + ' ' + std::to_string(bytes) + ' ' +
                             std::to_string(rate) + ' ' + std::to_string(delay));
                NetworkOptions options = MakeWire(fidelity, "p2p", rate);
                options.Set("Delay", TimeValue(Seconds(delay)));
                Watch("passive", options);
                for (uint32_t i = 0; bytes > 0 && i < 12; ++i)
                {
                    SendAt(MilliSeconds(1000 * i + 100), 0, 1, bytes);
                    SendAt(MilliSeconds(1000 * i + 650), 1, 0, bytes < 200000 ? bytes : 16);
                }
                RunUntil(13);
                const double truth = m_network.capacity(0, 1);
                EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond() / truth, 1, 0.15);
                if (bytes < 200000)
                {
                    EXPECT_GT(m_monitor->GetDownlinkBitsPerSecond() / truth, 0.85);
                }
                TearDown();
            }
        }
    }
}

TEST_F(Monitors, PassiveFollowsALatencyThatRises)
{
    TemporaryFolder folder;
    const std::string recording =
        folder.Write("trace", "start,rate,rtt\n0,7.5,20\n8,7.5,120\n60,7.5,120\n");
    for (const char* fidelity : {"flow", "packet"})
    {
        for (const uint64_t bytes : {28000, 150000})
        {
            SCOPED_TRACE(std::string(fidelity) + ' ' + std::to_string(bytes));
            NetworkOptions options;
            options.fidelity = fidelity;
            options.wiredDevices = {"d1"};
            options.backhaulDelay = Time();
            options.mtuBytes = 1500;
            options.SetLink("trace",
                            "Trace",
                            StringValue(recording),
                            "TraceColumns",
                            StringValue("start=start:s,rate=rate:Mbps,rtt=rtt:ms"));
            m_idleProbe = Seconds(5);
            Watch("passive", options);
            for (uint32_t i = 0; i < 25; ++i)
            {
                SendAt(Seconds(i), 0, 1, bytes);
                SendAt(MilliSeconds(1000 * i + 500), 1, 0, 1000);
            }
            RunUntil(25);
            EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond() / m_network.capacity(0, 1), 1, 0.15);
            TearDown();
        }
    }
}

TEST_F(Monitors, FollowAStep)
{
    for (const char* name : {"oracle", "probe", "passive"})
    {
        for (const char* fidelity : {"flow", "packet"})
        {
            SCOPED_TRACE(std::string(name) + ' ' + fidelity);
            NetworkOptions options = MakeWire(fidelity, "p2p", 1e7);
            SetLaterRates(options, {{Seconds(10.95), 2e6}});
            Watch(name, options);
            if (std::string(name) == "passive")
            {
                SendEverySecond(50000, 25);
            }
            RunUntil(10);
            EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond(), m_network.capacity(0, 1), 4e5);
            RunUntil(17);
            EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond(), m_network.capacity(0, 1), 2e5);
            EXPECT_TRUE(std::string(name) != "oracle" || m_estimates.back().first == Seconds(11));
            TearDown();
        }
    }
}

TEST_F(Monitors, PassiveRecoversFromALatencyLearntInAnOutage)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        SCOPED_TRACE(fidelity);
        NetworkOptions options = MakeWire(fidelity, "p2p", 1e3);
        SetLaterRates(options, {{Seconds(1), 1.4e6}});
        Watch("passive", options);
        // The one small message takes most of a second, longer than any of the large ones.
        SendAt(Seconds(0), 0, 1, 16);
        for (uint32_t i = 0; i < 20; ++i)
        {
            SendAt(Seconds(2 + i), 0, 1, 100000);
        }
        RunUntil(20);
        EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond(), m_network.capacity(0, 1), 1e5);
        TearDown();
    }
}

TEST_F(Monitors, PassiveAloneNeverLearnsOfAnIdleLinkAndAProbeDoes)
{
    for (const bool isProbing : {false, true})
    {
        m_idleProbe = isProbing ? Seconds(5) : Time();
        Watch("passive", MakeWire("flow", "p2p", 1e7));
        RunUntil(12);
        if (isProbing)
        {
            EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond(), m_network.capacity(0, 1), 5e5);
            ASSERT_GE(m_estimates.size(), 1U);
            EXPECT_GT(m_estimates[0].first, Seconds(5));
            EXPECT_LT(m_estimates[0].first, Seconds(5.2));
        }
        else
        {
            EXPECT_EQ(m_monitor->GetUplinkBitsPerSecond(), WRONG);
        }
        EXPECT_EQ(m_transport->GetDeliveredBytes() > 0, isProbing);
        TearDown();
    }
}

TEST_F(Monitors, PassiveIsNotBlindWhereSmallMessagesAreUnderWayWheneverItLooks)
{
    m_idleProbe = Seconds(5);
    Watch("passive", MakeWire("flow", "p2p", 1e6));
    // Too small for samples, 40 ms each, half of that before every second.
    for (uint32_t i = 0; i < 20; ++i)
    {
        SendAt(Seconds(i) + MilliSeconds(980), 0, 1, 5000);
    }
    RunUntil(20);
    EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond(), m_network.capacity(0, 1), 5e4);
}

TEST_F(Monitors, ProbePaysForItsBursts)
{
    Watch("probe", MakeWire("flow", "p2p", 1e7));
    RunUntil(12);
    EXPECT_EQ(m_transport->GetDeliveredBytes(), 2U * 2 * 32768);
    TearDown();
    Watch("oracle", MakeWire("flow", "p2p", 1e7));
    RunUntil(12);
    EXPECT_EQ(m_transport->GetDeliveredBytes(), 0U);
}

TEST_F(Monitors, PassiveSmoothsByItsWeight)
{
    NetworkOptions options = MakeWire("flow", "p2p", 1e7);
    Join(options, 2);
    m_monitor = FindByName<BandwidthMonitor>("monitor", "passive");
    m_monitor->SetAttribute("Weight", DoubleValue(0.25));
    m_monitor->SetAttribute("IdleProbe", TimeValue(Time()));
    m_monitor->Start({0, 1, m_transport, nullptr}, 2e7, 2e7, {});
    SendEverySecond(400000, 3);
    RunUntil(1);
    const double first = m_monitor->GetUplinkBitsPerSecond();
    const double sample = (first - 0.75 * 2e7) / 0.25;
    EXPECT_NEAR(sample, m_network.capacity(0, 1), 0.05 * m_network.capacity(0, 1));
    RunUntil(2);
    EXPECT_NEAR(m_monitor->GetUplinkBitsPerSecond(), 0.25 * sample + 0.75 * first, 0.01 * first);
}

TEST(TrainRate, LeavesLatencyAndPausesOut)
{
    const auto at = [](std::vector<int> milliseconds) {
        std::vector<Time> times;
        for (const int time : milliseconds)
        {
            times.push_back(MilliSeconds(time));
        }
        return times;
    };
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50, 60, 70, 80})), 8e5);
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50, 60, 70, 170, 180})), 8e5);
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50, 51, 61, 62, 72, 73, 83, 84})), 8 * 7000 / 0.034);
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50, 60, 70, 229, 239, 399, 409, 414})),
                     8 * 5000 / 0.045);
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50, 60, 70, 80, 240, 250, 251, 262})),
                     8 * 6000 / 0.052);
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50})), 0);
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50, 50, 50})), 0);
    EXPECT_DOUBLE_EQ(GetTrainRate(1000, at({50, 50, 50, 80})), 8e5);
}

TEST(ProbeTag, ComesBackAsItWas)
{
    const ProbeTag tag{true, 7, (uint64_t{1} << 48) - 1};
    const ProbeTag back = ProbeTag::Unpack(tag.Pack());
    EXPECT_TRUE(back.isAnswer);
    EXPECT_EQ(back.place, 7);
    EXPECT_EQ(back.bitsPerSecond, tag.bitsPerSecond);
    EXPECT_EQ(ProbeTag::Unpack(ProbeTag{false, 2}.Pack()).Describe(), "probe, 3 of 8");
    EXPECT_EQ(ProbeTag::Unpack(ProbeTag{true, LinkProbe::TRAIN}.Pack()).Describe(),
              "answer to a ping");
}

TEST_F(Monitors, DoNotProbeAllAtOnce)
{
    constexpr uint32_t devices = 20;
    for (const char* name : {"probe", "passive"})
    {
        SCOPED_TRACE(name);
        Join(MakeWire("flow", "lan", 1e9), devices + 1);
        std::vector<Time> probes;
        std::vector<Ptr<BandwidthMonitor>> monitors;
        for (uint32_t device = 0; device < devices; ++device)
        {
            const auto changed = Callback<void, double, double>([&, device](double, double) {
                if (probes.size() <= device)
                {
                    probes.resize(device + 1, Time());
                }
                probes[device] = probes[device].IsZero() ? Simulator::Now() : probes[device];
            });
            monitors.push_back(FindByName<BandwidthMonitor>("monitor", name));
            monitors.back()->Start({device, devices, m_transport, m_network.capacity},
                                   WRONG,
                                   WRONG,
                                   changed);
        }
        RunUntil(11);
        std::sort(probes.begin(), probes.end());
        ASSERT_EQ(probes.size(), devices);
        EXPECT_GE(probes.front(), Seconds(5));
        for (uint32_t i = 1; i < devices; ++i)
        {
            EXPECT_GT(probes[i] - probes[i - 1], MilliSeconds(100)) << i; // of 5 s / 20
        }
        for (const auto& monitor : monitors)
        {
            monitor->Dispose();
        }
        TearDown();
    }
}

TEST_F(Monitors, PassiveLeavesOutWhatATrainingItselfHasOnAMedium)
{
    for (const bool isKnown : {false, true})
    {
        SCOPED_TRACE(isKnown);
        NetworkOptions cell;
        cell.SetLink("wifi");
        Join(cell, 3);
        const auto medium = std::make_shared<MediumUse>();
        std::vector<Ptr<BandwidthMonitor>> monitors;
        const double truth = m_network.capacity(0, 1);
        for (const uint32_t device : {0, 1})
        {
            const auto monitor = FindByName<BandwidthMonitor>("monitor", "passive");
            monitor->SetAttribute("IdleProbe", TimeValue(Time()));
            monitor->SetMedium(isKnown ? medium : nullptr);
            monitor->Start({device, device + 1, m_transport, nullptr}, truth, truth, {});
            monitors.push_back(monitor);
        }
        for (uint32_t i = 0; i < 12; ++i)
        {
            SendAt(MilliSeconds(400 * i), 0, 1, 16);
            SendAt(MilliSeconds(400 * i + 2), 1, 2, 16);
            SendAt(MilliSeconds(400 * i + 100), 0, 1, 2000000);
            SendAt(MilliSeconds(400 * i + 110), 1, 2, 2000000);
        }
        RunUntil(6);
        // Both begin and end nearly together.
        const double share = monitors[1]->GetUplinkBitsPerSecond() / truth;
        EXPECT_NEAR(share, isKnown ? 1 : 0.5, 0.1);
        for (const auto& monitor : monitors)
        {
            monitor->Dispose();
        }
        TearDown();
    }
}
