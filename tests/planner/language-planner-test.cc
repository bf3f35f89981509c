// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-language-planner.h"
#include "ns3/edgepipe-problem-json.h"
#include "ns3/edgepipe-ranges.h"

namespace
{

/// Call for every order of some nodes, the first one fixed, and every split of layers among them.
void
ForEachPlan(const LanguageProblem& problem,
            LanguagePlan& plan,
            uint32_t left,
            const std::function<void(const LanguagePlan&)>& visit)
{
    for (std::size_t node = 0; node < problem.nodes.size(); ++node)
    {
        const bool isSeen = std::any_of(plan.parts.begin(), plan.parts.end(), [node](auto& part) {
            return part.node == node;
        });
        if (isSeen || (plan.parts.empty() && node > 0))
        {
            continue;
        }
        for (uint32_t amount = 1; amount <= left; ++amount)
        {
            plan.parts.push_back({node, amount});
            if (amount == left)
            {
                visit(plan);
            }
            else
            {
                ForEachPlan(problem, plan, left - amount, visit);
            }
            plan.parts.pop_back();
        }
    }
}

LanguageProblem
DrawProblem(std::mt19937& random)
{
    const auto draw = [&random](double least, double most) {
        return std::exp(std::uniform_real_distribution<>(std::log(least), std::log(most))(random));
    };
    LanguageProblem problem;
    problem.layers = 2 + random() % 6;
    problem.amount = problem.layers;
    problem.isHeadLast = random() % 2;
    problem.partBytes = 100;
    problem.firstBytes = random() % 150;
    problem.lastBytes = random() % 150;
    problem.hopBytes = draw(100, 1e5);
    problem.closingBytes = 4;
    problem.delaySeconds = draw(1e-5, 1e-2);
    const std::size_t nodes = 1 + random() % 4;
    for (std::size_t i = 0; i < nodes; ++i)
    {
        LanguageNode node{};
        node.name = "n" + std::to_string(i);
        node.layerSeconds = draw(1e-3, 1e-1);
        node.headSeconds = draw(1e-4, 1e-1);
        node.memoryBytes = draw(150, 1500);
        node.messageSeconds = draw(1e-5, 1e-2);
        node.uplinkBitsPerSecond = draw(1e6, 1e9);
        node.downlinkBitsPerSecond = draw(1e6, 1e9);
        if (random() % 3 == 0)
        {
            node.disk = {draw(1e2, 1e6), random() % 2 == 0};
        }
        problem.nodes.push_back(node);
    }
    return problem;
}

} // namespace

TEST(LanguagePlanner, ExactAndEdgeShardFindTheLeastOfAllPlans)
{
    std::mt19937 random(7);
    uint32_t planned = 0;
    for (uint32_t i = 0; i < 200; ++i)
    {
        SCOPED_TRACE(i);
        const LanguageProblem problem = DrawProblem(random);
        for (const bool isPeriod : {false, true})
        {
            const auto rank = [&](const LanguagePlan& plan) {
                const LanguagePlanCost cost = GetLanguagePlanCost(problem, plan);
                return isPeriod ? cost.periodSeconds : cost.latencySeconds;
            };
            double least = std::numeric_limits<double>::infinity();
            LanguagePlan plan;
            ForEachPlan(problem, plan, problem.amount, [&](const LanguagePlan& each) {
                if (GetLanguagePlanCost(problem, each).fits)
                {
                    least = std::min(least, rank(each));
                }
            });
            const auto planner =
                FindByName<LanguagePlanner>("planner", isPeriod ? "edgeshard-throughput" : "exact");
            if (std::isinf(least))
            {
                ExpectError([&] { planner->Plan(problem); }, "no plan fits into the memories");
                continue;
            }
            const LanguagePlan found = planner->Plan(problem);
            EXPECT_TRUE(GetLanguagePlanCost(problem, found).fits);
            EXPECT_NEAR(rank(found), least, 1e-12 * least);
            ++planned;
        }
    }
    EXPECT_GT(planned, 200U);
}

