/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LLM_INFERENCE_RUN_H
#define EDGEPIPE_LLM_INFERENCE_RUN_H

#include "lib/workload.h"

#include "ns3/edgepipe-language-model-helper.h"
#include "ns3/edgepipe-timeline.h"
#include "ns3/edgepipe-trace.h"

#include <memory>

namespace ns3::edgepipe
{

/** A language model, its devices and its requests; everything else is an attribute. */
struct LanguageSetting : RunSetting
{
    LanguageSetting()
    {
        planner = "uniform";
    }

    LanguageModel model;                    //!< the model
    std::optional<ExchangePattern> pattern; //!< what is sent when
    LanguageFormats formats;                //!< bytes of values
    std::optional<LanguageModel> draft;     //!< none: does not speculate
    std::vector<bool> acceptances;          //!< see LanguageModelHelper::SetDraft
    std::vector<std::string> names;         //!< of the devices; requests arrive at the first
    std::vector<LanguageDevice> devices;    //!< their speeds
    std::vector<LanguageRequest> requests;  //!< to answer
    bool isOpen{false};                     //!< whether requests arrive at their own times
    bool hasTimeline{true};                 //!< whether to record a timeline
};

/** What a node did, in one kind of passes. */
struct LanguageUsageRow
{
    std::string node;        //!< its name
    bool isPrefill;          //!< the kind
    LanguageNodeUsage usage; //!< what it did
};

/** Result of a run. */
struct LanguageResult : CaseOutcome
{
    LanguageProblem problem;                    //!< that was planned for
    LanguagePlan plan;                          //!< who holds what
    std::vector<LanguageRequestRecord> records; //!< answered requests, by end
    std::vector<LanguagePassRecord> passes;     //!< by end
    bool isSpeculative{false};                  //!< whether passes verify windows of tokens
    std::vector<LanguageUsageRow> nodes;        //!< decoding, then prompts, of every node
    std::vector<uint64_t> peakMemoryBytes;      //!< by node
    std::shared_ptr<Timeline> timeline{};       //!< null: not recorded

    /** @return passes that decode */
    std::vector<LanguagePassRecord> GetDecodes() const
    {
        return Filter(passes, [](auto& pass) { return !pass.isPrefill; });
    }

    /** @return tokens of answers after the first of each */
    double CountDecoded() const
    {
        return GetTokens() - records.size();
    }

    /** @return mean of a pass that decodes, or of a token where it speculates, s; 0: there was none
     */
    double GetTokenSeconds() const
    {
        if (isSpeculative)
        {
            const auto get = [](auto& one) { return (one.ended - one.first).GetSeconds(); };
            return CountDecoded() > 0 ? Sum(records, get) / CountDecoded() : 0;
        }
        return Mean(
            Map(GetDecodes(), [](auto& pass) { return (pass.end - pass.begin).GetSeconds(); }));
    }

    /** @return of these, the first node's computation, s */
    double GetRootSeconds() const
    {
        const auto& usage = nodes.front().usage;
        const double count = isSpeculative ? CountDecoded() : usage.passes;
        return count == 0 ? 0
                          : Sum(usage.operations, [](auto& one) { return one.seconds; }) / count;
    }

    /** @return output tokens */
    double GetTokens() const
    {
        return Sum(records, [](auto& one) { return static_cast<double>(one.output); });
    }

    /**
     * @param get seconds of a request
     * @param share 0 to 1
     * @return the percentile
     */
    template <typename Get>
    double GetPercentile(Get get, double share) const
    {
        return FindPercentile(Map(records, get), share);
    }
};

/**
 * Run a language model in a simulation of its own.
 *
 * @param setting model, devices and requests
 * @param progress called now and then with the share of tokens done, 0 to 1; may be empty
 * @return the result; its `seconds` are the mean pass that decodes
 * @throws InputError if the planner finds no plan, or an option makes no sense
 */
LanguageResult RunLanguageModel(const LanguageSetting& setting,
                                const std::function<void(double)>& progress);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LLM_INFERENCE_RUN_H */
