// SPDX-License-Identifier: GPL-2.0-only
//
// What a transfer costs at flow level, compared with SimGrid on the same workload, with ns-3's
// empty events and with packets.
//
//   flow-benchmark                 every case; fails if a limit is exceeded
//   flow-benchmark --short         less of it, with wider limits, for the tests

#include "flow-pipeline.h"
#include "simgrid-pipeline.h"

namespace
{

/// Most difference of the simulated times.
constexpr double SIMULATED_LIMIT = 0.01;
/// Least transfers/s over those of SimGrid, a pipeline of 8 devices.
constexpr double SMALL_SPEED_LIMIT = 4;
/// Least transfers/s over those of SimGrid, 8000 devices in pipelines of 8.
constexpr double LARGE_SPEED_LIMIT = 20;
/// Least instructions of one of ns-3's empty events over a transfer's, a pipeline of 8 devices.
constexpr double EVENT_LIMIT = 0.1;
/// Empty events whose instructions are counted.
constexpr uint32_t COUNTED_EVENTS = 100000;
/// Most wall time per transfer with 10,000 devices over that with about 100.
constexpr double GROWTH_LIMIT = 2;
/// The same of instructions, of a short run's devices.
constexpr double INSTRUCTIONS_LIMIT = 1.3;
/// Most memory of an idle device beyond that of a bare ns-3 node, bytes.
constexpr double IDLE_LIMIT = 4000;
/// Least wall time at packet level over that at flow level.
constexpr double PACKET_LIMIT = 100;
/// Share of a limit on wall times that a short run, on a busy machine, must keep.
constexpr double SHORT_SHARE = 1.0 / 3;

/// Stages of the pipelines side by side.
constexpr uint32_t STAGES = 8;
/// Side by side, from so many devices on SimGrid is run with actors only. Without actors, it keeps
/// all activities in one list and searches that at the end of each.
constexpr uint32_t ACTORS_FROM = 1000;

struct Row
{
    std::string engine; //!< who simulated
    uint32_t devices;   //!< how many
    MeasuredRun run;    //!< what it took
};

/** All engines on one workload. */
struct Comparison
{
    std::string name;      //!< of the workload
    std::vector<Row> rows; //!< edgepipe's first, then SimGrid's

    /** @return edgepipe's figures */
    const RunFigures& GetFlow() const
    {
        return rows.front().run.figures;
    }

    /** @return the figures of SimGrid at its fastest; edgepipe's if there is none */
    const RunFigures& GetPeer() const
    {
        const auto peer =
            std::max_element(rows.begin() + (rows.size() > 1),
                             rows.end(),
                             [](const Row& a, const Row& b) {
                                 return a.run.figures.GetRate() < b.run.figures.GetRate();
                             });
        return peer->run.figures;
    }
};

/// @return its name, for people
std::string
Describe(const PipelineWorkload& workload)
{
    return std::to_string(workload.pipelines) + " x " + std::to_string(workload.stages) + " " +
           workload.schedule;
}

/// @return what every engine took
Comparison
Compare(const PipelineWorkload& workload, uint32_t repeats)
{
    const uint32_t devices = workload.GetDevices();
    Comparison comparison{Describe(workload), {}};
    const auto measure = [&](const std::string& engine, const std::function<RunFigures()>& run) {
        std::cout << "running  " << comparison.name << " in " << engine << std::endl;
        comparison.rows.push_back({engine, devices, MeasureBest(run, repeats)});
    };
    measure("edgepipe", [&] { return RunFlow(workload); });
    if constexpr (HAS_SIMGRID)
    {
        measure("simgrid-actors", [&] { return RunSimgrid(workload, SimgridForm::ACTORS); });
        if (workload.pipelines == 1 || devices < ACTORS_FROM)
        {
            measure("simgrid-callbacks",
                    [&] { return RunSimgrid(workload, SimgridForm::CALLBACKS); });
        }
    }
    return comparison;
}

/// @return pipelines side by side
PipelineWorkload
SideBySide(uint32_t devices, uint64_t transfers)
{
    PipelineWorkload workload;
    workload.stages = STAGES;
    workload.pipelines = (devices + STAGES - 1) / STAGES;
    workload.iterations = (transfers + workload.GetTransfers() - 1) / workload.GetTransfers();
    return workload;
}

/// @return one long pipeline
PipelineWorkload
InOneLine(uint32_t devices, uint64_t transfers)
{
    PipelineWorkload workload;
    workload.stages = devices;
    workload.iterations = (transfers + workload.GetTransfers() - 1) / workload.GetTransfers();
    return workload;
}

void
Print(const std::vector<Comparison>& comparisons)
{
    Table table({"pipelines x stages",
                 "engine",
                 "transfers",
                 "simulated s",
                 "wall s",
                 "transfers/s",
                 "peak memory",
                 "edgepipe's over this"});
    for (const auto& comparison : comparisons)
    {
        for (const auto& [engine, devices, run] : comparison.rows)
        {
            table.AddRow({comparison.name,
                          engine,
                          std::to_string(run.figures.count),
                          Table::Rounded(run.figures.simulatedSeconds, 7),
                          Table::Rounded(run.figures.wallSeconds),
                          Table::Rounded(run.figures.GetRate()),
                          Table::Bytes(run.peakMemoryBytes),
                          Table::Rounded(comparison.GetFlow().GetRate() / run.figures.GetRate())});
        }
    }
    table.Print(std::cout);
}

} // namespace

