// SPDX-License-Identifier: GPL-2.0-only
//
// What simulating data-parallel training costs at flow level: 10,000 weight updates of ResNet-50's
// size on 64 workers, and how far the merged ring is from the ring step by step.
//
//   data-parallel-benchmark               10,000 updates; fails if a limit is exceeded
//   data-parallel-benchmark --short       250, against as small a part of the limit, for the tests

#include "lib/attribute-defaults.h"
#include "measured-run.h"
#include "workloads/data-parallel-run.h"

namespace
{

/// Most seconds of one core for 10,000 updates on 64 workers.
constexpr double LIMIT_SECONDS = 60;
/// Most that the merged ring's iteration may differ from the other's.
constexpr double LIMIT_DIFFERENCE = 0.01;

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
    setting.network.bandwidthBitsPerSecond = 1e10;
    setting.network.delay = MicroSeconds(10);
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
    const double limit = LIMIT_SECONDS * updates / 10000;
    bool isFine = true;
    for (const bool uneven : {false, true})
    {
        const std::string name = std::to_string(updates) + " updates on 64 workers, " +
                                 (uneven ? "uneven, bno" : "alike") + ", s";
        isFine &= CheckAtMost(name, Report("merged-ring", 64, updates, uneven), limit);
    }
    const uint32_t few = isShort ? 5 : 20;
    Report("ring", 64, few, false);
    for (const uint32_t workers : {4U, 16U, 64U})
    {
        for (const bool uneven : {false, true})
        {
            DataParallelResult steps;
            DataParallelResult merged;
            Train("ring", workers, few, uneven, steps);
            Train("merged-ring", workers, few, uneven, merged);
            const double difference = std::abs(merged.seconds / steps.seconds - 1);
            isFine &=
                CheckAtMost(std::to_string(workers) + " workers, " + (uneven ? "uneven" : "alike") +
                                ": iteration of the merged ring, relative difference",
                            difference,
                            LIMIT_DIFFERENCE);
        }
    }
    return isFine ? 0 : 1;
}
