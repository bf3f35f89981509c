// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-message-description.h"

TEST(MessageDescription, IsThatOfWhoUsesThePort)
{
    Message message{};
    message.tag = PipelineTag{PipelineTag::ACTIVATIONS, 1, 3}.Pack();
    message.port = PIPELINE_WORKER_PORT + 2 * TensorSocket::PORTS_PER_JOB;
    EXPECT_EQ(DescribeMessage(message), "activations of micro-batch 3, iteration 1");
    message.port = 20; // nobody's
    EXPECT_EQ(DescribeMessage(message), "message with tag " + std::to_string(message.tag));
    AddMessageDescription(20, [](uint64_t) { return std::string("something of ours"); });
    EXPECT_EQ(DescribeMessage(message), "something of ours");
}
