/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-assistance-holdings.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-pipeline-passes.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

uint64_t
GetSamplesPart(uint64_t bytes, uint32_t samples, uint32_t all)
{
    return bytes / all * samples + bytes % all * samples / all;
}

AssistanceHoldings::AssistanceHoldings(const StageAssignment& stage,
                                       const std::vector<PipelineStep>& steps,
                                       std::shared_ptr<MemoryAccount> memory)
    : m_stage(stage),
      m_memory(std::move(memory))
{
    const uint64_t needed = 2 * stage.parameterBytes + FindMostHeld(steps) * stage.activationBytes;
    const uint32_t neighbours = (stage.stage > 0) + (stage.stage + 1 < stage.stages);
    const uint64_t capacity = m_memory->GetLedger()->GetCapacity();
    if (neighbours > 0 && capacity > needed)
    {
        m_spareBytes = (capacity - needed) / neighbours;
    }
}

uint64_t
AssistanceHoldings::GetFreeBytes(uint32_t owner) const
{
    uint64_t used = 0;
    const auto copy = m_copies.find(owner);
    if (copy != m_copies.end())
    {
        used += 2 * copy->second.parameterBytes;
    }
    for (const auto& [key, held] : m_held)
    {
        used += key.first == owner ? held.bytes : 0;
    }
    return m_spareBytes - std::min(m_spareBytes, used);
}

double
AssistanceHoldings::GetLentSeconds(uint32_t owner) const
{
    double seconds = 0;
    for (const auto& [key, held] : m_held)
    {
        if (key.first != owner)
        {
            const auto& pass = m_stage.atStages[m_copies.at(key.first).stage];
            seconds = std::max(seconds, held.samples * pass.backward / m_stage.samples);
        }
    }
    return seconds;
}

void
AssistanceHoldings::TakeCopy(uint32_t owner, const AssistanceCopy& copy)
{
    DropCopy(owner);
    if (2 * copy.parameterBytes <= GetFreeBytes(owner) &&
        m_memory->Reserve(2 * copy.parameterBytes))
    {
        m_copies[owner] = copy;
    }
}

void
AssistanceHoldings::DropCopy(uint32_t owner)
{
    const auto copy = m_copies.find(owner);
    if (copy != m_copies.end())
    {
        m_memory->Release(2 * copy->second.parameterBytes);
        m_copies.erase(copy);
    }
}

void
AssistanceHoldings::GiveBack()
{
    while (!m_copies.empty())
    {
        DropCopy(m_copies.begin()->first);
    }
    while (!m_held.empty())
    {
        const auto [owner, microBatch] = m_held.begin()->first;
        Drop(owner, microBatch);
    }
}

const AssistanceCopy&
AssistanceHoldings::GetCopy(uint32_t owner) const
{
    return m_copies.at(owner);
}

void
AssistanceHoldings::Hold(uint32_t owner, uint32_t microBatch, uint32_t samples)
{
    const uint64_t bytes =
        GetSamplesPart(m_copies.at(owner).activationBytes, samples, m_stage.samples);
    NS_ABORT_MSG_UNLESS(m_memory->Reserve(bytes), "granted samples do not fit what was offered");
    Held& held = m_held[{owner, microBatch}];
    held.samples += samples;
    held.bytes += bytes;
}

uint32_t
AssistanceHoldings::GetHeld(uint32_t owner, uint32_t microBatch) const
{
    const auto held = m_held.find({owner, microBatch});
    return held == m_held.end() ? 0 : held->second.samples;
}

void
AssistanceHoldings::Drop(uint32_t owner, uint32_t microBatch)
{
    m_memory->Release(m_held.at({owner, microBatch}).bytes);
    m_held.erase({owner, microBatch});
}

uint64_t
AssistanceHoldings::GetResultBytes(uint32_t owner, const AssistanceGrant& grant) const
{
    // What is computed from the owner's samples stays where the next step needs it.
    if (GetCopy(owner).stage < m_stage.stage)
    {
        return grant.backward
                   ? GetSamplesPart(GetCopy(owner).inputBytes, grant.samples, m_stage.samples)
                   : 0;
    }
    return grant.backward
               ? 0
               : GetSamplesPart(GetCopy(owner).outputBytes, grant.samples, m_stage.samples);
}

} // namespace edgepipe
} // namespace ns3
