/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/bandwidth-variation-study.h"

#include "lib/progress.h"
#include "studies/cooperative-summary.h"

#include "ns3/edgepipe-link-type.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most bandwidths of a sweep.
constexpr uint32_t MAX_POINTS = 100000;
/// Smallest latency of a later planner's that is not the same as an earlier one's.
constexpr double MARGIN = 1e-9;

} // namespace

bool
BandwidthCase::IsFinished() const
{
    return status == "finished";
}

void
BandwidthVariationStudy::AddOptions(ScenarioOptions& options)
{
    CooperativeInputs::AddOptions(options);
    options.SetDefault("planner", "all");
    options.SetDefault("link", "p2p");
    options.SetDefault("monitor", "oracle");
    options.SetDefault("frames", "1");
    options.SetDefault("replan", "false");
    options.SetDefault("start-up", "false");
    options.Add("from", "lowest bandwidth of the link, Mbit/s; 0: nothing can be sent", "0");
    options.Add("to", "highest, Mbit/s", "15");
    options.Add("step", "from one to the next, Mbit/s", "0.5");
}

BandwidthVariationStudy::BandwidthVariationStudy(const ScenarioOptions& options)
    : m_inputs(options),
      m_planners(m_inputs.planners)
{
    if (!FindLinkType(m_inputs.run.network)->GetTraits().options.count("bandwidth"))
    {
        options.Refuse("link", "one whose bandwidth can be set, since it is swept");
    }
    for (const char* name : {"bandwidth", "trace", "trace-down", "cut"})
    {
        if (!options.GetString(name).empty())
        {
            options.Refuse(name, "nothing, since bandwidth is swept by --from, --to and --step");
        }
    }
    for (const auto& [name, value] : {std::pair{"devices", "1"}, {"in-flight", "1"}})
    {
        if (options.GetString(name) != value)
        {
            options.Refuse(name, std::string(value) + ", since frames are alone");
        }
    }
    if (m_inputs.run.framesPerSecond > 0)
    {
        options.Refuse("frame-rate", "0, since a frame begins when the one before has ended");
    }
    const double from = options.GetDouble("from", 0, 1e6);
    const double to = options.GetDouble("to", from, 1e6);
    const double step = options.GetDouble("step", 1e-6, 1e6);
    const double steps = std::floor((to - from) / step + 1e-9);
    if (steps >= MAX_POINTS)
    {
        options.Refuse("step",
                       "one that makes at most " + std::to_string(MAX_POINTS) + " bandwidths");
    }
    for (uint32_t i = 0; i <= steps; ++i)
    {
        m_bandwidths.push_back(1e6 * (from + i * step));
    }
    if (m_bandwidths.back() <= 0)
    {
        options.Refuse("to", "a bandwidth above 0");
    }
    for (const char* reference : {"edge-only", "cloud-only"})
    {
        if (std::find(m_planners.begin(), m_planners.end(), reference) == m_planners.end())
        {
            m_planners.push_back(reference);
        }
    }
}

void
BandwidthVariationStudy::Run()
{
    Progress progress;
    const std::size_t all = m_bandwidths.size() * m_planners.size();
    for (const double bandwidth : m_bandwidths)
    {
        for (const auto& planner : m_planners)
        {
            progress.Update(double(m_cases.size()) / all,
                            planner + " at " + Table::Rounded(bandwidth / 1e6) + " Mbit/s");
            m_cases.push_back(Simulate(planner, bandwidth));
        }
    }
}

BandwidthCase
BandwidthVariationStudy::Simulate(const std::string& planner, double bitsPerSecond) const
{
    BandwidthCase one;
    one.planner = planner;
    one.bitsPerSecond = bitsPerSecond;
    if (bitsPerSecond == 0 && planner != "edge-only")
    {
        one.status = "no-link";
        return one;
    }
    CooperativeInferenceOptions run = m_inputs.run;
    run.planner = planner;
    // What sends nothing takes as long over any link.
    run.network.bandwidthBitsPerSecond = bitsPerSecond > 0 ? bitsPerSecond : m_bandwidths.back();
    run.network.downlinkBitsPerSecond = 0;
    const auto result = RunCooperativeInference(m_inputs.devices, run, {});
    const auto summary = Summarise(m_inputs.problem, result);
    one.status = result.isComplete ? "finished" : "stalled";
    one.diagnosis = result.diagnosis;
    if (result.plans.empty())
    {
        return one;
    }
    const PlanRecord& plan = result.plans.front();
    one.plan = plan.plan;
    one.toldBitsPerSecond = bitsPerSecond > 0 ? plan.uplinkBitsPerSecond : 0;
    one.predictedSeconds = plan.predictedSeconds;
    one.simulatedSeconds = summary.meanSeconds;
    one.uplinkBytes = plan.uplinkBytes;
    one.decisionSeconds = plan.decisionSeconds;
    return one;
}

const BandwidthCase&
BandwidthVariationStudy::Find(const std::string& planner, std::size_t point) const
{
    const auto first = m_cases.begin() + static_cast<std::ptrdiff_t>(point * m_planners.size());
    return *std::find_if(first, m_cases.end(), [&planner](const auto& one) {
        return one.planner == planner;
    });
}

std::optional<double>
BandwidthVariationStudy::GetSpeedUp(const BandwidthCase& one, const std::string& reference) const
{
    const auto point = static_cast<std::size_t>(&one - m_cases.data()) / m_planners.size();
    const BandwidthCase& other = Find(reference, point);
    if (!one.IsFinished() || !other.IsFinished() || one.simulatedSeconds <= 0)
    {
        return std::nullopt;
    }
    return other.simulatedSeconds / one.simulatedSeconds;
}

std::optional<double>
BandwidthVariationStudy::FindAllOnServer(const std::string& planner) const
{
    std::optional<double> from;
    for (std::size_t i = m_bandwidths.size(); i-- > 0;)
    {
        const BandwidthCase& one = Find(planner, i);
        if (!one.IsFinished() || !IsAllOnServer(m_inputs.problem, one.plan))
        {
            break;
        }
        from = m_bandwidths[i];
    }
    return from;
}

std::optional<double>
BandwidthVariationStudy::FindCloudBeatsEdge(bool isSimulated) const
{
    std::optional<double> from;
    for (std::size_t i = m_bandwidths.size(); i-- > 0;)
    {
        const BandwidthCase& edge = Find("edge-only", i);
        const BandwidthCase& cloud = Find("cloud-only", i);
        const auto seconds = [isSimulated](const BandwidthCase& one) {
            return isSimulated ? one.simulatedSeconds : one.predictedSeconds;
        };
        if (!edge.IsFinished() || !cloud.IsFinished() ||
            seconds(cloud) >= (1 - MARGIN) * seconds(edge))
        {
            break;
        }
        from = m_bandwidths[i];
    }
    return from;
}

int
BandwidthVariationStudy::GetStatus() const
{
    const bool isAnyStalled = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
        return one.status == "stalled";
    });
    return isAnyStalled ? 3 : 0;
}

} // namespace edgepipe
} // namespace ns3
