/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/language-model/llm-inference-run.h"

namespace ns3::edgepipe
{

LanguageResult
RunLanguageModel(const LanguageSetting& setting, const std::function<void(double)>& progress)
{
    const Stopwatch stopwatch;
    LanguageResult one;
    one.isSpeculative = setting.draft.has_value();
    Deployment deployment(setting, setting.names);
    const Network& built = deployment.GetNetwork();
    if (setting.hasTimeline)
    {
        one.timeline = std::make_shared<Timeline>();
        one.timeline->Observe(built.transport);
    }
    for (uint32_t i = 0; i < setting.names.size(); ++i)
    {
        const auto compute = deployment.AddDevice(i, setting.devices[i].memoryBytes);
        if (setting.hasTimeline)
        {
            one.timeline->Observe(i, compute);
        }
    }
    deployment.AddLoads();
    LanguageModelHelper helper(setting.model, *setting.pattern, setting.devices);
    helper.SetFormats(setting.formats);
    helper.SetRequests(setting.requests);
    if (setting.draft)
    {
        helper.SetDraft(*setting.draft, setting.acceptances);
    }
    helper.SetPlanner(setting.planner);
    helper.SetLinks([&](LanguageProblem& problem) {
        const std::size_t count = problem.nodes.size();
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t other = i == 0 ? count - 1 : 0;
            auto& node = problem.nodes[i];
            node.uplinkBitsPerSecond = i == other ? 1e12 : std::max(1.0, built.capacity(i, other));
            node.downlinkBitsPerSecond =
                i == other ? 1e12 : std::max(1.0, built.capacity(other, i));
            problem.delaySeconds =
                i == other ? 0 : std::max(problem.delaySeconds, built.delaySeconds(i, other));
        }
    });
    if (setting.isOpen)
    {
        helper.SetServerAttribute("Users", UintegerValue(0));
    }
    const ApplicationContainer applications = helper.Install(built.devices);
    deployment.Watch(applications);
    const auto server = Select<LanguageModelServer>(applications).front();
    double tokens = 0;
    const double all = Sum(setting.requests,
                           [](auto& request) { return double(request.prompt) + request.output; });
    bool isFinished = false;
    Connect(server, "RequestEnd", [&](const LanguageRequestRecord& request) {
        one.records.push_back(request);
    });
    Connect(server, "PassEnd", [&](const LanguagePassRecord& pass) {
        one.passes.push_back(pass);
        tokens += pass.tokens;
        if (progress)
        {
            progress(std::min(1.0, tokens / all));
        }
    });
    Connect(server, "Finished", [&] {
        isFinished = server->GetRefusal().empty();
        one.refusal = server->GetRefusal();
        deployment.End();
    });
    deployment.Run();
    deployment.Collect(isFinished, one);
    one.problem = server->GetProblem();
    one.plan = server->GetPlan();
    for (const bool isPrefill : {false, true})
    {
        uint32_t i = 0;
        for (const auto& node : Select<LanguageModelNode>(applications))
        {
            one.nodes.push_back({setting.names[i++], isPrefill, node->GetUsage(isPrefill)});
        }
    }
    one.peakMemoryBytes = Map(CountUp(setting.names.size()), [&](uint32_t i) {
        return built.devices.Get(i)->GetObject<MemoryLedger>()->GetPeak();
    });
    one.seconds = one.GetTokenSeconds();
    one.perSecond = one.end.IsZero() ? 0 : one.GetTokens() / one.end.GetSeconds();
    one.requests = one.passes.size();
    one.isClosedLoop = !setting.isOpen;
    one.simulationSeconds = stopwatch.GetSeconds();
    return one;
}

} // namespace ns3::edgepipe
