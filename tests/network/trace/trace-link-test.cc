// SPDX-License-Identifier: GPL-2.0-only

// A link that replays a real recording delivers, to a sender that never stops, what the recording
// says: in each second, at either fidelity, both ways.

#include "links.h"
#include "recording-bytes.h"

#include "ns3/channel.h"

#include <cstdio>

namespace
{

/// A protocol that nobody handles but the test.
constexpr uint16_t PROTOCOL = 0x88b5;
/// Packets kept waiting, more than any recording lets cross at one instant.
constexpr uint32_t WAITING = 500;
/// Above this, packets are as large as they may be, so that the test takes no longer than it must.
constexpr double FAST = 5e7;

/** One direction of a recording. */
struct Recording
{
    std::string path; //!< the file
    bool isUp;        //!< whether it is an uplink
};

/** Recordings of one folder, each in the directions it has. */
class TraceLinkTest : public ::testing::TestWithParam<std::string>
{
  protected:
    void SetUp() override
    {
        const std::filesystem::path folder =
            std::filesystem::path(EDGEPIPE_ROOT) / "tests" / "recordings" / GetParam();
        std::set<std::string> paths;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
        {
            paths.insert(entry.path().string());
        }
        for (const auto& path : paths)
        {
            const std::string suffix = std::filesystem::path(path).extension();
            for (const bool isUp : {true, false})
            {
                if (suffix != (isUp ? ".down" : ".up"))
                {
                    m_recordings.push_back({path, isUp});
                }
            }
        }
        ASSERT_FALSE(m_recordings.empty());
    }

    /// @return a device whose link replays it, and a server
    static Network Join(const Recording& recording, const std::string& fidelity)
    {
        NetworkOptions options;
        options.fidelity = fidelity;
        options.SetLink("trace");
        options.Set("Trace", StringValue(recording.path));
        options.Set("TraceDown", StringValue(recording.path));
        options.Set("Delay", TimeValue(Time()));
        options.wiredDevices = {"server"};
        options.backhaulBitsPerSecond = 1e11;
        options.backhaulDelay = Time();
        options.mtuBytes = 9000;
        return NetworkHelper(options, {"device", "server"}).Build({0, 1});
    }

    /// @return bytes that reach the other end in each second
    static std::vector<double> SendPackets(const Recording& recording,
                                           std::size_t seconds,
                                           uint32_t packetBytes)
    {
        std::vector<double> delivered(seconds, 0);
        const Network network = Join(recording, "packet");
        // Interface 0 is the loopback.
        const auto device = network.devices.Get(0)->GetDevice(1);
        const auto channel = device->GetChannel();
        const auto core = channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0);
        const auto sender = recording.isUp ? device : core;
        const auto receiver = recording.isUp ? core : device;
        receiver->GetNode()->RegisterProtocolHandler(NodeProtocolHandler(&delivered),
                                                     PROTOCOL,
                                                     receiver);
        // The sender, which keeps this, does not own itself.
        const auto feed = [sender = PeekPointer(sender), packetBytes] {
            sender->Send(Create<Packet>(packetBytes), Mac48Address::GetBroadcast(), PROTOCOL);
        };
        Connect(sender, "PhyTxEnd", [feed](Ptr<const Packet>) { feed(); });
        for (uint32_t i = 0; i < WAITING; ++i)
        {
            Simulator::ScheduleNow(feed);
        }
        // A packet that arrives at the end of a second belongs to the next.
        Simulator::Stop(Seconds(seconds));
        Simulator::Run();
        network.transport->Dispose();
        Simulator::Destroy();
        return delivered;
    }

    /// @return adds the bytes that arrive
    static Node::ProtocolHandler NodeProtocolHandler(std::vector<double>* delivered)
    {
        return Node::ProtocolHandler([delivered](Ptr<NetDevice>,
                                                 Ptr<const Packet> packet,
                                                 uint16_t,
                                                 const Address&,
                                                 const Address&,
                                                 NetDevice::PacketType) {
            const auto second =
                static_cast<std::size_t>(Simulator::Now().GetNanoSeconds() / 1000000000);
            if (second < delivered->size())
            {
                (*delivered)[second] += packet->GetSize();
            }
        });
    }

    /// @return bytes of a flow that get through in each second
    static std::vector<double> SendFlow(const Recording& recording, std::size_t seconds)
    {
        for (const std::string part : {"Headers", "Latency", "StartUp", "Acknowledgements"})
        {
            Config::SetDefault("ns3::edgepipe::FlowTransport::" + part, BooleanValue(false));
        }
        const Network network = Join(recording, "flow");
        std::vector<double> delivered(seconds, 0);
        const uint32_t from = recording.isUp ? 0 : 1;
        Simulator::ScheduleNow([&] {
            network.transport->Send({from, 1 - from, 0, 0, 1000000000000, ""});
        });
        double before = 0;
        for (std::size_t second = 0; second < seconds; ++second)
        {
            Simulator::Schedule(Seconds(second + 1), [&, second] {
                const double now = network.transport->GetPending().at(0).deliveredBytes;
                delivered[second] = now - before;
                before = now;
            });
        }
        Simulator::Stop(Seconds(seconds) + NanoSeconds(1));
        Simulator::Run();
        network.transport->Dispose();
        Simulator::Destroy();
        return delivered;
    }

    /// @param share of a second's bytes that it may be off by
    /// @param packetBytes that it may be off by if that is more
    static void Compare(const std::string& what,
                        const std::vector<double>& found,
                        const std::vector<double>& expected,
                        double share,
                        double packetBytes)
    {
        double sum = 0;
        double expectedSum = 0;
        for (std::size_t second = 0; second < expected.size(); ++second)
        {
            const double off = std::abs(found[second] - expected[second]);
            EXPECT_LE(off, std::max(share * expected[second], packetBytes))
                << what << ", second " << second << ": found " << found[second] << ", expected "
                << expected[second];
            sum += found[second];
            expectedSum += expected[second];
        }
        EXPECT_GT(expectedSum, 0) << what;
        EXPECT_NEAR(sum, expectedSum, packetBytes + 1e-9 * expectedSum) << what;
    }

    std::vector<Recording> m_recordings; //!< all
};

} // namespace

TEST_P(TraceLinkTest, DeliversTheBytesOfEverySecond)
{
    for (const auto& recording : m_recordings)
    {
        const RecordingBytes bytes(recording.path, recording.isUp);
        const std::string name = std::filesystem::path(recording.path).filename().string() +
                                 (recording.isUp ? ", up" : ", down");
        const double share = bytes.IsMahimahi() ? 0 : 0.02;
        std::vector<double> expected = bytes.GetSeconds();
        Compare(name + ", flow", SendFlow(recording, expected.size()), expected, share, 1500);

        double sum = 0;
        for (const double second : expected)
        {
            sum += second;
        }
        const bool isFast = !bytes.IsMahimahi() && 8 * sum / expected.size() > FAST;
        const uint32_t packetBytes = isFast ? 9000 : 1500;
        // Nothing can have been queued before time 0.
        expected[0] -= 1500.0 * bytes.GetAtOnce();
        Compare(name + ", packet",
                SendPackets(recording, expected.size(), packetBytes),
                expected,
                share,
                packetBytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped,
                         TraceLinkTest,
                         ::testing::Values("mahimahi", "pensieve", "gnettrack"),
                         [](const auto& info) { return info.param; });
