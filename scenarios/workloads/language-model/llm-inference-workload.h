/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LLM_INFERENCE_WORKLOAD_H
#define EDGEPIPE_LLM_INFERENCE_WORKLOAD_H

#include "workloads/language-model/llm-inference-run.h"

namespace ns3::edgepipe
{

/** A run under one planner. */
struct LanguageCase : LanguageResult
{
    std::string planner; //!< its name
};

/**
 * @ingroup edgepipe
 *
 * A language model that is spread over devices and answers requests.
 */
class LlmInferenceWorkload
    : public CasesWorkload<LlmInferenceWorkload, LanguageCase, LanguageSetting>
{
  public:
    static constexpr char NAME[] = "llm-inference"; //!< to select it by
    static constexpr char USAGE[] =
        "Spread a language model over devices, as programs for edge clusters do, and answer "
        "requests: time to the first token, per token, and tokens/s.";
    static constexpr char SCRIPT[] = "analysis/timeline.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override;

    std::size_t CountDevices() const override
    {
        return m_setting.names.size();
    }

    WorkloadSweep GetSweep() const override
    {
        return {
            "devices",
            "uniform",
            "",
            {"token (s)", "tokens/s"},
            GetNames<LanguagePlanner>(),
            "model=llama-3.2-1b|llama-3.2-3b|tinyllama-1.1b|llama-3-8b|llama-2-7b "
            "exchange=distributed-llama-0.1|distributed-llama-0.3|distributed-llama-0.4|"
            "distributed-llama-0.7|distributed-llama-0.12|edgeshard|edgeshard-bubbles|exo|"
            "llama.cpp-rpc|petals|petals-push|pipeline|pipeline-logits|prima-ring|speculation "
            "device=raspberry-pi-5@distributed-llama-0.16|raspberry-pi-4b@distributed-llama-0.1|"
            "c3d-highcpu-30@distributed-llama-0.1|rtx-4090@vllm-0.19 devices=2..8 "
            "prompt=1..8&output=2..6 requests=1..4 users=1..4/rate=0.1~10 "
            "sequences=1..4/draft=||tinyllama-1.1b"};
    }

    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    void Run(LanguageSetting& setting,
             LanguageCase& one,
             const std::function<void(double)>& progress) override;
    /** Read --requests-file, or make the requests of the options. */
    void ReadRequests();
    /** Read --draft and how it fares. */
    void ReadDraft();
    /** Read --exchange-values. */
    void ReadValues();
    void Fill(const LanguageCase& one, CellTable& row) const override;
    CasePlan PlanOf(const LanguageCase& one) const override;

    /**
     * @param one a case
     * @return a sentence on each device that reads weights from its disk
     */
    static std::vector<std::string> DescribeReading(const LanguageCase& one);

    /** @return a sentence on the fastest device that can hold the whole model */
    std::vector<std::string> DescribeAlone() const;

    uint32_t m_count{0};   //!< of devices
    uint32_t m_many{0};    //!< requests
    uint32_t m_prompt{0};  //!< tokens
    uint32_t m_output{0};  //!< tokens
    uint32_t m_context{0}; //!< tokens
    double m_rate{0};      //!< requests/s; 0: users wait
    Time m_firstGoal;      //!< for the first token; 0: none
    Time m_tokenGoal;      //!< for later tokens; 0: none
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LLM_INFERENCE_WORKLOAD_H */
