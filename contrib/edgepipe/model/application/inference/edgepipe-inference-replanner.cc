/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-replanner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

namespace
{

/// Least share to plan for: with a share of 0, every latency is infinite.
constexpr double LEAST_SHARE = 1e-3;

/**
 * @param problem for an idle device and server
 * @param deviceShare available share of the device, > 0
 * @param serverShare available share of the server, > 0
 * @param waitSeconds wait of a frame unless all its layers run on the device; added to the last
 *         layer: any partition that uses the server has an output layer there, mostly that one
 * @return the problem under load
 */
TwoWayCutProblem
LoadProblem(TwoWayCutProblem problem, double deviceShare, double serverShare, double waitSeconds)
{
    const auto load = [=](auto& layers) {
        if (layers.empty())
        {
            return;
        }
        for (auto& layer : layers.Edit())
        {
            layer.deviceSeconds /= deviceShare;
            layer.serverSeconds /= serverShare;
        }
        layers.Edit().back().serverSeconds += waitSeconds;
    };
    if (deviceShare == 1 && serverShare == 1 && waitSeconds == 0)
    {
        return problem;
    }
    load(problem.layers);
    load(problem.isolated);
    load(problem.predicted);
    return problem;
}

/**
 * @param all capacity of a resource
 * @param taken part used by others
 * @param others number of others
 * @return the rest, at least an equal part
 */
double
GetLeft(double all, double taken, uint32_t others)
{
    return std::max(all - taken, all / (others + 1));
}

} // namespace

NS_LOG_COMPONENT_DEFINE("EdgepipeInferenceReplanner");

NS_OBJECT_ENSURE_REGISTERED(InferenceReplanner);

TypeId
InferenceReplanner::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Replan", "Whether to re-plan during the run.", {&InferenceReplanner::m_replan, true})
        .Add("BothHoldModel",
             "Whether both sides hold all weights from the start.",
             {&InferenceReplanner::m_bothHoldModel, true})
        .Add("FollowLoad",
             "Whether decisions account for the load of the device and the "
             "server.",
             {&InferenceReplanner::m_followLoad, true})
        .Add("KnowOthers",
             "Whether decisions account for what delays the next frame: queues "
             "at the device, the uplink and the server, and other devices' use "
             "of the server and the radio cell.",
             {&InferenceReplanner::m_knowOthers, false})
        .Add("Bandwidth",
             "The monitor has a new estimate; also fires once at the start.",
             {&InferenceReplanner::m_bandwidthTrace, "Bandwidth"});
}

void
InferenceReplanner::DoDispose()
{
    if (HasPlan())
    {
        m_job.monitor->Dispose();
    }
    m_job = InferenceJob();
    m_changed = PlanCallback();
    Replanner::DoDispose();
}

void
InferenceReplanner::Start(const TensorSocket& socket,
                          Ptr<ComputeDevice> compute,
                          PlanCallback changed)
{
    SetHost(socket, compute);
    m_decider = std::make_unique<CutDecider>(m_job.problem, m_job.planner);
    m_changed = changed;
    const double uplink = m_job.problem.uplinkBitsPerSecond;
    const double downlink = m_job.problem.downlinkBitsPerSecond;
    m_deviceShare = m_followLoad ? m_compute->GetAvailableShare() : 1;
    m_serverShare = m_followLoad ? m_job.serverShare : 1;
    const Conditions lone{uplink, downlink, m_deviceShare, m_serverShare};
    Ask([&] { m_plan = MakePlan(lone); });
    m_loneSeconds = m_plan.predictedSeconds;
    m_isOnDevice = m_plan.plan.isOnDevice;
    m_isOnServer = m_isOnDevice;
    m_isOnServer.flip();
    SetFigures(ListFigures(lone));
    m_bandwidthTrace(uplink, downlink);
    m_job.monitor->Start(
        {m_socket.GetNode(), m_job.server, m_socket.GetTransport(), m_job.capacity},
        uplink,
        downlink,
        Callback<void, double, double>([this](double uplinkNow, double downlinkNow) {
            m_bandwidthTrace(uplinkNow, downlinkNow);
            DecideIfDue();
        }));
    if (m_replan)
    {
        Watch([this] {
            m_job.monitor->Refresh();
            const auto& isOnDevice = m_plan.plan.isOnDevice;
            if (std::find(isOnDevice.begin(), isOnDevice.end(), false) == isOnDevice.end())
            {
                // Without frames, the server reports only when asked.
                if (m_serverShare < 1)
                {
                    SendNotice(InferenceTag::ASK_LOAD);
                }
                if (m_knowOthers)
                {
                    SendNotice(InferenceTag::ASK_SHARING);
                }
            }
            DecideIfDue();
        });
    }
    m_changed(m_plan);
    if (m_knowOthers)
    {
        SendNotice(InferenceTag::ASK_SHARING);
    }
}

