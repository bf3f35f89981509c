// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-round-tcp-cubic.h"
#include "ns3/tcp-socket-state.h"

#include <limits>

namespace ns3::edgepipe
{
namespace
{

/// A full segment, bytes.
constexpr uint32_t SEGMENT = 1448;
/// The shortest round trip.
const Time ROUND_TRIP = MilliSeconds(2);

/** A connection in slow start, whose acknowledgements come when it is told. */
class SlowStart
{
  public:
    SlowStart()
    {
        m_state->m_segmentSize = SEGMENT;
        m_state->m_cWnd = 20 * SEGMENT;
        m_state->m_ssThresh = std::numeric_limits<uint32_t>::max();
        m_state->m_highTxMark = SequenceNumber32(1 + 20 * SEGMENT);
        m_state->m_lastAckedSackedBytes = 2 * SEGMENT;
    }

    /// @param time at which two more segments are acknowledged, and as many sent as that allows
    void AcknowledgeAt(const Time& time)
    {
        Simulator::Schedule(time, [this] {
            m_state->m_lastAckedSeq += 2 * SEGMENT;
            m_cubic->PktsAcked(m_state, 2, ROUND_TRIP);
            m_cubic->IncreaseWindow(m_state, 2);
            m_state->m_highTxMark = m_state->m_lastAckedSeq + m_state->m_cWnd;
        });
    }

    /** @return whether it is still in slow start once all have come */
    bool IsOnAtEnd()
    {
        Simulator::Run();
        Simulator::Destroy();
        return m_state->m_cWnd < m_state->m_ssThresh;
    }

  private:
    Ptr<TcpSocketState> m_state{CreateObject<TcpSocketState>()};
    Ptr<RoundTcpCubic> m_cubic{CreateObject<RoundTcpCubic>()};
};

TEST(RoundTcpCubic, NextRoundsFirstAcknowledgementDoesNotEndSlowStart)
{
    SlowStart start;
    // 20 segments in 0.9 ms, and 1.2 ms after that the next round, 2.1 ms after the begin of this.
    for (int i = 0; i < 10; ++i)
    {
        start.AcknowledgeAt(MilliSeconds(10) + MicroSeconds(100 * i));
    }
    start.AcknowledgeAt(MilliSeconds(12) + MicroSeconds(100));
    EXPECT_TRUE(start.IsOnAtEnd());
}

TEST(RoundTcpCubic, RoundLongerThanTheRoundTripEndsSlowStart)
{
    SlowStart start;
    start.AcknowledgeAt(MilliSeconds(9)); // begins a round of 20 segments
    for (int i = 0; i < 9; ++i)
    {
        start.AcknowledgeAt(MilliSeconds(9) + MicroSeconds(300 * (i + 1)));
    }
    EXPECT_FALSE(start.IsOnAtEnd());
}

/**
 * @param rounds round trips since a loss at 20 segments
 * @param isLimited whether the window holds the sender back
 * @return window, segments; after the loss it was 14
 */
uint32_t
GrowAfterLoss(int rounds, bool isLimited)
{
    const auto state = CreateObject<TcpSocketState>();
    const auto cubic = CreateObject<RoundTcpCubic>();
    state->m_segmentSize = SEGMENT;
    state->m_cWnd = 20 * SEGMENT;
    state->m_ssThresh = cubic->GetSsThresh(state, 20 * SEGMENT);
    state->m_cWnd = state->m_ssThresh.Get();
    state->m_lastAckedSackedBytes = SEGMENT;
    state->m_minRtt = ROUND_TRIP;
    cubic->SetLimit(isLimited);
    EXPECT_EQ(state->GetCwndInSegments(), 14U);
    for (int round = 1; round <= rounds; ++round)
    {
        Simulator::Schedule(round * ROUND_TRIP, [=] {
            cubic->PktsAcked(state, 1, ROUND_TRIP);
            for (uint32_t i = state->GetCwndInSegments(); i > 0; --i)
            {
                cubic->IncreaseWindow(state, 1);
            }
        });
    }
    Simulator::Run();
    Simulator::Destroy();
    return state->GetCwndInSegments();
}

TEST(RoundTcpCubic, GrowsAsRenoOverShortRoundTrips)
{
    // In 0.4 s CUBIC's own curve stays below 20; Reno's adds 0.53 in each round trip (RFC 9438).
    const double reno = 14 + 0.53 * 200;
    const uint32_t window = GrowAfterLoss(200, true);
    EXPECT_LE(window, reno);
    EXPECT_GT(window, reno - 0.53 * 16 - 2);   // of the last 31 ms
    EXPECT_EQ(GrowAfterLoss(200, false), 14U); // what it does not need, it does not take
}

TEST(RoundTcpCubic, IsComparedWithRenoEvery31Milliseconds)
{
    // Linux's bictcp_update: HZ / 32, or when the window has changed.
    EXPECT_LE(GrowAfterLoss(14, true), 15U);
    // From then on it catches up, by a segment for every two acknowledged at most.
    EXPECT_GE(GrowAfterLoss(18, true), 18U);
}

/**
 * @param segments acknowledged at once
 * @param delivered of them, what was not acknowledged selectively before
 * @param threshold of slow start, segments
 * @return window that a window of one segment has become, segments
 */
uint32_t
Acknowledge(uint32_t segments, uint32_t delivered, uint32_t threshold)
{
    const auto state = CreateObject<TcpSocketState>();
    state->m_segmentSize = state->m_cWnd = SEGMENT;
    state->m_ssThresh = threshold * SEGMENT;
    state->m_lastAckedSackedBytes = delivered * SEGMENT;
    CreateObject<RoundTcpCubic>()->IncreaseWindow(state, segments);
    return state->GetCwndInSegments();
}

TEST(RoundTcpCubic, SlowStartEndsAtItsThreshold)
{
    EXPECT_EQ(Acknowledge(5, 5, 8), 6U);
    // Linux's tcp_slow_start; beyond it by one segment at most.
    EXPECT_LE(Acknowledge(10, 10, 8), 9U);
}

TEST(RoundTcpCubic, CountsSelectivelyAcknowledgedDataOnce)
{
    EXPECT_EQ(Acknowledge(195, 3, 1000), 4U);
}

TEST(RoundTcpCubic, ACreditFromSlowGrowthMakesOneSegment)
{
    // Up to 1.875 windows are acknowledged until Reno has one segment more (tcp_cong_avoid_ai).
    const auto state = CreateObject<TcpSocketState>();
    const auto cubic = CreateObject<RoundTcpCubic>();
    state->m_segmentSize = SEGMENT;
    state->m_cWnd = 100 * SEGMENT;
    state->m_ssThresh = cubic->GetSsThresh(state, 100 * SEGMENT);
    state->m_cWnd = state->m_ssThresh.Get();
    for (int i = 0; i < 400; ++i)
    {
        Simulator::Schedule(MilliSeconds(100 + i), [=] {
            state->m_bytesInFlight = state->m_cWnd.Get();
            state->m_lastAckedSackedBytes = SEGMENT;
            const uint32_t before = state->GetCwndInSegments();
            cubic->IncreaseWindow(state, 1);
            EXPECT_LE(state->GetCwndInSegments(), before + 1);
        });
    }
    Simulator::Run();
    Simulator::Destroy();
    EXPECT_LE(state->GetCwndInSegments(), 70 + 400 / 2 / 70 + 2U);
}

} // namespace
} // namespace ns3::edgepipe
