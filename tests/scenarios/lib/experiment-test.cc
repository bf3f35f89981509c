// SPDX-License-Identifier: GPL-2.0-only

#include "lib/experiment.h"
#include "test.h"

namespace
{

/// Lines about cases.
using Lines = std::vector<std::string>;

/// @return a comparison of figures in seconds
Comparison
Compare(std::vector<PredictedCase> cases)
{
    return {FormatRounded, " s", std::move(cases)};
}

TEST(Experiment, PredictionsThatAreOffByTwoOrMoreAreExplained)
{
    const std::vector<PredictedCase> cases{{"far", 2.31, 11.55, 0},
                                           {"near", 1, 1.99, 0},
                                           {"slow", 4, 2, 0},
                                           {"nothing", 0, 0, 0}};
    EXPECT_EQ(Compare(cases).DescribeDistance({"load that changes", "probes"}),
              Lines{"Predictions are far off for far (2.310 s predicted, 11.55 s simulated) and "
                    "slow (4.000 s predicted, 2.000 s simulated); they leave out load that changes "
                    "and probes."});
    EXPECT_EQ(Compare({cases[2]}).DescribeDistance({}),
              Lines{"Predictions are far off for slow (4.000 s predicted, 2.000 s simulated)."});
    EXPECT_EQ(Compare({cases[1], cases[3]}).DescribeDistance({"probes"}), Lines{});
}

TEST(Experiment, OrdersAreComparedWithinAGroup)
{
    const std::vector<PredictedCase> cases{{"a", 1, 3, 0}, {"b", 2, 2, 0}, {"c", 0.5, 4, 1}};
    EXPECT_EQ(
        Compare(cases).DescribeOrder(),
        Lines{"The orders disagree: a (1.000 s predicted, 3.000 s simulated) is predicted to beat "
              "b (2.000 s predicted, 2.000 s simulated), which is faster in the simulation."});
    // One fact is one line.
    EXPECT_EQ(
        Compare({cases[0], {"e", 1.2, 3, 0}, cases[1], {"f", 2.5, 1.5, 0}, {"g", 2.6, 9, 0}})
            .DescribeOrder(),
        (Lines{"The orders disagree: a (1.000 s predicted, 3.000 s simulated) and e (1.200 s "
               "predicted, 3.000 s simulated) are predicted to beat b (2.000 s predicted, 2.000 s "
               "simulated) and f (2.500 s predicted, 1.500 s simulated), which are faster in the "
               "simulation.",
               "The orders disagree: b (2.000 s predicted, 2.000 s simulated) is predicted to beat "
               "f (2.500 s predicted, 1.500 s simulated), which is faster in the simulation."}));
    EXPECT_EQ(
        Compare({cases[0], {"d", 2, 4, 0}}).DescribeOrder(),
        Lines{"Prediction and simulation put the planners in the same order (figures within 2 % "
              "of each other are ties)."});
    EXPECT_EQ(Compare({cases[0]}).DescribeOrder(), Lines{});
    for (const double near : {1.019, 0.982})
    {
        // A tie in the simulation, and in the prediction.
        EXPECT_EQ(Compare({cases[0], {"d", 2, 3 * near, 0}}).DescribeOrder(), Lines{});
        EXPECT_EQ(Compare({cases[0], {"d", near, 2, 0}}).DescribeOrder(), Lines{});
    }
}

} // namespace