int
main(int argc, char* argv[])
{
    const PipelineWorkload one = SideBySide(8, 4000);
    const PipelineWorkload few = SideBySide(100, 1);
    const PipelineWorkload many = SideBySide(2000, 1);
    const CountedWorks works{{"events", [] { RunEmptyEvents(8, COUNTED_EVENTS); }},
                             {"one", [&] { RunFlow(one); }},
                             {"few", [&] { RunFlow(few); }},
                             {"many", [&] { RunFlow(many); }}};
    if (RunCounted(argc, argv, works))
    {
        return 0;
    }
    const bool isShort = IsShort(argc, argv);
    if (!HAS_SIMGRID)
    {
        std::cout << "SimGrid (libsimgrid-dev) was not there when this was built: "
                     "no comparison with it\n";
    }

    const uint64_t transfers = isShort ? 20000 : 1000000;
    const uint32_t repeats = 3;
    const double share = isShort ? SHORT_SHARE : 1;
    const uint32_t manyDevices = isShort ? 2000 : 8000;

    std::vector<Comparison> sideBySide;
    sideBySide.push_back(Compare(SideBySide(8, transfers), repeats));
    sideBySide.push_back(Compare(SideBySide(100, transfers / 2), repeats));
    if (!isShort)
    {
        sideBySide.push_back(Compare(SideBySide(1000, transfers / 2), repeats));
        sideBySide.push_back(Compare(SideBySide(10000, transfers / 2), 1));
    }
    sideBySide.push_back(Compare(SideBySide(manyDevices, transfers / 2), isShort ? 1 : 2));
    const auto& small = sideBySide[0];
    const auto& medium = sideBySide[1];
    const auto& large = sideBySide.back();

    std::vector<Comparison> others;
    others.push_back(Compare(InOneLine(manyDevices, 1), repeats));
    auto sharing = SideBySide(8, transfers / 4);
    sharing.schedule = "1f1b";
    sharing.messageBytes = 1.5e6; // tensors meet on links
    others.push_back(Compare(sharing, repeats));

    const uint32_t events = transfers * 5;
    const auto fewEvents = MeasureBest([&] { return RunEmptyEvents(8, events); }, repeats);
    const auto manyEvents =
        MeasureBest([&] { return RunEmptyEvents(manyDevices, events); }, repeats);

    const uint32_t idle = 20000;
    const double idleBytes =
        (double(MeasureInChild([&] { return BuildIdleDevices(idle); }).peakMemoryBytes) -
         double(MeasureInChild([&] { return BuildNodes(idle); }).peakMemoryBytes)) /
        idle;

    std::vector<Row> applications;
    for (const uint32_t devices : {uint32_t(8), manyDevices})
    {
        const auto workload = SideBySide(devices, transfers / 4);
        applications.push_back(
            {Describe(workload),
             devices,
             MeasureBest([&] { return RunApplications(workload, "flow", true); }, repeats)});
    }

    PipelineWorkload lan;
    const auto packets = MeasureBest([&] { return RunApplications(lan, "packet", false); }, 1);
    const auto flows = MeasureBest([&] { return RunApplications(lan, "flow", false); }, 3);

    std::vector<Comparison> all = sideBySide;
    all.insert(all.end(), others.begin(), others.end());
    std::cout << '\n';
    Print(all);
    std::cout << "\nby the applications, building included:\n";
    for (const auto& [name, devices, run] : applications)
    {
        const auto& without = devices == 8 ? small : large;
        std::cout << name << ": " << Table::Rounded(run.figures.GetRate()) << " transfers/s, "
                  << Table::Rounded(without.GetFlow().GetRate() / run.figures.GetRate())
                  << " times the wall time of the same without them, peak memory "
                  << Table::Bytes(run.peakMemoryBytes) << '\n';
    }
    std::cout << "\nns-3's empty events/s: " << Table::Rounded(fewEvents.figures.GetRate())
              << " with 8 pending, " << Table::Rounded(manyEvents.figures.GetRate()) << " with "
              << manyDevices << "; edgepipe's transfers/s over that: "
              << Table::Rounded(small.GetFlow().GetRate() / fewEvents.figures.GetRate()) << " and "
              << Table::Rounded(large.GetFlow().GetRate() / manyEvents.figures.GetRate())
              << "\nLAN, " << lan.GetTransfers() << " transfers of "
              << Table::Bytes(lan.messageBytes) << " by the applications: packet level "
              << Table::Rounded(packets.figures.simulatedSeconds, 6) << " s simulated, "
              << Table::Rounded(packets.figures.wallSeconds) << " s wall; flow level "
              << Table::Rounded(flows.figures.simulatedSeconds, 6) << " s simulated, "
              << Table::Rounded(flows.figures.wallSeconds) << " s wall\n\n";

    bool ok = true;
    if (HAS_SIMGRID)
    {
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            ok &= CheckAtMost(
                all[i].name + ", simulated time, off SimGrid's by",
                std::abs(all[i].GetFlow().simulatedSeconds / all[i].GetPeer().simulatedSeconds - 1),
                SIMULATED_LIMIT);
        }
        ok &= CheckAtLeast(small.name + ", transfers/s over SimGrid's best",
                           small.GetFlow().GetRate() / small.GetPeer().GetRate(),
                           SMALL_SPEED_LIMIT * share);
        ok &= CheckAtLeast(large.name + ", transfers/s over SimGrid's best",
                           large.GetFlow().GetRate() / large.GetPeer().GetRate(),
                           LARGE_SPEED_LIMIT * share * manyDevices / 8000);
    }
    ok &= CheckAtLeast("an empty event's instructions over a transfer's",
                       CountInstructions("events") / COUNTED_EVENTS /
                           (CountInstructions("one") / one.GetTransfers()),
                       EVENT_LIMIT);
    ok &= CheckAtMost(Describe(many) + ", instructions per transfer over those of " + Describe(few),
                      CountInstructions("many") / many.GetTransfers() /
                          (CountInstructions("few") / few.GetTransfers()),
                      INSTRUCTIONS_LIMIT);
    if (!isShort)
    {
        const auto& most = sideBySide[sideBySide.size() - 2];
        ok &= CheckAtMost(most.name + ", wall time per transfer over that of " + medium.name,
                          medium.GetFlow().GetRate() / most.GetFlow().GetRate(),
                          GROWTH_LIMIT);
    }
    ok &= CheckAtMost("memory of an idle device beyond its node, bytes", idleBytes, IDLE_LIMIT);
    ok &= CheckAtLeast("LAN, wall time of packet level over flow level",
                       packets.figures.wallSeconds / flows.figures.wallSeconds,
                       PACKET_LIMIT * share);
    return ok ? 0 : 1;
}
