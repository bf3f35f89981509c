// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/** @return the error that the action ends in */
template <typename Action>
InputError
CatchError(Action action)
{
    try
    {
        action();
    }
    catch (const InputError& error)
    {
        return error;
    }
    return InputError("no error");
}

TEST(EdgepipeInputError, OfALinkNamesTheOptionAndOfAFileNone)
{
    NetworkOptions options;
    options.Set("Delay", TimeValue(Seconds(101)));
    EXPECT_EQ(CatchError([&] { CheckNetworkOptions(options, {"a", "b"}); }).GetOption(), "delay");
    options.SetLink("4g", "Jitter", TimeValue(Seconds(101)));
    EXPECT_EQ(CatchError([&] { CheckNetworkOptions(options, {"a", "b"}); }).GetOption(), "jitter");
    TraceOptions trace;
    trace.end = "never";
    // Its name looks like an option's.
    const auto check = [&] { CheckTrace("trace-end: none", TraceDirection::UP, trace); };
    EXPECT_EQ(CatchError(check).GetOption(), "trace-end");
    trace.end = "loop";
    EXPECT_EQ(CatchError(check).GetOption(), "");
    EXPECT_EQ(std::string(CatchError(check).what()).find("trace-end: none: "), 0U);
}

} // namespace
