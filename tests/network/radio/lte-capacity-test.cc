// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-lte-capacity.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::edgepipe;

namespace
{

/// @return IP bytes/s of a block of bits each millisecond, of packets of 1500 bytes
double
Rate(double bits)
{
    return (bits / 8 - 2) * 1500 / 1503.5 / 1e-3;
}

} // namespace

TEST(LteCapacity, IsThatOfTheLargestBlocksNearTheBaseStation)
{
    // 3GPP TS 36.213, table 7.1.7.2.1-1, row 26: 25 resource blocks up; down whole groups of two,
    // thus 24; of 100 all.
    const LteCapacity five(25, 1500);
    EXPECT_NEAR(1 / five.GetSecondsPerByte(50, RadioDirection::UP), Rate(18336), 1);
    EXPECT_NEAR(1 / five.GetSecondsPerByte(50, RadioDirection::DOWN), Rate(17568), 1);
    const LteCapacity twenty(100, 1500);
    EXPECT_NEAR(1 / twenty.GetSecondsPerByte(50, RadioDirection::DOWN), Rate(75376), 1);
}

TEST(LteCapacity, UsersLoseWhatDoesNotDivide)
{
    // Four users: 6 of 25 resource blocks each up (row 26: 4392 bits), 3 of 12 groups down,
    // likewise.
    const LteCapacity five(25, 1500);
    EXPECT_NEAR(five.GetEfficiency(4, 50, RadioDirection::UP), 4 * Rate(4392) / Rate(18336), 1e-9);
    EXPECT_NEAR(five.GetEfficiency(4, 50, RadioDirection::DOWN),
                4 * Rate(4392) / Rate(17568),
                1e-9);
    EXPECT_EQ(five.GetEfficiency(1, 50, RadioDirection::UP), 1);
    EXPECT_EQ(five.GetMostFlows(), 12U);
}

TEST(LteCapacity, EndsWhereTheUplinkEnds)
{
    // log2(1 + SNR / 5.53) of 0.1523, CQI 1, needs -2.1 dB; 23 dBm against noise of -102.4 dBm
    // leave 127.6 dB for 15.3 + 37.6 log10(d), thus 968 m.
    const LteCapacity five(25, 1500);
    EXPECT_TRUE(std::isfinite(five.GetSecondsPerByte(955, RadioDirection::UP)));
    EXPECT_TRUE(std::isinf(five.GetSecondsPerByte(985, RadioDirection::UP)));
    EXPECT_TRUE(std::isfinite(five.GetSecondsPerByte(985, RadioDirection::DOWN)));
}

TEST(LteCapacity, NeverRisesWithTheDistance)
{
    for (const uint32_t blocks : {6U, 15U, 25U, 50U, 75U, 100U})
    {
        const LteCapacity cell(blocks, 1500);
        for (const auto direction : {RadioDirection::UP, RadioDirection::DOWN})
        {
            double before = 0;
            for (double distance = 20; distance < 3000; distance *= 1.2)
            {
                const double now = cell.GetSecondsPerByte(distance, direction);
                // Where the MCS stays, more blocks are lost and sent again.
                EXPECT_GE(now, before * (1 - 0.11)) << blocks << " at " << distance;
                before = now;
            }
        }
    }
}
