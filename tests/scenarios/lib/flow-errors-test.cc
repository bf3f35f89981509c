// SPDX-License-Identifier: GPL-2.0-only

#include "lib/flow-errors.h"
#include "links.h"

#include <gtest/gtest.h>

namespace ns3::edgepipe
{
namespace
{

NetworkOptions
Join(const std::string& link, const std::string& fidelity)
{
    NetworkOptions network;
    network.SetLink(link);
    network.fidelity = fidelity;
    return network;
}

/// Two regions, one of which is far off.
const std::vector<FlowErrors> KNOWN{{{"lan", "p2p"}, "actor-learner", 49, 0.123},
                                    {{"lan", "p2p"}, "pipeline-training", 65, 0.031}};

TEST(FlowErrors, ALargeErrorIsToldOfItsLinksAndWorkloadOnly)
{
    EXPECT_EQ(DescribeFlowErrors(KNOWN, "actor-learner", Join("p2p", "flow")),
              "flow level: in 49 cases of actor-learner over lan and p2p, one in 20 was 12.3 % "
              "or more off packet level; --fidelity=packet checks a result");
}

TEST(FlowErrors, WhatWasNotComparedIsToldOf)
{
    const std::string checks =
        " have been compared with packet level; --fidelity=packet checks a result";
    EXPECT_EQ(DescribeFlowErrors(KNOWN, "actor-learner", Join("wifi", "flow")),
              "flow level: no cases of actor-learner over wifi" + checks);
    EXPECT_EQ(DescribeFlowErrors(KNOWN, "data-parallel", Join("p2p", "flow")),
              "flow level: no cases of data-parallel over p2p" + checks);
    EXPECT_EQ(DescribeFlowErrors(KNOWN, "data-parallel", Join("p2p", "packet")), "");
}

TEST(FlowErrors, NothingIsSaidOfASmallErrorOrOfPackets)
{
    EXPECT_EQ(DescribeFlowErrors(KNOWN, "pipeline-training", Join("lan", "flow")), "");
    EXPECT_EQ(DescribeFlowErrors(KNOWN, "actor-learner", Join("lan", "packet")), "");
}

} // namespace
} // namespace ns3::edgepipe
