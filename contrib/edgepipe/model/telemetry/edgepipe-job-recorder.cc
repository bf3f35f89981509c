/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-recorder.h"

#include "edgepipe-actor-log.h"
#include "edgepipe-data-parallel-log.h"
#include "edgepipe-inference-log.h"
#include "edgepipe-pipeline-usage.h"

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/edgepipe-pipeline-message.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param time a time
 * @return seconds, for a table
 */
std::string
Format(const Time& time)
{
    return Table::Exact(time.GetSeconds());
}

/** Records iterations of pipeline training. */
class PipelineRecorder : public JobRecorder
{
  public:
    /** @param applications of a training */
    explicit PipelineRecorder(const ApplicationContainer& applications)
        : m_meter(JobFilter(applications))
    {
        for (const auto& coordinator : Select<PipelineCoordinator>(applications))
        {
            m_meter.Observe(coordinator);
        }
        for (const auto& worker : Select<PipelineWorker>(applications))
        {
            m_meter.Observe(worker);
        }
    }

    std::string GetRowName() const override
    {
        return "iterations";
    }

    Table MakeTable() const override
    {
        Table table({"iteration", "startSeconds", "iterationSeconds", "idleRate", "bubbleRate"});
        const auto& iterations = m_meter.GetIterations();
        for (std::size_t i = 0; i < iterations.size(); ++i)
        {
            table.AddRow({std::to_string(i),
                          Format(iterations[i].start),
                          Format(iterations[i].end - iterations[i].start),
                          Table::Exact(m_meter.GetUsage().idleRates[i]),
                          Table::Exact(m_meter.GetUsage().bubbleRates[i])});
        }
        return table;
    }

    TagLabel Label(uint64_t tag) const override
    {
        return LabelPipelineTag(tag);
    }

  private:
    PipelineUsageMeter m_meter; //!< measures
};

/** Records frames of cooperative inference. */
class InferenceRecorder : public JobRecorder
{
  public:
    /** @param applications of a job */
    explicit InferenceRecorder(const ApplicationContainer& applications)
    {
        for (const auto& server : Select<InferenceServer>(applications))
        {
            m_log.Observe(server);
        }
        for (const auto& device : Select<InferenceDevice>(applications))
        {
            BandwidthMonitor::Place place;
            place.device = device->GetNode()->GetId();
            m_log.Observe(place, device, device->GetReplanner());
        }
    }

    std::string GetRowName() const override
    {
        return "frames";
    }

    Table MakeTable() const override
    {
        Table table({"device",
                     "frame",
                     "status",
                     "layersOnDevice",
                     "arrivedSeconds",
                     "startedSeconds",
                     "computedSeconds",
                     "uploadedSeconds",
                     "servedSeconds",
                     "finishedSeconds"});
        for (const auto& frame : m_log.GetFrames())
        {
            const bool isFinished = !frame.finished.IsZero();
            std::vector<std::string> cells(10);
            cells[0] = EdgeDevice::NameNode(frame.device);
            cells[1] = std::to_string(frame.frame);
            cells[2] = isFinished ? "finished" : frame.isDropped ? "dropped" : "unfinished";
            cells[4] = frame.hasArrived ? Format(frame.arrived) : "";
            if (isFinished)
            {
                const auto& isOnDevice = m_log.GetPlans()[frame.plan].plan.isOnDevice;
                cells[3] = std::to_string(std::count(isOnDevice.begin(), isOnDevice.end(), true));
                cells[5] = Format(frame.started);
                cells[6] = Format(frame.computed);
                cells[7] = Format(frame.uploaded);
                cells[8] = Format(frame.served);
                cells[9] = Format(frame.finished);
            }
            table.AddRow(std::move(cells));
        }
        return table;
    }

    TagLabel Label(uint64_t tag) const override
    {
        const auto label = InferenceTag::Unpack(tag);
        return {label.GetKindName(), label.frame, false, 0};
    }

  private:
    InferenceLog m_log; //!< collects
};

