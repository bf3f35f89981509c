// SPDX-License-Identifier: GPL-2.0-only
//
// What moving bytes by PacketTransport costs, compared with ns-3's own BulkSendApplication and
// PacketSink on the same network, with the same TCP settings.
//
//   transport-benchmark                 every case; fails if a limit is exceeded
//   transport-benchmark --short         less of it, for the tests

#include "links.h"
#include "measured-run.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-packet-transport.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/packet-sink-helper.h"

namespace
{

/// Most instructions of the transport over those of BulkSendApplication at its best.
constexpr double INSTRUCTIONS_LIMIT = 1.25;
/// Bytes of a message whose instructions are counted.
constexpr uint64_t COUNTED_BYTES = 400000;
/// Most simulator events of the transport over those of BulkSendApplication.
constexpr double EVENT_LIMIT = 1.05;
/// Most difference of the simulated times.
constexpr double SIMULATED_LIMIT = 0.01;
/// Most growth of peak memory from a message of 10 MB to a large one, bytes: room for TCP's window
/// and for its cancelled timers, which ns-3 keeps until they are due.
constexpr double MEMORY_LIMIT = 5e6;

/** A network to compare on. */
struct Case
{
    const char* name;     //!< for the table
    const char* link;     //!< NetworkOptions::link
    double bitsPerSecond; //!< NetworkOptions::bandwidthBitsPerSecond
};

/** What one transfer took. */
struct Cost
{
    double wallSeconds{0};      //!< CPU time of Simulator::Run, its wall time if left alone
    double simulatedSeconds{0}; //!< until the last byte had arrived
    uint64_t events{0};         //!< executed
};

/// @return two devices joined so
Network
Join(const Case& what)
{
    NetworkOptions options;
    options.fidelity = "packet";
    options.SetLink(what.link);
    SetRate(options, what.bitsPerSecond);
    return NetworkHelper(options, {"a", "b"}).Build({0, 1});
}

/// Run what has been set up, and take it down.
void
RunTimed(Cost& cost)
{
    cost.wallSeconds = MeasureLeast(Simulator::Run, 1);
    cost.events = Simulator::GetEventCount();
    Simulator::Destroy();
}

/// Move bytes as one message. @return what it took
Cost
RunTransport(const Case& what, uint64_t bytes)
{
    Cost cost;
    const Network network = Join(what);
    const auto transport = network.transport;
    transport->Listen(1, 0, Callback<void, const Message&>([&cost](const Message&) {
                          cost.simulatedSeconds = Simulator::Now().GetSeconds();
                      }));
    transport->Send({0, 1, 0, 0, bytes, ""});
    RunTimed(cost);
    transport->Dispose();
    return cost;
}

/// Move bytes by BulkSendApplication.
/// @param observe whether to look when the last byte arrives, which costs it time
/// @return what it took
Cost
RunBulkSend(const Case& what, uint64_t bytes, uint32_t sendBytes, bool observe)
{
    Cost cost;
    const Network network = Join(what);
    const Ipv4Address receiverAddress =
        network.devices.Get(1)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
    BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(receiverAddress, 9));
    sender.SetAttribute("MaxBytes", UintegerValue(bytes));
    sender.SetAttribute("SendSize", UintegerValue(sendBytes));
    sender.Install(network.devices.Get(0));
    PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    const auto sink = receiver.Install(network.devices.Get(1)).Get(0);
    if (observe)
    {
        Connect(sink, "Rx", [&cost](Ptr<const Packet>, const Address&) {
            cost.simulatedSeconds = Simulator::Now().GetSeconds();
        });
    }
    RunTimed(cost);
    return cost;
}

/// @return the most memory that a process of its own needs to move it, bytes
double
MeasurePeakMemory(const Case& what, uint64_t bytes)
{
    return MeasureInChild([&what, bytes] {
               RunTransport(what, bytes);
               return RunFigures();
           })
        .peakMemoryBytes;
}

/// What PacketTransport sets on its sockets; see its attributes.
void
SetSockets()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpCubic"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", StringValue("200ms"));
}

} // namespace

