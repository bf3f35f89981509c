// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/** Decides on one figure, at every change and every period. */
class FigureReplanner : public Replanner
{
  public:
    /** @param figure that the first decision is made for */
    void Start(double figure)
    {
        m_figure = figure;
        SetFigures({figure});
        Watch([this] { NoticePeriod(); });
    }

    /** @param figure as measured from now on */
    void Measure(double figure)
    {
        m_figure = figure;
        NoticePeriod();
    }

    /// @return when the device has paid for it, s
    double GetPaid(double plannerSeconds)
    {
        SetHost(TensorSocket(), CreateObject<ComputeDevice>());
        double paid = -1;
        Pay(plannerSeconds, 1, [&paid] { paid = Simulator::Now().GetSeconds(); });
        Simulator::Run();
        return paid;
    }

    std::vector<double> m_decisions; //!< when, s

  private:
    void NoticePeriod()
    {
        if (TakeIfDue({m_figure}))
        {
            m_decisions.push_back(Simulator::Now().GetSeconds());
        }
    }

    double m_figure{0}; //!< as measured
};

/** A replanner in a simulation of its own. */
class ReplannerTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        m_replanner->Dispose();
    }

    Ptr<FigureReplanner> m_replanner = CreateObject<FigureReplanner>(); //!< under test
};

} // namespace

TEST_F(ReplannerTest, ChangeIsRelativeToTheLastDecision)
{
    m_replanner->SetAttribute("ReplanThreshold", DoubleValue(0.2));
    const auto isDue = [this](std::vector<double> before, const std::vector<double>& now) {
        m_replanner->SetFigures(std::move(before));
        return m_replanner->TakeIfDue(now);
    };
    const std::vector<double> before{1, 0.5, 1000};
    EXPECT_FALSE(isDue(before, {1, 0.5, 1000}));
    EXPECT_FALSE(isDue(before, {1, 0.5, 1199}));
    EXPECT_TRUE(isDue(before, {1, 0.5, 1201}));
    EXPECT_TRUE(isDue(before, {1, 0.5, 799}));
    EXPECT_FALSE(isDue(before, {1, 0.41, 1000}));
    EXPECT_TRUE(isDue(before, {1, 0.39, 1000}));
    EXPECT_TRUE(isDue({0, 1000}, {0.01, 1000}));
    EXPECT_TRUE(isDue(before, {1, 0.5}));
    EXPECT_TRUE(isDue(before, {1, 0.5, 1000, 0}));
}

TEST_F(ReplannerTest, ADecisionIsDueBeyondTheThresholdOfTheLastOne)
{
    m_replanner->SetAttribute("ReplanThreshold", DoubleValue(0.2));
    m_replanner->Start(100);
    const std::vector<std::pair<double, double>> steps{{1, 119}, {2, 121}, {3, 140}, {4, 150}};
    for (const auto& [second, figure] : steps)
    {
        Simulator::Schedule(Seconds(second), &FigureReplanner::Measure, m_replanner, figure);
    }
    Simulator::Run();
    EXPECT_EQ(m_replanner->m_decisions, (std::vector<double>{2, 4}));
}

TEST_F(ReplannerTest, ADecisionIsDueEveryPeriodUntilItStops)
{
    m_replanner->SetAttribute("ReplanPeriod", TimeValue(Seconds(2)));
    m_replanner->Start(100);
    Simulator::Schedule(Seconds(7), &FigureReplanner::Stop, m_replanner);
    Simulator::Run();
    EXPECT_EQ(m_replanner->m_decisions, (std::vector<double>{2, 4, 6}));
    // A cancelled event still has its time.
    EXPECT_LE(Simulator::Now(), Seconds(8)) << "the simulation does not end";
}

TEST_F(ReplannerTest, ADecisionCostsWhatItsAttributesSay)
{
    EXPECT_EQ(m_replanner->GetPaid(1), 0);
    m_replanner->SetAttribute("FixedPlanningTime", TimeValue(MilliSeconds(500)));
    m_replanner->SetAttribute("PlanningScale", DoubleValue(2));
    EXPECT_DOUBLE_EQ(m_replanner->GetPaid(0.25), 1);
}

TEST_F(ReplannerTest, APlanThatDoesNotComeIsCountedOnceThereIsOne)
{
    const auto fail = [] { throw PlannerFailure("no plan today"); };
    EXPECT_THROW(m_replanner->Ask(fail), PlannerFailure);
    EXPECT_TRUE(m_replanner->Ask([] {}));
    EXPECT_FALSE(m_replanner->Ask(fail));
    EXPECT_EQ(m_replanner->GetFailures().count, 1U);
    EXPECT_EQ(m_replanner->GetFailures().reason, "no plan today");
    EXPECT_THROW(m_replanner->Ask([] { throw InputError("no problem"); }), InputError);
    EXPECT_EQ(m_replanner->GetFailures().count, 1U);
}
