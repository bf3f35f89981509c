/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/bandwidth-recorder.h"

#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-saturating-sender.h"
#include "ns3/edgepipe-version.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <cmath>
#include <string>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// After this a connection is taken not to open.
const Time PATIENCE = Seconds(60);

/** Counts what arrives. */
struct Recording
{
    Ptr<TensorTransport> transport;       //!< between the two
    Time interval;                        //!< of every measurement
    std::size_t intervals;                //!< how many there will be
    double ipShare;                       //!< bits of IP packets per payload byte
    std::function<void(double)> progress; //!< told what is done, may be null
    uint64_t arrived{0};                  //!< payload bytes until the last measurement
    std::vector<double> bitsPerSecond;    //!< measured so far

    /** @return payload bytes that have reached the receiver */
    uint64_t GetArrived() const
    {
        uint64_t bytes = transport->GetDeliveredBytes();
        for (const auto& pending : transport->GetPending())
        {
            bytes += pending.deliveredBytes;
        }
        return bytes;
    }

    /** Measure from now on. */
    void Begin()
    {
        arrived = GetArrived();
        Simulator::Schedule(interval, &Recording::Measure, this);
    }

    /** An interval is over. */
    void Measure()
    {
        const uint64_t now = GetArrived();
        // A connection that is opened anew begins its message again.
        const uint64_t more = now > arrived ? now - arrived : 0;
        arrived = now;
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
        Simulator::Schedule(interval, &Recording::Measure, this);
    }
};

} // namespace

std::vector<double>
RecordBandwidth(NetworkOptions options,
                bool isUp,
                const Time& interval,
                const Time& duration,
                std::function<void(double)> progress)
{
    const std::vector<std::string> names{"device", "server"};
    options.wiredDevices = {names[1]};
    const uint32_t from = isUp ? 0 : 1;
    const uint32_t to = 1 - from;
    const auto transport = NetworkHelper(options, names).Build({0, 1}).transport;
    transport->Listen(to, 0, Callback<void, const Message&>([](const Message&) {}));
    const double ipShare = 8.0 * options.mtuBytes / (options.mtuBytes - TCP_IP_HEADERS);
    Recording recording{transport,
                        interval,
                        static_cast<std::size_t>(duration.GetSeconds() / interval.GetSeconds()),
                        ipShare,
                        std::move(progress),
                        0,
                        {}};
    bool isOpen = false;
    Simulator::ScheduleNow([&] {
        // A first message opens the connection.
        transport->Send({from, to, 0, 0, 16, ""}, Callback<void>([&] {
                            isOpen = true;
                            SendWithoutEnd(transport, from, to);
                            recording.Begin();
                        }));
    });
    Simulator::Schedule(PATIENCE, [&isOpen] {
        if (!isOpen)
        {
            Simulator::Stop();
        }
    });
    Simulator::Run();
    transport->Dispose();
    Simulator::Destroy();
    return recording.bitsPerSecond;
}

void
WriteRecording(std::ostream& out,
               const std::vector<double>& bitsPerSecond,
               const Time& interval,
               const std::string& command)
{
    out << "# IP bit/s that reach the receiver of a TCP connection which always has data to send.\n"
        << "# Made by: " << command << "\n# edgepipe " << GetEdgepipeVersion() << ", ns-3 "
        << GetNs3Version() << ", seed " << RngSeedManager::GetSeed() << ", run "
        << RngSeedManager::GetRun() << "\nseconds,bitsPerSecond\n";
    for (std::size_t i = 0; i < bitsPerSecond.size(); ++i)
    {
        out << i * interval.GetSeconds() << "," << std::llround(bitsPerSecond[i]) << "\n";
    }
}

} // namespace edgepipe
} // namespace ns3
