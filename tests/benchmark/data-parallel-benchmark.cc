// SPDX-License-Identifier: GPL-2.0-only
//
// What simulating data-parallel training costs at flow level: 10,000 weight updates of ResNet-50's
// size on 64 workers, and how far the merged ring is from the ring step by step.
//
//   data-parallel-benchmark               10,000 updates; fails if a limit is exceeded
//   data-parallel-benchmark --short       250, for the tests

#include "links.h"
#include "measured-run.h"
#include "workloads/data-parallel-run.h"

namespace
{

/// Most that an update by the merged ring may take of one step by step.
constexpr double LIMIT_SHARE = 0.5;
/// Most that the merged ring's iteration may differ from the other's.
constexpr double LIMIT_DIFFERENCE = 0.01;
/// Whether every second is half as fast, in words.
constexpr const char* WORKERS[] = {"alike", "uneven"};

/// @param uneven whether every second worker is half as fast, and shares are those of bno
/// @return its figures
RunFigures
Train(const char* exchange,
      uint32_t workers,
      uint32_t updates,
      bool uneven,
      DataParallelResult& result)
{
    DataParallelSetting setting;
    setting.nodes.resize(workers);
    for (uint32_t i = 0; i < workers; ++i)
    {
        auto& node = setting.nodes[i];
        node.name = "worker-" + std::to_string(i);
        node.memoryBytes = 11000000000;
        node.cost = {25e9, 102228128, 86015744, uneven && i % 2 ? 7e-3 : 3.5e-3, 20e-3, 5e-4};
    }
    SetRate(setting.network, 1e10);
    setting.network.Set("Delay", TimeValue(MicroSeconds(10)));
    setting.planner = uneven ? "bno" : "equal";
    AttributeDefaults defaults;
    defaults.Set("DataParallelHelper::Exchange", StringValue(exchange));
    defaults.Set("DataParallelHelper::Normalize", BooleanValue(true));
    defaults.Set("DataParallelHelper::BaseBatch", UintegerValue(32 * workers));
    defaults.Set("DataParallelWorker::Iterations", UintegerValue(updates));
    for (const char* type : {"DataParallelReporter", "DataParallelFirstNode"})
    {
        defaults.Set(std::string(type) + "::UpdateInterval", TimeValue(Seconds(10)));
    }
    const double start = GetProcessSeconds();
    result = RunDataParallel(setting);
    return {result.exchangeTransfers,
            result.end.GetSeconds(),
            result.isFinished ? GetProcessSeconds() - start : std::nan("")};
}

/// @return CPU time, seconds; NaN if the run did not end
double
Report(const char* exchange, uint32_t workers, uint32_t updates, bool uneven)
{
    const auto run = MeasureBest(
        [&] {
            DataParallelResult result;
            return Train(exchange, workers, updates, uneven, result);
        },
        1);
    std::cout << exchange << ", " << workers << " workers" << (uneven ? ", bno" : ", equal") << ": "
              << updates << " updates in " << Table::Rounded(run.figures.wallSeconds) << " s, "
              << run.figures.count << " transfers, " << Table::Rounded(run.figures.GetRate())
              << " per second, " << Table::Bytes(run.peakMemoryBytes) << std::endl;
    return run.figures.wallSeconds;
}

} // namespace

int
main(int argc, char* argv[])
{
    const bool isShort = IsShort(argc, argv);
    const uint32_t updates = isShort ? 250 : 10000;
    const uint32_t few = isShort ? 5 : 20;
    bool isFine = true;
    const double step = Report("ring", 64, few, false) / few;
    for (const bool uneven : {false, true})
    {
        isFine &= CheckAtMost("an update of 64 workers, " + std::string(WORKERS[uneven]) +
                                  ", over one step by step, time",
                              Report("merged-ring", 64, updates, uneven) / updates / step,
                              LIMIT_SHARE);
    }
    for (const uint32_t workers : {4U, 16U, 64U})
    {
        for (const bool uneven : {false, true})
        {
            DataParallelResult steps;
            DataParallelResult merged;
            Train("ring", workers, few, uneven, steps);
            Train("merged-ring", workers, few, uneven, merged);
            const double difference = std::abs(merged.seconds / steps.seconds - 1);
            isFine &= CheckAtMost(std::to_string(workers) + " workers, " + WORKERS[uneven] +
                                      ": iteration of the merged ring, relative difference",
                                  difference,
                                  LIMIT_DIFFERENCE);
        }
    }
    return isFine ? 0 : 1;
}
