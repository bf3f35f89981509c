/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-schedule.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PipelineSchedule);
NS_OBJECT_ENSURE_REGISTERED(GpipeSchedule);
NS_OBJECT_ENSURE_REGISTERED(OneForwardOneBackwardSchedule);
NS_OBJECT_ENSURE_REGISTERED(SequenceOneForwardOneBackwardSchedule);

TypeId
PipelineSchedule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::PipelineSchedule").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

uint32_t
PipelineSchedule::GetParts() const
{
    return 1;
}

TypeId
GpipeSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::GpipeSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<GpipeSchedule>();
    return tid;
}

std::string
GpipeSchedule::GetName() const
{
    return "gpipe";
}

std::vector<PipelineStep>
GpipeSchedule::GetSteps(uint32_t, uint32_t, uint32_t microBatches) const
{
    std::vector<PipelineStep> steps;
    for (const bool backward : {false, true})
    {
        for (uint32_t m = 0; m < microBatches; ++m)
        {
            steps.push_back({backward, m});
        }
    }
    return steps;
}

TypeId
OneForwardOneBackwardSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::OneForwardOneBackwardSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<OneForwardOneBackwardSchedule>();
    return tid;
}

std::string
OneForwardOneBackwardSchedule::GetName() const
{
    return "1f1b";
}

std::vector<PipelineStep>
OneForwardOneBackwardSchedule::GetSteps(uint32_t stage,
                                        uint32_t stages,
                                        uint32_t microBatches) const
{
    const uint32_t warmUp = std::min(stages - stage - 1, microBatches);
    std::vector<PipelineStep> steps;
    for (uint32_t m = 0; m < microBatches + warmUp; ++m)
    {
        if (m < microBatches)
        {
            steps.push_back({false, m});
        }
        if (m >= warmUp)
        {
            steps.push_back({true, m - warmUp});
        }
    }
    return steps;
}

TypeId
SequenceOneForwardOneBackwardSchedule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::SequenceOneForwardOneBackwardSchedule")
            .SetParent<OneForwardOneBackwardSchedule>()
            .SetGroupName("Edgepipe")
            .AddConstructor<SequenceOneForwardOneBackwardSchedule>()
            .AddAttribute("Parts",
                          "Into how many parts every micro-batch is cut; 4 as in the paper.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&SequenceOneForwardOneBackwardSchedule::m_parts),
                          MakeUintegerChecker<uint32_t>(1, 1000));
    return tid;
}

std::string
SequenceOneForwardOneBackwardSchedule::GetName() const
{
    return "seq1f1b";
}

uint32_t
SequenceOneForwardOneBackwardSchedule::GetParts() const
{
    return m_parts;
}

} // namespace edgepipe
} // namespace ns3
