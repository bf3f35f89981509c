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

TEST(EdgepipeDnnGraph, CountsTheNumbersOfOutputsByTheirShape)
{
    const auto read = [](const std::string& shape, uint64_t bytes) {
        TemporaryFolder folder;
        const std::string text =
            R"({"format": "edgepipe-model 1", "name": "m", "layers": [
                {"name": "in", "operator": "input", "inputs": [], "outputShape": [2, 3],
                 "flop": 0, "parameterBytes": 0, "outputBytes": 12, "activationBytes": 0},
                {"name": "a", "operator": "other", "inputs": ["in"], )" +
            shape + R"("flop": 0, "parameterBytes": 0, "outputBytes": )" + std::to_string(bytes) +
            R"(, "activationBytes": 0}]})";
        return ReadDnnGraph(folder.Write("m.json", text)).layers[1];
    };
    EXPECT_EQ(read(R"("outputShape": [5, 4], )", 80).CountOutputs(), 20);
    EXPECT_EQ(read(R"("outputShape": [5, 4], )", 40).CountOutputs(), 20);
    EXPECT_EQ(read(R"("outputShape": [5, 4], )", 20).CountOutputs(), 20);
    EXPECT_EQ(read(R"("outputShape": [5, 4], )", 160).CountOutputs(), 20);
    EXPECT_EQ(read(R"("outputShape": [5, 4], )", 10).CountOutputs(), 20) << "of four bits";
    EXPECT_EQ(read(R"("outputShape": [5, 4], )", 64 * 40).CountOutputs(), 64 * 20) << "windows";
    EXPECT_EQ(read("", 40).CountOutputs(), 20) << "the input's numbers have two bytes";
    const DnnLayer half = read(R"("outputShape": [5, 4], )", 40);
    EXPECT_EQ(half.GetSentBytes(1), 20u);
    EXPECT_EQ(half.GetSentBytes(2), 40u);
    EXPECT_EQ(half.GetSentBytes(3), 40u);
    EXPECT_EQ(half.GetSentBytes(4), 40u) << "as they are";
    EXPECT_EQ(half.GetSentBytes(8), 80u);
}

TEST(EdgepipeDnnGraph, IntegersAreSentAsTheyAre)
{
    const auto read = [](uint64_t bytes, const std::string& more) {
        TemporaryFolder folder;
        const std::string text =
            R"({"format": "edgepipe-model 1", "name": "m", "layers": [
                {"name": "in", "operator": "input", "inputs": [], "outputShape": [6], "flop": 0,
                 "parameterBytes": 0, "activationBytes": 0, "outputBytes": )" +
            std::to_string(bytes) + more + "}]}";
        return ReadDnnGraph(folder.Write("m.json", text)).layers[0];
    };
    for (const uint32_t bytesOfNumber : {1, 2, 4, 8})
    {
        EXPECT_EQ(read(24, R"(, "integerBytes": 24)").GetSentBytes(bytesOfNumber), 24u);
        EXPECT_EQ(read(48, "").GetSentBytes(bytesOfNumber), 48u) << "of an old file";
        // Three tokens of eight bytes beside three floats.
        EXPECT_EQ(read(36, R"(, "integerBytes": 24)").GetSentBytes(bytesOfNumber),
                  24 + 3 * bytesOfNumber);
    }
    EXPECT_EQ(read(24, "").GetSentBytes(1), 6u);
    ExpectError([&] { read(24, R"(, "integerBytes": 25)"); }, "integerBytes");
}

TEST(EdgepipeDnnGraph, ReadsWeightsThatLayersShare)
{
    TemporaryFolder folder;
    const auto read = [&folder](const std::string& tied, const std::string& first = "") {
        const std::string text =
            R"({"format": "edgepipe-model 1", "name": "m", "layers": [
                {"name": "a", "operator": "other", "inputs": [])" +
            first + R"(, "flop": 0, "parameterBytes": 8, "outputBytes": 4, "activationBytes": 0},
                {"name": "b", "operator": "other", "inputs": ["a"], "tied": )" +
            tied + R"(, "flop": 0, "parameterBytes": 0, "outputBytes": 4, "activationBytes": 0}]})";
        return ReadDnnGraph(folder.Write("m.json", text));
    };
    const DnnGraph graph = read(R"([{"layer": "a", "bytes": 8}])");
    EXPECT_EQ(graph.layers[1].tied, (std::vector<TiedWeights>{{0, 8}}));
    EXPECT_TRUE(read("[]").layers[1].tied.empty());
    const auto expect = [&](const std::string& tied, const std::string& error) {
        EXPECT_EQ(folder.MessageOf([&] { read(tied); }), error);
    };
    expect(R"([{"layer": "c", "bytes": 8}])",
           R"(m.json: layers[1].tied[0].layer: found "c", expected the name of an earlier layer)");
    expect(R"([{"layer": "b", "bytes": 8}])",
           R"(m.json: layers[1].tied[0].layer: found "b", expected the name of an earlier layer)");
    expect(
        R"([{"layer": "a", "bytes": 9}])",
        R"(m.json: layers[1].tied[0].bytes: found 9, expected at most the parameterBytes of "a", 8)");
    expect(R"([{"layer": "a", "bytes": 8}, {"layer": "a", "bytes": 1}])",
           R"(m.json: layers[1].tied[1].layer: found "a", expected each layer once)");
    EXPECT_NE(folder.MessageOf([&] { read(R"([{"layer": "a", "bytes": 0}])"); }), "");
    EXPECT_NE(folder.MessageOf([&] { read(R"([{"layer": "a", "bytes": 8, "x": 1}])"); }), "");
    EXPECT_NE(folder.MessageOf([&] { read("[]", R"(, "tied": [{"layer": "b", "bytes": 1}])"); }),
              "");
}

TEST(EdgepipeDnnGraph, RefusesProductsWithoutWeights)
{
    TemporaryFolder folder;
    const auto read = [&folder](const std::string& layer) {
        return ReadDnnGraph(folder.Write("m.json",
                                         R"({"format": "edgepipe-model 1", "name": "m", "layers": [
                {"name": "a", "operator": "other", "inputs": [],
                 "flop": 0, "parameterBytes": 8, "outputBytes": 4, "activationBytes": 0},
                {"name": "b", "operator": "other", "inputs": ["a"],
                 "flop": 0, "parameterBytes": 0, "outputBytes": 4, "activationBytes": 0},
                {"name": "c", "operator": )" +
                                             layer +
                                             R"(, "outputBytes": 4, "activationBytes": 0}]})"));
    };
    for (const char* product : {"conv2d", "linear", "recurrent"})
    {
        const std::string begin = "\"" + std::string(product) + R"(", "flop": 8, "inputs": ["a")";
        EXPECT_EQ(
            folder.MessageOf([&] { read(begin + R"(], "parameterBytes": 0)"); }),
            R"(m.json: layers[2].parameterBytes: found 0, expected the weights by which layer )"
            R"("c" multiplies its one input, or "tied" with those of an earlier layer)");
        read(begin + R"(], "parameterBytes": 8)");
        read(begin + R"(, "b"], "parameterBytes": 0)");
        read(begin + R"(], "tied": [{"layer": "a", "bytes": 8}], "parameterBytes": 0)");
    }
    read(R"("attention", "flop": 8, "inputs": ["a"], "parameterBytes": 0)");
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
