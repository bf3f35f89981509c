// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

const std::string CORRECT_GRAPH = R"({
  "format": "edgepipe-model 1", "name": "small", "source": "this test", "inputShape": [2],
  "layers": [
    {"name": "input", "operator": "input", "inputs": [], "outputShape": [2],
     "flop": 0, "parameterBytes": 0, "outputBytes": 8, "activationBytes": 0},
    {"name": "left", "operator": "linear", "inputs": ["input"],
     "flop": 8, "parameterBytes": 16, "outputBytes": 9, "activationBytes": 7},
    {"name": "sum", "operator": "add", "inputs": ["left", "input"],
     "flop": 2, "parameterBytes": 0, "outputBytes": 10, "activationBytes": 1}
  ]
})";

TEST(EdgepipeDnnGraph, ReadsEveryFigure)
{
    TemporaryFolder folder;
    DnnGraph graph = ReadDnnGraph(folder.Write("small.json", CORRECT_GRAPH));
    EXPECT_EQ(graph.name, "small");
    ASSERT_EQ(graph.layers.size(), 3u);
    const DnnLayer& left = graph.layers[1];
    EXPECT_EQ(left.name, "left");
    EXPECT_EQ(left.operatorName, "linear");
    EXPECT_EQ(left.inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(left.flop, 8u);
    EXPECT_EQ(left.parameterBytes, 16u);
    EXPECT_EQ(left.outputBytes, 9u);
    EXPECT_EQ(left.activationBytes, 7u);
    EXPECT_EQ(graph.layers[2].inputs, (std::vector<std::size_t>{1, 0}));
}

/// @param layers pairs of name and quoted, comma-separated inputs
/// @return a model file
std::string
MakeModel(const std::vector<std::pair<std::string, std::string>>& layers)
{
    std::string text;
    for (const auto& [name, inputs] : layers)
    {
        text += (text.empty() ? "" : ",") + std::string(R"({"name": ")") + name +
                R"(", "operator": "other", "inputs": [)" + inputs +
                R"(], "flop": 0, "parameterBytes": 0, "outputBytes": 0, "activationBytes": 0})";
    }
    return R"({"format": "edgepipe-model 1", "name": "m", "layers": [)" + text + "]}";
}

TEST(EdgepipeDnnGraph, SortsLayersThatStandOutOfOrder)
{
    TemporaryFolder folder;
    // c and b are both ready once a is placed; they keep the order of the file.
    DnnGraph graph = ReadDnnGraph(folder.Write(
        "m.json",
        MakeModel({{"d", R"("c", "b")"}, {"c", R"("a")"}, {"b", R"("a")"}, {"a", ""}})));
    std::string order;
    for (const DnnLayer& layer : graph.layers)
    {
        order += layer.name;
    }
    EXPECT_EQ(order, "acbd");
    EXPECT_EQ(graph.layers[1].inputs, std::vector<std::size_t>{0})
        << "a was the last, is the first";
    EXPECT_EQ(graph.layers[3].inputs, (std::vector<std::size_t>{1, 2}));
}

TEST(EdgepipeDnnGraph, NamesTheMembersOfACycle)
{
    TemporaryFolder folder;
    // "after" hangs behind the cycle and is no member of it.
    std::string file = folder.Write("m.json",
                                    MakeModel({{"in", ""},
                                               {"after", R"("b")"},
                                               {"a", R"("in", "c")"},
                                               {"b", R"("a")"},
                                               {"c", R"("b")"}}));
    EXPECT_EQ(folder.MessageOf([&] { ReadDnnGraph(file); }),
              R"(m.json: layers: the layers form a cycle: "b" -> "c" -> "a" -> "b")");
    file = folder.Write("n.json", MakeModel({{"self", R"("self")"}}));
    EXPECT_EQ(folder.MessageOf([&] { ReadDnnGraph(file); }),
              R"(n.json: layers: the layers form a cycle: "self" -> "self")");
}

TEST(EdgepipeDnnGraph, ALayerThatReadsATensorTwiceDependsOnItOnce)
{
    TemporaryFolder folder;
    std::string file = folder.Write("m.json", MakeModel({{"a", ""}, {"square", R"("a", "a")"}}));
    EXPECT_EQ(ReadDnnGraph(file).layers[1].inputs, std::vector<std::size_t>{0});
}

} // namespace
