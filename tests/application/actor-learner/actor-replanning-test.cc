// SPDX-License-Identifier: GPL-2.0-only

#include "actor-learner-fixture.h"
#include "links.h"

namespace
{

/// Actor a takes 0.3 s for all layers and b 0.6 s; the server has FLOP for one of them. At 80
/// Mbit/s all layers on the server save a 0.29 s and b 0.59 s, so b gets it. At 1 Mbit/s b takes
/// 0.85 s with all and 0.62 s with the second layer there, so both do without.
/// @return how they run over a LAN of 80 Mbit/s, decided anew as an oracle says
ActorOptions
MakeTwo(const std::string& fidelity)
{
    ActorOptions o;
    o.network.fidelity = fidelity;
    SetRate(o.network, 80e6);
    o.model = {{100000000, 200000000}, {100000, 50000, 50}, 100e9};
    o.parameterBytes = {1000, 1000};
    o.actors = {{"a", 1e9}, {"b", 0.5e9}};
    o.changes = JoinAll(2);
    o.budgets = {0.5, 1, true, 1};
    o.monitor = "oracle";
    o.Set("ActorReplanner::Meetings", true);
    o.environmentSeconds = 0.05;
    o.environmentSpread = 0;
    o.Set("ActorDevice::StepBytes", 1);
    o.Set("Learner::BatchSteps", 0);
    o.duration = Seconds(8);
    return o;
}

/// @return cut of the actor's last step that began before that; the number of layers + 1 if none
///        did
std::size_t
GetCutAt(const ActorLearnerResult& result, uint32_t actor, const Time& time)
{
    std::size_t cut = 3;
    for (const auto& step : result.steps)
    {
        cut = step.actor == actor && step.begun < time ? step.cut : cut;
    }
    return cut;
}

/// @return whether the actor ever cut there after having cut here
bool
HasMoved(const ActorLearnerResult& result, uint32_t actor, std::size_t from, std::size_t to)
{
    bool hasBegun = false;
    return std::any_of(result.steps.begin(), result.steps.end(), [&](const auto& step) {
        hasBegun |= step.actor == actor && step.cut == from;
        return hasBegun && step.actor == actor && step.cut == to;
    });
}

/** Something that changes, and what two actors cut at before and after. */
struct Cell
{
    const char* name;                       //!< for messages
    std::function<void(ActorOptions&)> set; //!< has it change at 3 s
    PlanChangeRecord::Kind kind;            //!< who notices
    std::vector<std::size_t> before;        //!< cuts at 3 s
    std::vector<std::size_t> after;         //!< cuts at the end
};

/** Cells of the matrix, at one level. */
class ActorReplanning : public BothFidelities
{
  protected:
    /// Run a cell and expect its cuts. @return what came of it
    ActorLearnerResult Expect(const Cell& cell)
    {
        SCOPED_TRACE(cell.name);
        ActorOptions o = MakeTwo(GetParam());
        cell.set(o);
        const auto result = RunActorLearner(o, {});
        EXPECT_TRUE(result.isFinished);
        uint64_t noticed = 0;
        for (const auto& change : result.changes)
        {
            noticed += change.kind == cell.kind && change.time >= Seconds(3);
            EXPECT_GE(change.inForce, change.time);
        }
        EXPECT_GT(noticed, 0U);
        for (uint32_t actor = 0; actor < cell.before.size(); ++actor)
        {
            EXPECT_EQ(GetCutAt(result, actor, Seconds(3)), cell.before[actor]) << "actor " << actor;
            EXPECT_EQ(GetCutAt(result, actor, Time::Max()), cell.after[actor]) << "actor " << actor;
        }
        return result;
    }
};

INSTANTIATE_PACKETS_LONG(ActorReplanning);

} // namespace

TEST_P(ActorReplanning, FollowsBandwidthAsEveryMonitorSeesIt)
{
    for (const char* monitor : {"oracle", "probe", "passive"})
    {
        Expect({monitor,
                [=](auto& o) {
                    o.monitor = monitor;
                    SetLaterRates(o.network, {{Seconds(3), 1e6}});
                    o.duration = Seconds(24);
                },
                PlanChangeRecord::REPORT,
                {2, 0},
                {2, 2}});
    }
}

TEST_P(ActorReplanning, FollowsARecordedTrace)
{
    TemporaryFolder folder;
    const auto file = folder.Write("up.csv", "seconds,bitsPerSecond\n0,1e6\n3,80e6\n100,80e6\n");
    Expect({"a link that gets better",
            [=](auto& o) {
                o.network.SetLink("trace",
                                  "Trace",
                                  StringValue(file),
                                  "Delay",
                                  TimeValue(MicroSeconds(20)));
            },
            PlanChangeRecord::REPORT,
            {2, 2},
            {2, 0}});
}

