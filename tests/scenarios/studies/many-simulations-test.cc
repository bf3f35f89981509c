// SPDX-License-Identifier: GPL-2.0-only

#include "studies/fidelity-case.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <malloc.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace ns3::edgepipe;

namespace
{

/** What a process holds. */
struct Holdings
{
    int64_t heapBytes;     //!< allocated and not freed
    int64_t residentBytes; //!< in memory
    int64_t files;         //!< open
};

/** @return what this process holds */
Holdings
Measure()
{
    malloc_trim(0);
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    const auto heap = mallinfo2();
    namespace fs = std::filesystem;
    return {static_cast<int64_t>(heap.uordblks + heap.hblkhd),
            pages * sysconf(_SC_PAGESIZE),
            std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator())};
}

} // namespace

TEST(ManySimulations, TwoThousandInOneProcessHoldNoMoreMemoryOrFilesThanFiveHundred)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what is freed";
#endif
    // Packet level where little is sent; the network under the others is the same.
    const std::vector<std::pair<std::string, std::vector<std::string>>> kinds{
        {"workload=pipeline-training model=mnist_cnn planner=even micro-batches=2", {"flow"}},
        {"workload=cooperative-inference model=mnist_cnn frames=3", {"flow", "packet"}},
        {"workload=actor-learner actors=2 churn=300 duration=1s warm-up=0s", {"flow", "packet"}},
        {"workload=data-parallel model=mnist_cnn devices=3 updates=3", {"flow"}}};
    const std::string recording =
        " link=trace trace=lte-driving.up.csv trace-down=lte-driving.down.csv";
    std::vector<std::pair<std::unique_ptr<FidelityCase>, NetworkOptions>> runs;
    for (const auto& [text, fidelities] : kinds)
    {
        for (const auto& fidelity : fidelities)
        {
            auto one = FidelityCase::Make(text + recording, "");
            const auto network = one->GetNetwork(fidelity);
            runs.emplace_back(std::move(one), network);
        }
    }
    Holdings few{};
    for (uint32_t simulation = 0; simulation < 2000; ++simulation)
    {
        if (simulation == 500)
        {
            few = Measure();
        }
        const auto& [one, network] = runs[simulation % runs.size()];
        EXPECT_TRUE(one->Simulate(network, {}).isFinished) << one->GetText();
    }
    const auto many = Measure();
    EXPECT_LE(many.files, few.files);
    // A network that stays takes tens of kB each time. ns-3 keeps up to a thousand buffers, which
    // the first simulations fill.
    EXPECT_LT(many.heapBytes - few.heapBytes, 100 * 1000) << "bytes that were not freed";
    EXPECT_LT(many.residentBytes - few.residentBytes, 1000 * 1000) << "more bytes in memory";
}
