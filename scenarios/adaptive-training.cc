/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/network-inputs.h"
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
        : PipelineStudy(o, "trace")
    {
        for (const auto& [name, value] : {std::pair{"model", "resnet18"},
                                          {"cluster", "pi-lab"},
                                          {"micro-batch-size", "8"},
                                          {"iterations", "40"},
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
        if (SetUsualRecording(m_options, "lte-up") && !m_options.IsChanged("trace-scale"))
        {
            m_options.Set("trace-scale", "20");
            m_options.Apply();
        }
        PipelineStudy::Read();
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("adaptive-training", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("adaptive-training",
                                "Train a DNN in a pipeline while bandwidth and load change: with "
                                "neither replanning nor adjacent scheduling, with one, with both. "
                                "Without --trace, lte-up of traces/bandwidth at 20 times its rate, "
                                "as of a carrier of 100 MHz.");
        return AdaptiveTraining(options).Run(argc, argv, "analysis/adaptive_training.py");
    });
}
