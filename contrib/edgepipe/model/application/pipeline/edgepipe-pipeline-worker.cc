/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-worker.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/log.h"
#include "ns3/node-list.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipePipelineWorker");

NS_OBJECT_ENSURE_REGISTERED(PipelineWorker);

namespace
{

/// How stages that hold the same weights sum their gradients: each then updates its own.
const std::string TIED_EXCHANGE = "ring";

} // namespace

TypeId
PipelineWorker::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("AdjacentScheduler",
             "The worker's part in adjacent scheduling.",
             {&PipelineWorker::m_adjacent, TypeId::ATTR_GET})
        .Add("Exchange",
             "How the devices of a group sum their gradients: the name of a "
             "GradientExchange.",
             {&PipelineWorker::m_exchangeName, "ring"});
}

PipelineWorker::PipelineWorker()
    : Typed(PIPELINE_WORKER_PORT),
      m_adjacent(CreateObject<AdjacentScheduler>())
{
}

void
PipelineWorker::DoDispose()
{
    if (m_memory)
    {
        m_memory->GetLedger()->TraceDisconnectWithoutContext(
            "InUse",
            MakeCallback(&PipelineWorker::NoticeMemory, this));
    }
    if (m_exchange)
    {
        m_exchange->Dispose();
        m_exchange = nullptr;
    }
    for (const auto& [number, exchange] : m_tied)
    {
        exchange->Dispose();
    }
    m_tied.clear();
    m_exchanges.clear();
    m_metrics.reset();
    m_migration.reset();
    m_monitors.reset();
    m_memory.reset();
    m_adjacent->Dispose();
    EdgeApplication::DoDispose();
}

void
PipelineWorker::StartApplication()
{
    EdgeApplication::StartApplication();
    m_memory = std::make_shared<MemoryAccount>(GetFromDevice<MemoryLedger>(GetNode()));
    // Made once: making a callback costs more than the event it serves.
    m_stepDone = MakeCallback(&PipelineWorker::FinishStep, this);
    m_updateDone = MakeCallback(&PipelineWorker::FinishUpdate, this);
    m_adjacent->SetUp(
        m_socket,
        m_compute,
        m_memory,
        [this](const PipelineStep& step) { SendOutput(step); },
        [this] { Advance(); });
    if (m_monitors)
    {
        m_metrics = std::make_unique<PipelineMetrics>(m_socket, m_compute, m_monitors, m_other);
        m_migration = std::make_unique<StageMigration>(m_socket, m_memory);
    }
    // Memory may also be released by another application on this device.
    m_memory->GetLedger()->TraceConnectWithoutContext(
        "InUse",
        MakeCallback(&PipelineWorker::NoticeMemory, this));
}

void
PipelineWorker::NoticeMemory(uint64_t before, uint64_t after)
{
    if (m_lacksMemory && after < before)
    {
        Simulator::ScheduleNow(&PipelineWorker::Advance, Ptr<PipelineWorker>(this));
    }
}

void
PipelineWorker::StopApplication()
{
    m_state = STOPPED;
    if (m_memory)
    {
        m_memory->Close();
    }
}

