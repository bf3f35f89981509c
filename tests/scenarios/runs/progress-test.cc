// SPDX-License-Identifier: GPL-2.0-only

#include "runs/progress.h"

#include <gtest/gtest.h>

namespace ns3::edgepipe
{

TEST(ProgressTest, SaysHowMuchIsDoneAndHowLongTheRestTakes)
{
    EXPECT_EQ(Progress::FormatLine(0, "even: planning", 3), "  0%  even: planning");
    EXPECT_EQ(Progress::FormatLine(0.4, "even: simulating", 8),
              " 40%  even: simulating, 12 s left");
    EXPECT_EQ(Progress::FormatLine(0.5, "a", 125), " 50%  a, 2 min 5 s left");
    EXPECT_EQ(Progress::FormatLine(0.5, "a", 7320), " 50%  a, 2 h 2 min left");
}

TEST(ProgressTest, FitsATerminalOf80Columns)
{
    const auto line = Progress::FormatLine(0.001, std::string(200, 'x'), 1e6);
    EXPECT_EQ(line.size(), 79);
    EXPECT_NE(line.find("xxx..., "), std::string::npos);
    EXPECT_NE(line.find(" left"), std::string::npos);
}

} // namespace ns3::edgepipe
