// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/** @return two fast devices and, between them, a slow one */
PipelineProblem
MakeProblem()
{
    PipelineProblem problem;
    problem.bandwidthBitsPerSecond = 1e8;
    problem.costs["some"] = {};
    for (const char* name : {"first", "second", "third"})
    {
        problem.devices.push_back({name, "some", 0});
    }
    problem.devices[1].uplinkBitsPerSecond = 1e6;
    problem.devices[1].downlinkBitsPerSecond = 4e6;
    return problem;
}

TEST(LinkBeliefs, AMeasurementTellsOfTheSlowerEnd)
{
    LinkBeliefs links(MakeProblem());
    links.SetRates({{1, 2, 1.03e6}}); // as believed
    EXPECT_EQ(links.GetUplinks(), (std::vector<double>{1e8, 1e6, 1e8}));
    links.SetRates({{1, 2, 523e3}});
    EXPECT_EQ(links.GetUplinks(), (std::vector<double>{1e8, 520e3, 1e8}));
    EXPECT_EQ(links.GetDownlinks(), (std::vector<double>{1e8, 4e6, 1e8}));
    links.SetRates({{1, 2, 8.51e6}});
    EXPECT_EQ(links.GetUplinks()[1], 8.5e6);
    EXPECT_EQ(links.GetDownlinks()[2], 1e8);
    links.SetRates({{0, 1, 2e8}});
    EXPECT_EQ(links.GetUplinks()[0], 2e8);
    EXPECT_EQ(links.GetDownlinks()[1], 2e8);
}

TEST(LinkBeliefs, OfLikeEndsBothAreDoubtedUntilAnotherPairClearsOne)
{
    LinkBeliefs links(MakeProblem());
    links.SetRates({{0, 2, 3e7}});
    EXPECT_EQ(links.GetUplinks()[0], 3e7);
    EXPECT_EQ(links.GetDownlinks()[2], 3e7);
    links.SetRates({{2, 0, 1e8}, {0, 2, 1e8}});
    EXPECT_EQ(links.GetUplinks()[0], 1e8);
    EXPECT_EQ(links.GetDownlinks()[2], 1e8);
}

TEST(LinkBeliefs, ALinkThatIsSlowWithBothNeighboursIsToBlame)
{
    PipelineProblem problem = MakeProblem();
    problem.devices[1].uplinkBitsPerSecond = problem.devices[1].downlinkBitsPerSecond = 0;
    LinkBeliefs links(problem);
    links.SetRates({{0, 1, 2e6}, {1, 0, 1e6}, {1, 2, 1e6}, {2, 1, 2e6}});
    EXPECT_EQ(links.GetUplinks(), (std::vector<double>{1e8, 1e6, 1e8}));
    EXPECT_EQ(links.GetDownlinks(), (std::vector<double>{1e8, 2e6, 1e8}));
}

} // namespace