void
PipelineWorker::Receive(const Message& message)
{
    const PipelineTag tag = PipelineTag::Unpack(message.tag);
    NS_LOG_LOGIC("node " << m_socket.GetNode() << ": " << tag.Describe());
    if (m_state == STOPPED)
    {
        return;
    }
    switch (tag.kind)
    {
    case PipelineTag::ASSIGNMENT:
        SetStage(ReadBody<StageAssignment>(message.body));
        if (m_memory->Reserve(m_stage.memory.residentBytes))
        {
            GreetNeighbours();
            break;
        }
        SendToCoordinator({PipelineTag::READY},
                          "stage " + std::to_string(m_stage.stage) +
                              ": weights, gradients, optimizer and tensors at work need " +
                              std::to_string(m_stage.memory.residentBytes) + " bytes, " +
                              m_memory->DescribeFree());
        break;
    case PipelineTag::HELLO:
        break;
    case PipelineTag::START:
        m_iteration = tag.iteration;
        m_isLastIteration = tag.microBatch == PipelineTag::LAST_ITERATION;
        m_next = 0;
        m_fed = 0;
        m_unsummed = 0;
        m_isSummed = false;
        m_state = WAITING;
        Feed();
        m_adjacent->BeginIteration(m_iteration);
        Advance();
        break;
    case PipelineTag::ACTIVATIONS:
    case PipelineTag::GRADIENTS:
        NoteArrival(message.tag);
        for (const StagePeer& peer :
             tag.kind == PipelineTag::ACTIVATIONS ? m_stage.group.inputs : m_stage.group.outputs)
        {
            Send(peer.device, tag, peer.bytes);
        }
        Advance();
        break;
    case PipelineTag::ACTIVATION_PARTS:
    case PipelineTag::GRADIENT_PARTS:
        NoteArrival(message.tag);
        if (m_gathering.erase({tag.kind == PipelineTag::GRADIENT_PARTS, tag.microBatch}) > 0)
        {
            SendOutput({tag.kind == PipelineTag::GRADIENT_PARTS, tag.microBatch});
            Advance();
        }
        break;
    case PipelineTag::MOVE:
        Move(message.body);
        break;
    case PipelineTag::WEIGHT_GRADIENTS:
        if (m_stage.SharesWeights())
        {
            NoteArrival(message.tag);
            Advance();
            break;
        }
        [[fallthrough]];
    default:
        NS_ABORT_MSG_UNLESS(m_adjacent->Receive(message.from, tag, message.body),
                            "a worker cannot use " << tag.Describe());
    }
}

void
PipelineWorker::Move(const std::string& body)
{
    const auto end = body.find('\n');
    const auto assignment = ReadBody<StageAssignment>(body.substr(0, end));
    const auto order = ReadBody<MigrationOrder>(body.substr(end + 1));
    const StageAssignment before = m_stage;
    SetStage(assignment);
    ++m_greetings;
    m_migration->Begin(order, before, assignment, [this](const std::string& refusal) {
        if (refusal.empty())
        {
            Settle();
            return;
        }
        if (m_state != STOPPED)
        {
            SendToCoordinator({PipelineTag::READY},
                              "stage " + std::to_string(m_stage.stage) + ": " + refusal);
        }
    });
    GreetNeighbours();
}

void
PipelineWorker::SetStage(const StageAssignment& assignment)
{
    m_stage = assignment;
    m_before = assignment.GetPeers(false);
    m_after = assignment.GetPeers(true);
    m_layers.assign(m_stage.firstLayer, false);
    m_layers.resize(m_stage.firstLayer + m_stage.layers, true);
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
    StageGroup& group = m_stage.group;
    for (const auto* peers : {&m_before, &m_after, &group.fed, &group.inputs, &group.outputs})
    {
        for (const StagePeer& peer : *peers)
        {
            Greet(peer.device);
        }
    }
    JoinExchanges();
    Settle();
}

void
PipelineWorker::JoinExchanges()
{
    const auto& devices = m_stage.group.devices;
    m_exchanges.clear();
    uint64_t bytes = m_stage.parameterBytes;
    for (const TiedGroup& tie : m_stage.ties)
    {
        bytes -= std::min(bytes, tie.bytes);
    }
    if (devices.size() > 1)
    {
        if (!m_exchange)
        {
            m_exchange = FindByName<GradientExchange>("Exchange", m_exchangeName);
        }
        const std::string found = "PipelineWorker: Exchange: found " + m_exchangeName;
        Require(!m_exchange->NeedsFlows(), found + ", which merges messages, expected another one");
        Require(m_stage.ties.empty() || m_exchangeName == TIED_EXCHANGE,
                found + ", expected " + TIED_EXCHANGE +
                    ", since other stages hold weights of the group, too");
        Join(m_exchange, devices, bytes, DATA_PARALLEL_EXCHANGE_PORT);
    }
    for (const TiedGroup& tie : m_stage.ties)
    {
        Ptr<GradientExchange>& exchange = m_tied[tie.number];
        if (!exchange)
        {
            exchange = FindByName<GradientExchange>("exchange", TIED_EXCHANGE);
        }
        Join(exchange, tie.devices, tie.bytes, PIPELINE_TIES_PORT + tie.number);
    }
}