int
main(int argc, char* argv[])
{
    // BulkSendApplication's default write and a large one.
    const std::vector<uint32_t> writes{512, 65536};
    const std::vector<Case> all{{"p2p 1 Gbit/s", "p2p", 1e9},
                                {"lan 1 Gbit/s", "lan", 1e9},
                                {"p2p 10 Gbit/s", "p2p", 1e10}};
    CountedWorks works;
    for (const Case& what : all)
    {
        works[what.name] = [&what] { RunTransport(what, COUNTED_BYTES); };
        for (const uint32_t write : writes)
        {
            works[what.name + std::to_string(write)] = [&what, write] {
                SetSockets();
                RunBulkSend(what, COUNTED_BYTES, write, false);
            };
        }
    }
    if (RunCounted(argc, argv, works))
    {
        return 0;
    }
    const bool isShort = IsShort(argc, argv);
    const uint64_t bytes = isShort ? 10000000 : 100000000;
    const uint64_t largeBytes = isShort ? 100000000 : 1000000000;
    const std::size_t repeats = isShort ? 1 : 5;
    const std::vector<Case> cases(all.begin(), isShort ? all.begin() + 1 : all.end());

    const double memory = MeasurePeakMemory(cases[0], 10000000);
    const double largeMemory = MeasurePeakMemory(cases[0], largeBytes);

    SetSockets();

    bool ok = true;
    Table table({"network", "sender", "wall s", "MB per wall s", "simulated s", "events"});
    std::vector<std::pair<std::string, double>> ratios;
    for (const auto& what : cases)
    {
        std::vector<Cost> costs{RunTransport(what, bytes)};
        for (const uint32_t write : writes)
        {
            costs.push_back(RunBulkSend(what, bytes, write, true));
        }
        std::vector<double> walls(costs.size(), std::numeric_limits<double>::infinity());
        for (std::size_t repeat = 0; repeat < repeats; ++repeat)
        {
            walls[0] = std::min(walls[0], RunTransport(what, bytes).wallSeconds);
            for (std::size_t i = 0; i < writes.size(); ++i)
            {
                walls[i + 1] =
                    std::min(walls[i + 1], RunBulkSend(what, bytes, writes[i], false).wallSeconds);
            }
        }
        const std::string name = what.name;
        for (std::size_t i = 0; i < costs.size(); ++i)
        {
            const double wall = walls[i];
            table.AddRow({name,
                          i ? "BulkSend " + std::to_string(writes[i - 1]) : "PacketTransport",
                          Table::Rounded(wall),
                          Table::Rounded(bytes / 1e6 / wall),
                          Table::Rounded(costs[i].simulatedSeconds, 6),
                          std::to_string(costs[i].events)});
        }
        ratios.emplace_back(name,
                            CountInstructions(name) / std::min(CountInstructions(name + "512"),
                                                               CountInstructions(name + "65536")));
        ok &= CheckAtMost(name + ", simulated time off by",
                          std::abs(costs[0].simulatedSeconds / costs[2].simulatedSeconds - 1),
                          SIMULATED_LIMIT);
        ok &= CheckAtMost(name + ", events over BulkSend's",
                          static_cast<double>(costs[0].events) / costs[2].events,
                          EVENT_LIMIT);
    }
    std::cout << '\n' << bytes / 1000000 << " MB, least of " << repeats << ":\n";
    table.Print(std::cout);
    std::cout << "\npeak memory for 10 MB: " << Table::Bytes(memory) << ", for "
              << Table::Bytes(largeBytes) << ": " << Table::Bytes(largeMemory) << '\n';
    for (const auto& [name, ratio] : ratios)
    {
        ok &= CheckAtMost(name + ", instructions over BulkSend's best", ratio, INSTRUCTIONS_LIMIT);
    }
    ok &= CheckAtMost("growth of peak memory, bytes", largeMemory - memory, MEMORY_LIMIT);
    return ok ? 0 : 1;
}