TEST(LanguagePlanner, HaldaFindsTheLeastOfAllPlansThatKeepTheOrder)
{
    std::mt19937 random(9);
    uint32_t planned = 0;
    for (uint32_t i = 0; i < 400; ++i)
    {
        SCOPED_TRACE(i);
        LanguageProblem problem = DrawProblem(random);
        problem.clients = random() % 4 == 0 && problem.nodes.size() > 1;
        // The best plan with layers on just these nodes, or on any of them.
        const auto find = [&](const std::set<std::size_t>& nodes, bool isAll, auto rank) {
            double least = std::numeric_limits<double>::infinity();
            LanguagePlan best;
            std::function<void(LanguagePlan, std::size_t, uint32_t)> visit =
                [&](const LanguagePlan& plan, std::size_t node, uint32_t left) {
                    if (node == problem.nodes.size())
                    {
                        if (left == 0 && GetLanguagePlanCost(problem, plan).fits &&
                            rank(plan) < least)
                        {
                            least = rank(plan);
                            best = plan;
                        }
                        return;
                    }
                    const bool isClient = node < problem.clients;
                    const bool isFree = !isClient && node > 0 && (!isAll || nodes.count(node) == 0);
                    for (uint32_t amount = isFree || isClient ? 0 : 1; amount <= left; ++amount)
                    {
                        if (amount > 0 && (isClient || nodes.count(node) == 0))
                        {
                            break;
                        }
                        LanguagePlan more = plan;
                        if (amount > 0 || isClient)
                        {
                            more.parts.push_back({node, amount});
                        }
                        visit(more, node + 1, left - amount);
                    }
                };
            visit({}, 0, problem.amount);
            return std::pair(least, best);
        };
        const auto plan = [&](const char* name) {
            return FindByName<LanguagePlanner>("planner", name)->Plan(problem);
        };
        const auto latency = [&](const LanguagePlan& one) {
            return GetLanguagePlanCost(problem, one).latencySeconds;
        };
        std::set<std::size_t> nodes;
        for (std::size_t node = problem.clients; node < problem.nodes.size(); ++node)
        {
            nodes.insert(node);
        }
        if (const double least = find(nodes, false, latency).first; std::isinf(least))
        {
            ExpectError([&] { plan("halda-network"); }, "no plan fits into the memories");
        }
        else
        {
            EXPECT_NEAR(latency(plan("halda-network")), least, 1e-12 * least);
            EXPECT_TRUE(GetLanguagePlanCost(problem, plan("halda-network")).fits);
        }
        LanguageProblem still = problem; // messages take nothing
        still.hopBytes = still.closingBytes = still.delaySeconds = 0;
        for (auto& node : still.nodes)
        {
            node.messageSeconds = 0;
        }
        const auto compute = [&](const LanguagePlan& one) {
            return GetLanguagePlanCost(still, one).latencySeconds;
        };
        auto [least, known] = find(nodes, true, compute);
        if (std::isinf(least))
        {
            ExpectError([&] { plan("halda"); },
                        "no plan with a layer on every node fits into the memories");
            continue;
        }
        // One after the other, nodes of a layer leave, as long as the others hold the model.
        while (true)
        {
            auto strong = nodes;
            for (const auto& part : known.parts)
            {
                if (part.amount == 1 && part.node != *nodes.begin())
                {
                    strong.erase(part.node);
                }
            }
            const auto [next, better] = find(strong, true, compute);
            if (strong == nodes || std::isinf(next))
            {
                break;
            }
            nodes = strong;
            known = better;
            least = next;
        }
        EXPECT_NEAR(compute(plan("halda")), least, 1e-12 * least);
        EXPECT_TRUE(GetLanguagePlanCost(problem, plan("halda")).fits);
        ++planned;
    }
    EXPECT_GT(planned, 200U);
}

