// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"

namespace
{

/// Share by which flow level may differ from packet level on wires.
constexpr double LIMIT = 0.05;

/// How far the iteration time has to exceed that over infinitely fast wires, or the case says
/// nothing about the network.
constexpr double LEAST_EXCESS = 1.2;

/** A training on wires. */
struct WireCase
{
    const char* name;                   //!< what is special about it
    uint32_t stages;                    //!< how many, all equal
    double passSeconds;                 //!< of a forward pass; backward takes twice as long
    uint64_t tensorBytes;               //!< between any two stages
    uint32_t microBatches;              //!< how many
    const char* schedule;               //!< gpipe or 1f1b
    const char* link;                   //!< lan or p2p
    double bitsPerSecond;               //!< of every wire
    double delaySeconds;                //!< of every wire
    std::vector<BandwidthStep> steps{}; //!< later bandwidths
    uint32_t mtuBytes{1500};            //!< largest packet
    std::vector<std::size_t> devices{}; //!< of the stages; empty: in order
    double limit{LIMIT};                //!< of the difference
};

/** @return small cases of every kind that is hard for flows */
std::vector<WireCase>
GetCases()
{
    return {
        {"gigabit LAN", 6, 2e-3, 2000000, 6, "gpipe", "lan", 1e9, 20e-6},
        {"two tensors on every uplink", 6, 5e-3, 600000, 8, "1f1b", "lan", 1e8, 20e-6},
        {"slow LAN", 4, 5e-3, 60000, 8, "1f1b", "lan", 1e7, 20e-6},
        {"bursts in slow start", 2, 1e-3, 16000, 8, "gpipe", "lan", 1e8, 5e-3},
        {"window below the path", 3, 2e-2, 4000000, 4, "gpipe", "lan", 1e9, 10e-3},
        {"jumbo packets", 4, 5e-3, 600000, 6, "1f1b", "lan", 1e8, 1e-4, {}, 9000},
        {"rate falls", 3, 1e-2, 1500000, 4, "gpipe", "p2p", 1e8, 1e-4, {{Seconds(0.3), 2e7}}},
        {"it rises",
         4,
         1e-2,
         800000,
         6,
         "1f1b",
         "lan",
         4e7,
         1e-3,
         {{Seconds(0.5), 1e7}, {Seconds(1.5), 1e8}}},
        // After a pause, slow start waits behind tensors in every round trip.
        {"acknowledgements behind tensors",
         2,
         2e-2,
         500000,
         8,
         "1f1b",
         "p2p",
         2e7,
         2e-2,
         {},
         1500,
         {},
         0.06},
        {"shared wires", 4, 5e-3, 400000, 6, "1f1b", "p2p", 1e8, 1e-4, {}, 1500, {0, 3, 1, 4}},
        {"far away", 2, 1e-2, 700000, 6, "gpipe", "p2p", 1e8, 3e-2},
        {"many stages", 12, 2e-3, 200000, 8, "1f1b", "lan", 1e8, 20e-6},
    };
}

/// @return mean duration of an iteration, s; 0 if it did not finish
double
GetSeconds(const WireCase& one, const std::string& fidelity)
{
    const std::size_t devices = one.devices.empty() ? one.stages : 5;
    Pipeline pipeline(std::vector<double>(devices, one.passSeconds),
                      std::vector<double>(devices, 2 * one.passSeconds),
                      one.tensorBytes,
                      one.microBatches);
    if (!one.devices.empty())
    {
        // The last stage takes what layers are left.
        pipeline.plan.stages.clear();
        for (std::size_t i = 0; i < one.devices.size(); ++i)
        {
            const bool isLast = i + 1 == one.devices.size();
            pipeline.plan.stages.push_back({one.devices[i], i, isLast ? devices - 1 : i});
        }
    }
    pipeline.options.Set("PipelineCoordinator::Iterations", 2);
    pipeline.options.schedule = one.schedule;
    NetworkOptions& network = pipeline.options.network;
    network.fidelity = fidelity;
    SetKind(network, one.link);
    SetRate(network, one.bitsPerSecond);
    SetLaterRates(network, one.steps);
    network.Set("Delay", TimeValue(Seconds(one.delaySeconds)));
    network.mtuBytes = one.mtuBytes;
    const auto result = pipeline.Run();
    return result.finished ? result.GetMeanIterationSeconds() : 0;
}

} // namespace

TEST(LongFidelity, FlowLevelIsWithinFivePercentOfPacketLevelOnWires)
{
    for (const auto& one : GetCases())
    {
        SCOPED_TRACE(one.name);
        const double packet = GetSeconds(one, "packet");
        const double flow = GetSeconds(one, "flow");
        WireCase ideal = one;
        ideal.bitsPerSecond = 1e12;
        ideal.delaySeconds = 0;
        ideal.steps.clear();
        EXPECT_GT(packet, LEAST_EXCESS * GetSeconds(ideal, "flow"));
        EXPECT_NEAR(flow / packet, 1, one.limit);
    }
}
