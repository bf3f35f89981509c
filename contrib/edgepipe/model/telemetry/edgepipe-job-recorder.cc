/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-recorder.h"

#include "edgepipe-actor-log.h"
#include "edgepipe-data-parallel-log.h"
#include "edgepipe-inference-log.h"
#include "edgepipe-language-table.h"
#include "edgepipe-pipeline-usage.h"
#include "edgepipe-sheet.h"

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/edgepipe-pipeline-message.h"

#include <memory>

namespace ns3::edgepipe
{

namespace
{

/** Iterations of pipeline training. */
JobRecorder
RecordPipeline(const ApplicationContainer& applications)
{
    const auto meter = std::make_shared<PipelineUsageMeter>(JobFilter(applications));
    for (const auto& coordinator : Select<PipelineCoordinator>(applications))
    {
        meter->Observe(coordinator);
    }
    for (const auto& worker : Select<PipelineWorker>(applications))
    {
        meter->Observe(worker);
    }
    const auto makeTable = [meter] {
        Sheet<std::size_t, IterationSpan> sheet({
            {"iteration", [](std::size_t i) { return i; }},
            {"startSeconds", &IterationSpan::start},
            {"iterationSeconds", [](auto, auto& span) { return span.end - span.start; }},
            {"idleRate", [&](std::size_t i) { return meter->GetUsage().idleRates[i]; }},
            {"bubbleRate", [&](std::size_t i) { return meter->GetUsage().bubbleRates[i]; }},
        });
        for (std::size_t i = 0; i < meter->GetIterations().size(); ++i)
        {
            sheet.Add(i, meter->GetIterations()[i]);
        }
        return sheet.GetFile();
    };
    return {"iterations", makeTable, LabelPipelineTag};
}

/** Frames of cooperative inference. */
JobRecorder
RecordInference(const ApplicationContainer& applications)
{
    const auto log = std::make_shared<InferenceLog>();
    for (const auto& server : Select<InferenceServer>(applications))
    {
        log->Observe(server);
    }
    for (const auto& device : Select<InferenceDevice>(applications))
    {
        BandwidthMonitor::Place place;
        place.device = device->GetNode()->GetId();
        log->Observe(place, device, device->GetReplanner());
    }
    const auto makeTable = [log] {
        using Frame = const FrameRecord;
        const auto& records = log->GetRecords();
        const auto isFinished = [](Frame& frame) { return !frame.finished.IsZero(); };
        const auto atEnd = [&](Time FrameRecord::*time) {
            return [=](Frame& frame) { return When(isFinished(frame), frame.*time); };
        };
        const auto nameStatus = [&](Frame& frame) {
            return isFinished(frame) ? "finished" : frame.isDropped ? "dropped" : "unfinished";
        };
        const auto countLayers = [&](Frame& frame) {
            if (!isFinished(frame))
            {
                return Cell();
            }
            const auto& isOnDevice = records.plans[frame.plan].plan.isOnDevice;
            return Cell(std::count(isOnDevice.begin(), isOnDevice.end(), true));
        };
        return MakeSheet<FrameRecord>(
                   {{"device", [](Frame& frame) { return EdgeDevice::NameNode(frame.device); }},
                    {"frame", &FrameRecord::frame},
                    {"status", nameStatus},
                    {"layersOnDevice", countLayers},
                    {"arrivedSeconds",
                     [](Frame& frame) { return When(frame.hasArrived, frame.arrived); }},
                    {"startedSeconds", atEnd(&FrameRecord::started)},
                    {"computedSeconds", atEnd(&FrameRecord::computed)},
                    {"uploadedSeconds", atEnd(&FrameRecord::uploaded)},
                    {"servedSeconds", atEnd(&FrameRecord::served)},
                    {"finishedSeconds", atEnd(&FrameRecord::finished)}},
                   records.frames)
            .GetFile();
    };
    return {"frames", makeTable, [](uint64_t tag, uint16_t) {
                const auto label = InferenceTag::Unpack(tag);
                return TagLabel{label.GetKindName(), label.frame};
            }};
}

/** Steps of actors. */
JobRecorder
RecordActors(const ApplicationContainer& applications)
{
    const auto log = std::make_shared<ActorLog>();
    for (const auto& server : Select<ActorServer>(applications))
    {
        log->Observe(server, server->GetLearner());
    }
    for (const auto& actor : Select<ActorDevice>(applications))
    {
        log->Observe(actor);
    }
    const auto makeTable = [log] {
        using Step = const StepRecord;
        const auto ifServed = [](Time StepRecord::*time) {
            return [=](Step& step) { return When(!step.served.IsZero(), step.*time); };
        };
        return MakeSheet<StepRecord>(
                   {{"actor", [](Step& step) { return EdgeDevice::NameNode(step.actor); }},
                    {"step", &StepRecord::step},
                    {"layersOnActor", &StepRecord::cut},
                    {"begunSeconds", &StepRecord::begun},
                    {"observedSeconds", &StepRecord::observed},
                    {"computedSeconds", &StepRecord::computed},
                    {"uploadedSeconds", ifServed(&StepRecord::uploaded)},
                    {"servedSeconds", ifServed(&StepRecord::served)},
                    {"endedSeconds", &StepRecord::ended}},
                   log->GetRecords().steps)
            .GetFile();
    };
    return {"steps", makeTable, [](uint64_t tag, uint16_t) {
                const auto label = ActorTag::Unpack(tag);
                return TagLabel{label.GetKindName(), label.number};
            }};
}

/** Weight updates of data-parallel training. */
JobRecorder
RecordDataParallel(const ApplicationContainer& applications)
{
    const auto log = std::make_shared<DataParallelLog>(applications);
    const auto makeTable = [log] {
        const auto& updates = log->GetRecords().updates;
        return MakeSheet<WeightUpdateRecord>(
                   {{"iteration", [&](auto& update) { return &update - updates.data(); }},
                    {"shares", &WeightUpdateRecord::version},
                    {"samples", &WeightUpdateRecord::samples},
                    {"startSeconds", &WeightUpdateRecord::start},
                    {"firstComputedSeconds", &WeightUpdateRecord::firstComputed},
                    {"lastComputedSeconds", &WeightUpdateRecord::lastComputed},
                    {"endSeconds", &WeightUpdateRecord::end},
                    {"weightUpdateSeconds", &WeightUpdateRecord::nodeSeconds}},
                   updates)
            .GetFile();
    };
    return {"updates", makeTable, [](uint64_t tag, uint16_t) {
                const auto label = DataParallelTag::Unpack(tag);
                return TagLabel{label.GetKindName(), label.iteration};
            }};
}

/** Requests of a language model. */
JobRecorder
RecordLanguage(const ApplicationContainer& applications)
{
    const auto requests = std::make_shared<std::vector<LanguageRequestRecord>>();
    for (const auto& server : Select<LanguageModelServer>(applications))
    {
        Connect(server, "RequestEnd", [requests](const LanguageRequestRecord& request) {
            requests->push_back(request);
        });
    }
    return {"requests",
            [requests] {
                return MakeSheet<LanguageRequestRecord>(ListLanguageColumns(), *requests).GetFile();
            },
            LabelLanguageTag};
}

} // namespace

std::vector<Column<LanguageRequestRecord>>
ListLanguageColumns()
{
    return {{"request", &LanguageRequestRecord::request},
            {"promptTokens", &LanguageRequestRecord::prompt},
            {"outputTokens", &LanguageRequestRecord::output},
            {"arrivedSeconds", &LanguageRequestRecord::arrived},
            {"startedSeconds", &LanguageRequestRecord::started},
            {"firstTokenSeconds", &LanguageRequestRecord::first},
            {"endedSeconds", &LanguageRequestRecord::ended},
            {"tokenSeconds", &LanguageRequestRecord::GetTokenSeconds},
            {"preemptions", &LanguageRequestRecord::preemptions}};
}

TagLabel
LabelLanguageTag(uint64_t tag, uint16_t)
{
    const auto label = LanguageTag::Unpack(tag);
    return {label.GetKindName(), label.pass};
}

JobRecorder
MakeJobRecorder(const ApplicationContainer& applications)
{
    if (!Select<PipelineCoordinator>(applications).empty())
    {
        return RecordPipeline(applications);
    }
    if (!Select<InferenceDevice>(applications).empty())
    {
        return RecordInference(applications);
    }
    if (!Select<ActorServer>(applications).empty())
    {
        return RecordActors(applications);
    }
    if (!Select<DataParallelWorker>(applications).empty())
    {
        return RecordDataParallel(applications);
    }
    if (!Select<LanguageModelServer>(applications).empty())
    {
        return RecordLanguage(applications);
    }
    return {"", nullptr, [](uint64_t tag, uint16_t) { return TagLabel{std::to_string(tag)}; }};
}

TagLabel
LabelPipelineTag(uint64_t tag, uint16_t port)
{
    if (ProbeTag::IsOne(tag))
    {
        return {"probe"};
    }
    const uint16_t jobPort = TensorSocket::GetJobPort(port);
    const bool isTied = IsTiedPort(jobPort);
    if (isTied || jobPort == DATA_PARALLEL_EXCHANGE_PORT)
    {
        return {isTied ? "tied-gradients" : "group-gradients",
                DataParallelTag::Unpack(tag).iteration};
    }
    const auto label = PipelineTag::Unpack(tag);
    return {label.GetKindName(), label.iteration, label.HasMicroBatch(), label.microBatch};
}

void
JobUsage::Observe(Ptr<TensorTransport> transport)
{
    m_filter.WatchTransfers(transport, [this](const TransferSpan& transfer) {
        if (transfer.from != transfer.to)
        {
            NodeUsage& sender = m_nodes[transfer.from];
            ++sender.messages;
            sender.sentBytes += transfer.bytes;
            m_nodes[transfer.to].receivedBytes += transfer.bytes;
        }
    });
}

void
JobUsage::Observe(uint32_t node, Ptr<ComputeDevice> compute)
{
    m_filter.WatchTasks(node, compute, [this](const TaskSpan& task) {
        NodeUsage& usage = m_nodes[task.device];
        ++usage.tasks;
        usage.busySeconds += (task.end - task.start).GetSeconds();
    });
}

} // namespace ns3::edgepipe