void
PipelineWorker::Join(Ptr<GradientExchange> exchange,
                     const std::vector<uint32_t>& devices,
                     uint64_t bytes,
                     uint16_t port)
{
    NodeContainer nodes;
    for (const uint32_t device : devices)
    {
        nodes.Add(NodeList::GetNode(device));
    }
    const auto ranks = std::make_shared<const WorkerRanks>(nodes);
    exchange->SetUp(ranks->FindRank(m_socket.GetNode()).value(),
                    ranks,
                    m_socket,
                    {{bytes, 1}},
                    MakeCallback(&PipelineWorker::NoticeSum, this),
                    MakeCallback(&PipelineWorker::FinishExchange, this),
                    port);
    m_exchanges.push_back(exchange);
    ++m_greetings;
    exchange->Greet(MakeCallback(&PipelineWorker::Settle, this));
}

void
PipelineWorker::Feed()
{
    if (m_feeding > 0 || m_fed == m_stage.microBatches || m_state == STOPPED)
    {
        return;
    }
    const PipelineTag tag{PipelineTag::ACTIVATIONS, m_iteration, m_fed++};
    m_feeding = m_stage.group.fed.size();
    for (const StagePeer& peer : m_stage.group.fed)
    {
        Send(peer.device, tag, peer.bytes, Callback<void>([this] {
                 --m_feeding;
                 Feed();
             }));
    }
}

void
PipelineWorker::Settle()
{
    if (--m_greetings == 0 && m_state != STOPPED)
    {
        m_state = m_stage.stages > 0 ? READY : UNASSIGNED;
        SendToCoordinator({PipelineTag::READY}, "");
    }
}

void
PipelineWorker::Greet(uint32_t device)
{
    const Callback<void> settle = MakeCallback(&PipelineWorker::Settle, this);
    const PipelineTag hello{PipelineTag::HELLO};
    ++m_greetings;
    Send(device, hello, PIPELINE_NOTICE_BYTES, settle);
    if (m_adjacent->UsesControlConnection())
    {
        ++m_greetings;
        m_socket.SendControl(device,
                             PIPELINE_WORKER_PORT,
                             hello.Pack(),
                             PIPELINE_NOTICE_BYTES,
                             "",
                             settle);
    }
}

void
PipelineWorker::Advance()
{
    m_lacksMemory = false;
    if (m_state == FINISHED && !m_adjacent->Assist())
    {
        m_adjacent->NoticeFinished();
    }
    if (m_state != WAITING || m_adjacent->Assist())
    {
        return;
    }
    if (m_next == m_steps.size())
    {
        if (!m_adjacent->IsSettled() || CountMissingGradients() > 0 || m_unsummed > 0)
        {
            return;
        }
        if (!m_exchanges.empty() && !m_isSummed)
        {
            // Tensors sent together delay each other, and the previous stage waits for its own.
            if (m_undelivered > 0 || !m_gathering.empty())
            {
                return;
            }
            m_unsummed = m_unfinished = m_exchanges.size();
            for (const auto& exchange : m_exchanges)
            {
                exchange->Begin(m_iteration, 0);
            }
            return;
        }
        m_state = COMPUTING;
        m_compute->Run(PipelineTag{PipelineTag::UPDATE, m_iteration}.Pack(),
                       m_stage.updateSeconds,
                       m_updateDone,
                       GetJobNumber());
        return;
    }
    const PipelineStep step = m_steps[m_next];
    if (!HasInput(step))
    {
        m_adjacent->NoticeIdle(step);
        return;
    }
    if (!step.backward && !m_memory->Reserve(m_stage.memory.heldBytes))
    {
        m_lacksMemory = true;
        return;
    }
    m_state = COMPUTING;
    const uint64_t pass = uint64_t{m_iteration} * m_stage.microBatches + step.microBatch;
    const bool isRunning = m_compute->Run(
        PipelineTag{step.backward ? PipelineTag::BACKWARD : PipelineTag::FORWARD,
                    m_iteration,
                    step.microBatch}
            .Pack(),
        m_adjacent->GetOwnPart(step) *
            (step.backward ? m_stage.backwardSeconds : m_stage.forwardSeconds),
        m_stepDone,
        GetJobNumber(),
        false,
        GetStretch(pass, m_layers, step.backward ? LayerReplay::BACKWARD : LayerReplay::FORWARD));
    m_adjacent->NoticeStart(step, isRunning);
}

