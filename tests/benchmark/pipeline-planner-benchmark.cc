// SPDX-License-Identifier: GPL-2.0-only
//
// How good pipeline planners are for the plans they look at: the iteration time by the cost model
// over that of exact, mean and 95 % confidence interval (Student) over runs of ns-3's number 1, 2,
// and so on.
//
//   pipeline-planner-benchmark --evaluations=1000,10000,default --runs=10
//   pipeline-planner-benchmark --help

#include "measured-run.h"
#include "workloads/pipeline/pipeline-training-workload.h"

#include "ns3/rng-seed-manager.h"

#include <boost/math/distributions/students_t.hpp>

namespace
{

/** What some runs gave. */
struct Figures
{
    std::vector<double> excess;      //!< iteration time over exact, minus 1, percent
    std::vector<double> evaluations; //!< plans looked at
    std::vector<double> seconds;     //!< of processor time, learning included
    uint32_t without{0};             //!< runs in which no plan fits that was looked at

    static double FindMean(const std::vector<double>& values)
    {
        return std::accumulate(values.begin(), values.end(), 0.0) / values.size();
    }

    /** @return half the width of the 95 % confidence interval of the excess, percent */
    double FindHalfWidth() const
    {
        const auto count = static_cast<double>(excess.size());
        if (count < 2)
        {
            return 0;
        }
        double squares = 0;
        for (double value : excess)
        {
            squares += std::pow(value - FindMean(excess), 2);
        }
        const boost::math::students_t student(count - 1);
        return boost::math::quantile(student, 0.975) * std::sqrt(squares / (count - 1) / count);
    }
};

/// @param evaluations plans that it may look at, or default
/// @return the planner
Ptr<PipelinePlanner>
MakePlanner(const std::string& name, const std::string& evaluations)
{
    auto planner = FindByName<PipelinePlanner>("--planner", name);
    planner->SetAttributeFailSafe("Cache", BooleanValue(false));
    double most = 0;
    if (ParseNumber(evaluations, most))
    {
        planner->SetAttributeFailSafe("Evaluations", UintegerValue(static_cast<uint64_t>(most)));
    }
    return planner;
}

/// @return the exit status
int
Run(const ScenarioOptions& options, uint32_t runs)
{
    for (const auto& evaluations : options.GetList("evaluations"))
    {
        double most = 0;
        if (evaluations != "default" &&
            (!ParseNumber(evaluations, most) || most < 1 || most != std::floor(most)))
        {
            options.Refuse("evaluations", "whole numbers from 1 on, or default");
        }
    }
    ResultsFolder results(options.GetString("out"));
    Table rows({"model",
                "planner",
                "evaluations",
                "run",
                "evaluationsMade",
                "iterationSeconds",
                "exactIterationSeconds",
                "processorSeconds"});
    Table table(
        {"model", "planner", "budget", "over exact %", "+-", "no plan", "plans looked at", "s"});
    Progress progress;
    const auto models = options.GetList("model");
    for (std::size_t m = 0; m < models.size(); ++m)
    {
        ScenarioOptions one(options.GetName(), "");
        const auto workload = CreateObject<PipelineTrainingWorkload>();
        workload->Declare(one, false);
        for (const auto& [name, value] : options.GetAll())
        {
            if (one.Has(name))
            {
                one.Set(name, name == "model" ? models[m] : value);
            }
        }
        one.Apply();
        workload->ReadAll();
        const auto& problem = workload->GetProblem();
        const PipelineCostModel costs(problem);
        const double exact =
            costs.IterationSeconds(FindByName<PipelinePlanner>("planner", "exact")->Plan(problem));
        for (const auto& name : workload->GetCases())
        {
            for (const auto& evaluations : options.GetList("evaluations"))
            {
                Figures figures;
                for (uint32_t run = 1; run <= runs; ++run)
                {
                    progress.Update(static_cast<double>(m) / models.size(),
                                    models[m] + " " + name + " run " + std::to_string(run));
                    RngSeedManager::SetRun(run);
                    auto planner = MakePlanner(name, evaluations);
                    const double start = GetProcessSeconds();
                    std::string seconds; // none where no plan that was looked at fits
                    try
                    {
                        const double found = costs.IterationSeconds(planner->Plan(problem));
                        seconds = Table::Exact(found);
                        figures.excess.push_back(100 * (found / exact - 1));
                    }
                    catch (const InputError&)
                    {
                        ++figures.without;
                    }
                    const double spent = GetProcessSeconds() - start;
                    figures.evaluations.push_back(planner->GetEvaluations());
                    figures.seconds.push_back(spent);
                    rows.AddRow({workload->GetGraph().name,
                                 name,
                                 evaluations,
                                 std::to_string(run),
                                 std::to_string(planner->GetEvaluations()),
                                 seconds,
                                 Table::Exact(exact),
                                 Table::Exact(spent)});
                }
                table.AddRow({workload->GetGraph().name,
                              name,
                              evaluations,
                              figures.excess.empty()
                                  ? "-"
                                  : Table::Rounded(Figures::FindMean(figures.excess), 3),
                              Table::Rounded(figures.FindHalfWidth(), 2),
                              std::to_string(figures.without),
                              Table::Rounded(Figures::FindMean(figures.evaluations), 6),
                              Table::Rounded(Figures::FindMean(figures.seconds), 2)});
            }
        }
    }
    results.Write("planners.csv", rows);
    results.Write("planners.txt", [&](std::ostream& os) { table.Print(os); });
    results.Commit();
    table.Print(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("pipeline-planner-benchmark", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("pipeline-planner-benchmark",
                                "Compare pipeline planners at equal numbers of plans looked at.");
        const auto workload = CreateObject<PipelineTrainingWorkload>();
        workload->Declare(options, false);
        options.AddOut();
        options.SetDefault("model", "alexnet,vgg19,inception_v3,resnext101_32x8d,regnet_x_200mf");
        options.SetDefault("planner", "ga,pso,ppo,pg-mpss,autopipe,grdqn-improved");
        options.SetDefault("planner-bandwidth", "941.5Mbps");
        options.Bind("evaluations=1000,10000,default")
            .Help("plans that a planner may look at; default: what its attribute says");
        uint32_t runs = 0;
        options.Bind("runs=10", runs, 1, 1000).Help("runs of each planner");
        options.Parse(argc, argv);
        return Run(options, runs);
    });
}
