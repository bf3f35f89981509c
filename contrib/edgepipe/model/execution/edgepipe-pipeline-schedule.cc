/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-schedule.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PipelineSchedule);

/**
 * All micro-batches forward, then all backward (Huang et al., GPipe, NeurIPS 2019, section 2.3).
 * A stage holds the activations of every micro-batch.
 */
class GpipeSchedule : public Named<GpipeSchedule, PipelineSchedule>
{
  public:
    static constexpr const char* NAME = "gpipe"; //!< for users

    std::vector<PipelineStep> GetSteps(uint32_t, uint32_t, uint32_t microBatches) const override
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
};

NS_OBJECT_ENSURE_REGISTERED(GpipeSchedule);

/**
 * One forward, one backward, with a flush at the end of the iteration (PipeDream-Flush:
 * Narayanan et al., ICML 2021, section 2; the order of Harlap et al., PipeDream, 2018).
 * Stage r of s begins with s - r - 1 forward passes and then alternates, so that it holds the
 * activations of at most s - r micro-batches.
 */
class OneForwardOneBackwardSchedule : public Named<OneForwardOneBackwardSchedule, PipelineSchedule>
{
  public:
    static constexpr const char* NAME = "1f1b"; //!< for users

    std::vector<PipelineStep> GetSteps(uint32_t stage,
                                       uint32_t stages,
                                       uint32_t microBatches) const override
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
};

NS_OBJECT_ENSURE_REGISTERED(OneForwardOneBackwardSchedule);

/**
 * One forward, one backward over parts of micro-batches, which fills and drains the pipeline
 * faster: the method of A. Sun et al., "Seq1F1B: Efficient Sequence-Level Pipeline Parallelism for
 * Large Language Model Training", NAACL 2025, applied to the samples of a micro-batch instead of
 * the parts of a sequence. Samples do not depend on each other, so parts keep their order in the
 * backward pass, too. A part takes its share of the micro-batch's tensors, activations and time,
 * but the full fixed time of a pass, since each part launches its layers' kernels anew
 * (AdjacentScheduler's PartsPayFixed). Otherwise, devices are as efficient at smaller batches.
 */
class SequenceOneForwardOneBackwardSchedule
    : public Named<SequenceOneForwardOneBackwardSchedule, OneForwardOneBackwardSchedule>
{
  public:
    static constexpr const char* NAME = "seq1f1b"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return tid.AddAttribute(
            "Parts",
            "Number of parts of every micro-batch; 4 as in the paper.",
            UintegerValue(4),
            MakeUintegerAccessor(&SequenceOneForwardOneBackwardSchedule::m_parts),
            MakeUintegerChecker<uint32_t>(1, 1000));
    }

    uint32_t GetParts() const override
    {
        return m_parts;
    }

  private:
    uint32_t m_parts; //!< of a micro-batch
};

NS_OBJECT_ENSURE_REGISTERED(SequenceOneForwardOneBackwardSchedule);

} // namespace ns3::edgepipe