void
PipelineWorker::FinishStep()
{
    const PipelineStep step = m_steps[m_next];
    ++m_next;
    if (m_state == STOPPED)
    {
        return;
    }
    m_state = WAITING;
    if (step.backward)
    {
        m_memory->Release(m_stage.memory.heldBytes);
    }
    if (m_adjacent->NoticeEnd())
    {
        SendOutput(step);
    }
    if (m_next == m_steps.size() && m_stage.stage == 0)
    {
        ShareWithNext();
    }
    Advance();
}

void
PipelineWorker::ShareWithPrevious()
{
    if (m_stage.sharedPreviousBytes == 0)
    {
        ShareWithNext();
    }
    else if (m_state != STOPPED)
    {
        Send(m_stage.previous,
             {PipelineTag::WEIGHT_GRADIENTS, m_iteration},
             PIPELINE_NOTICE_BYTES + m_stage.sharedPreviousBytes,
             MakeCallback(&PipelineWorker::ShareWithNext, this));
    }
}

void
PipelineWorker::ShareWithNext()
{
    if (m_stage.sharedNextBytes > 0 && m_state != STOPPED)
    {
        Send(m_stage.next,
             {PipelineTag::WEIGHT_GRADIENTS, m_iteration},
             PIPELINE_NOTICE_BYTES + m_stage.sharedNextBytes);
    }
}

void
PipelineWorker::SendOutput(const PipelineStep& step)
{
    if (step.backward ? m_stage.stage == 0 : IsLast())
    {
        return;
    }
    auto kind = step.backward ? PipelineTag::GRADIENTS : PipelineTag::ACTIVATIONS;
    const auto partKind =
        step.backward ? PipelineTag::GRADIENT_PARTS : PipelineTag::ACTIVATION_PARTS;
    const auto& parts = step.backward ? m_stage.group.inputs : m_stage.group.outputs;
    if (!parts.empty() && CountArrivals({partKind, m_iteration, step.microBatch}) < parts.size())
    {
        m_gathering.insert({step.backward, step.microBatch});
        return;
    }
    kind = m_stage.group.HasHead(m_socket.GetNode()) ? partKind : kind;
    const bool isExchanged = !m_exchanges.empty() && m_stage.samples == 0;
    for (const StagePeer& peer : step.backward ? m_before : m_after)
    {
        const uint64_t bytes = m_adjacent->GetOutputBytes(step, peer.bytes);
        Callback<void> delivered = m_adjacent->NoticeOutput(step, bytes);
        if (step.backward && m_stage.SharesWeights() && m_next == m_steps.size())
        {
            delivered = MakeCallback(&PipelineWorker::ShareWithPrevious, this);
        }
        else if (step.backward && isExchanged)
        {
            ++m_undelivered;
            delivered = MakeCallback(&PipelineWorker::NoticeDelivery, this);
        }
        Send(peer.device, {kind, m_iteration, step.microBatch}, bytes, delivered);
    }
}

void
PipelineWorker::NoticeDelivery()
{
    if (--m_undelivered == 0 && m_next == m_steps.size() && m_state != STOPPED)
    {
        Advance();
    }
}

