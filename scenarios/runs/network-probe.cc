/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/network-probe.h"

#include "ns3/edgepipe-library.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-radio-link.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-saturating-sender.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/edgepipe-table.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Payload of the message that measures a bandwidth, bytes.
constexpr uint64_t PROBE_BYTES = 16000000;

/// Payload of a small message, bytes.
constexpr uint64_t SMALL_BYTES = 16;

/// Simulated time after which a network is taken not to work, or a connection not to open.
const Time PROBE_PATIENCE = Seconds(60);

/** Devices, their network and a transport between them; torn down with this object. */
class TestBed
{
  public:
    /**
     * @param options how the devices are joined
     * @param active how many of them listen
     * @param names of the devices; missing ones are made up
     */
    TestBed(const NetworkOptions& options, uint32_t active, std::vector<std::string> names = {})
    {
        for (std::size_t i = names.size(); i < active; ++i)
        {
            names.push_back("device " + std::to_string(i));
        }
        const auto all = CountUp(active);
        transport = NetworkHelper(options, names).Build({all.begin(), all.end()}).transport;
        for (const uint32_t device : all)
        {
            transport->Listen(device, 0, Callback<void, const Message&>([](const Message&) {}));
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
        return transport->GetDeliveredBytes() +
               Sum(transport->GetPending(), [](auto& pending) { return pending.deliveredBytes; });
    }

    /**
     * Send without end, and count what arrives.
     *
     * @param transfers senders and receivers
     * @param warmUp time that all run before the first interval
     * @param interval length of a measurement
     * @param count how many intervals
     * @param progress called with the share of them that is over; may be empty
     * @return payload bytes of each; none if a transfer has not begun by PROBE_PATIENCE
     */
    std::vector<double> Record(const Transfers& transfers,
                               const Time& warmUp,
                               const Time& interval,
                               std::size_t count,
                               const std::function<void(double)>& progress = {})
    {
        std::vector<double> bytes;
        std::size_t opened = 0;
        uint64_t arrived = 0;
        std::function<void()> measure;
        const auto wait = [&] {
            arrived = GetArrived();
            Simulator::Schedule(interval, [&measure] { measure(); });
        };
        measure = [&] {
            // A reopened connection starts its message again, so the count may fall.
            const uint64_t now = GetArrived();
            bytes.push_back(now > arrived ? now - arrived : 0);
            if (progress)
            {
                progress(double(bytes.size()) / count);
            }
            bytes.size() == count ? Simulator::Stop() : wait();
        };
        const auto open = [&] {
            if (++opened < transfers.size())
            {
                return;
            }
            for (const auto& [from, to] : transfers)
            {
                SendWithoutEnd(transport, from, to);
            }
            Simulator::Schedule(warmUp, wait);
        };
        Simulator::ScheduleNow([&] {
            for (const auto& [from, to] : transfers)
            {
                // A first message opens the connection.
                transport->Send({from, to, 0, 0, SMALL_BYTES, ""}, Callback<void>(open));
            }
        });
        Simulator::Schedule(PROBE_PATIENCE, [&] {
            if (opened < transfers.size())
            {
                Simulator::Stop();
            }
        });
        Simulator::Run();
        return bytes;
    }

    Ptr<TensorTransport> transport; //!< between the devices
};

} // namespace

double
MeasureBandwidth(const NetworkOptions& options, const std::vector<std::string>& names)
{
    NetworkOptions uncut = options;
    uncut.cutDevice.clear();
    TestBed bed(uncut, 2, names);
    const auto transport = bed.transport;
    auto monitor = CreateObject<StallMonitor>();
    monitor->WatchTransport(
        transport,
        [&names](uint32_t device) { return names[device]; },
        [](const Message&) { return "probe"; });

    Time warm;
    Time end;
    Simulator::ScheduleNow([&warm, &end, transport, monitor] {
        // A first message opens the connection and its congestion window.
        transport->Send({0, 1, 0, 0, PROBE_BYTES / 4, ""},
                        Callback<void>([&warm] { warm = Simulator::Now(); }));
        transport->Send({0, 1, 0, 0, PROBE_BYTES, ""}, Callback<void>([&end, monitor] {
                            end = Simulator::Now();
                            monitor->Stop();
                            Simulator::Stop();
                        }));
    });
    monitor->Start();
    Simulator::Run();
    monitor->Dispose();
    if (end.IsZero())
    {
        const auto radio = DynamicCast<const RadioLink>(options.groups.front().link);
        throw InputError(
            (radio ? "--distance: found " + Table::Rounded(radio->GetDistance()) + " m: "
                   : "--planner-bandwidth=probe: ") +
            "no data gets from " + names[0] + " to " + names[1] +
            " to measure a bandwidth by, expected " + (radio ? "less, " : "a link that works ") +
            "or --planner-bandwidth=RATE such as 10Mbps");
    }
    return 8 * PROBE_BYTES / (end - warm).GetSeconds();
}

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
    const auto bytes = bed.Record(transfers, warmUp, window, 1);
    return Sum(bytes) / window.GetSeconds() * options.mtuBytes /
           (options.mtuBytes - TCP_IP_HEADERS);
}

double
MeasureLatency(const NetworkOptions& options, uint32_t count)
{
    TestBed bed(options, 2);
    Time sent;
    std::vector<double> seconds;
    std::function<void()> send;
    const auto arrive = [&] {
        seconds.push_back((Simulator::Now() - sent).GetSeconds());
        if (seconds.size() > count)
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
    if (seconds.size() <= count)
    {
        return 0;
    }
    // Skip the first, which opens the connection. Some others are delayed by a beacon, or by the
    // setup of a block-ack agreement.
    const auto middle = seconds.begin() + 1 + count / 2;
    std::nth_element(seconds.begin() + 1, middle, seconds.end());
    return *middle;
}

std::vector<double>
RecordBandwidth(NetworkOptions options,
                bool isUp,
                const Time& interval,
                const Time& duration,
                std::function<void(double)> progress)
{
    options.wiredDevices = {"server"};
    TestBed bed(options, 2, {"device", "server"});
    const double ipShare = 8.0 * options.mtuBytes / (options.mtuBytes - TCP_IP_HEADERS);
    const auto bytes = bed.Record({isUp ? std::pair{0U, 1U} : std::pair{1U, 0U}},
                                  Time(),
                                  interval,
                                  duration.GetSeconds() / interval.GetSeconds(),
                                  progress);
    return Map(bytes, [&](double count) { return count * ipShare / interval.GetSeconds(); });
}

void
WriteRecording(std::ostream& out,
               const std::vector<double>& bitsPerSecond,
               const Time& interval,
               bool isUp,
               const std::string& command)
{
    const char* const direction = isUp ? "up" : "down";
    out << "# IP bit/s that reach the receiver of a TCP connection which always has data to send.\n"
        << "# Made by: " << command << "\n# edgepipe " << GetEdgepipeVersion() << ", ns-3 "
        << GetNs3Version() << ", seed " << RngSeedManager::GetSeed() << ", run "
        << RngSeedManager::GetRun() << "\n# direction: " << direction
        << "\n# saturated: " << direction << "\nseconds,bitsPerSecond\n";
    for (std::size_t i = 0; i < bitsPerSecond.size(); ++i)
    {
        out << i * interval.GetSeconds() << "," << std::llround(bitsPerSecond[i]) << "\n";
    }
    if (bitsPerSecond.size() == 1)
    {
        // The last row lasts as long as the one before it, so one alone would have no duration.
        out << interval.GetSeconds() / 2 << "," << std::llround(bitsPerSecond[0]) << "\n";
    }
}

} // namespace ns3::edgepipe