TEST_P(ActorReplanning, FollowsLoadOfActorsAndServer)
{
    // A quarter of a takes 1.2 s for all layers, more than twice what the server saves b.
    Expect({"load of an actor",
            [](auto& o) {
                o.loads = {{"a", "", {{Time(), 1}, {Seconds(3), 0.25}}}};
            },
            PlanChangeRecord::REPORT,
            {2, 0},
            {0, 2}});
    // The server takes 0.75 s for all layers and 0.5 s for the second one then.
    Expect({"load of the server",
            [](auto& o) {
                o.loads = {{"server", "", {{Time(), 1}, {Seconds(3), 0.004}}}};
            },
            PlanChangeRecord::SERVER,
            {2, 0},
            {2, 2}});
}

TEST_P(ActorReplanning, FollowsJoinsAndLeaves)
{
    for (const bool sendMeetings : {true, false})
    {
        ActorOptions o = MakeTwo(GetParam());
        o.Set("ActorReplanner::Meetings", sendMeetings);
        o.budgets = {1, 1, false, 1};
        o.changes = {{Time(), 0, true}, {Seconds(2), 1, true}, {Seconds(5), 1, false}};
        const auto result = RunActorLearner(o, {});
        EXPECT_EQ(GetCutAt(result, 0, Seconds(2)), 0U);
        EXPECT_EQ(GetCutAt(result, 0, Seconds(5)), 2U);
        EXPECT_EQ(GetCutAt(result, 1, Seconds(5)), 0U);
        EXPECT_EQ(GetCutAt(result, 0, Seconds(8)), 0U);
        const auto s = Summarise(o, result, Seconds(1));
        EXPECT_EQ(s.changes, 3U);
        EXPECT_GT(s.planMessages, 0U);
        EXPECT_EQ(s.whole.meetingMessages, sendMeetings ? s.planMessages : 0U);
    }
}

TEST(ActorsThatJoin, AtOneInstantArePlannedOnceOthersOneByOne)
{
    ActorOptions o = MakeTwo("flow");
    o.Set("ActorReplanner::Meetings", false);
    o.actors = {{"a", 1e9}, {"b", 0.5e9}, {"c", 0.7e9}, {"d", 0.4e9}};
    o.changes = JoinAll(4);
    const auto together = RunActorLearner(o, {}).changes;
    ASSERT_LT(together.size(), 4U);
    EXPECT_GT(together.back().told.size(), 1U);
    EXPECT_EQ(together.back().actors, 4U);

    o.changes.clear();
    for (uint32_t i = 0; i < 4; ++i)
    {
        o.changes.push_back({Seconds(i), i, true});
    }
    const auto apart = RunActorLearner(o, {}).changes;
    ASSERT_EQ(apart.size(), 4U);
    const auto defp = FindByName<MultiActorPlanner>("planner", "defp");
    MultiActorProblem problem;
    problem.model = o.model;
    for (uint32_t i = 0; i < 4; ++i)
    {
        ASSERT_EQ(apart[i].told.size(), 1U);
        problem.actors.push_back(
            {o.actors[i].name, o.actors[i].flopPerSecond, apart[i].told.front().bytesPerSecond});
        problem.budgets = {0.5 * 3e8 * (i + 1), 1e5 * (i + 1), 1};
        const auto cost = EvaluateMultiActor(problem, defp->PlanJoin(problem, 1));
        EXPECT_EQ(apart[i].totalReductionSeconds, cost.totalReductionSeconds) << i;
        EXPECT_EQ(apart[i].messages, defp->GetMessages()) << i;
    }
}

TEST_P(ActorReplanning, MeetsOverTheNetworkAndPaysForPlanning)
{
    ActorOptions o = MakeTwo(GetParam());
    o.changes = {{Time(), 0, true}, {MilliSeconds(1), 1, true}};
    o.network.Set("Delay", TimeValue(MilliSeconds(20)));
    o.Set("Replanner::FixedPlanningTime", MilliSeconds(300));
    SetLaterRates(o.network, {{Seconds(3), 1e6}});
    const auto result = RunActorLearner(o, {});
    const auto& joined = result.changes.at(1);
    // a meets nobody, then b joins: a decides alone again as there is more of the server; b meets
    // a, which loses all it has and meets b.
    EXPECT_EQ(joined.messages, 2U + 4 + 4);
    const auto& first = result.changes.at(0);
    // From device to device it is 40 ms. A round is a message of the server, one to every other and
    // back, and one to the server; connections that open take twice 40 ms more: the server's to a,
    // then its one to b, b's to a and a's to b.
    EXPECT_NEAR((first.inForce - first.time).GetSeconds(), 0.3 + 2 * 0.04 + 0.08, 0.01);
    EXPECT_NEAR((joined.inForce - first.inForce).GetSeconds(),
                0.3 + (2 + 4 + 4) * 0.04 + 3 * 0.08,
                0.02);
    uint64_t bytes = 0;
    double planning = 0;
    for (const auto& span : result.spans)
    {
        bytes += span.meetingBytes;
        planning += span.planningSeconds;
    }
    EXPECT_NEAR(planning, 0.3 * result.changes.size(), 1e-6);
    // The same without meetings moves so many bytes less, but for what comes of what is earlier.
    o.Set("ActorReplanner::Meetings", false);
    const auto ideal = RunActorLearner(o, {});
    EXPECT_GT(bytes, 64U * joined.messages);
    EXPECT_LT((ideal.changes.at(0).inForce - ideal.changes.at(0).time).GetSeconds(), 0.3001);
}