TEST(LanguagePlanner, SharesByTensorsFollowSpeedAndMemory)
{
    LanguageProblem problem;
    problem.isTensorSplit = true;
    problem.layers = 10;
    problem.amount = 8;
    problem.partBytes = 1;
    for (const double seconds : {1.0, 3.0, 1e3})
    {
        LanguageNode node{};
        node.name = "n" + std::to_string(problem.nodes.size());
        node.layerSeconds = seconds;
        node.memoryBytes = 100;
        node.uplinkBitsPerSecond = 1;
        node.downlinkBitsPerSecond = 1;
        problem.nodes.push_back(node);
    }
    const auto plan = [&](const std::string& name) {
        std::vector<uint32_t> amounts;
        for (const auto& part : FindByName<LanguagePlanner>("planner", name)->Plan(problem).parts)
        {
            amounts.push_back(part.amount);
        }
        return amounts;
    };
    EXPECT_EQ(plan("uniform"), (std::vector<uint32_t>{3, 3, 2}));
    EXPECT_EQ(plan("by-speed"), (std::vector<uint32_t>{6, 2}));
    problem.nodes[0].memoryBytes = 4;
    EXPECT_EQ(plan("by-speed"), (std::vector<uint32_t>{4, 4}));
    problem.nodes[1].memoryBytes = 2;
    EXPECT_EQ(plan("by-speed"), (std::vector<uint32_t>{4, 2, 2}));
    problem.nodes[2].memoryBytes = 1;
    ExpectError([&] { plan("by-speed"); }, "the memories hold 7 of 8 parts, expected all");
    ExpectError([&] { plan("exact"); }, "found a split by tensors, expected one by layers");
    // Ten layers of three of eight parts each.
    EXPECT_EQ(GetLanguagePlanCost(problem, {{{0, 3}, {1, 5}}}).latencySeconds, 10 * 5 / 8.0 * 3);
    EXPECT_FALSE(GetLanguagePlanCost(problem, {{{0, 3}, {1, 5}}}).fits);
}

TEST(LanguagePlanner, WhatMemoryDoesNotHoldIsReadFromDisk)
{
    LanguageProblem problem;
    problem.layers = problem.amount = 10;
    problem.partBytes = 100;
    problem.firstBytes = 50;
    LanguageNode node{};
    node.name = "n";
    node.layerSeconds = 1;
    node.headSeconds = 2;
    node.memoryBytes = 600;
    node.uplinkBitsPerSecond = node.downlinkBitsPerSecond = 1;
    problem.nodes = {node};
    const auto plan = [&] {
        return FindByName<LanguagePlanner>("planner", "by-speed")->Plan(problem);
    };
    ExpectError(plan, "the memories hold 5 of 10 parts, expected all");
    // 1,050 bytes less 600, at 50 bytes/s: 9 s beside 12.
    problem.nodes[0].disk = {50, false};
    EXPECT_EQ(GetLanguagePlanCost(problem, plan()).latencySeconds, 12 + 9);
    problem.nodes[0].disk.isHidden = true;
    EXPECT_EQ(GetLanguagePlanCost(problem, plan()).latencySeconds, 12);
    problem.nodes[0].disk.bytesPerSecond = 10;
    EXPECT_EQ(GetLanguagePlanCost(problem, plan()).latencySeconds, 45);
    EXPECT_TRUE(GetLanguagePlanCost(problem, plan()).fits);
    // Where reading takes no time, memory is filled all the same.
    problem.nodes[0].disk.bytesPerSecond = 1e6;
    problem.nodes.push_back(problem.nodes[0]);
    problem.nodes[1].name = "m";
    const auto shared = FindByName<LanguagePlanner>("planner", "halda")->Plan(problem);
    EXPECT_EQ(shared.parts[0].amount, 5u);
    EXPECT_EQ(shared.parts[1].amount, 5u);
}

TEST(LanguagePlanner, ExoSharesByMemoryAsExoDoes)
{
    std::mt19937 random(3);
    LanguageProblem problem = DrawProblem(random);
    const LanguageNode any = problem.nodes.front();
    const auto plan = [&](const std::vector<double>& memories, uint32_t layers) {
        problem.amount = layers;
        problem.layers = layers;
        problem.nodes.assign(memories.size(), any);
        for (std::size_t i = 0; i < memories.size(); ++i)
        {
            problem.nodes[i].name = "node" + std::to_string(i + 1);
            problem.nodes[i].memoryBytes = memories[i];
        }
        std::vector<std::pair<std::size_t, uint32_t>> shares;
        for (const auto& part : FindByName<LanguagePlanner>("planner", "exo")->Plan(problem).parts)
        {
            shares.emplace_back(part.node, part.amount);
        }
        return shares;
    };
    using Shares = std::vector<std::pair<std::size_t, uint32_t>>;
    // Ends of exo's own tests: 0.6, 0.9, 1; 0.42857, 0.71428, 0.99999; equals go by descending
    // name.
    EXPECT_EQ(plan({100, 300, 600}, 32), (Shares{{0, 4}, {2, 19}, {1, 9}}));
    EXPECT_EQ(plan({128, 192, 128}, 100), (Shares{{0, 29}, {1, 42}, {2, 29}}));
    // A share of less than a layer is left out.
    EXPECT_EQ(plan({600, 1, 399}, 10), (Shares{{0, 6}, {2, 3}, {1, 1}}));
    EXPECT_EQ(plan({600, 40, 360}, 5), (Shares{{0, 3}, {2, 1}, {1, 1}}));
    EXPECT_EQ(plan({700, 10, 290, 1}, 4), (Shares{{0, 2}, {2, 1}, {3, 1}}));
    ExpectError([&] { plan({2, 500, 1}, 4); }, "the plan does not begin at node node1");
    problem.isTensorSplit = true;
    ExpectError([&] { plan({1, 1}, 4); }, "found a split by tensors");
}

