// SPDX-License-Identifier: GPL-2.0-only

#include "input-test-support.h"

#include "ns3/edgepipe-dnn-graph.h"

#include <string>
#include <vector>

using namespace ns3::edgepipe;

namespace
{

const std::string CORRECT = R"({
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
    DnnGraph graph = ReadDnnGraph(folder.Write("small.json", CORRECT));
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

TEST(EdgepipeDnnGraph, RefusesBrokenFiles)
{
    const std::vector<BrokenInput> cases = {
        {"another format",
         "edgepipe-model 1",
         "edgepipe-model 2",
         R"(m.json: format: found "edgepipe-model 2", expected "edgepipe-model 1")"},
        {"no format", R"("format": "edgepipe-model 1",)", "", R"(m.json: key "format" is missing)"},
        {"a misspelt key",
         R"("flop": 8)",
         R"("flops": 8)",
         R"(m.json: layers[1]: unknown key "flops", expected one of name, operator, inputs, )"
         R"(outputShape, flop, parameterBytes, outputBytes, activationBytes)"},
        {"a missing layer",
         R"(["left", "input"])",
         R"(["left", "right"])",
         R"(m.json: layers[2].inputs[1]: found "right", expected the name of a layer)"},
        {"two layers of one name",
         R"("name": "sum")",
         R"("name": "left")",
         R"(m.json: layers[2].name: found "left", expected a name that no other layer has)"},
        {"negative bytes",
         R"("outputBytes": 9)",
         R"("outputBytes": -9)",
         R"(m.json: layers[1].outputBytes: found -9, expected an integer, 0 or more)"},
        {"an unknown operator",
         R"("operator": "linear")",
         R"("operator": "lineer")",
         R"(m.json: layers[1].operator: found "lineer", expected an operator that )"
         R"(doc/formats.rst lists, or "other")"},
        {"a shape of nothing",
         R"("outputShape": [2])",
         R"("outputShape": [0])",
         R"(m.json: layers[0].outputShape[0]: found 0, expected a positive integer)"},
        {"a name with a slash",
         R"("name": "small")",
         R"("name": "a/b")",
         R"(m.json: name: found "a/b", expected a name without slashes)"},
    };
    TemporaryFolder folder;
    for (const BrokenInput& broken : cases)
    {
        std::string text = TemporaryFolder::Replace(CORRECT, broken.from, broken.to);
        ASSERT_NE(text, CORRECT) << broken.description;
        std::string file = folder.Write("m.json", text);
        EXPECT_EQ(folder.MessageOf([&] { ReadDnnGraph(file); }), broken.message)
            << broken.description;
    }
    std::string empty = folder.Write("e.json", MakeModel({}));
    EXPECT_EQ(folder.MessageOf([&] { ReadDnnGraph(empty); }),
              "e.json: layers: found no layer, expected at least one");
}

} // namespace