void
PipelineWorker::NoticeSum()
{
    m_isSummed = --m_unsummed == 0;
    Advance();
}

void
PipelineWorker::FinishExchange(uint32_t)
{
    if (--m_unfinished == 0)
    {
        FinishIteration();
    }
}

void
PipelineWorker::FinishUpdate()
{
    if (m_state == STOPPED)
    {
        return;
    }
    if (!m_isSummed)
    {
        FinishIteration();
        return;
    }
    for (const auto& exchange : m_exchanges)
    {
        exchange->NotifyUpdated();
    }
}

void
PipelineWorker::FinishIteration()
{
    if (m_state == STOPPED)
    {
        return;
    }
    m_unsummed = 0; // where another device has updated the weights
    m_state = FINISHED;
    const auto isOver = [this](uint64_t tag) {
        return PipelineTag::Unpack(tag).iteration <= m_iteration;
    };
    m_arrivals.erase(std::remove_if(m_arrivals.begin(), m_arrivals.end(), isOver),
                     m_arrivals.end());
    m_adjacent->NoticeUpdate();
    SendToCoordinator({PipelineTag::DONE, m_iteration},
                      m_metrics ? WriteBody(m_metrics->GetReport()) : "");
    if (m_isLastIteration)
    {
        m_memory->Close();
    }
    Advance();
}

std::string
PipelineWorker::DescribeWait() const
{
    if (m_state == GREETING)
    {
        const std::string weights = m_migration ? m_migration->DescribeWait() : "";
        const std::string who = m_stage.stages > 0 ? "stage " + std::to_string(m_stage.stage)
                                                   : "a device that gives its stage up";
        return who + " waits " +
               (weights.empty() ? "to reach its neighbouring stages" : "for " + weights);
    }
    if (m_state != WAITING || m_adjacent->IsAssisting())
    {
        return "";
    }
    for (const auto& exchange : m_exchanges)
    {
        const std::string wait = m_unsummed > 0 ? exchange->DescribeWait() : "";
        if (!wait.empty())
        {
            return "stage " + std::to_string(m_stage.stage) + " " + wait;
        }
    }
    if (m_next == m_steps.size() && !m_gathering.empty())
    {
        return "stage " + std::to_string(m_stage.stage) + " waits for gradients of its group";
    }
    if (m_next == m_steps.size() && m_undelivered > 0)
    {
        return "stage " + std::to_string(m_stage.stage) +
               " waits for its gradients to reach stage " + std::to_string(m_stage.stage - 1);
    }
    if (m_next == m_steps.size())
    {
        const uint32_t missing = CountMissingGradients();
        const std::string wait =
            missing > 0 ? "weight gradients of " + std::to_string(missing) + " neighbouring stages"
                        : m_adjacent->DescribeWait();
        return wait.empty() ? "" : "stage " + std::to_string(m_stage.stage) + " waits for " + wait;
    }
    const PipelineStep step = m_steps[m_next];
    const PipelineTag needed{step.backward ? PipelineTag::GRADIENTS : PipelineTag::ACTIVATIONS,
                             m_iteration,
                             step.microBatch};
    std::string text = "stage " + std::to_string(m_stage.stage) + " waits for ";
    if (m_lacksMemory)
    {
        return text + std::to_string(m_stage.memory.heldBytes) +
               " bytes of memory for the forward pass of micro-batch " +
               std::to_string(step.microBatch) + "; " +
               std::to_string(m_memory->GetLedger()->GetInUse()) + " of " +
               std::to_string(m_memory->GetLedger()->GetCapacity()) + " are in use";
    }
    text += needed.Describe() + ", from ";
    if (!step.backward && m_stage.stage == 0)
    {
        return text + "the first device of its group";
    }
    return text + "stage " + std::to_string(step.backward ? m_stage.stage + 1 : m_stage.stage - 1);
}

} // namespace ns3::edgepipe
