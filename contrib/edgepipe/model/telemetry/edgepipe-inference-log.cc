/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-log.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// Time between two samples of the capacity.
const Time SAMPLE_PERIOD = MilliSeconds(500);

} // namespace

void
InferenceLog::Observe(const BandwidthMonitor::Place& place,
                      Ptr<InferenceDevice> device,
                      Ptr<InferenceReplanner> replanner)
{
    const uint32_t index = place.device;
    UintegerValue frames;
    device->GetAttribute("Frames", frames);
    m_first[index] = m_records.frames.size();
    for (uint64_t frame = 0; frame < frames.Get(); ++frame)
    {
        m_records.frames.push_back({index, frame, false, 0, {}, {}, {}, {}, {}, {}, {}, {}, false});
    }
    const auto onFrame = [this, index, &device](const char* source, auto note) {
        Connect(device, source, [this, index, note](uint64_t frame) { note(Find(index, frame)); });
    };
    onFrame("FrameArrival", [](FrameRecord& frame) {
        frame.hasArrived = true;
        frame.arrived = Simulator::Now();
    });
    onFrame("FrameDrop", [](FrameRecord& frame) { frame.isDropped = true; });
    onFrame("FrameStart", [this, index, place](FrameRecord& frame) {
        frame.started = Simulator::Now();
        frame.plan = m_inForce[index];
        if (place.capacity)
        {
            frame.uplinkCapacity = place.capacity(place.device, place.server);
            frame.downlinkCapacity = place.capacity(place.server, place.device);
        }
    });
    onFrame("FrameComputed", [](FrameRecord& frame) {
        frame.computed = Simulator::Now();
        frame.uploaded = frame.computed;
        frame.served = frame.computed;
    });
    onFrame("FrameEnd", [](FrameRecord& frame) { frame.finished = Simulator::Now(); });
    Connect(device, "PlanChange", [this, index](const PlanRecord& plan) {
        m_inForce[index] = m_records.plans.size();
        m_records.plans.push_back(plan);
    });
    Connect(replanner, "Bandwidth", [this, place](double uplink, double) {
        if (place.capacity && m_estimates.count(place.device) == 0)
        {
            const Time phase = Simulator::Now() % SAMPLE_PERIOD;
            m_sampled[phase].push_back(place);
            if (m_sampled[phase].size() == 1)
            {
                Simulator::Schedule(SAMPLE_PERIOD, &InferenceLog::Sample, this, phase);
            }
        }
        NoteBandwidth(place, uplink);
    });
}

void
InferenceLog::NoteBandwidth(const BandwidthMonitor::Place& place, double uplinkBitsPerSecond)
{
    BandwidthRecord record{Simulator::Now(), place.device, uplinkBitsPerSecond, {}};
    if (place.capacity)
    {
        record.capacityBitsPerSecond = place.capacity(place.device, place.server);
    }
    m_estimates[place.device] = record;
    m_records.bandwidths.push_back(record);
}

void
InferenceLog::Sample(const Time& phase)
{
    Simulator::Schedule(SAMPLE_PERIOD, &InferenceLog::Sample, this, phase);
    // After a monitor that estimates at the same moment.
    Simulator::ScheduleNow([this, phase] {
        for (const auto& place : m_sampled[phase])
        {
            const BandwidthRecord& last = m_estimates[place.device];
            if (place.capacity(place.device, place.server) != last.capacityBitsPerSecond)
            {
                NoteBandwidth(place, last.uplinkBitsPerSecond);
            }
        }
    });
}

void
InferenceLog::Observe(Ptr<InferenceServer> server)
{
    Connect(server, "FrameUploaded", [this](uint32_t device, uint64_t frame) {
        Find(device, frame).uploaded = Simulator::Now();
        Find(device, frame).served = Simulator::Now();
    });
    Connect(server, "FrameServed", [this](uint32_t device, uint64_t frame) {
        Find(device, frame).served = Simulator::Now();
    });
}

void
InferenceLog::SortPlans()
{
    std::vector<uint32_t> order(m_records.plans.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        return m_records.plans[a].decided < m_records.plans[b].decided;
    });
    std::vector<PlanRecord> sorted;
    std::vector<uint32_t> places(m_records.plans.size());
    for (const uint32_t plan : order)
    {
        places[plan] = sorted.size();
        sorted.push_back(m_records.plans[plan]);
    }
    m_records.plans = std::move(sorted);
    for (FrameRecord& frame : m_records.frames)
    {
        frame.plan = places.empty() ? 0 : places[frame.plan];
    }
}

} // namespace ns3::edgepipe