void
InferenceReplanner::NoticeFrame(uint64_t waitingFrames, uint64_t uplinkBytes)
{
    const double share = m_followLoad ? m_compute->GetAvailableShare() : 1;
    bool isNews = std::exchange(m_deviceShare, share) != share;
    if (m_knowOthers)
    {
        isNews = std::exchange(m_waitingFrames, waitingFrames) != waitingFrames || isNews;
        isNews = std::exchange(m_uplinkBytes, uplinkBytes) != uplinkBytes || isNews;
    }
    if (isNews)
    {
        DecideIfDue();
    }
}

InferenceReplanner::Conditions
InferenceReplanner::FindConditions() const
{
    Conditions found{m_job.monitor->GetUplinkBitsPerSecond(),
                     m_job.monitor->GetDownlinkBitsPerSecond(),
                     m_deviceShare,
                     m_serverShare};
    if (m_knowOthers)
    {
        if (!m_job.monitor->IsMeasured())
        {
            found.uplinkBitsPerSecond = GetLeft(found.uplinkBitsPerSecond,
                                                m_sharing.cellBitsPerSecond,
                                                m_sharing.cellDevices);
        }
        found.serverShare = GetLeft(m_serverShare, m_sharing.busyShare, m_sharing.devices);
        if (GetProblem().objective == TwoWayCutObjective::THROUGHPUT)
        {
            return found; // waiting does not lower throughput
        }
        found.waitSeconds = 8 * static_cast<double>(m_uplinkBytes) / found.uplinkBitsPerSecond +
                            m_sharing.backlogSeconds / std::max(m_serverShare, LEAST_SHARE);
        found.deviceShare /= static_cast<double>(m_waitingFrames + 1);
    }
    return found;
}

std::vector<double>
InferenceReplanner::ListFigures(const Conditions& conditions) const
{
    return {conditions.uplinkBitsPerSecond,
            conditions.downlinkBitsPerSecond,
            conditions.deviceShare,
            conditions.serverShare,
            m_loneSeconds + conditions.waitSeconds};
}

void
InferenceReplanner::DecideIfDue()
{
    if (!m_replan || m_isDeciding || m_changed.IsNull())
    {
        return;
    }
    const Conditions conditions = FindConditions();
    if (TakeIfDue(ListFigures(conditions)))
    {
        Decide(conditions);
    }
}

