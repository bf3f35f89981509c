// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-child-process.h"

#include <csignal>

TEST(ChildProcess, BringsBackTextOfAnyLengthAndLeavesThisProcessAlone)
{
    int mine = 1;
    const std::string longer(1000000, 'x');
    EXPECT_EQ(ChildProcess::Run([&] {
                  mine = 2;
                  return "two\nlines " + longer;
              }).text,
              "two\nlines " + longer);
    EXPECT_EQ(mine, 1);
    EXPECT_EQ(ChildProcess::Run([] { return std::string(); }).text, "");
}

TEST(ChildProcess, ItsPeakMemoryIsItsOwn)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps a shadow of all memory";
#endif
    const auto use = [](std::size_t bytes) {
        return ChildProcess::Run([bytes] {
                   std::vector<char> memory(bytes, 1);
                   return std::to_string(memory[bytes / 2]);
               })
            .peakMemoryBytes;
    };
    const uint64_t little = use(1000);
    const uint64_t much = use(100000000);
    EXPECT_NEAR(static_cast<double>(much - little), 1e8, 1e7);
    EXPECT_LT(use(1000), little + 5000000) << "the child before this one does not count";
}

TEST(ChildProcess, PassesOnWhatIsThrown)
{
    EXPECT_EQ(ErrorOf([] {
                  ChildProcess::Run([]() -> std::string { throw InputError("--a: found 1"); });
              }),
              "--a: found 1");
    EXPECT_THROW(ChildProcess::Run([]() -> std::string { throw std::logic_error("ours"); }),
                 std::runtime_error);
}

TEST(ChildProcess, SaysWhatKilledIt)
{
    ExpectError(
        [] {
            ChildProcess::Run([] {
                raise(SIGKILL);
                return std::string();
            });
        },
        "Killed");
}
