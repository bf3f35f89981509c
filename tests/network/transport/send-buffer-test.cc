// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

TEST(SendBufferTest, TakesWhatThereIsRoomFor)
{
    SendBuffer buffer;
    buffer.Add(100);
    buffer.Write(0, 300);
    EXPECT_EQ(buffer.GetWritten(), 100);
    buffer.Add(500);
    buffer.Write(0, 300);
    EXPECT_EQ(buffer.GetWritten(), 300);
}

TEST(SendBufferTest, WakesASenderThatWaitsWhenAThirdIsFree)
{
    SendBuffer buffer;
    buffer.Add(1000);
    buffer.Write(0, 300);
    EXPECT_EQ(buffer.GetWakeUp(300), 100);
    buffer.Write(99, 300);
    EXPECT_EQ(buffer.GetWritten(), 300);
    buffer.Write(100, 300);
    EXPECT_EQ(buffer.GetWritten(), 400);
    // The last bytes fill no buffer, so nobody waits and more finds room at once.
    buffer.Write(800, 300);
    EXPECT_EQ(buffer.GetWritten(), 1000);
    buffer.Add(50);
    buffer.Write(801, 300);
    EXPECT_EQ(buffer.GetWritten(), 1050);
}

TEST(SendBufferTest, NeverTakesBackWhatWasWritten)
{
    SendBuffer buffer;
    buffer.Add(1000);
    buffer.Write(0, 300);
    buffer.Write(150, 100);
    EXPECT_EQ(buffer.GetWritten(), 300);
}
