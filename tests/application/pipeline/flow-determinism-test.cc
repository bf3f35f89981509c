// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-fixture.h"
#include "test.h"

using namespace ns3;
using namespace ns3::edgepipe;

TEST(Determinism, TheSameFlowLevelRunTwiceIsTheSameToTheByte)
{
    for (const char* link : {"p2p", "lan"})
    {
        for (const char* schedule : {"gpipe", "1f1b"})
        {
            SCOPED_TRACE(testing::Message() << link << " " << schedule);
            // Unequal stages with large tensors on slow wires, whose bandwidth changes in between.
            Pipeline pipeline({0.01, 0.03, 0.02, 0.01}, {0.02, 0.05, 0.04, 0.03}, 400000, 8);
            pipeline.options.schedule = schedule;
            pipeline.options.iterations = 3;
            auto& network = pipeline.options.network;
            network.fidelity = "flow";
            network.link = link;
            network.bandwidthBitsPerSecond = 1e8;
            network.bandwidthSteps = {{Seconds(0.5), 3e7}, {Seconds(1.1), 2e8}};
            const auto once = pipeline.Run();
            const auto twice = pipeline.Run();
            ASSERT_TRUE(once.finished) << ShowDiagnosis(once);
            EXPECT_EQ(once.events, twice.events);
            EXPECT_EQ(once.bytesMoved, twice.bytesMoved);
            const std::string timeline = ShowTimeline(once);
            EXPECT_GT(timeline.size(), 10000U);
            EXPECT_TRUE(timeline == ShowTimeline(twice));

            network.bandwidthSteps[0].bitsPerSecond = 2.9e7;
            EXPECT_FALSE(timeline == ShowTimeline(pipeline.Run())) << "the timeline tells nothing";
        }
    }
}
