/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/bandwidth-probe.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Payload of the measured message, bytes.
constexpr uint64_t PROBE_BYTES = 16000000;

} // namespace

double
MeasureBandwidth(const NetworkOptions& options,
                 const std::vector<std::string>& names,
                 const Time& stallTimeout)
{
    NetworkOptions uncut = options;
    uncut.cutDevice.clear();
    const Network network = NetworkHelper(uncut, names).Build({0, 1});
    const auto transport = network.transport;
    auto monitor = CreateObject<StallMonitor>();
    monitor->SetAttribute("Timeout", TimeValue(stallTimeout));
    monitor->WatchTransport(
        transport,
        [names](uint32_t device) { return names[device]; },
        [](const Message&) { return "probe"; });
    transport->Listen(1, 0, Callback<void, const Message&>([](const Message&) {}));

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
    transport->Dispose();
    Simulator::Destroy();
    if (end.IsZero())
    {
        throw InputError("--planner-bandwidth=probe: no data gets from " + names[0] + " to " +
                         names[1] + " to measure a bandwidth by, expected a link that works or " +
                         "--planner-bandwidth=NUMBER");
    }
    return 8 * PROBE_BYTES / (end - warm).GetSeconds();
}

} // namespace edgepipe
} // namespace ns3
