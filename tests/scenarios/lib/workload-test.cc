/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"
#include "test.h"

TEST(Workload, TellsHowFarARunIs)
{
    using Values = std::vector<std::pair<std::string, std::string>>;
    for (const auto& [name, values] : std::vector<std::pair<std::string, Values>>{
             {"pipeline-training",
              {{"model", "mnist_cnn"}, {"cluster", "pi-lab"}, {"iterations", "5"}}},
             {"cooperative-inference", {{"model", "mnist_cnn"}, {"frames", "20"}}},
             {"actor-learner",
              {{"actors", "2"}, {"planner", "all-local"}, {"duration", "3s"}, {"warm-up", "1s"}}},
             {"data-parallel", {{"model", "mnist_cnn"}, {"updates", "20"}}}})
    {
        SCOPED_TRACE(name);
        Values all = values;
        all.emplace_back("link", "lan");
        std::vector<double> told;
        const ConfiguredWorkload made(name, all);
        made->Simulate(0, made->GetNetwork(), [&told](double share) { told.push_back(share); });
        ASSERT_GT(told.size(), 2U);
        for (std::size_t i = 1; i < told.size(); ++i)
        {
            EXPECT_LE(told[i - 1], told[i]);
        }
        EXPECT_GE(told.front(), 0);
        EXPECT_GT(told.back(), 0.5);
        EXPECT_LE(told.back(), 1);
    }
}