/** Records steps of actors. */
class ActorRecorder : public JobRecorder
{
  public:
    /** @param applications of a job */
    explicit ActorRecorder(const ApplicationContainer& applications)
    {
        for (const auto& server : Select<EdgeServer>(applications))
        {
            m_log.Observe(server, server->GetLearner());
        }
        for (const auto& actor : Select<ActorDevice>(applications))
        {
            m_log.Observe(actor);
        }
    }

    std::string GetRowName() const override
    {
        return "steps";
    }

    Table MakeTable() const override
    {
        Table table({"actor",
                     "step",
                     "layersOnActor",
                     "begunSeconds",
                     "observedSeconds",
                     "computedSeconds",
                     "uploadedSeconds",
                     "servedSeconds",
                     "endedSeconds"});
        for (const auto& step : m_log.GetSteps())
        {
            const bool isServed = !step.served.IsZero();
            table.AddRow({EdgeDevice::NameNode(step.actor),
                          std::to_string(step.step),
                          std::to_string(step.cut),
                          Format(step.begun),
                          Format(step.observed),
                          Format(step.computed),
                          isServed ? Format(step.uploaded) : "",
                          isServed ? Format(step.served) : "",
                          Format(step.ended)});
        }
        return table;
    }

    TagLabel Label(uint64_t tag) const override
    {
        const auto label = ActorTag::Unpack(tag);
        return {label.GetKindName(), label.number, false, 0};
    }

  private:
    ActorLog m_log; //!< collects
};

/** Records weight updates of data-parallel training. */
class DataParallelRecorder : public JobRecorder
{
  public:
    /** @param applications of a training, its workers by rank */
    explicit DataParallelRecorder(const ApplicationContainer& applications)
        : m_log(applications)
    {
    }

    std::string GetRowName() const override
    {
        return "updates";
    }

    Table MakeTable() const override
    {
        Table table({"iteration",
                     "shares",
                     "samples",
                     "startSeconds",
                     "firstComputedSeconds",
                     "lastComputedSeconds",
                     "endSeconds",
                     "weightUpdateSeconds"});
        std::size_t iteration = 0;
        for (const auto& update : m_log.GetUpdates())
        {
            table.AddRow({std::to_string(iteration++),
                          std::to_string(update.version),
                          std::to_string(update.samples),
                          Format(update.start),
                          Format(update.firstComputed),
                          Format(update.lastComputed),
                          Format(update.end),
                          Table::Exact(update.nodeSeconds)});
        }
        return table;
    }

    TagLabel Label(uint64_t tag) const override
    {
        const auto label = DataParallelTag::Unpack(tag);
        return {label.GetKindName(), label.iteration, false, 0};
    }

  private:
    DataParallelLog m_log; //!< collects
};

} // namespace

std::unique_ptr<JobRecorder>
JobRecorder::Make(const ApplicationContainer& applications)
{
    if (!Select<PipelineCoordinator>(applications).empty())
    {
        return std::make_unique<PipelineRecorder>(applications);
    }
    if (!Select<InferenceDevice>(applications).empty())
    {
        return std::make_unique<InferenceRecorder>(applications);
    }
    if (!Select<EdgeServer>(applications).empty())
    {
        return std::make_unique<ActorRecorder>(applications);
    }
    if (!Select<DataParallelWorker>(applications).empty())
    {
        return std::make_unique<DataParallelRecorder>(applications);
    }
    return std::make_unique<JobRecorder>();
}

std::string
JobRecorder::GetRowName() const
{
    return "";
}

Table
JobRecorder::MakeTable() const
{
    return Table({});
}

TagLabel
JobRecorder::Label(uint64_t tag) const
{
    return {std::to_string(tag), 0, false, 0};
}

TagLabel
LabelPipelineTag(uint64_t tag)
{
    if (ProbeTag::IsOne(tag))
    {
        return {"probe", 0, false, 0};
    }
    const auto label = PipelineTag::Unpack(tag);
    return {label.GetKindName(), label.iteration, label.HasMicroBatch(), label.microBatch};
}

} // namespace edgepipe
} // namespace ns3
