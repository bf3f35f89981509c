// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_TRANSPORT_FIXTURE_H
#define EDGEPIPE_TRANSPORT_FIXTURE_H

#include "links.h"
#include "test.h"

/// Devices joined by a network and a transport between them, with a record of what was sent, what
/// arrived and what the trace sources said.
class TransportTest : public testing::Test
{
  protected:
    /// The port that every device listens on.
    static constexpr uint16_t PORT = 7;

    /** How often something happened to one message. */
    struct Events
    {
        uint32_t starts{0};        //!< TransferStart fired
        uint32_t ends{0};          //!< TransferEnd fired
        Time start;                //!< when it last started
        Time end;                  //!< when it last ended
        bool endAfterStart{false}; //!< in the right order
    };

    /** Take the network down and forget everything, so that another can be joined. */
    void TearDown() override;

    /// Have TCP start after a pause with the window it had, so that rates are closed forms.
    static void KeepWindowsInPauses()
    {
        Config::SetDefault("ns3::edgepipe::TensorTransport::SlowStartAfterIdle",
                           BooleanValue(false));
    }

    /// Let hosts queue data before their wires as routers do.
    static void QueueBeforeWires()
    {
        Config::SetDefault("ns3::edgepipe::TensorTransport::SmallQueues", BooleanValue(false));
    }

    /// Build the network.
    void Join(const NetworkOptions& options, uint32_t devices);

    /// @param link lan or p2p
    /// @return flows over wires that are alike
    static NetworkOptions Wires(const std::string& link, double bitsPerSecond, double delaySeconds)
    {
        NetworkOptions options;
        options.fidelity = "flow";
        options.SetLink(link);
        SetRate(options, bitsPerSecond);
        options.Set("Delay", TimeValue(Seconds(delaySeconds)));
        return options;
    }

    /// Send now, and keep a copy to compare with.
    /// @param body real bytes at its start
    void Send(uint32_t from, uint32_t to, uint64_t bytes, const std::string& body = "");

    /// Send at a time.
    /// @param body real bytes at its start
    void SendAt(const Time& when,
                uint32_t from,
                uint32_t to,
                uint64_t bytes,
                const std::string& body = "");

    /** @return how often a PacketTransport's TCP has given a connection up; 0 for flows */
    uint32_t GetBrokenConnections() const;

    /** Run until nothing happens any more. */
    void Run();

    /// Lose every packet that reaches a device over its wires.
    void LoseAll(uint32_t device, const Time& from, const Time& to);

    /** Expect that everything sent has arrived: whole, once, in order, and accounted for. */
    void ExpectAllDelivered() const;

    /// @return bytes of every value that look random
    static std::string MakeBody(std::size_t bytes, uint32_t seed);

    Network m_network;                //!< the devices
    Ptr<TensorTransport> m_transport; //!< under test
    /// Messages by sender and receiver, in the order of sending.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Message>> m_sent;
    /// Messages by sender and receiver, in the order of arrival.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Message>> m_arrived;
    std::map<uint64_t, Events> m_events; //!< by id
    uint64_t m_nextTag{0};               //!< tag of the next message
    uint32_t m_early{0};                 //!< completions before the receiver was called
    uint32_t m_completions{0};           //!< completions
};

#endif /* EDGEPIPE_TRANSPORT_FIXTURE_H */
