// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

TEST(EdgepipeInputError, SaysWhichOptionIsAtFault)
{
    const InputError error("delay", "-1 s", "0 to 100 s");
    EXPECT_EQ(error.what(), std::string("delay: found -1 s, expected 0 to 100 s"));
    EXPECT_EQ(error.GetOption(), "delay");
    EXPECT_EQ(InputError("delay: found nothing").GetOption(), "");
}

} // namespace
