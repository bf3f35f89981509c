// SPDX-License-Identifier: GPL-2.0-only

#include "transport-fixture.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"

void
TransportTest::TearDown()
{
    if (m_transport)
    {
        m_transport->Dispose();
        m_transport = nullptr;
    }
    m_network = Network();
    m_sent.clear();
    m_arrived.clear();
    m_events.clear();
    m_nextTag = m_early = m_completions = 0;
    Simulator::Destroy();
}

void
TransportTest::Join(const NetworkOptions& options, uint32_t devices)
{
    std::vector<std::string> names;
    std::set<uint32_t> all;
    for (uint32_t i = 0; i < devices; ++i)
    {
        names.push_back("d" + std::to_string(i));
        all.insert(i);
    }
    m_network = NetworkHelper(options, names).Build(all);
    m_transport = m_network.transport;
    for (uint32_t i = 0; i < devices; ++i)
    {
        m_transport->Listen(i,
                            PORT,
                            Callback<void, const Message&>([this, i](const Message& message) {
                                EXPECT_EQ(message.to, i);
                                m_arrived[{message.from, i}].push_back(message);
                            }));
    }
    Connect(m_transport, "TransferStart", [this](uint64_t id, const Message&) {
        ++m_events[id].starts;
        m_events[id].start = Simulator::Now();
    });
    Connect(m_transport, "TransferEnd", [this](uint64_t id, const Message&) {
        ++m_events[id].ends;
        m_events[id].end = Simulator::Now();
        m_events[id].endAfterStart = m_events[id].starts == 1;
    });
}

uint32_t
TransportTest::GetBrokenConnections() const
{
    const auto packets = ns3::DynamicCast<PacketTransport>(m_transport);
    return packets ? packets->GetBrokenConnections() : 0;
}

void
TransportTest::Send(uint32_t from, uint32_t to, uint64_t bytes, const std::string& body)
{
    const Message message{from, to, PORT, m_nextTag++, bytes, body};
    m_sent[{from, to}].push_back(message);
    m_transport->Send(message, Callback<void>([this, message] {
                          ++m_completions;
                          const auto& arrived = m_arrived[{message.from, message.to}];
                          m_early += arrived.empty() || arrived.back().tag != message.tag;
                      }));
}

void
TransportTest::SendAt(const Time& when,
                      uint32_t from,
                      uint32_t to,
                      uint64_t bytes,
                      const std::string& body)
{
    Simulator::Schedule(when, [=] { Send(from, to, bytes, body); });
}

void
TransportTest::Run()
{
    Simulator::Run();
}

void
TransportTest::LoseAll(uint32_t device, const Time& from, const Time& to)
{
    auto node = m_network.devices.Get(device);
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        auto loss = CreateObject<RateErrorModel>();
        loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        loss->SetRate(0);
        // The loopback device has no such attribute.
        node->GetDevice(i)->SetAttributeFailSafe("ReceiveErrorModel", PointerValue(loss));
        Simulator::Schedule(from, &RateErrorModel::SetRate, loss, 1.0);
        Simulator::Schedule(to, &RateErrorModel::SetRate, loss, 0.0);
    }
}

void
TransportTest::ExpectAllDelivered() const
{
    uint64_t bytes = 0;
    std::size_t messages = 0;
    for (const auto& [pair, sent] : m_sent)
    {
        const auto arrived = m_arrived.find(pair);
        ASSERT_NE(arrived, m_arrived.end()) << "nothing from " << pair.first;
        ASSERT_EQ(arrived->second.size(), sent.size());
        for (std::size_t i = 0; i < sent.size(); ++i)
        {
            const Message& in = sent[i];
            const Message& out = arrived->second[i];
            ASSERT_EQ(out.tag, in.tag) << "message " << i << " of the pair";
            EXPECT_EQ(out.from, in.from);
            EXPECT_EQ(out.port, in.port);
            EXPECT_EQ(out.bytes, in.bytes);
            EXPECT_TRUE(out.body == in.body) << "body of message " << i;
            bytes += in.from == in.to ? 0 : in.bytes;
        }
        messages += sent.size();
    }
    EXPECT_EQ(m_transport->GetDeliveredBytes(), bytes);
    EXPECT_TRUE(m_transport->GetPending().empty());
    EXPECT_EQ(m_completions, messages);
    EXPECT_EQ(m_early, 0U);
    ASSERT_EQ(m_events.size(), messages);
    EXPECT_EQ(m_events.rbegin()->first, messages - 1);
    for (const auto& [id, events] : m_events)
    {
        EXPECT_EQ(events.starts, 1U) << "message " << id;
        EXPECT_EQ(events.ends, 1U) << "message " << id;
        EXPECT_TRUE(events.endAfterStart) << "message " << id;
    }
}

std::string
TransportTest::MakeBody(std::size_t bytes, uint32_t seed)
{
    std::mt19937 random(seed);
    std::string body(bytes, '\0');
    for (char& c : body)
    {
        c = static_cast<char>(random());
    }
    return body;
}
