/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/pipeline/pipeline-training-workload.h"

#include "ns3/edgepipe-pipeline-cost-model.h"

namespace ns3::edgepipe
{

namespace
{

/// Changes of plan that are printed for a case; decisions.csv has them all.
constexpr std::size_t SHOWN_PLAN_CHANGES = 8;
/// By how much longer a run with changes of plan is said to take.
constexpr double NOTABLY_LONGER = 1.01;

/**
 * @param layers of a problem
 * @param plan over them
 * @return bytes of a micro-batch's tensors that cross the plan's cuts and depend on no weights
 */
uint64_t
CountRawBytes(std::vector<PipelineLayer> layers, const PipelinePlan& plan)
{
    std::vector<bool> isRaw;
    for (auto& layer : layers)
    {
        isRaw.push_back(layer.parameterBytes == 0 && layer.tied.empty() &&
                        !AnyOf(layer.inputs, [&](std::size_t input) { return !isRaw[input]; }));
        layer.outputBytes = isRaw.back() ? layer.outputBytes : 0;
    }
    const auto crossing = FindCutBytes(layers);
    uint64_t bytes = 0;
    for (std::size_t i = 1; i < plan.stages.size(); ++i)
    {
        bytes += crossing[plan.stages[i - 1].lastLayer];
    }
    return bytes;
}

} // namespace

void
PipelineTrainingWorkload::Print() const
{
    PrintHeading();
    for (const auto& load : m_setting.loads)
    {
        std::cout << "load: of " << load.device << " there is left ";
        if (load.trace.empty())
        {
            const char* separator = "";
            for (const auto& step : load.steps)
            {
                if (load.steps.size() == 1 || !step.time.IsZero() || step.value < 1)
                {
                    std::cout << separator << Table::Rounded(100 * step.value) << " % from "
                              << Table::Rounded(step.time.GetSeconds()) << " s";
                    separator = ", ";
                }
            }
            const bool isReached = AnyOf(m_cases, [&load](const auto& one) {
                return !one.iterations.empty() &&
                       load.steps.back().time < one.iterations.back().end;
            });
            std::cout << " on" << (isReached ? "" : ", after the end") << "\n";
        }
        else
        {
            std::cout << "what " << load.trace << " says\n";
        }
    }
    if (IsLoadedAtFirst())
    {
        std::cout << "planners are told what there is left at 0 s\n";
    }
    PrintReplanning();
    MakeResults().GetShown().Print(std::cout);
    if (!m_replans.back())
    {
        std::cout << "idle: share of the iteration in which a stage's device computes nothing, "
                     "mean over the stages, GPipe's bubble overhead;\nbubbles: the part of it "
                     "between a device's own first and last task, DGPAS's bubble rate\nDGPAS "
                     "index: bubbles weighted by that paper's eq. 14, to compare plans; no share\n";
    }
    PrintUnused();
    PrintHelp();
    Comparison compared{FormatRounded, " s"};
    for (const auto& one : m_cases)
    {
        PrintChanges(one);
        for (const auto& kept : m_cases)
        {
            const bool isSame = kept.decider == one.decider && kept.helped == one.helped;
            const double times = one.GetTotal().GetSeconds() / kept.GetTotal().GetSeconds();
            if (isSame && one.isReplanned && !kept.isReplanned && one.finished && kept.finished &&
                times > NOTABLY_LONGER)
            {
                Note({one.name + ": changing plans took " +
                      FormatRounded(one.GetTotal().GetSeconds()) + " s in all, keeping the first " +
                      FormatRounded(kept.GetTotal().GetSeconds()) + " s"});
            }
        }
        if (!one.HasPlan())
        {
            std::cout << "\n" << one.problemWithPlan << "\n";
        }
        else if (one.finished && !one.isReplanned)
        {
            compared.cases.push_back(
                {one.name, one.predictedSeconds, one.GetMeanIterationSeconds(), one.helped});
        }
        if (one.lowerBoundSeconds > 0 && one.lowerBoundSeconds < one.predictedSeconds)
        {
            std::cout << "\n"
                      << one.name
                      << ": stopped before its plan was proved the best; no plan without "
                      << "groups is predicted to take less than "
                      << FormatRounded(one.lowerBoundSeconds) << " s\n";
        }
    }
    std::map<uint64_t, std::vector<std::string>> raw;
    for (const auto& one : m_cases)
    {
        raw[one.HasPlan() ? CountRawBytes(m_problem.layers, one.plan) : 0].push_back(one.name);
    }
    raw.erase(0);
    for (const auto& [bytes, names] : raw)
    {
        Note({JoinWords(names) + ": of every micro-batch " + Table::Bytes(bytes) +
              " travel back as gradients of inputs, which frameworks do not make"});
    }
    NoteOrder(compared);
    NoteStretches(Map(m_cases, [](const auto& one) { return std::pair(one.name, one.end); }), "");
    for (const auto& one : m_cases)
    {
        Note(DescribeBeliefs(one.name, "decision", one.beliefs));
    }
    Note(compared.DescribeDistance(
        ListUnknown(m_setting.loads,
                    {{!IsProbed(), "what bandwidth there is but --planner-bandwidth"},
                     {!m_setting.memoryBandwidthBytesPerSecond.empty(), "weight updates"},
                     {m_setting.schedule != "gpipe", "the schedule"},
                     {m_helps.back(), "help between neighbours"},
                     {!m_setting.replays.empty(), "recorded passes"},
                     {m_exchange != "ring" || m_options->IsChanged("feed-samples") ||
                          m_options->IsChanged("route-through-heads"),
                      "how groups exchange samples and gradients"},
                     {true, "the start-up of transfers and the coordinator's messages"}})));
}

void
PipelineTrainingWorkload::PrintUnused() const
{
    std::map<std::size_t, std::vector<std::string>> unused; // cases, by devices
    for (const auto& one : m_cases)
    {
        const std::size_t used = ListDevices(one.plan).size();
        if (one.HasPlan() && used < m_problem.devices.size())
        {
            unused[m_problem.devices.size() - used].push_back(one.name);
        }
    }
    const auto show = [](const auto& entry) {
        return std::to_string(entry.first) + " by " + JoinWords(entry.second);
    };
    std::cout << (unused.empty() ? ""
                                 : "of " + std::to_string(m_problem.devices.size()) +
                                       " devices, left without a stage" +
                                       (m_replans.back() ? " at first: " : ": ") +
                                       JoinWords(Map(unused, show), "; ") + "\n");
}

void
PipelineTrainingWorkload::PrintReplanning() const
{
    if (!m_replans.back())
    {
        return;
    }
    const auto horizon = m_options->Get<uint32_t>("replan-horizon");
    std::cout << "plans change when the bandwidth that monitor " << m_setting.monitor
              << " sees or a device's speed has changed by more than "
              << Table::Rounded(100 * m_threshold) << " % and that pays back within "
              << FormatCount(horizon, "iteration", "iterations")
              << "\niteration: from its start to its end; all: with moves and deciding, the time "
                 "that the training waited for\ndecisions, in between\n\n";
}

void
PipelineTrainingWorkload::PrintChanges(const PipelineCase& one) const
{
    const auto& changes = one.planChanges;
    for (std::size_t i = 0; i < changes.size() && i < SHOWN_PLAN_CHANGES; ++i)
    {
        const auto& change = changes[i];
        std::cout << (i == 0 ? "\n" : "") << one.name << ", "
                  << Table::Rounded(change.decided.GetSeconds()) << " s, iteration "
                  << change.iteration << ": " << FormatParts(ListStages(change.decision.plan))
                  << " (" << Table::Rounded(change.decision.oldSeconds) << " s to "
                  << Table::Rounded(change.decision.newSeconds) << " s predicted, "
                  << Table::Bytes(change.decision.moveBytes) << " in "
                  << Table::Rounded((change.inForce - change.decided).GetSeconds())
                  << " s, predicted " << Table::Rounded(change.decision.moveSeconds) << " s)\n";
    }
    if (changes.size() > SHOWN_PLAN_CHANGES)
    {
        std::cout << one.name << ": " << changes.size() - SHOWN_PLAN_CHANGES
                  << " more in decisions.csv\n";
    }
}

void
PipelineTrainingWorkload::PrintHeading() const
{
    const auto iterations = m_options->Get<uint32_t>("iterations");
    std::cout << m_graph.name << ", " << FormatCount(m_microBatches, "micro-batch", "micro-batches")
              << " of " << FormatCount(m_setting.microBatchSamples, "sample", "samples") << ", on "
              << m_cluster.name << " (" << FormatCount(m_names.size(), "device", "devices") << "), "
              << DescribeLink(m_network) << " at " << m_network.fidelity << " level, "
              << m_setting.schedule << ", " << FormatCount(iterations, "iteration", "iterations")
              << "\n";
    const LinkRate rate = m_network.GetLinks().front()->GetRates()[0];
    if (!m_network.IsMixed() && !rate.steps.empty())
    {
        std::cout << "bandwidth: " << Table::Rounded(rate.bitsPerSecond / 1e6) << " Mbit/s";
        for (const auto& step : rate.steps)
        {
            std::cout << ", from " << Table::Exact(step.time.GetSeconds()) << " s on "
                      << Table::Rounded(step.bitsPerSecond / 1e6) << " Mbit/s";
        }
        std::cout << "\n";
    }
    const bool isAlone = (m_devices > 0 ? m_devices : m_names.size()) == 1;
    std::cout << "planners are told ";
    if (isAlone && IsProbed())
    {
        std::cout << "no measured bandwidth: a single device sends nothing\n";
    }
    else if (m_rates.empty())
    {
        std::cout << Table::Rounded(m_problem.bandwidthBitsPerSecond / 1e6)
                  << " Mbit/s between any two devices"
                  << (IsProbed() ? " (measured: one transfer on the idle network)\n" : "\n");
    }
    else
    {
        std::cout << "what each device's link was measured to give one transfer, Mbit/s:\n";
    }
    for (std::size_t i = 0; i < m_rates.size(); ++i)
    {
        std::cout << "  " << JoinWords(m_network.groups[i].devices) << ": up "
                  << Table::Rounded(m_rates[i].first / 1e6) << ", down "
                  << Table::Rounded(m_rates[i].second / 1e6) << "\n";
    }
    if (m_problem.sharesMedium && !isAlone)
    {
        std::cout << "planners are told that all transfers share one medium, in which they follow "
                     "each other"
                  << (m_unaware.empty() ? "" : "; " + JoinWords(m_unaware) + " cannot use it")
                  << "\n";
    }
    PrintLayerCosts(m_costs);
    if (!m_setting.memoryBandwidthBytesPerSecond.empty())
    {
        std::cout << "weight updates are simulated (" << GetUpdatePasses(m_problem.optimizerStates)
                  << " x weights over the memory bandwidth) and not predicted\n";
    }
    if (m_setting.schedule != "gpipe")
    {
        std::cout << "predictions and the memory limits of planners are for the schedule gpipe\n";
    }
    std::cout << "\n";
}

void
PipelineTrainingWorkload::PrintHelp() const
{
    using Case = const PipelineCase;
    if (!m_helps.back())
    {
        return;
    }
    if (m_isUnhelped)
    {
        std::cout << "\nNeighbours do not help in plans with groups; their planners run without.\n";
    }
    if (m_adjacentCosts == "joint")
    {
        PrintSharing();
        return;
    }
    std::cout << "\nHelp from idle neighbours (costs: " << m_adjacentCosts << "):\n\n";
    Sheet<PipelineCase> help({
        {"", m_replans.back() ? "case" : "planner", &PipelineCase::name},
        {"", "requests", [](Case& c) { return c.assistance.requests; }},
        {"", "tasks that refused", [](Case& c) { return c.assistance.refusals; }},
        {"", "tasks that granted", [](Case& c) { return c.assistance.grants; }},
        {"", "passes of a sample", [](Case& c) { return c.assistance.samples; }},
        {"", "merges", [](Case& c) { return c.assistance.merges; }},
    });
    for (const auto& one : m_cases)
    {
        if (one.helped && one.finished)
        {
            help.Add(one);
        }
    }
    help.GetShown().Print(std::cout);
    std::cout << "a request stands until what the idle device waits for is sent: none, one or "
                 "several of its neighbour's\ntasks answer it; passes of a sample: forward or "
                 "backward through a stage, by helpers; merges: of their gradients\n";
}

void
PipelineTrainingWorkload::PrintSharing() const
{
    std::cout << "\nJoint help: samples of every micro-batch, or part of one, that cross a cut at "
                 "another layer\n\n";
    for (const auto& one : m_cases)
    {
        const auto& cuts = one.sharedCuts;
        for (std::size_t cut = 0; cut < cuts.size(); ++cut)
        {
            if (cuts[cut].samples > 0)
            {
                std::cout << "  " << one.name << ": " << cuts[cut].samples << " from stage " << cut
                          << " to " << cut + 1 << " before "
                          << m_problem.layers[cuts[cut].firstLayer].name << ", not "
                          << m_problem.layers[one.plan.stages[cut + 1].firstLayer].name << "\n";
            }
        }
        if (one.helped && one.HasPlan())
        {
            std::cout << "  " << one.name << ": decided in " << FormatRounded(one.sharingSeconds)
                      << " s of the coordinator's device, before the first iteration\n";
        }
    }
}

} // namespace ns3::edgepipe
