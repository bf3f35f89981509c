// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-problem-json.h"

using ns3::StringValue;

namespace
{

using Batches = std::vector<uint64_t>;

/** A problem of nodes {operations per second, memory in use, latencies}. */
BatchSharesProblem
MakeProblem(uint64_t baseBatch, const std::vector<std::vector<double>>& figures)
{
    BatchSharesProblem problem;
    problem.baseBatch = baseBatch;
    for (const auto& node : figures)
    {
        problem.nodes.push_back({"n" + std::to_string(problem.nodes.size()),
                                 node[0],
                                 node[1],
                                 {node.begin() + 2, node.end()}});
    }
    return problem;
}

Batches
Plan(const std::string& planner, const BatchSharesProblem& problem)
{
    return FindByName<BatchSharesPlanner>("planner", planner)->Plan(problem).batches;
}

uint64_t
Sum(const Batches& batches)
{
    return std::accumulate(batches.begin(), batches.end(), uint64_t{0});
}

/** A case worked out by hand. */
struct BnoCase
{
    const char* what;
    uint64_t baseBatch;
    std::vector<std::vector<double>> nodes;
    Batches batches;
};

/// The fractions are (K + MW + NCW) / 3 of each node.
const std::vector<BnoCase> BNO_CASES{
    // (1/4 + 3/4 + 0) / 3 = 1/3 of 96
    {"four equal nodes", 96, {{5, 2, 1}, {5, 2, 1}, {5, 2, 1}, {5, 2, 1}}, {32, 32, 32, 32}},
    // the first node is at home: (1/4 + 3/4 + 1) / 3 = 2/3
    {"the first node at home", 96, {{5, 2, 0}, {5, 2, 1}, {5, 2, 1}, {5, 2, 1}}, {64, 32, 32, 32}},
    // K 3/4 and 1/4, MW 1/2: (5/4 + 1) / 3 = 3/4, (3/4 + 0) / 3 = 1/4
    {"one three times as fast", 100, {{3, 1, 0}, {1, 1, 1}}, {75, 25}},
    // MW 1/4 and 3/4: (1/2 + 1/4 + 1) / 3 = 7/12, (1/2 + 3/4 + 0) / 3 = 5/12
    {"one with three times the memory in use", 120, {{1, 3, 0}, {1, 1, 1}}, {70, 50}},
    // NCW 1, 1/2, 0; K 1/3, MW 2/3: 2/3, 1/2, 1/3
    {"three distances", 60, {{1, 1, 0}, {1, 1, 2}, {1, 1, 4}}, {40, 30, 20}},
    // 2/3 of 10 is 6.67, 1/2 is 5, 1/3 is 3.33
    {"rounded down", 10, {{1, 1, 0}, {1, 1, 2}, {1, 1, 4}}, {6, 5, 3}},
    // (1/100 + 1/2 + 0) / 3 = 0.17 of 2 is less than one sample
    {"never less than a sample", 2, {{99, 1, 0}, {1, 1, 1}}, {1, 1}},
    // K 1, MW 1 - 1 = 0, NCW 1 - 1 = 0: 1/3
    {"one node", 90, {{7, 3, 2}}, {30}},
    // K 1, MW 0, NCW 1 - 0/0 = 1: 2/3
    {"one node at home", 90, {{7, 3, 0}}, {60}},
    // K 1/2, MW 1 - 0/0 = 1, NCW 1 and 0: 5/6 and 1/2
    {"no memory in use", 60, {{1, 0, 0}, {1, 0, 5}}, {50, 30}},
    // K 1/2, MW 1/2, NCW 1: 2/3
    {"all latencies 0", 60, {{1, 4, 0}, {1, 4, 0}}, {40, 40}},
    // K 0/0 = 0, MW 1/2, NCW 1 and 0: 1/2 and 1/6
    {"nothing computed yet", 60, {{0, 1, 0}, {0, 1, 1}}, {30, 10}},
    // all ratios 0: (0 + 1 + 1) / 3
    {"nothing known", 60, {{0, 0, 0}, {0, 0, 0}}, {40, 40}},
    // K 1/2, MW 1/2; NCW_1j: 1 + 0, NCW_2j: 0 + 1: 2/3
    {"pairs of two", 60, {{1, 1, 0, 3}, {1, 1, 3, 0}}, {40, 40}},
    // K 1/3, MW 2/3; sums of NCW: 1 + 1/2 + 0, 0 + 1 + 0, 0 + 1/2 + 1
    {"pairs of three", 60, {{1, 1, 0, 1, 2}, {1, 1, 1, 0, 1}, {1, 1, 2, 1, 0}}, {50, 40, 50}},
    // K 1/2, MW 1/2; NCW all 1: (1 + 2) / 3
    {"pairs without latency", 60, {{1, 1, 0, 0}, {1, 1, 0, 0}}, {60, 60}},
};

TEST(BatchShares, BnoEqualsTheTableWorkedOutByHand)
{
    for (const auto& known : BNO_CASES)
    {
        EXPECT_EQ(Plan("bno", MakeProblem(known.baseBatch, known.nodes)), known.batches)
            << known.what;
    }
}

TEST(BatchShares, BnoMayCountTheMeanOfTheOthersAsANodesLatencyToItself)
{
    const auto planner = FindByName<BatchSharesPlanner>("planner", "bno");
    planner->SetAttribute("OwnLatency", StringValue("mean"));
    const auto plan = [&planner](double batch, const std::vector<std::vector<double>>& nodes) {
        return planner->Plan(MakeProblem(batch, nodes)).batches;
    };
    // The first node is no nearer than the others: (1/4 + 3/4 + 0) / 3.
    EXPECT_EQ(plan(96, {{5, 2, 0}, {5, 2, 1}, {5, 2, 1}, {5, 2, 1}}), (Batches{32, 32, 32, 32}));
    // Mean 3 of 2 and 4; NCW 1/4, 1/2, 0; K 1/3, MW 2/3: 5/12, 1/2, 1/3.
    EXPECT_EQ(plan(60, {{1, 1, 0}, {1, 1, 2}, {1, 1, 4}}), (Batches{25, 30, 20}));
    // By pairs, means 3/2, 1 and 3/2: sums of NCW 1/4 + 1/2 + 0, 0 + 0 + 0, 0 + 1/2 + 1/4.
    EXPECT_EQ(plan(60, {{1, 1, 0, 1, 2}, {1, 1, 1, 0, 1}, {1, 1, 2, 1, 0}}), (Batches{35, 20, 35}));
    // Nobody else: as measured.
    EXPECT_EQ(plan(90, {{7, 3, 0}}), (Batches{60}));
    planner->SetAttribute("OwnLatency", StringValue("median"));
    EXPECT_THROW(plan(90, {{7, 3, 0}}), InputError);
}

TEST(BatchShares, BnoEqualsWholeNumberArithmeticWhateverTheRounding)
{
    for (uint64_t d = 2; d < 12; ++d)
    {
        for (uint64_t l = 0; l <= d; ++l)
        {
            for (uint64_t a = 1; a < 8; ++a)
            {
                for (uint64_t batch = 4; batch < 130; ++batch)
                {
                    // (a / (a + 1) + 1/2 + 1 - l / d) / 3, and (1 / (a + 1) + 1/2) / 3
                    const uint64_t part = 2 * a * d + (a + 1) * d + 2 * (a + 1) * (d - l);
                    const Batches expected{batch * part / (6 * d * (a + 1)),
                                           batch * (a + 3) / (6 * (a + 1))};
                    const auto problem =
                        MakeProblem(batch, {{1.0 * a, 1, 1.0 * l}, {1, 1, 1.0 * d}});
                    const auto batches = Plan("bno", problem);
                    ASSERT_EQ(batches[0], std::max<uint64_t>(1, expected[0]));
                    ASSERT_EQ(batches[1], std::max<uint64_t>(1, expected[1]));
                }
            }
        }
    }
}

TEST(BatchShares, NormalizedSharesMakeTheBaseBatch)
{
    auto problem = MakeProblem(100, {{3, 1, 0}, {1, 1, 1}, {1, 1, 1}});
    EXPECT_NE(Sum(Plan("bno", problem)), 100U);
    problem.normalize = true;
    // (3/5 + 2/3 + 1) / 3 = 34/45 and (1/5 + 2/3 + 0) / 3 = 13/45: 34, 13 and 13 of 60
    EXPECT_EQ(Plan("bno", problem), (Batches{56, 22, 22}));
}

TEST(BatchShares, EqualGivesTheRestToTheFirst)
{
    EXPECT_EQ(Plan("equal", MakeProblem(10, {{1, 1, 0}, {9, 9, 9}, {0, 0, 0}})),
              (Batches{4, 3, 3}));
}

TEST(BatchShares, RandomDrawsFromTheStreamsOfItsKindUnlessAssignedOthers)
{
    const auto problem =
        MakeProblem(1000, std::vector<std::vector<double>>(10, std::vector<double>{1, 1, 1}));
    const auto make = [] { return FindByName<BatchSharesPlanner>("planner", "random"); };
    const Batches first = make()->Plan(problem).batches;
    ns3::CreateObject<ns3::UniformRandomVariable>();
    EXPECT_EQ(make()->Plan(problem).batches, first);
    const auto other = make();
    EXPECT_EQ(other->AssignStreams(BatchSharesPlanner::STREAMS.Get(1)), 1);
    EXPECT_NE(other->Plan(problem).batches, first);
    EXPECT_EQ(other->AssignStreams(BatchSharesPlanner::STREAMS.Get(0)), 1);
    EXPECT_EQ(other->Plan(problem).batches, first);
    EXPECT_EQ(FindByName<BatchSharesPlanner>("planner", "equal")->AssignStreams(5), 0);
}

TEST(BatchShares, RandomMakesTheBaseBatchAndVaries)
{
    const auto problem =
        MakeProblem(1000, std::vector<std::vector<double>>(10, std::vector<double>{1, 1, 1}));
    const auto planner = FindByName<BatchSharesPlanner>("planner", "random");
    std::vector<double> means(10);
    std::set<Batches> seen;
    constexpr int draws = 2000;
    for (int i = 0; i < draws; ++i)
    {
        const auto batches = planner->Plan(problem).batches;
        EXPECT_EQ(Sum(batches), 1000U);
        seen.insert(batches);
        for (std::size_t node = 0; node < batches.size(); ++node)
        {
            means[node] += static_cast<double>(batches[node]) / draws;
        }
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(draws));
    for (const double mean : means)
    {
        EXPECT_NEAR(mean, 100, 5);
    }
}

TEST(BatchShares, SplitsKeepTheSumAndASampleEach)
{
    EXPECT_EQ(SplitBatch(4, {1, 0, 0, 0}), (Batches{1, 1, 1, 1}));
    EXPECT_EQ(SplitBatch(10, {1, 0, 0}), (Batches{8, 1, 1}));
    EXPECT_EQ(SplitBatch(7, {0, 0}), (Batches{4, 3}));
    EXPECT_EQ(SplitBatch(10, {1e-300, 3e-300}), (Batches{3, 7}));
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i)
    {
        std::vector<double> weights(1 + random() % 20);
        std::generate(weights.begin(), weights.end(), [&] { return random() % 5; });
        const uint64_t batch = weights.size() + random() % 50;
        const auto batches = SplitBatch(batch, weights);
        EXPECT_EQ(Sum(batches), batch);
        EXPECT_GE(*std::min_element(batches.begin(), batches.end()), 1U);
    }
}

