// SPDX-License-Identifier: GPL-2.0-only

// Buffers of a switch: what eight senders send to one receiver at once.

#include "network/transport/transport-fixture.h"

#include "ns3/channel.h"
#include "ns3/queue-disc.h"
#include "ns3/traffic-control-layer.h"

namespace
{

/** Packets over a switch. */
class PortBufferTest : public TransportTest
{
  protected:
    /// Send a message from each of eight devices to the ninth, or to one of two each, ten times.
    /// @return packets dropped by the switch
    uint64_t Gather(const std::string& buffer,
                    uint32_t buffered,
                    uint64_t bytes,
                    bool toTwo = false)
    {
        TearDown();
        NetworkOptions options;
        options.fidelity = "packet";
        options.SetLink("lan", "Bandwidth", RateStepsValue(1e9));
        options.Set(buffer, UintegerValue(buffered));
        Join(options, 10);
        for (uint32_t round = 0; round < 10; ++round)
        {
            for (uint32_t from = 0; from < 8; ++from)
            {
                SendAt(Seconds(round), from, toTwo ? 8 + from % 2 : 8, bytes);
            }
        }
        std::vector<Ptr<QueueDisc>> ports;
        for (const uint32_t to : {8, 9})
        {
            const auto device = m_network.devices.Get(to)->GetDevice(1);
            const auto channel = device->GetChannel();
            const auto other = channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0);
            ports.push_back(
                other->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(
                    other));
        }
        Run();
        ExpectAllDelivered();
        m_seconds.assign(10, 0);
        for (uint32_t i = 0; i < 80; ++i)
        {
            m_seconds[i / 8] =
                std::max(m_seconds[i / 8], (m_events[i].end - Seconds(i / 8)).GetSeconds());
        }
        uint64_t dropped = 0;
        for (const auto& port : ports)
        {
            dropped += port->GetStats().nTotalDroppedPackets;
        }
        return dropped;
    }

    std::vector<double> m_seconds; //!< of each time, until all had come
};

} // namespace

TEST_F(PortBufferTest, LogitsOfManyOverflowASmallBufferOnly)
{
    // Logits of a vocabulary of 128,256 at four bytes over eight nodes are 64 kB from each, those
    // of 32,000 are 16 kB: 512 and 128 kB arrive before the port has sent an eighth.
    EXPECT_GT(Gather("PortBuffer", 128000, 64128), 0u);
    const double slow = *std::max_element(m_seconds.begin(), m_seconds.end());
    EXPECT_EQ(Gather("PortBuffer", 2000000, 64128), 0u);
    const auto getSeconds = [](double bytes) { return 8 * 8 * bytes * 1538 / 1448 / 1e9; };
    EXPECT_GT(slow, 1.05 * m_seconds.back());
    EXPECT_NEAR(m_seconds.back(), getSeconds(64128), 0.02 * getSeconds(64128));
    EXPECT_EQ(Gather("PortBuffer", 128000, 14000), 0u);
    EXPECT_NEAR(m_seconds.back(), getSeconds(14000), 0.07 * getSeconds(14000));
}

TEST_F(PortBufferTest, PortsShareABufferIfAsked)
{
    // Two ports, of which each gets four senders' 256 kB.
    EXPECT_EQ(Gather("PortBuffer", 130000, 64128, true), 0u);
    EXPECT_GT(Gather("SharedBuffer", 130000, 64128, true), 0u);
    EXPECT_EQ(Gather("SharedBuffer", 260000, 64128, true), 0u);
}

TEST(PortBuffer, IsRefusedWhereNothingOverflows)
{
    NetworkOptions options;
    options.SetLink("lan", "PortBuffer", UintegerValue(128000));
    ExpectError(
        [&] {
            CheckNetworkOptions(options, {"a", "b"});
        },
        "port-buffer: found 128000, expected 0 at flow level, where no buffer overflows");
    options.fidelity = "packet";
    options.SetLink("lan", "SharedBuffer", UintegerValue(100));
    ExpectError(
        [&] {
            CheckNetworkOptions(options, {"a", "b"});
        },
        "shared-buffer: found 100, expected 0, or a packet of 1500 bytes or more");
}