TEST(LanguagePlanner, ParallaxFillsFewNodesInProportionToSpeed)
{
    LanguageProblem problem;
    problem.layers = problem.amount = 10;
    problem.partBytes = 1;
    problem.firstBytes = 2;
    problem.lastBytes = 1;
    problem.isHeadLast = true;
    using Shares = std::vector<std::pair<std::size_t, uint32_t>>;
    std::string planner = "parallax";
    const auto plan = [&](const std::vector<std::pair<double, double>>& nodes) {
        problem.nodes.clear();
        for (const auto& [layers, seconds] : nodes)
        {
            LanguageNode node{};
            node.name = "n" + std::to_string(problem.nodes.size());
            node.memoryBytes = layers;
            node.layerSeconds = seconds;
            node.uplinkBitsPerSecond = node.downlinkBitsPerSecond = 1;
            problem.nodes.push_back(node);
        }
        Shares shares;
        for (const auto& part :
             FindByName<LanguagePlanner>("planner", planner)->Plan(problem).parts)
        {
            shares.emplace_back(part.node, part.amount);
        }
        return shares;
    };
    // Two nodes hold 6 and 5 layers: min(6, x) + min(5, 3x) is 10 at x = 5.
    EXPECT_EQ(plan({{8, 3}, {4, 1}, {6, 1}}), (Shares{{0, 5}, {2, 5}}));
    // 6.7 and 3.3, then 3 and two of 3.5, of which the first is rounded up.
    EXPECT_EQ(plan({{9, 1}, {7, 2}, {2, 2}, {7, 2}}), (Shares{{0, 7}, {1, 3}}));
    EXPECT_EQ(plan({{5, 1}, {5, 2}, {2, 9}, {5, 2}}), (Shares{{0, 3}, {1, 4}, {3, 3}}));
    // The last holds the head beside its layers.
    EXPECT_EQ(plan({{6, 1}, {6, 1}, {6, 1}}), (Shares{{0, 4}, {1, 3}, {2, 3}}));
    ExpectError([&] { plan({{6, 1}, {6, 1}}); }, "no plan fits into the memories");
    // By bandwidth all nodes count that shorten a token: the third of nine times the time does not.
    planner = "exo-bandwidth";
    EXPECT_EQ(plan({{9, 2}, {12, 9}, {14, 1}}), (Shares{{0, 3}, {2, 7}}));
    EXPECT_EQ(plan({{9, 2}, {6, 1}, {8, 1}}), (Shares{{0, 2}, {2, 4}, {1, 4}}));
    ExpectError([&] { plan({{6, 1}, {6, 1}}); }, "no plan fits into the memories");
}

TEST(LanguagePlanner, ProblemsAndPlansAreReadAsTheyAreWritten)
{
    std::mt19937 random(3);
    LanguageProblem problem = DrawProblem(random);
    while (problem.nodes.size() < 2)
    {
        problem = DrawProblem(random);
    }
    problem.model = "m";
    const std::string text = FormatProblem(problem);
    const auto read = ReadProblem<LanguageProblem>(ParseJsonText(text, "p.json"));
    EXPECT_EQ(FormatProblem(read), text);
    const TemporaryFolder folder;
    const std::string rest = std::to_string(problem.amount - 1);
    const std::string file = folder.Write("plan.json", R"({"parts": [{"node": "n0", "amount": 1},
        {"node": "n1", "amount": )" + rest + "}]}");
    const auto plan = FindByName<LanguagePlanner>("planner", "plan:" + file)->Plan(problem);
    EXPECT_EQ(plan.parts.back().amount, problem.amount - 1);
    ExpectError(
        [&] {
            FindByName<LanguagePlanner>(
                "planner",
                "plan:" + folder.Write("p.json", R"({"parts": [{"node": "n1", "amount": 9}]})"))
                ->Plan(problem);
        },
        "the plan does not begin at node n0, where requests arrive");
}
