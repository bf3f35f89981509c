/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/condition-sampler.h"

#include "ns3/edgepipe-edge-device.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// When there are so many, every second one goes, and later ones are as far apart. Even.
constexpr std::size_t MOST_SAMPLES = 100000;

} // namespace

ConditionSampler::ConditionSampler(const Deployment& deployment,
                                   std::vector<uint32_t> loaded,
                                   uint32_t home)
    : m_deployment(deployment),
      m_loaded(std::move(loaded)),
      m_home(home)
{
}

ConditionSampler::~ConditionSampler()
{
    m_next.Cancel();
}

void
ConditionSampler::Start(const Time& interval)
{
    m_interval = interval;
    // Behind what changes loads at time 0.
    m_next = Simulator::ScheduleNow(&ConditionSampler::Sample, this);
}

void
ConditionSampler::Sample()
{
    ConditionSample sample{Simulator::Now(), 0, {}};
    const auto& network = m_deployment.GetNetwork();
    for (uint32_t device = 0; device < network.devices.GetN(); ++device)
    {
        if (!network.capacity || device == m_home ||
            !network.devices.Get(device)->GetObject<EdgeDevice>())
        {
            continue;
        }
        const double capacity =
            std::min(network.capacity(m_home, device), network.capacity(device, m_home));
        const bool isFirst = sample.bitsPerSecond == 0;
        sample.bitsPerSecond = isFirst ? capacity : std::min(sample.bitsPerSecond, capacity);
    }
    for (const uint32_t device : m_loaded)
    {
        sample.shares.push_back(
            GetFromDevice<ComputeDevice>(network.devices.Get(device))->GetAvailableShare());
    }
    if (m_samples.size() == MOST_SAMPLES)
    {
        for (std::size_t i = 0; i < MOST_SAMPLES / 2; ++i)
        {
            m_samples[i] = m_samples[2 * i];
        }
        m_samples.resize(MOST_SAMPLES / 2);
        m_interval = 2 * m_interval;
    }
    m_samples.push_back(std::move(sample));
    m_next = Simulator::Schedule(m_interval, &ConditionSampler::Sample, this);
}

const std::vector<ConditionSample>&
ConditionSampler::GetSamples() const
{
    return m_samples;
}

} // namespace edgepipe
} // namespace ns3