/** When the last node finishes, s. */
double
GetFinish(const BatchSharesProblem& problem, const Batches& batches)
{
    double last = 0;
    for (std::size_t i = 0; i < batches.size(); ++i)
    {
        const auto& node = problem.nodes[i];
        last = std::max(last,
                        node.communicationSeconds +
                            problem.opsPerSample / node.opsPerSecond * batches[i]);
    }
    return last;
}

TEST(BatchShares, OptimalFinishesFirstOfAllSplits)
{
    std::mt19937 random(2);
    const auto draw = [&random] { return 0.1 + static_cast<double>(random() % 1000) / 100; };
    for (int i = 0; i < 300; ++i)
    {
        BatchSharesProblem problem;
        problem.opsPerSample = draw();
        for (std::size_t n = 2 + random() % 3; n > 0; --n)
        {
            problem.nodes.push_back({std::to_string(n), draw(), 0, {0}, random() % 2 * draw()});
        }
        problem.baseBatch = problem.nodes.size() + random() % 12;
        double best = 1e300;
        Batches batches(problem.nodes.size(), 1);
        const std::function<void(std::size_t, uint64_t)> enumerate = [&](std::size_t node,
                                                                         uint64_t left) {
            if (node + 1 == batches.size())
            {
                batches[node] = left;
                best = std::min(best, GetFinish(problem, batches));
                return;
            }
            for (uint64_t own = 1; own + (batches.size() - node - 1) <= left; ++own)
            {
                batches[node] = own;
                enumerate(node + 1, left - own);
            }
        };
        enumerate(0, problem.baseBatch);
        const auto planned = Plan("optimal", problem);
        EXPECT_EQ(Sum(planned), problem.baseBatch);
        EXPECT_NEAR(GetFinish(problem, planned), best, 1e-9 * best);
    }
}

