// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-outside-planner.h"
#include "ns3/edgepipe-problem-json.h"

namespace
{

/** @return two layers, two devices of a type */
PipelineProblem
MakePipeline()
{
    return {2,
            {{"a", {}, 4, 0, 1}, {"b", {0}, 5, 2, 3}},
            {{"left", "t", 1000}, {"right", "t", 1000}},
            {{"t", {{0.1, 0.5}, {0.2, 0.25}}}},
            1e9};
}

/** @return two actors and one layer */
MultiActorProblem
MakeActors()
{
    return {{{100}, {8, 4}, 1e3}, {{"one", 10, 100}, {"two", 20, 100}}, {1000, 1000, 1}};
}

/** @return two nodes */
BatchSharesProblem
MakeShares()
{
    BatchSharesProblem problem;
    problem.baseBatch = 10;
    problem.nodes = {{"one", 1, 1, {0}}, {"two", 2, 1, {0.1}}};
    return problem;
}

/** A folder with a program in it. */
class OutsidePlanner : public testing::Test
{
  protected:
    /// @return the name of the planner that asks it
    std::string WriteProgram(const std::string& text) const
    {
        return "exec:/bin/sh " + m_folder.Write("program.sh", text);
    }

    TemporaryFolder m_folder; //!< all files
};

TEST_F(OutsidePlanner, TellsTheProgramWhatIsKnownDuringTheRun)
{
    const std::string log = m_folder.GetPath() + "/log";
    const auto planner =
        FindByName<BatchSharesPlanner>("planner",
                                       WriteProgram("while read -r x; do echo \"$x\" >> " + log +
                                                    R"(; echo '{"batches": [9, 1]}'; done)"));
    const BatchSharesProblem problem = MakeShares();
    planner->Plan(problem);
    planner->SetState({{2.5, {{4, 6}}, {{"two", 1e6, {}, 0.5, 3}}}});
    planner->Plan(problem);
    const std::string asked = FormatRequest<BatchSharesProblem, BatchSharesPlan>(problem, nullptr);
    EXPECT_EQ(ReadTextFile(log),
              asked + "\n" + asked.substr(0, asked.size() - 1) +
                  R"(,"state":{"seconds":2.5,"plan":{"formatVersion":1,"batches":[4,6]},)"
                  R"("devices":[{"name":"two","uplinkBitsPerSecond":1000000.0,"share":0.5,)"
                  R"("backlog":3}]}})" +
                  "\n");
    EXPECT_EQ(ReadProblem<BatchSharesProblem>(ParseJsonText(asked, "p.json")).nodes[1].name, "two");
}

TEST_F(OutsidePlanner, ReadsPlansThatWereMadeBefore)
{
    const PipelineProblem problem = MakePipeline();
    const auto print = [&](const std::string& name, std::size_t device) {
        return DumpInLine(MakeAnswer(problem, PipelinePlan{{{device, 0, 1}}}, name));
    };
    const auto plan = [&](const std::string& name) {
        return FindByName<PipelinePlanner>("planner", "plan:" + name)
            ->Plan(problem)
            .stages.at(0)
            .device;
    };
    const std::string one = m_folder.Write("one.json", print("mine", 1) + "\n");
    EXPECT_EQ(plan(one), 1u);
    for (const auto& text : {print("left", 0) + "\n" + print("right", 1) + "\n",
                             "[" + print("left", 0) + ",\n" + print("right", 1) + "]"})
    {
        const std::string two = m_folder.Write("two.json", text);
        EXPECT_EQ(ReadPlans(two).at(1).first, "plan:" + two + "#right");
        EXPECT_EQ(plan(two + "#left"), 0u);
        EXPECT_EQ(plan(two + "#right"), 1u);
        EXPECT_EQ(m_folder.MessageOf([&] { plan(two + "#middle"); }),
                  "planner plan:two.json#middle: no such plan, expected one of: "
                  "plan:two.json#left, plan:two.json#right");
    }
    const std::string same =
        m_folder.Write("same.json", print("left", 0) + "\n" + print("left", 1));
    EXPECT_EQ(m_folder.MessageOf([&] { ReadPlans(same); }),
              R"(same.json, line 2: planner: found "left", expected a name that no other plan of )"
              "the file has");
}

TEST_F(OutsidePlanner, FailsInAWayOfItsOwn)
{
    const auto never = FindByName<PipelinePlanner>("planner", WriteProgram("sleep 100"));
    never->SetAttribute("Timeout", TimeValue(MilliSeconds(1)));
    EXPECT_TRUE(never->IsFromOutside());
    EXPECT_THROW(never->Plan(MakePipeline()), PlannerFailure);
    EXPECT_GT(never->GetDecisionSeconds(), 0.0005);
    // What does not answer in time is not asked again.
    ExpectError([&] { never->Plan(MakePipeline()); }, "did not answer within 0.001 s");
    const std::string wrong =
        R"({"stages": [{"device": "up", "firstLayer": "a", "lastLayer": "b"}]})";
    const std::string right = TemporaryFolder::Replace(wrong, "up", "left");
    const auto late = FindByName<PipelinePlanner>(
        "planner",
        WriteProgram("read x; echo '" + wrong + "'; read x; echo '" + right + "'; read x"));
    ExpectError([&] { late->Plan(MakePipeline()); },
                R"(answer: stages[0].device: found "up", expected the name of a device)");
    EXPECT_EQ(late->Plan(MakePipeline()).stages.size(), 1u);
}

TEST_F(OutsidePlanner, SaysThatAProgramIsAwaited)
{
    const std::string name = WriteProgram(
        R"(read x; exec 2>&-; sleep 0.3; echo '{"stages": [{"device": "left", "firstLayer": "a", )"
        R"("lastLayer": "b"}]}')");
    std::vector<double> waits;
    const auto tell = Callback<void, const std::string&, double, double>(
        [&](const std::string& command, double seconds, double longest) {
            EXPECT_EQ("exec:" + command, name);
            EXPECT_EQ(longest, 60);
            waits.push_back(seconds);
        });
    ChildProcess::SetWaitingCallback(tell, MilliSeconds(20));
    const std::clock_t before = std::clock();
    FindByName<PipelinePlanner>("planner", name)->Plan(MakePipeline());
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 20) << "waits without computing";
    EXPECT_GT(waits.size(), 1U);
    EXPECT_GE(waits.back(), 0.02 * waits.size()) << "at most once a period";
    EXPECT_TRUE(std::is_sorted(waits.begin(), waits.end()));
    waits.clear();
    ChildProcess::SetWaitingCallback({});
    FindByName<PipelinePlanner>("planner", name)->Plan(MakePipeline());
    EXPECT_TRUE(waits.empty());
}

TEST_F(OutsidePlanner, PlansOfActorsGoByName)
{
    const MultiActorProblem problem = MakeActors();
    const auto read = [&](const std::string& text) {
        return ReadPlan<MultiActorPlan>(ParseJsonText(text, "f"), problem).cuts;
    };
    EXPECT_EQ(read(R"({"actors": ["two", "three", "one"], "cuts": [1, 0, 0]})"),
              (std::vector<std::size_t>{0, 1}));
    const std::vector<std::pair<std::string, std::string>> cases{
        {R"({"actors": ["two"], "cuts": [1]})",
         R"(f: actors: found no "one", expected every actor of the problem)"},
        {R"({"cuts": [1]})", "f: cuts: found 1 cuts, expected one for each of 2 actors"},
        {R"({"cuts": [1, 2]})", "f: cuts[1]: found 2, expected an integer, 0 or more, at most 1"},
    };
    for (const auto& [text, message] : cases)
    {
        EXPECT_EQ(m_folder.MessageOf([&, &text = text] { read(text); }), message);
    }
}

} // namespace
