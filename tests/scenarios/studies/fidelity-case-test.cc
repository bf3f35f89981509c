// SPDX-License-Identifier: GPL-2.0-only

#include "studies/fidelity-case.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

TEST(FidelityCase, TellsHowFarARunOfAnyWorkloadIs)
{
    for (const std::string text :
         {"model=mnist_cnn cluster=pi-lab iterations=5 link=lan",
          "workload=cooperative-inference model=mnist_cnn frames=20 link=lan",
          "workload=actor-learner actors=2 planner=all-local duration=3s warm-up=1s link=lan",
          "workload=data-parallel model=mnist_cnn updates=20 link=lan"})
    {
        std::vector<double> told;
        const auto made = FidelityCase::Make(text, std::string(EDGEPIPE_ROOT) + "/traces");
        made->Simulate(made->GetNetwork("flow"), [&told](double share) { told.push_back(share); });
        ASSERT_GT(told.size(), 2U) << text;
        for (std::size_t i = 1; i < told.size(); ++i)
        {
            EXPECT_LE(told[i - 1], told[i]) << text;
        }
        EXPECT_GE(told.front(), 0) << text;
        EXPECT_GT(told.back(), 0.5) << text;
        EXPECT_LE(told.back(), 1) << text;
    }
}