TEST_P(ActorReplanning, FollowsOthersThatTakeFromACell)
{
    // Of the lone link that b tells of when it joins, some 6 MB/s, two stations take two thirds.
    // Any layer on the server costs it 0.3 s for the input by the one and 0.9 s by the other, of
    // 0.6 s.
    ActorOptions o = MakeTwo(GetParam());
    o.actors.erase(o.actors.begin());
    o.changes = JoinAll(1);
    o.budgets = {1, 1, true, 1};
    o.monitor = "passive";
    SetKind(o.network, "wifi");
    o.network.Set("WifiStandard", StringValue("n"));
    o.network.Set("WifiBand", DoubleValue(2.4));
    o.network.Set("WifiWidth", UintegerValue(20));
    o.network.Set("Distance", DoubleValue(8));
    o.network.Set("Competitors", UintegerValue(2));
    o.model.outputBytes = {1800000, 1800000, 50};
    o.duration = Seconds(12);
    const auto result = RunActorLearner(o, {});
    EXPECT_GT(result.changes.front().told.front().bytesPerSecond, 5e6);
    EXPECT_TRUE(HasMoved(result, 0, 0, 2));
}

TEST_P(ActorReplanning, FollowsActorsThatMoveAway)
{
    // Where cutting saves b anything, 0.6 s are enough for the input: 2.7 MB/s. The cells begin
    // with 3 MB/s and 6 MB/s, and end at some 2 MB/s.
    for (const char* link : {"wifi", "lte"})
    {
        const bool isWifi = std::string(link) == "wifi";
        SCOPED_TRACE(link);
        ActorOptions o = MakeTwo(GetParam());
        SetKind(o.network, link);
        if (isWifi)
        {
            o.network.Set("WifiStandard", StringValue("n"));
            o.network.Set("WifiBand", DoubleValue(2.4));
            o.network.Set("WifiWidth", UintegerValue(20));
        }
        o.network.Set("Distance", DoubleValue(isWifi ? 8 : 50));
        o.network.Set("Mobility", StringValue("away"));
        o.network.Set("Speed", DoubleValue(isWifi ? 6 : 100));
        const uint64_t bytes = isWifi ? 2400000 : 900000;
        o.model.outputBytes = {bytes, bytes, 50};
        o.duration = Seconds(11);
        const auto result = RunActorLearner(o, {});
        EXPECT_TRUE(HasMoved(result, 1, 0, 2));
        EXPECT_EQ(GetCutAt(result, 1, Time::Max()), 2U);
    }
}

TEST_P(ActorReplanning, SendsNoParametersThatAnActorHolds)
{
    ActorOptions o = MakeTwo(GetParam());
    o.parameterBytes = {50000, 100000};
    SetLaterRates(o.network, {{Seconds(3), 1e6}, {Seconds(8), 80e6}, {Seconds(11), 1e6}});
    o.duration = Seconds(16);
    const auto result = RunActorLearner(o, {});
    EXPECT_EQ(GetCutAt(result, 1, Seconds(3)), 0U);
    EXPECT_EQ(GetCutAt(result, 1, Seconds(8)), 2U);
    EXPECT_EQ(GetCutAt(result, 1, Seconds(11)), 0U);
    EXPECT_EQ(GetCutAt(result, 1, Seconds(16)), 2U);
    uint64_t bytes = 0;
    for (const auto& span : result.spans)
    {
        bytes += span.parameterBytes;
    }
    EXPECT_EQ(bytes, 2U * (64 + 150000)); // a's as it joins, and b's when its link is slow at first
}

TEST_P(ActorReplanning, StaysAsDecidedOnceWithoutAMonitor)
{
    ActorOptions o = MakeTwo(GetParam());
    o.monitor = "";
    SetLaterRates(o.network, {{Seconds(3), 1e6}});
    const auto result = RunActorLearner(o, {});
    for (const auto& change : result.changes)
    {
        EXPECT_EQ(change.kind, PlanChangeRecord::JOIN);
    }
    EXPECT_EQ(GetCutAt(result, 1, Time::Max()), 0U);
}
