// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-flow-window.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace ns3::edgepipe
{
namespace
{

/// A full segment, bytes.
constexpr double FULL_SEGMENT = 1500;
/// Nothing but the window limits the bytes in flight.
constexpr double UNLIMITED = std::numeric_limits<double>::infinity();
/// HyStart ends slow start as soon as it looks, with 16 segments.
const FlowWindow::Full SHORT_PATH{1, 0};

/** A window past slow start whose connection is acknowledged one window in every round trip. */
class FlowWindowTest : public ::testing::Test
{
  protected:
    FlowWindowTest()
    {
        m_window.Acknowledge(16 * FULL_SEGMENT, UNLIMITED, SHORT_PATH, 0);
        m_begin = m_window.GetBytes() / FULL_SEGMENT;
    }

    /// @return the window after that time, segments
    double Pass(double roundTrip, double end)
    {
        for (double now = roundTrip; now <= end; now += roundTrip)
        {
            m_window.Acknowledge(m_window.GetBytes(), UNLIMITED, SHORT_PATH, now);
        }
        return m_window.GetBytes() / FULL_SEGMENT;
    }

    FlowWindow m_window{FULL_SEGMENT, 2000 * FULL_SEGMENT}; //!< what is looked at
    double m_begin; //!< the window after slow start, segments
};

TEST_F(FlowWindowTest, SlowStartEndsWithTheRoundTripInWhichThereAreSixteenSegments)
{
    EXPECT_NEAR(m_begin, 2 * 9.4, 0.5);
}

TEST_F(FlowWindowTest, OverAShortTimeATwentiethOfWhatIsAcknowledged)
{
    EXPECT_NEAR(Pass(0.01, 0.1001), m_begin * std::pow(1.05, 10), 1);
}

TEST_F(FlowWindowTest, OverALongTimeTheCubeOfTime)
{
    // 20 rounds by a twentieth would make it 42 segments.
    EXPECT_NEAR(Pass(0.5, 10.001), m_begin + 0.4 * 1000, 60);
}

TEST_F(FlowWindowTest, NeverByMoreThanHalfOfWhatIsAcknowledged)
{
    m_window.Acknowledge(10 * FULL_SEGMENT, UNLIMITED, SHORT_PATH, 100);
    EXPECT_NEAR(m_window.GetBytes() / FULL_SEGMENT, m_begin + 5, 0.5);
}

TEST_F(FlowWindowTest, GrowsOnlyWhileItLimitsTheSender)
{
    const double before = m_window.GetBytes();
    m_window.Acknowledge(before, before - 2 * FULL_SEGMENT, SHORT_PATH, 10);
    EXPECT_EQ(m_window.GetBytes(), before);
    m_window.Acknowledge(before, before, SHORT_PATH, 10);
    EXPECT_GT(m_window.GetBytes(), before);
    // In slow start to twice what is in flight (Linux's tcp_is_cwnd_limited).
    FlowWindow window(FULL_SEGMENT, 2000 * FULL_SEGMENT);
    window.Acknowledge(1000 * FULL_SEGMENT, 20 * FULL_SEGMENT, {500 * FULL_SEGMENT, 0}, 0);
    EXPECT_EQ(window.GetBytes(), 40 * FULL_SEGMENT);
    EXPECT_TRUE(window.IsSlowStart());
}

TEST_F(FlowWindowTest, TheCubicStandsStillInAPause)
{
    FlowWindow other = m_window;
    other.Skip(100, 100);
    const auto grown = [](FlowWindow& window) {
        window.Acknowledge(10 * FULL_SEGMENT, UNLIMITED, SHORT_PATH, 100);
        return window.GetBytes();
    };
    EXPECT_LT(grown(other), grown(m_window));
}

TEST_F(FlowWindowTest, APauseHalvesItDownToTenSegments)
{
    for (int round = 0; round < 20; ++round)
    {
        m_window.Acknowledge(2 * m_window.GetBytes(), UNLIMITED, SHORT_PATH, 0);
    }
    const double before = m_window.GetBytes();
    m_window.Restart(0.9);
    EXPECT_EQ(m_window.GetBytes(), before);
    m_window.Restart(2.5);
    EXPECT_NEAR(m_window.GetBytes(), before / 4, FULL_SEGMENT);
    EXPECT_TRUE(m_window.IsSlowStart());
    // Slow start ends with three quarters.
    m_window.Acknowledge(before, UNLIMITED, SHORT_PATH, 0);
    EXPECT_NEAR(m_window.GetBytes(), 0.75 * before, 0.05 * before);
    m_window.Restart(100);
    EXPECT_EQ(m_window.GetBytes(), 10 * FULL_SEGMENT);
}

} // namespace
} // namespace ns3::edgepipe
