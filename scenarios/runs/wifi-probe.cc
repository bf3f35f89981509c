/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/wifi-probe.h"

#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-saturating-sender.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Payload of a small message, bytes.
constexpr uint64_t SMALL_BYTES = 16;

/// After this the network is taken to be out of order.
const Time PROBE_PATIENCE = Seconds(60);

/** Devices, their network and a transport between them; taken down at the end of its life. */
class TestBed
{
  public:
    /**
     * @param options how the devices are joined
     * @param devices how many
     */
    TestBed(const NetworkOptions& options, uint32_t devices)
    {
        std::vector<std::string> names;
        std::set<uint32_t> all;
        for (uint32_t i = 0; i < devices; ++i)
        {
            names.push_back("device " + std::to_string(i));
            all.insert(i);
        }
        transport = NetworkHelper(options, names).Build(all).transport;
        for (uint32_t i = 0; i < devices; ++i)
        {
            transport->Listen(i, 0, Callback<void, const Message&>([](const Message&) {}));
        }
    }

    ~TestBed()
    {
        transport->Dispose();
        Simulator::Destroy();
    }

    /** @return payload bytes that have reached a receiver, by sender and receiver */
    uint64_t GetArrived() const
    {
        uint64_t bytes = transport->GetDeliveredBytes();
        for (const auto& pending : transport->GetPending())
        {
            bytes += pending.deliveredBytes;
        }
        return bytes;
    }

    Ptr<TensorTransport> transport; //!< between the devices
};

} // namespace

double
MeasureGoodput(const NetworkOptions& options,
               const Transfers& transfers,
               const Time& warmUp,
               const Time& window)
{
    uint32_t devices = 0;
    for (const auto& [from, to] : transfers)
    {
        devices = std::max({devices, from + 1, to + 1});
    }
    TestBed bed(options, devices);
    std::size_t opened = 0;
    uint64_t before = 0;
    double bytes = 0;
    const auto begin = [&] {
        if (++opened < transfers.size())
        {
            return;
        }
        for (const auto& [from, to] : transfers)
        {
            SendWithoutEnd(bed.transport, from, to);
        }
        Simulator::Schedule(warmUp, [&] { before = bed.GetArrived(); });
        Simulator::Schedule(warmUp + window, [&] {
            bytes = bed.GetArrived() - before;
            Simulator::Stop();
        });
    };
    Simulator::ScheduleNow([&] {
        for (const auto& [from, to] : transfers)
        {
            // A first message opens the connection.
            bed.transport->Send({from, to, 0, 0, SMALL_BYTES, ""}, Callback<void>(begin));
        }
    });
    Simulator::Stop(PROBE_PATIENCE);
    Simulator::Run();
    const double payload = bytes / window.GetSeconds();
    return payload * options.mtuBytes / (options.mtuBytes - TCP_IP_HEADERS);
}

double
MeasureLatency(const NetworkOptions& options, uint32_t count)
{
    TestBed bed(options, 2);
    Time sent;
    Time total;
    uint32_t arrived = 0;
    std::function<void()> send;
    const auto arrive = [&] {
        total += arrived > 0 ? Simulator::Now() - sent : Time(); // the first opens the connection
        if (++arrived > count)
        {
            Simulator::Stop();
            return;
        }
        Simulator::Schedule(MicroSeconds(100003), [&send] { send(); });
    };
    send = [&] {
        sent = Simulator::Now();
        bed.transport->Send({0, 1, 0, 0, SMALL_BYTES, ""}, Callback<void>(arrive));
    };
    Simulator::ScheduleNow([&send] { send(); });
    Simulator::Stop(PROBE_PATIENCE);
    Simulator::Run();
    return arrived > count ? total.GetSeconds() / count : 0;
}

} // namespace edgepipe
} // namespace ns3
