/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/count-list.h"

#include <gtest/gtest.h>

using namespace ns3::edgepipe;

TEST(CountList, SaysWhatAnEllipsisStandsFor)
{
    const std::vector<std::pair<std::string, std::vector<uint32_t>>> cases{
        {"7", {7}},
        {"1,2,16", {1, 2, 16}},
        {"2,4,...,10", {2, 4, 8, 10}},
        {"2,4,\u2026,16", {2, 4, 8, 16}},
        {"3,9,...,100", {3, 9, 27, 81, 100}},
        {"4,6,...,11", {4, 6, 8, 10, 11}},
        {"10,20,30,...,60", {10, 20, 30, 40, 50, 60}},
        {"2,4,8,...,40", {2, 4, 8, 16, 32, 40}},
        {"2,4,6,...,11", {2, 4, 6, 8, 10, 11}},
        {"1,2,...,4,6,...,8", {1, 2, 4, 6, 8}},
        {"5,6,...,7", {5, 6, 7}},
        {"1,3000000000,...,4294967295", {1, 3000000000U, 4294967295U}},
    };
    for (const auto& [text, expected] : cases)
    {
        SCOPED_TRACE(text);
        std::vector<uint32_t> counts;
        EXPECT_TRUE(ParseCounts(text, counts));
        EXPECT_EQ(counts, expected);
    }
}

TEST(CountList, RefusesWhatIsNoList)
{
    for (const char* text : {"",
                             "0",
                             "-1",
                             "1.5",
                             "two",
                             "1,",
                             ",1",
                             "1,1",
                             "2,1",
                             "1,,2",
                             "...",
                             "...,4",
                             "2,...,8",
                             "2,4,...",
                             "2,4,...,...,9",
                             "2,4,...,3",
                             "4,2,...,8",
                             "2,4,...,4",
                             "1,2,4,7,...,20",
                             "1,2,6,...,54",
                             "4,6,9,...,30",
                             "1 ,2",
                             "4294967296",
                             "1,2,3,...,20000",
                             "2,4,..,8",
                             "0,1,...,4"})
    {
        std::vector<uint32_t> counts;
        EXPECT_FALSE(ParseCounts(text, counts)) << text;
    }
}
