// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-jitter-rules.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace ns3::edgepipe
{
namespace
{

TEST(JitterRulesTest, APacketAloneWaitsForHalf)
{
    EXPECT_NEAR(GetJitterSeconds(0.1, 0, 1), 0.05, 1e-6);
    EXPECT_NEAR(GetJitterSeconds(0.1, 0.2, 1000), 0.05, 1e-6); // as far apart as alone
}

TEST(JitterRulesTest, PacketsAtOnceWaitForTheLargestOfUniformNumbers)
{
    for (const uint32_t packets : {2, 10, 40})
    {
        EXPECT_NEAR(GetJitterSeconds(1, 0, packets), packets / (packets + 1.0), 2e-3) << packets;
    }
}

TEST(JitterRulesTest, IsTheMeanOfDraws)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> delay(0, 1);
    for (const double spacing : {0.01, 0.1, 0.4})
    {
        constexpr int DRAWS = 40000;
        double mean = 0;
        for (int draw = 0; draw < DRAWS; ++draw)
        {
            double last = 0;
            for (int i = 0; i < 30; ++i)
            {
                last = std::max(last, delay(random) - i * spacing);
            }
            mean += last / DRAWS;
        }
        EXPECT_NEAR(GetJitterSeconds(1, spacing, 30), mean, 5e-3) << spacing;
    }
}

} // namespace
} // namespace ns3::edgepipe
