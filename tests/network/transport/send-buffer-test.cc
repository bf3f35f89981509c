// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

TEST(SendBufferTest, NeverTakesBackWhatWasWritten)
{
    SendBuffer buffer;
    buffer.Add(1000);
    buffer.Write(0, 300);
    buffer.Write(150, 100);
    EXPECT_EQ(buffer.GetWritten(), 300);
}
