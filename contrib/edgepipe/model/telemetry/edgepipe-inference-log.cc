/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-log.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

InferenceLog::InferenceLog(uint32_t devices, uint64_t frames)
    : m_perDevice(frames),
      m_inForce(devices, 0)
{
    for (uint32_t device = 0; device < devices; ++device)
    {
        for (uint64_t frame = 0; frame < frames; ++frame)
        {
            m_frames.push_back({device, frame, false, 0, {}, {}, {}, {}, {}, {}});
        }
    }
}

FrameRecord&
InferenceLog::Find(uint32_t device, uint64_t frame)
{
    return m_frames[device * m_perDevice + frame];
}

void
InferenceLog::Observe(const BandwidthMonitor::Place& place,
                      Ptr<InferenceDevice> device,
                      Ptr<InferenceReplanner> replanner)
{
    const uint32_t index = place.device;
    const auto onFrame = [this, index, &device](const char* source, auto note) {
        device->TraceConnectWithoutContext(source, Callback<void, uint64_t>([=](uint64_t frame) {
                                               note(Find(index, frame));
                                           }));
    };
    onFrame("FrameArrival", [](FrameRecord& frame) { frame.arrived = Simulator::Now(); });
    onFrame("FrameDrop", [](FrameRecord& frame) { frame.isDropped = true; });
    onFrame("FrameStart", [this, index](FrameRecord& frame) {
        frame.started = Simulator::Now();
        frame.plan = m_inForce[index];
    });
    onFrame("FrameComputed", [](FrameRecord& frame) {
        frame.computed = Simulator::Now();
        frame.uploaded = frame.computed;
        frame.served = frame.computed;
    });
    onFrame("FrameEnd", [](FrameRecord& frame) { frame.finished = Simulator::Now(); });
    device->TraceConnectWithoutContext(
        "PlanChange",
        Callback<void, const PlanRecord&>([this, index](const PlanRecord& plan) {
            m_inForce[index] = m_plans.size();
            m_plans.push_back(plan);
        }));
    replanner->TraceConnectWithoutContext(
        "Bandwidth",
        Callback<void, double, double>([this, place](double uplink, double) {
            const double capacity = place.capacity ? place.capacity(place.device, place.server) : 0;
            m_bandwidths.push_back({Simulator::Now(), place.device, uplink, capacity});
        }));
}

void
InferenceLog::Observe(Ptr<InferenceServer> server)
{
    server->TraceConnectWithoutContext(
        "FrameUploaded",
        Callback<void, uint32_t, uint64_t>([this](uint32_t device, uint64_t frame) {
            Find(device, frame).uploaded = Simulator::Now();
            Find(device, frame).served = Simulator::Now();
        }));
    server->TraceConnectWithoutContext(
        "FrameServed",
        Callback<void, uint32_t, uint64_t>([this](uint32_t device, uint64_t frame) {
            Find(device, frame).served = Simulator::Now();
        }));
}

const std::vector<FrameRecord>&
InferenceLog::GetFrames() const
{
    return m_frames;
}

const std::vector<PlanRecord>&
InferenceLog::GetPlans() const
{
    return m_plans;
}

const std::vector<BandwidthRecord>&
InferenceLog::GetBandwidths() const
{
    return m_bandwidths;
}

void
InferenceLog::SortPlans()
{
    std::vector<uint32_t> order(m_plans.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        return m_plans[a].decided < m_plans[b].decided;
    });
    std::vector<PlanRecord> sorted;
    std::vector<uint32_t> places(m_plans.size());
    for (const uint32_t plan : order)
    {
        places[plan] = sorted.size();
        sorted.push_back(m_plans[plan]);
    }
    m_plans = std::move(sorted);
    for (FrameRecord& frame : m_frames)
    {
        frame.plan = places.empty() ? 0 : places[frame.plan];
    }
}

} // namespace edgepipe
} // namespace ns3
