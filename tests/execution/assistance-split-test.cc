// SPDX-License-Identifier: GPL-2.0-only

#include "planner/pipeline/random-pipeline-problem.h"

namespace
{

/** @return until all is done if the helper gets so many samples, seconds */
double
GetSeconds(const AssistanceQuestion& q, uint32_t samples)
{
    return samples == 0 ? q.ownerSeconds
                        : std::max(q.ownerSeconds - samples * q.ownerSecondsPerSample,
                                   q.helperSeconds + samples * q.helperSecondsPerSample);
}

/** @return the best split, found by trying all */
AssistanceAnswer
TryAll(const AssistanceQuestion& q)
{
    AssistanceAnswer best{0, q.ownerSeconds};
    for (uint32_t samples = 1; samples <= q.mostSamples; ++samples)
    {
        const double seconds = GetSeconds(q, samples);
        if (seconds < best.seconds && q.ownerSeconds - seconds > q.minimumGainSeconds)
        {
            best = {samples, seconds};
        }
    }
    return best;
}

} // namespace

TEST(AssistanceSplit, IsThatOfEquation12)
{
    // 30 samples left at 10 samples/s, a helper of 20 samples/s: A = 30 * 20 / (20 + 10) = 20.
    const AssistanceAnswer answer = SplitSamples({3, 0.1, 0, 0.05, 30, 0});
    EXPECT_EQ(answer.samples, 20U);
    EXPECT_NEAR(answer.seconds, 1, 1e-12);
}

TEST(AssistanceSplit, TakesTheBetterOfTheTwoWholeNumbers)
{
    // Balanced at 10 / 3: 3 samples leave 0.7 s, 4 samples keep the helper busy for 0.8 s.
    EXPECT_EQ(SplitSamples({1, 0.1, 0, 0.2, 10, 0}).samples, 3U);
    // Balanced at 20 / 3: 6 leave 0.4 s, 7 leave 0.3 s and take 0.35 s.
    EXPECT_EQ(SplitSamples({1, 0.1, 0, 0.05, 10, 0}).samples, 7U);
}

TEST(AssistanceSplit, AgreesWithTryingAllSplits)
{
    Draws draws(1);
    uint32_t helped = 0;
    for (int i = 0; i < 20000; ++i)
    {
        AssistanceQuestion q{};
        q.mostSamples = draws.Integer(0, 40);
        q.ownerSecondsPerSample = draws.Unit() < 0.05 ? 0 : draws.Unit();
        q.ownerSeconds = q.mostSamples * q.ownerSecondsPerSample + draws.Unit();
        q.helperSeconds = draws.Unit() < 0.5 ? 0 : 5 * draws.Unit();
        q.helperSecondsPerSample = draws.Unit() < 0.05 ? 0 : 3 * draws.Unit();
        q.minimumGainSeconds = draws.Unit() < 0.5 ? 0 : 2 * draws.Unit();
        const AssistanceAnswer answer = SplitSamples(q);
        const AssistanceAnswer best = TryAll(q);
        ASSERT_NEAR(answer.seconds, best.seconds, 2e-9) << "question " << i;
        ASSERT_LE(answer.samples, q.mostSamples);
        ASSERT_NEAR(answer.seconds, GetSeconds(q, answer.samples), 1e-12);
        helped += answer.samples > 0;
    }
    EXPECT_GT(helped, 5000U);
    EXPECT_LT(helped, 15000U);
}

TEST(AssistanceSplit, IsNoneWhereHelpGainsTooLittle)
{
    const AssistanceQuestion question{3, 0.1, 0, 0.05, 30, 1.9};
    EXPECT_EQ(SplitSamples(question).samples, 20U) << "it gains 2 s";
    AssistanceQuestion late = question;
    late.helperSeconds = 3;
    EXPECT_EQ(SplitSamples(late).samples, 0U);
    EXPECT_EQ(SplitSamples(late).seconds, 3);
    AssistanceQuestion picky = question;
    picky.minimumGainSeconds = 2.1;
    EXPECT_EQ(SplitSamples(picky).samples, 0U);
}

TEST(HelpDelay, CountsUntilTheNextIterationEndsAndTwiceAsLongWhereATryFindsItAgain)
{
    HelpDelay delay;
    EXPECT_EQ(delay.Get(0), 0);
    delay.Notice(4, 10);
    EXPECT_EQ(delay.Get(4), 10);
    EXPECT_EQ(delay.Get(5), 10);
    EXPECT_EQ(delay.Get(6), 0);
    // The neighbour stays slow: 2 and 4 iterations beyond that of the try.
    delay.Notice(6, 9);
    EXPECT_EQ(delay.Get(8), 9);
    EXPECT_EQ(delay.Get(9), 0);
    delay.Notice(9, 8);
    EXPECT_EQ(delay.Get(13), 8);
    EXPECT_EQ(delay.Get(14), 0);
    // Results while it counts keep it; no try was needed.
    delay.Notice(9, 8);
    delay.Notice(12, 8);
    EXPECT_EQ(delay.Get(16), 8);
    EXPECT_EQ(delay.Get(17), 0);
    // It is fast again.
    delay.Notice(17, 1);
    EXPECT_EQ(delay.Get(18), 1);
    EXPECT_EQ(delay.Get(19), 0);
}
