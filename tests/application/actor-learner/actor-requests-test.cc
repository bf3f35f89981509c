// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

const MultiActorModel MODEL{{100, 200}, {50, 20, 5}, 1000};

/** Requests of actors 0, 1, ... that arrive at some times, and when each is served. */
class ActorRequestsTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_compute = CreateObject<ComputeDevice>();
    }

    /// @param arrivals when requests arrive, s, and their cuts
    void Run(uint32_t mostTogether, const std::multimap<double, std::size_t>& arrivals)
    {
        m_requests.SetUp(MODEL, {{0.1, 1}, {0.15, 1.2}, {0.2, 1.5}});
        m_requests.Start(m_compute,
                         0,
                         mostTogether,
                         [this](const ServedRecord& request, std::size_t) {
                             m_served[request.actor] = Simulator::Now().GetSeconds();
                         });
        uint32_t actor = 0;
        for (const auto& [time, cut] : arrivals)
        {
            const ServedRecord request{actor++, 0, Seconds(time), Time(), 0};
            Simulator::Schedule(Seconds(time),
                                [this, request, cut = cut] { m_requests.Add(request, cut); });
        }
        Simulator::Run();
        EXPECT_EQ(m_served.size(), arrivals.size());
    }

    Ptr<ComputeDevice> m_compute;        //!< of the server
    ActorRequests m_requests;            //!< that arrive
    std::map<uint32_t, double> m_served; //!< by actor, s
};

} // namespace

TEST_F(ActorRequestsTest, LayersTakeWhatTheProfileSaysOfSoMany)
{
    m_requests.SetUp(MODEL, {{0.1, 1}, {0.15, 1.2}, {0.2, 1.5}});
    EXPECT_DOUBLE_EQ(m_requests.GetSeconds({0}), 1.1);
    EXPECT_DOUBLE_EQ(m_requests.GetSeconds({1}), 1);
    EXPECT_DOUBLE_EQ(m_requests.GetSeconds({2}), 0);
    // The first layer for one, the second for both; then for two and three.
    EXPECT_DOUBLE_EQ(m_requests.GetSeconds({1, 0}), 0.1 + 1.2);
    EXPECT_DOUBLE_EQ(m_requests.GetSeconds({0, 1, 0}), 0.15 + 1.5);
    // Beyond what is known, in proportion.
    EXPECT_DOUBLE_EQ(m_requests.GetSeconds({0, 0, 0, 0, 0, 0}), 2 * 1.7);
    m_requests.SetUp(MODEL, {});
    EXPECT_DOUBLE_EQ(m_requests.GetSeconds({0, 1}), 0.3 + 0.2);
}

TEST_F(ActorRequestsTest, AreServedOneByOneUnlessBatched)
{
    Run(1, {{0, 0}, {0.5, 0}, {0.6, 1}});
    EXPECT_NEAR(m_served[0], 1.1, 1e-9);
    EXPECT_NEAR(m_served[1], 2.2, 1e-9);
    EXPECT_NEAR(m_served[2], 3.2, 1e-9);
}

TEST_F(ActorRequestsTest, ThoseThatWaitAreServedTogether)
{
    // The first runs alone; two wait meanwhile, of which one has run its first layer.
    Run(8, {{0, 0}, {0.5, 0}, {0.6, 1}, {2, 0}});
    EXPECT_NEAR(m_served[0], 1.1, 1e-9);
    EXPECT_NEAR(m_served[1], 1.1 + 0.1 + 1.2, 1e-9);
    EXPECT_NEAR(m_served[2], m_served[1], 1e-9);
    EXPECT_NEAR(m_served[3], m_served[1] + 1.1, 1e-9);
}

TEST_F(ActorRequestsTest, NoMoreAreServedTogetherThanMay)
{
    Run(2, {{0, 0}, {0.5, 0}, {0.6, 0}, {0.7, 0}});
    EXPECT_NEAR(m_served[1], 1.1 + 1.35, 1e-9);
    EXPECT_NEAR(m_served[2], m_served[1], 1e-9);
    EXPECT_NEAR(m_served[3], m_served[1] + 1.1, 1e-9);
}

TEST_F(ActorRequestsTest, ThoseThatArriveWhileOthersComputeJoinTheNextBatch)
{
    m_compute->Run(7, 1, {}); // such as training
    Run(8, {{0.5, 0}, {0.9, 0}});
    EXPECT_NEAR(m_served[0], 1 + 1.35, 1e-9);
    EXPECT_NEAR(m_served[1], 1 + 1.35, 1e-9);
}
