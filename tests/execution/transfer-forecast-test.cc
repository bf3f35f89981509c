// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

TEST(TransferForecast, TensorsGoOneAfterAnotherAtTheRateOfTheLast)
{
    TransferForecast forecast(100);
    EXPECT_EQ(forecast.GetRemainingSeconds(Seconds(0)), 0);
    EXPECT_DOUBLE_EQ(forecast.GetSeconds(200), 2);
    forecast.NoticeSent(Seconds(1), 200);
    EXPECT_TRUE(forecast.IsBusy());
    EXPECT_DOUBLE_EQ(forecast.GetRemainingSeconds(Seconds(1.5)), 1.5);
    // The second one waits for the first, which is late: 200 bytes in 4 s.
    forecast.NoticeSent(Seconds(2), 100);
    EXPECT_EQ(forecast.GetRemainingSeconds(Seconds(4)), 0);
    forecast.NoticeArrived(Seconds(5));
    EXPECT_DOUBLE_EQ(forecast.GetRemainingSeconds(Seconds(5)), 2);
    EXPECT_DOUBLE_EQ(forecast.GetRemainingSeconds(Seconds(6)), 1);
    forecast.NoticeArrived(Seconds(6));
    EXPECT_FALSE(forecast.IsBusy());
    // 100 bytes in 1 s; a pause does not count.
    forecast.NoticeSent(Seconds(20), 50);
    EXPECT_DOUBLE_EQ(forecast.GetRemainingSeconds(Seconds(20)), 0.5);
}

TEST(TransferForecast, WhatTakesNoTimeTellsNothingOfTheRate)
{
    TransferForecast forecast(100);
    forecast.NoticeSent(Seconds(1), 100);
    forecast.NoticeArrived(Seconds(1));
    forecast.NoticeSent(Seconds(1), 0);
    EXPECT_EQ(forecast.GetRemainingSeconds(Seconds(1)), 0);
    forecast.NoticeArrived(Seconds(3));
    EXPECT_DOUBLE_EQ(forecast.GetSeconds(100), 1);
}
