/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-load-player.h"

#include "ns3/simulator.h"

namespace ns3::edgepipe
{

LoadPlayer::LoadPlayer(Ptr<ComputeDevice> compute, std::unique_ptr<StepSource> steps)
    : m_compute(compute),
      m_steps(std::move(steps))
{
    Arm();
}

LoadPlayer::~LoadPlayer()
{
    m_next.Cancel();
}

void
LoadPlayer::Arm()
{
    if (m_steps->Next(m_step))
    {
        m_next = Simulator::Schedule(m_step.time - Simulator::Now(), &LoadPlayer::Set, this);
    }
}

void
LoadPlayer::Set()
{
    m_compute->SetAvailableShare(m_step.value);
    Arm();
}

} // namespace ns3::edgepipe
