/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/network-probe.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-library.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-network-helper.h"
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
        const bool isRadio = FindLinkType(options)->GetTraits().options.count("distance") > 0;
        throw InputError(
            (isRadio ? "--distance: found " + Table::Rounded(options.distanceMeters) + " m: "
                     : "--planner-bandwidth=probe: ") +
            "no data gets from " + names[0] + " to " + names[1] +
            " to measure a bandwidth by, expected " + (isRadio ? "less, " : "a link that works ") +
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
    const uint32_t from = isUp ? 0 : 1;
    const uint32_t to = 1 - from;
    TestBed bed(options, 2, {"device", "server"});
    const double ipShare = 8.0 * options.mtuBytes / (options.mtuBytes - TCP_IP_HEADERS);
    const auto intervals = static_cast<std::size_t>(duration.GetSeconds() / interval.GetSeconds());
    std::vector<double> bitsPerSecond;
    uint64_t arrived = 0;
    std::function<void()> measure;
    const auto wait = [&] {
        arrived = bed.GetArrived();
        Simulator::Schedule(interval, [&measure] { measure(); });
    };
    measure = [&] {
        // A reopened connection starts its message again, so the count may fall.
        const uint64_t now = bed.GetArrived();
        const uint64_t more = now > arrived ? now - arrived : 0;
        bitsPerSecond.push_back(more * ipShare / interval.GetSeconds());
        if (progress)
        {
            progress(double(bitsPerSecond.size()) / intervals);
        }
        if (bitsPerSecond.size() == intervals)
        {
            Simulator::Stop();
            return;
        }
        wait();
    };
    bool isOpen = false;
    Simulator::ScheduleNow([&] {
        // A first message opens the connection.
        bed.transport->Send({from, to, 0, 0, SMALL_BYTES, ""}, Callback<void>([&] {
                                isOpen = true;
                                SendWithoutEnd(bed.transport, from, to);
                                wait();
                            }));
    });
    Simulator::Schedule(PROBE_PATIENCE, [&isOpen] {
        if (!isOpen)
        {
            Simulator::Stop();
        }
    });
    Simulator::Run();
    return bitsPerSecond;
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
}

} // namespace ns3::edgepipe