TEST(BatchShares, OptimalTakesLargeBatchesAndSlowNodes)
{
    auto problem = MakeProblem(LARGEST_BASE_BATCH, {{1e12, 0, 0}, {1e-6, 0, 0}, {3e12, 0, 0}});
    problem.opsPerSample = 1e9;
    const auto batches = Plan("optimal", problem);
    EXPECT_EQ(Sum(batches), LARGEST_BASE_BATCH);
    EXPECT_EQ(batches[1], 1U);
}

/** What reading or planning says. */
std::string
Refusal(const std::string& text, const std::string& planner = "bno")
{
    return ErrorOf(
        [&] { Plan(planner, ReadProblem<BatchSharesProblem>(ParseJsonText(text, "p.json"))); });
}

TEST(BatchShares, ReadsTheFormatAndRefusesWhatIsNone)
{
    const std::string good = R"({"problem":"batch-shares","baseBatch":100,"nodes":[)"
                             R"({"name":"a","opsPerSecond":3,"memoryBytesInUse":1,)"
                             R"("latencySeconds":0},)"
                             R"({"name":"b","opsPerSecond":1,"memoryBytesInUse":1,)"
                             R"("latencySeconds":1}],"normalize":false})";
    EXPECT_EQ(Refusal(good), "");
    const auto problem = ReadProblem<BatchSharesProblem>(ParseJsonText(good, "p.json"));
    EXPECT_EQ(DumpInLine(MakeAnswer(problem, BatchSharesPlan{Plan("bno", problem)}, "bno")),
              R"({"planner":"bno","formatVersion":1,"batches":[75,25]})");
    const auto again =
        ReadProblem<BatchSharesProblem>(ParseJsonText(FormatProblem(problem), "p.json"));
    EXPECT_EQ(FormatProblem(again), FormatProblem(problem));
    EXPECT_EQ(again.nodes[1].latenciesSeconds, std::vector<double>{1});
    EXPECT_EQ(again.baseBatch, 100u);
    EXPECT_EQ(Refusal(good, "optimal"),
              "planner optimal: opsPerSample: found 0, expected the operations that a sample "
              "takes");
    const auto with = [&good](const std::string& from, const std::string& to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_EQ(Refusal(with("100", "1")),
              "p.json: baseBatch: found 1, expected a sample or more for each of 2 nodes, and at "
              "most 2^40");
    EXPECT_EQ(Refusal(with(R"("latencySeconds":0)", R"("latenciesSeconds":[0,1,2])")),
              "p.json: node \"a\": found 3 latencies, expected every node to have one, or one for "
              "each of 2 nodes");
    EXPECT_EQ(Refusal(with(R"(,"latencySeconds":0)", "")),
              "p.json: nodes[0]: found neither of latencySeconds and latenciesSeconds, expected "
              "one of them");
    EXPECT_EQ(Refusal(with(R"("b")", R"("a")")), "p.json: node \"a\" is given twice");
    EXPECT_NE(Refusal(with(R"("opsPerSecond":3)", R"("opsPerSecond":-3)")), "");
    EXPECT_NE(Refusal(with(R"("opsPerSecond":3)", R"("opsPerSecond":1e300)")), "");
    EXPECT_NE(Refusal(with(R"("opsPerSecond":3)", R"("opsPerSecond":0)")), "");
    EXPECT_NE(Refusal(with("memoryBytesInUse", "memory")), "");
}

} // namespace
