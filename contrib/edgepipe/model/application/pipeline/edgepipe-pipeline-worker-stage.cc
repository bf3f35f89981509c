/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How a worker takes on its first stage and later ones.

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-pipeline-worker.h"

namespace ns3
{
namespace edgepipe
{

void
PipelineWorker::Accept(const StageAssignment& assignment)
{
    SetStage(assignment);
    const uint64_t bytes = 2 * assignment.parameterBytes;
    if (!m_memory->Reserve(bytes))
    {
        Report("stage " + std::to_string(assignment.stage) + ": weights and gradients need " +
               std::to_string(bytes) + " bytes, " +
               std::to_string(m_memory->GetCapacity() - m_memory->GetInUse()) + " of " +
               std::to_string(m_memory->GetCapacity()) + " are free");
        return;
    }
    GreetNeighbours();
}

void
PipelineWorker::Move(const std::string& body)
{
    const auto end = body.find('\n');
    const auto assignment = StageAssignment::FromText(body.substr(0, end));
    const auto order = MigrationOrder::FromText(body.substr(end + 1));
    const uint64_t heldBytes = m_stage.parameterBytes;
    SetStage(assignment);
    ++m_greetings;
    m_migration->Begin(order,
                       heldBytes,
                       assignment.parameterBytes,
                       [this](const std::string& refusal) {
                           if (refusal.empty())
                           {
                               Settle();
                               return;
                           }
                           Report("stage " + std::to_string(m_stage.stage) + ": " + refusal);
                       });
    GreetNeighbours();
}

void
PipelineWorker::SetStage(const StageAssignment& assignment)
{
    m_stage = assignment;
    m_steps.clear();
    if (assignment.stages > 0)
    {
        m_steps = FindByName<PipelineSchedule>("schedule", assignment.schedule)
                      ->GetSteps(assignment.stage, assignment.stages, assignment.microBatches);
    }
    if (m_metrics)
    {
        m_metrics->SetStage(assignment);
    }
    m_adjacent->Assign(m_stage, m_steps);
}

void
PipelineWorker::GreetNeighbours()
{
    m_state = GREETING;
    ++m_greetings;
    if (m_stage.stages > 1 && m_stage.stage > 0)
    {
        Greet(m_stage.previous);
    }
    if (m_stage.stages > 1 && !IsLast())
    {
        Greet(m_stage.next);
    }
    Settle();
}

void
PipelineWorker::Settle()
{
    if (--m_greetings == 0)
    {
        m_state = m_stage.stages > 0 ? READY : UNASSIGNED;
        Report("");
    }
}

void
PipelineWorker::Greet(uint32_t device)
{
    ++m_greetings;
    m_transport->Send({m_device,
                       device,
                       PIPELINE_WORKER_PORT,
                       PipelineTag{PipelineTag::HELLO}.Pack(),
                       PIPELINE_NOTICE_BYTES,
                       ""},
                      MakeCallback(&PipelineWorker::Settle, this));
}

void
PipelineWorker::Report(const std::string& refusal)
{
    Send(m_stage.coordinator,
         PIPELINE_COORDINATOR_PORT,
         {PipelineTag::READY},
         PIPELINE_NOTICE_BYTES + refusal.size(),
         refusal);
}

} // namespace edgepipe
} // namespace ns3
