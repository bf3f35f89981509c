// SPDX-License-Identifier: GPL-2.0-only

#include "lib/workload.h"
#include "test.h"

#include <malloc.h>
#include <unistd.h>

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

TEST(ManySimulations, AThousandInOneProcessHoldNoMoreMemoryOrFilesThanFourHundred)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what is freed";
#endif
    // Packet level where little is sent; the network under the others is the same.
    using Values = std::vector<std::pair<std::string, std::string>>;
    const std::vector<std::tuple<std::string, Values, std::vector<std::string>>> kinds{
        {"pipeline-training",
         {{"model", "mnist_cnn"}, {"planner", "even"}, {"micro-batches", "2"}},
         {"flow"}},
        {"cooperative-inference", {{"model", "mnist_cnn"}, {"frames", "3"}}, {"flow", "packet"}},
        {"actor-learner",
         {{"actors", "2"}, {"churn", "300"}, {"duration", "1s"}, {"warm-up", "0s"}},
         {"flow", "packet"}},
        {"data-parallel", {{"model", "mnist_cnn"}, {"devices", "3"}, {"updates", "3"}}, {"flow"}}};
    std::vector<std::pair<std::unique_ptr<ConfiguredWorkload>, NetworkOptions>> runs;
    for (auto [name, values, fidelities] : kinds)
    {
        values.emplace_back("link", "trace");
        values.emplace_back("trace", "lte-driving.up.csv");
        values.emplace_back("trace-down", "lte-driving.down.csv");
        for (const auto& fidelity : fidelities)
        {
            auto one = std::make_unique<ConfiguredWorkload>(name, values);
            NetworkOptions network = (*one)->GetNetwork();
            network.fidelity = fidelity;
            runs.emplace_back(std::move(one), network);
        }
    }
    Holdings few{};
    for (uint32_t simulation = 0; simulation < 1000; ++simulation)
    {
        if (simulation == 400)
        {
            few = Measure();
        }
        const auto& [one, network] = runs[simulation % runs.size()];
        EXPECT_TRUE((*one)->Simulate(0, network, {}).isFinished) << (*one)->GetName();
    }
    const auto many = Measure();
    EXPECT_LE(many.files, few.files);
    // A network that stays takes tens of kB each time. ns-3 keeps up to a thousand buffers, which
    // the first simulations fill.
    EXPECT_LT(many.heapBytes - few.heapBytes, 40 * 1000) << "bytes that were not freed";
    EXPECT_LT(many.residentBytes - few.residentBytes, 400 * 1000) << "more bytes in memory";
}