PlanRecord
InferenceReplanner::MakePlan(const Conditions& conditions)
{
    const double uplinkBitsPerSecond = conditions.uplinkBitsPerSecond;
    const double downlinkBitsPerSecond = conditions.downlinkBitsPerSecond;
    ++m_decisions;
    std::optional<PlannerState<TwoWayCutPlan>> state;
    if (HasPlan())
    {
        state.emplace();
        state->seconds = Simulator::Now().GetSeconds();
        state->plan = m_plan.plan;
        state->devices = {{"device",
                           uplinkBitsPerSecond,
                           downlinkBitsPerSecond,
                           m_compute->GetAvailableShare(),
                           m_compute->GetBacklog()}};
        if (m_knowOthers)
        {
            state->devices.push_back({"server", {}, {}, conditions.serverShare, {}});
        }
    }
    const double device = std::max(conditions.deviceShare, LEAST_SHARE);
    const double server = std::max(conditions.serverShare, LEAST_SHARE);
    const std::vector<double> loads{device, server, conditions.waitSeconds};
    const bool isLoaded = loads != std::vector<double>{1, 1, 0};
    if (isLoaded && m_loadedFor != loads)
    {
        m_loaded = std::make_unique<CutDecider>(
            LoadProblem(m_decider->GetProblem(), device, server, conditions.waitSeconds),
            m_job.planner);
        m_loadedFor = loads;
    }
    PlanRecord decision =
        (isLoaded ? m_loaded : m_decider)
            ->Decide(uplinkBitsPerSecond, downlinkBitsPerSecond, std::move(state));
    decision.device = m_socket.GetNode();
    decision.deviceShare = std::max(m_deviceShare, LEAST_SHARE);
    decision.serverShare = std::max(m_serverShare, LEAST_SHARE);
    return decision;
}

void
InferenceReplanner::Decide(const Conditions& conditions)
{
    NS_LOG_FUNCTION(this << conditions.uplinkBitsPerSecond << conditions.downlinkBitsPerSecond);
    m_isDeciding = true;
    PlanRecord plan = m_plan;
    if (!Ask([&] { plan = MakePlan(conditions); }))
    {
        plan.decisionSeconds = m_job.planner->GetDecisionSeconds();
    }
    const auto take = [self = Ptr<InferenceReplanner>(this), plan] {
        if (plan.plan.isOnDevice == self->m_plan.plan.isOnDevice || self->m_changed.IsNull())
        {
            self->Settle();
            return;
        }
        self->m_plan = plan;
        self->m_plan.decided = Simulator::Now();
        self->Prepare();
    };
    // The estimate may come from within a transport's or another application's callback.
    Pay(plan.decisionSeconds,
        InferenceTag{InferenceTag::PLANNING, 0, m_socket.GetNode()}.Pack(),
        [take] { Simulator::ScheduleNow(take); });
}

void
InferenceReplanner::Prepare()
{
    const std::vector<bool>& isOnDevice = m_plan.plan.isOnDevice;
    std::vector<bool> up(isOnDevice.size(), false);
    std::vector<bool> down(isOnDevice.size(), false);
    uint64_t upBytes = 0;
    bool isFetchNeeded = false;
    for (std::size_t i = 0; i < isOnDevice.size() && !m_bothHoldModel; ++i)
    {
        down[i] = isOnDevice[i] && !m_isOnDevice[i] && m_job.parameterBytes[i] > 0;
        up[i] = !isOnDevice[i] && !m_isOnServer[i] && m_job.parameterBytes[i] > 0;
        isFetchNeeded = isFetchNeeded || down[i];
        upBytes += up[i] ? m_job.parameterBytes[i] : 0;
        (isOnDevice[i] ? m_isOnDevice : m_isOnServer)[i] = true;
    }
    const auto send = [this](InferenceTag::Kind kind, const auto& layers, uint64_t weightBytes) {
        const std::string body = InferenceLayers{0, layers}.ToBytes();
        SendNotice(kind, body.size() + weightBytes, body);
    };
    if (upBytes > 0)
    {
        send(InferenceTag::WEIGHTS, up, upBytes);
    }
    if (isFetchNeeded)
    {
        m_isFetching = true;
        send(InferenceTag::FETCH, down, 0);
        return;
    }
    HandOut();
}

void
InferenceReplanner::HandOut()
{
    if (!m_changed.IsNull())
    {
        m_changed(m_plan);
    }
    Settle();
}

} // namespace ns3::edgepipe
