/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/cooperative-inference-workload.h"

#include "ns3/edgepipe-problem-json.h"

#include <set>

namespace ns3::edgepipe
{

namespace
{

/// Changes of plan that are printed for a planner; plans.csv has them all.
constexpr std::size_t SHOWN_CHANGES = 4;

/// Devices whose latencies are listed; of more, the extremes.
constexpr std::size_t SHOWN_DEVICES = 8;

} // namespace

std::string
CooperativeInferenceWorkload::DescribeNetwork() const
{
    const TraceOptions replay = m_network.GetLinks().front()->GetRates()[0].replay;
    return DescribeLink(m_network) +
           (m_network.IsRecorded() && !m_network.IsMixed()
                ? ", replayed from " + Table::Exact(replay.offset.GetSeconds()) + " s on, times " +
                      Table::Exact(replay.scale) + ", then " + replay.end
                : "");
}

void
CooperativeInferenceWorkload::Fill(const CooperativeCase& c, CellTable& row) const
{
    const CooperativeSummary& s = c.summary;
    const auto known = [&](double figure) { return When(s.finished > 0, figure); };
    // Figures of a stalled planner's finished frames are not comparable.
    const bool isFair = c.isFinished;
    const Cell predicted = When(s.finished > s.unpredicted, s.predictedSeconds);
    const Cell mean = known(s.meanSeconds);
    const Cell perSecond = isFair ? known(s.framesPerSecond) : Cell();
    row.Add("planner", c.planner, "planner");
    row.Add("model", m_graph.name);
    row.Add("deviceType", GetDeviceTypes());
    row.Add("serverType", m_cluster.devices.back().type);
    row.Add("devices", m_devices.size());
    row.Add("link", m_network.GetLinkName());
    row.Add("network", DescribeNetwork());
    row.Add("fidelity", m_network.fidelity);
    row.Add("monitor", m_setting.monitor);
    row.Add("status", c.GetStatus());
    row.Add("finishedFrames", s.finished);
    row.Add("droppedFrames", s.dropped);
    row.Add("devicePeakMemoryBytes", c.peakMemoryBytes[0]);
    row.Add("serverPeakMemoryBytes", c.peakMemoryBytes[1]);
    row.Add("predictedLatencySeconds", predicted, "predicted (ms)", FormatMs, isFair);
    row.Add("unpredictedFrames", s.unpredicted);
    row.Add("meanLatencySeconds", mean);
    row.Add("", isFair ? mean : Cell(c.GetStatus()), "mean (ms)", FormatMs);
    row.Add("medianLatencySeconds", known(s.medianSeconds), "median", FormatMs, isFair);
    row.Add("p95LatencySeconds", known(s.p95Seconds), "p95", FormatMs, isFair);
    row.Add("p99LatencySeconds", known(s.p99Seconds), "p99", FormatMs, isFair);
    row.Add("framesPerSecond", perSecond, "frames/s", FormatRounded);
    row.Add("", s.dropped, "dropped");
    row.Add("uplinkBytesPerFrame", known(s.uplinkBytesPerFrame), "up/frame", FormatBytes);
    row.Add("downlinkBytesPerFrame", known(s.downlinkBytesPerFrame), "down/frame", FormatBytes);
    row.Add("movedBytes", c.bytesMoved);
    row.Add("decisions", c.decisions);
    row.Add("planChanges", s.planChanges, "changes");
    row.Add("", When(c.times.later > 0, c.times.GetMean()), "decision (us)", FormatUs);
    row.Add("simulatedSeconds", c.end);
    row.Add("layerCostOrigins", JoinOrigins(m_costs));
    AddFailures(c, row);
    if (IsForThroughput())
    {
        row.Add("predictedFramesPerSecond",
                known(s.predictedFramesPerSecond),
                "predicted frames/s",
                FormatRounded,
                isFair);
    }
}

void
CooperativeInferenceWorkload::PrintHeading() const
{
    std::cout << m_graph.name << ", " << FormatCount(m_devices.size(), "device", "devices") << " ("
              << GetDeviceTypes() << ") and a server (" << m_cluster.devices.back().type << "), "
              << DescribeNetwork() << " at " << m_network.fidelity << " level, monitor "
              << m_setting.monitor << ", " << FormatCount(m_frames, "frame", "frames")
              << (m_devices.size() > 1 ? " each, " : ", ");
    if (m_framesPerSecond > 0)
    {
        std::cout << Table::Rounded(m_framesPerSecond) << " frames/s";
    }
    else
    {
        std::cout << "back to back, " << m_options->GetString("in-flight") << " at a time";
    }
    std::cout << ", tensors sent with "
              << FormatCount(m_encoding.tensorBytesPerElement, "byte", "bytes") << " a number\n";
    PrintLayerCosts(m_costs);
    for (const auto& planner : {"dads", "neurosurgeon"})
    {
        if (Contains(m_planners, planner))
        {
            std::cout << planner << " believes "
                      << (planner != std::string("dads")
                              ? "a regression over the models in the traces folder\n"
                          : m_devices.front().problem.isolated.empty()
                              ? "the same layer costs: none are known of layers alone\n"
                              : "the costs of layers alone\n");
        }
    }
    std::cout << "predicted: a lone frame under its plan at the capacity there was when it began, "
                 "with the links' delay and without TCP's start-up; mean over frames\n";
    if (IsForThroughput())
    {
        std::cout << "plans are for throughput; predicted frames/s: 1 over the longest of "
                     "computing on the device, moving, and computing on the server\n";
    }
    if (!m_leftOut.empty())
    {
        std::cout << "left out, since they do not plan for throughput: "
                  << JoinWords(m_leftOut, ", ", " and ") << "\n";
    }
    std::cout << "\n";
}

std::vector<std::string>
CooperativeInferenceWorkload::DescribeDevices() const
{
    std::vector<std::string> notes;
    for (const auto& one : m_cases)
    {
        std::map<uint32_t, std::vector<double>> latencies;
        for (const auto& frame : one.frames)
        {
            if (!frame.isDropped && (one.isFinished || !frame.finished.IsZero()))
            {
                latencies[frame.device].push_back((frame.finished - frame.arrived).GetSeconds());
            }
        }
        auto means = Map(latencies, [this](const auto& each) {
            return std::pair(Mean(each.second), m_devices[each.first].name);
        });
        if (m_devices.size() < 2 || means.empty())
        {
            continue;
        }
        const bool isShort = means.size() > SHOWN_DEVICES;
        if (isShort)
        {
            const auto [least, most] = std::minmax_element(means.begin(), means.end());
            means = {*least, *most};
        }
        const auto format = [](const auto& mean) {
            return mean.second + " " + FormatMs(mean.first) + " ms";
        };
        notes.push_back("Mean latency of " + one.planner + " by device" +
                        (isShort ? ", least and most: " : ": ") + JoinWords(Map(means, format)));
    }
    return notes;
}

void
CooperativeInferenceWorkload::Print() const
{
    PrintHeading();
    MakeResults().GetShown().Print(std::cout);
    Note(DescribeDevices());
    Comparison compared{FormatMs, IsForThroughput() ? " ms a frame" : " ms"};
    for (const auto& one : m_cases)
    {
        const auto& s = one.summary;
        if (!one.refusal.empty())
        {
            std::cout << one.refusal << "\n";
        }
        else if (!one.isFinished)
        {
            std::cout << one.planner << ": stalled, " << s.finished + s.dropped << " of "
                      << FormatCount(one.frames.size(), "frame", "frames") << " ended\n";
        }
        else if (s.unpredicted > 0)
        {
            std::cout << one.planner << ": the prediction leaves out " << s.unpredicted << " of "
                      << FormatCount(s.finished, "frame", "frames")
                      << ": they began while there was no bandwidth;\n  its order among the "
                         "planners is not checked\n";
        }
        else if (s.finished > 0 && IsForThroughput())
        {
            compared.cases.push_back(
                {one.planner, 1 / s.predictedFramesPerSecond, 1 / s.framesPerSecond, 0});
        }
        else if (s.finished > 0)
        {
            compared.cases.push_back({one.planner, s.predictedSeconds, s.meanSeconds, 0});
        }
    }
    NoteOrder(compared);
    Note(compared.DescribeDistance(
        ListUnknown(m_setting.loads,
                    {{m_framesPerSecond > 0 || m_options->IsChanged("in-flight"),
                      "frames that wait for those before them"},
                     {m_devices.size() > 1, "other devices"},
                     {!m_setting.replays.empty(), "recorded passes"},
                     {m_setting.monitor == "probe", "probes"}})));
    Note(compared.DescribeReferences({"edge-only", "cloud-only"}));
    if (m_framesPerSecond == 0)
    {
        NoteStretches(Map(m_cases, [](const auto& one) { return std::pair(one.planner, one.end); }),
                      "; --frame-rate lets all meet the same");
    }
    for (std::size_t i = 0; i < m_cases.size(); ++i)
    {
        if (FindByName<TwoWayCutPlanner>("planner", m_planners[i])->MayUseLink())
        {
            Note(DescribeBeliefs(m_cases[i].planner, "frame", ListBeliefs(m_cases[i])));
        }
    }
    if (IsReplay())
    {
        PrintChanges();
    }
}

std::vector<RateBelief>
CooperativeInferenceWorkload::ListBeliefs(const CooperativeCase& one) const
{
    std::vector<RateBelief> beliefs;
    std::vector<std::size_t> next(m_devices.size(), 0);
    std::vector<double> believed(m_devices.size(), 0);
    const bool isShared = m_network.IsShared();
    for (const FrameRecord& frame : one.frames)
    {
        if (frame.isDropped || !frame.hasArrived || !frame.uplinkCapacity)
        {
            continue;
        }
        std::size_t& record = next[frame.device];
        for (; record < one.bandwidths.size() && one.bandwidths[record].time <= frame.started;
             ++record)
        {
            if (one.bandwidths[record].device == frame.device)
            {
                believed[frame.device] = one.bandwidths[record].uplinkBitsPerSecond;
            }
        }
        // In a cell that others use, what a transfer gets is between a share and all of it.
        const double all = *frame.uplinkCapacity;
        const std::size_t users = isShared ? m_devices.size() + m_network.CountCompetitors() : 1;
        if (believed[frame.device] > 0)
        {
            beliefs.push_back({frame.started.GetSeconds(),
                               m_devices[frame.device].name,
                               m_setting.serverName,
                               believed[frame.device],
                               FindNearestShare(believed[frame.device], all, users)});
        }
    }
    return beliefs;
}

void
CooperativeInferenceWorkload::PrintChanges() const
{
    const bool isChanged =
        AnyOf(m_cases, [](const auto& one) { return one.summary.planChanges > 0; });
    std::cout << "\nchanges of plan:" << (isChanged ? "" : " none") << "\n";
    for (const auto& one : m_cases)
    {
        if (one.summary.planChanges > 0)
        {
            std::cout << "  " << one.planner << ": "
                      << FormatCount(one.summary.planChanges, "change", "changes") << " between "
                      << FormatCount(one.summary.partitions.size(), "plan", "plans") << "\n";
        }
        std::size_t shown = 0;
        std::vector<std::size_t> last(m_devices.size(), one.summary.partitions.size());
        for (std::size_t i = 0; i < one.plans.size(); ++i)
        {
            const auto& plan = one.plans[i];
            const std::size_t partition = one.summary.partitionOfPlan[i];
            const bool isChange =
                last[plan.device] < one.summary.partitions.size() && last[plan.device] != partition;
            last[plan.device] = partition;
            if (!isChange || ++shown > SHOWN_CHANGES)
            {
                continue;
            }
            std::cout << "    " << Table::Rounded(plan.inForce.GetSeconds()) << " s, "
                      << (m_devices.size() > 1 ? m_devices[plan.device].name + ", " : "") << "at "
                      << Table::Rounded(plan.uplinkBitsPerSecond / 1e6)
                      << " Mbit/s: " << Describe(plan) << "\n";
        }
        if (shown > SHOWN_CHANGES)
        {
            std::cout << "    and " << shown - SHOWN_CHANGES << " more, see plans.csv\n";
        }
    }
}

std::string
CooperativeInferenceWorkload::Write(ResultsFolder& folder) const
{
    const auto getProblem = [this](const CooperativeCase& one, const PlanRecord& plan) {
        TwoWayCutProblem problem = m_devices[plan.device].problem;
        problem.uplinkBitsPerSecond = plan.uplinkBitsPerSecond;
        problem.downlinkBitsPerSecond = plan.downlinkBitsPerSecond;
        problem.delaySeconds = one.delaySeconds.empty() ? 0 : one.delaySeconds[plan.device];
        return problem;
    };
    nlohmann::ordered_json run{{"link", m_network.GetLinkName()}};
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner}, {"status", one.GetStatus()}};
        if (!one.diagnosis.empty())
        {
            entry["diagnosis"] = one.diagnosis;
        }
        double longest = 0;
        for (const PlanRecord& plan : one.plans)
        {
            longest = std::max(longest, plan.decisionSeconds);
        }
        entry["wallClock"] = {{"meanDecisionSeconds", one.times.GetMean()},
                              {"startSeconds", one.times.start},
                              {"longestDecisionSeconds", longest},
                              {"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    WriteRun(folder, MakeResults().GetFile(), std::move(run));
    using Case = const CooperativeCase;
    using Frame = const FrameRecord;
    const auto isFinished = [](Case& c, Frame& f) {
        return !f.isDropped && (c.isFinished || !f.finished.IsZero());
    };
    const auto known = [isFinished](auto get) {
        return [=](Case& c, Frame& f) { return When(isFinished(c, f), std::invoke(get, f)); };
    };
    WriteParts<FrameRecord>(
        folder,
        "frames.csv",
        &CooperativeCase::frames,
        {{"device", [this](Frame& f) { return m_devices[f.device].name; }},
         {"frame", &FrameRecord::frame},
         {"status",
          [=](Case& c, Frame& f) {
              return f.isDropped ? "dropped" : isFinished(c, f) ? "finished" : "unfinished";
          }},
         {"plan", known(&FrameRecord::plan)},
         {"arrivedSeconds", [](Frame& f) { return When(f.hasArrived, f.arrived); }},
         {"startedSeconds", known(&FrameRecord::started)},
         {"computedSeconds", known(&FrameRecord::computed)},
         {"uploadedSeconds", known(&FrameRecord::uploaded)},
         {"servedSeconds", known(&FrameRecord::served)},
         {"finishedSeconds", known(&FrameRecord::finished)},
         {"latencySeconds", known([](Frame& f) { return f.finished - f.arrived; })}});
    using Plan = const PlanRecord;
    const auto index = [](Case& c, Plan& p) { return &p - c.plans.data(); };
    const auto partition = [=](Case& c, Plan& p) { return c.summary.partitionOfPlan[index(c, p)]; };
    const auto cost = [=](auto get) {
        return [=](Case& c, Plan& p) {
            return std::invoke(get, EvaluateTwoWayCut(getProblem(c, p), p.plan));
        };
    };
    WriteParts<PlanRecord>(folder,
                           "plans.csv",
                           &CooperativeCase::plans,
                           {{"device", [this](Plan& p) { return m_devices[p.device].name; }},
                            {"plan", index},
                            {"partition", partition},
                            {"decidedSeconds", &PlanRecord::decided},
                            {"inForceSeconds", &PlanRecord::inForce},
                            {"uplinkBitsPerSecond", &PlanRecord::uplinkBitsPerSecond},
                            {"downlinkBitsPerSecond", &PlanRecord::downlinkBitsPerSecond},
                            {"layersOnDevice",
                             [](Plan& p) {
                                 const auto& is = p.plan.isOnDevice;
                                 return std::count(is.begin(), is.end(), true);
                             }},
                            {"layers", [](Plan& p) { return p.plan.isOnDevice.size(); }},
                            {"cut", [this](Plan& p) { return Describe(p); }},
                            {"uplinkBytes", &PlanRecord::uplinkBytes},
                            {"downlinkBytes", cost(&TwoWayCutCost::downlinkBytes)},
                            {"deviceSeconds", cost(&TwoWayCutCost::deviceSeconds)},
                            {"serverSeconds", cost(&TwoWayCutCost::serverSeconds)},
                            {"predictedLatencySeconds", &PlanRecord::predictedSeconds},
                            {"predictedFramesPerSecond", cost(PredictFramesPerSecond)},
                            {"partitionTimeShare", [=](Case& c, Plan& p) {
                                 return c.summary.partitions[partition(c, p)].timeShare;
                             }}});
    WriteParts<BandwidthRecord>(
        folder,
        "bandwidth.csv",
        &CooperativeCase::bandwidths,
        {{"device", [this](const BandwidthRecord& b) { return m_devices[b.device].name; }},
         {"seconds", &BandwidthRecord::time},
         {"estimatedUplinkBitsPerSecond", &BandwidthRecord::uplinkBitsPerSecond},
         {"availableUplinkBitsPerSecond", &BandwidthRecord::capacityBitsPerSecond}});
    WriteLinks(folder);
    std::set<std::string> types;
    for (const PlanRecord& plan : m_cases.front().plans)
    {
        const std::string& type = m_cluster.devices[plan.device].type;
        if (types.insert(type).second)
        {
            const bool isFirst = type == m_cluster.devices.front().type;
            folder.Write("problem" + (isFirst ? "" : "-" + type) + ".json",
                         FormatProblem(getProblem(m_cases.front(), plan)));
        }
    }
    return "results.csv (a row per planner), frames.csv, plans.csv, bandwidth.csv,\n"
           "  links.csv, problem.json (what the planners were asked), run.json";
}

} // namespace ns3::edgepipe
