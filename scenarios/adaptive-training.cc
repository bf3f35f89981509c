/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/pipeline-study.h"

using namespace ns3::edgepipe;

namespace
{

/** Pipeline training while bandwidth and load change, with and without what adapts it. */
class AdaptiveTraining : public PipelineStudy
{
  public:
    /** @param o options of the scenario, to declare */
    explicit AdaptiveTraining(ScenarioOptions& o)
        : PipelineStudy(o)
    {
        for (const auto& [name, value] : {std::pair{"model", "resnet18"},
                                          {"cluster", "pi-lab"},
                                          {"micro-batch-size", "8"},
                                          {"iterations", "40"},
                                          {"link", "trace"},
                                          {"load", "slowest:0.4@200s"},
                                          {"adjacent", "both"},
                                          {"replan", "both"},
                                          {"sample-interval", "500ms"}})
        {
            o.SetDefault(name, value);
        }
    }

  private:
    void Read() override
    {
        const bool isGiven =
            !m_options.GetString("trace").empty() || !m_options.GetString("bandwidth").empty();
        if (m_options.GetString("link") == "trace" && !isGiven)
        {
            m_options.SetDefault("trace", "lte-up");
            if (!m_options.IsChanged("trace-scale"))
            {
                m_options.SetDefault("trace-scale", "20");
                m_options.Apply();
            }
        }
        PipelineStudy::Read();
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("adaptive-training", [argc, argv] {
        ScenarioOptions options("adaptive-training",
                                "Train a DNN in a pipeline while bandwidth and load change: with "
                                "neither replanning nor adjacent scheduling, with one, with both. "
                                "Without --trace, lte-up of traces/bandwidth at 20 times its rate, "
                                "as of a carrier of 100 MHz.");
        return AdaptiveTraining(options).Run(argc, argv, "analysis/adaptive_training.py");
    });
}
