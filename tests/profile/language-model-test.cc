// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-exchange-pattern.h"
#include "ns3/edgepipe-expression.h"
#include "ns3/edgepipe-language-device.h"
#include "ns3/edgepipe-language-model.h"
#include "ns3/edgepipe-traces-folder.h"

namespace
{

LanguageModel
Find(const std::string& name)
{
    return ReadLanguageModel(FindTracesFile("model", name, "language-models"));
}

ExchangePattern
FindPattern(const std::string& name)
{
    return ExchangePattern(FindTracesFile("exchange", name, "exchanges"));
}

/** What a pass sends. */
struct Traffic
{
    double rootSends{0};    //!< bytes
    double rootReceives{0}; //!< bytes
    double bytes{0};        //!< of all nodes
    uint32_t messages{0};   //!< of all nodes
};

Traffic
Count(const std::string& pattern,
      const std::string& model,
      uint32_t nodes,
      const std::string& messages,
      uint32_t tokens = 1,
      uint32_t rows = 1)
{
    ExchangePattern found = FindPattern(pattern);
    const LanguageModel read = Find(model);
    LanguageFormats formats;
    formats.messages = GetValueBytes("messages", messages);
    ExchangeShares shares;
    for (uint32_t i = 0; i < nodes; ++i)
    {
        const bool holds = i >= found.GetClients();
        shares.layers.push_back(found.IsTensorSplit() ? read.layers : holds ? 3 : 0);
        shares.shares.push_back(found.IsTensorSplit() ? 1.0 / nodes : holds);
    }
    Traffic traffic;
    const auto program = found.Compile(read, formats, shares, tokens, rows);
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (const auto& step : program[node])
        {
            if (step.kind == ExchangeStep::SEND)
            {
                ++traffic.messages;
                traffic.bytes += step.bytes;
                (node == 0 ? traffic.rootSends : traffic.rootReceives) +=
                    node == 0 || step.peer == 0 ? step.bytes : 0;
            }
        }
    }
    return traffic;
}

} // namespace

TEST(LanguageModel, ParametersAreThePublishedOnes)
{
    // Of the models' cards, or the sizes of their tensors.
    const std::vector<std::pair<const char*, double>> published{{"llama-2-7b", 6738415616},
                                                                {"llama-2-13b", 13015864320},
                                                                {"llama-2-70b", 68976648192},
                                                                {"llama-3-8b", 8030261248},
                                                                {"llama-3.1-70b", 70553706496},
                                                                {"llama-3.2-1b", 1235814400},
                                                                {"llama-3.2-3b", 3212749824},
                                                                {"tinyllama-1.1b", 1100048384},
                                                                {"qwen3-30b-a3b", 30532122624},
                                                                {"bloom-176b", 176247271424}};
    for (const auto& [name, count] : published)
    {
        EXPECT_EQ(Find(name).CountParameters(), count) << name;
    }
}

TEST(LanguageModel, AConfigOfHuggingFaceIsRead)
{
    const TemporaryFolder folder;
    const auto mixture = ReadLanguageModel(folder.Write("Qwen3-30B-A3B/config.json", R"({
        "model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
        "moe_intermediate_size": 768, "num_hidden_layers": 48, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936, "num_experts": 128,
        "num_experts_per_tok": 8, "tie_word_embeddings": false, "rope_theta": 1e6})"));
    EXPECT_EQ(mixture.name, "Qwen3-30B-A3B");
    EXPECT_EQ(mixture.CountParameters(), 30532122624);
    const auto bloom = ReadLanguageModel(folder.Write("bloom.json", R"({"model_type": "bloom",
        "n_embed": 14336, "n_layer": 70, "num_attention_heads": 112, "vocab_size": 250880})"));
    EXPECT_EQ(bloom.CountParameters(), 176247271424);
    // Tied unless told otherwise; null is what a model has not.
    const auto gemma = ReadLanguageModel(folder.Write("gemma.json", R"({"model_type": "gemma",
        "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18, "head_dim": 256,
        "num_attention_heads": 8, "num_key_value_heads": 1, "vocab_size": 256000})"));
    EXPECT_EQ(gemma.CountParameters(), 2506172416);
    const std::string mistral = R"({"model_type": "mistral", "hidden_size": 4096, "head_dim": null,
        "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "vocab_size": 32000, "sliding_window": )";
    const auto windowed = ReadLanguageModel(folder.Write("mistral.json", mistral + "4096}"));
    EXPECT_EQ(windowed.CountParameters(), 7241732096);
    EXPECT_EQ(windowed.window, 4096U);
    EXPECT_EQ(ReadLanguageModel(folder.Write("mistral.json", mistral + "null}")).window, 0U);
    EXPECT_EQ(ReadLanguageModel(
                  folder.Write("mistral.json", mistral + R"(4096, "use_sliding_window": false})"))
                  .window,
              0U);
    const std::string dense = R"({"model_type": "qwen3_moe", "decoder_sparse_step": )";
    ExpectError([&] { ReadLanguageModel(folder.Write("a.json", dense + "2}")); },
                "decoder_sparse_step: found 2, expected 1: all layers have experts");
    ExpectError(
        [&] { ReadLanguageModel(folder.Write("a.json", dense + R"(1, "mlp_only_layers": [3]})")); },
        "mlp_only_layers: found an array, expected none: all layers are alike");
    ExpectError([&] { ReadLanguageModel(folder.Write("a.json", R"({"model_type": "gpt2"})")); },
                "model_type: found \"gpt2\", expected one of bloom, gemma, llama");
    ExpectError(
        [&] {
            ReadLanguageModel(folder.Write("a.json", R"({"model_type": "llama",
        "hidden_size": 64})"));
        },
        "num_hidden_layers");
}

TEST(LanguageModel, WorkOfOperations)
{
    const auto model = Find("llama-3-8b");
    TokenBatch batch;
    batch.Add(3, 10);
    EXPECT_EQ(batch.tokens, 3U);
    EXPECT_EQ(batch.cacheTokens, 13);
    EXPECT_EQ(batch.pairs, 11 + 12 + 13);
    LanguageFormats formats;
    formats.cache = 4;
    EXPECT_EQ(model.GetCacheBytes(formats), 2 * 1024 * 4);
    const auto attention = model.GetAttentionWork(batch, formats);
    EXPECT_EQ(attention.bytes, 13 * 8192);
    EXPECT_EQ(attention.flop, 36 * 4 * 4096);
    // A token reads its experts; many tokens read nearly all, each once.
    const auto mixture = Find("qwen3-30b-a3b");
    const double one = 3.0 * 2048 * 768;
    EXPECT_NEAR(mixture.GetExpertWork(1, formats).bytes, 2 * (8 * one + 128 * 2048), 1);
    EXPECT_NEAR(mixture.GetExpertWork(2, formats).bytes, 2 * (15.5 * one + 128 * 2048), 1);
    EXPECT_NEAR(mixture.GetExpertWork(1000, formats).bytes, 2 * (128 * one + 128 * 2048), 1e-9);
    EXPECT_EQ(mixture.GetExpertWork(2, formats).flop, 4 * (8 * one + 128 * 2048));
    EXPECT_EQ(model.GetExpertWork(1, formats).bytes, 0);
}

TEST(LanguageModel, AnOperationTakesTheLongerOfItsBytesAndFlop)
{
    const OperationSpeed speed{0.5, 10, 100};
    EXPECT_EQ(speed.GetSeconds({20, 20}, 2), 1 + 2);
    EXPECT_EQ(speed.GetSeconds({20, 400}, 1), 0.5 + 4);
    EXPECT_EQ((OperationSpeed{0, 0, 100}.GetSeconds({20, 400}, 1)), 4);
}

TEST(ExchangePattern, RootsOfDistributedLlamaMoveThePublishedBytes)
{
    struct Row
    {
        const char* pattern;
        const char* model;
        uint32_t nodes;
        double sent;     //!< kB of 1024 bytes, as the program prints them
        double received; //!< the same; 0: published is the sum
    };

    const std::string star = "distributed-llama-0.1";
    // Table "Average Data Transfer Between Devices" of the program's README, F32 messages.
    for (const Row& row : {Row{"distributed-llama-0.1", "llama-2-7b", 2, 2224, 1968},
                           Row{"distributed-llama-0.1", "llama-2-7b", 4, 7704, 2952},
                           Row{"distributed-llama-0.1", "llama-2-7b", 8, 19180, 3444},
                           Row{"distributed-llama-0.1", "llama-2-13b", 2, 3480, 3080},
                           Row{"distributed-llama-0.1", "llama-2-13b", 4, 12060, 4620},
                           Row{"distributed-llama-0.1", "llama-2-13b", 8, 30030, 5390},
                           Row{"distributed-llama-0.7", "llama-3-8b", 2, 2048, 0},
                           Row{"distributed-llama-0.7", "llama-3-8b", 4, 6144, 0},
                           Row{"distributed-llama-0.7", "llama-3-8b", 8, 14336, 0}})
    {
        SCOPED_TRACE(testing::Message() << row.pattern << row.model << row.nodes);
        const Traffic traffic = Count(row.pattern, row.model, row.nodes, "f32");
        if (row.received > 0)
        {
            EXPECT_EQ(traffic.rootSends, row.sent * 1024);
            EXPECT_EQ(traffic.rootReceives, row.received * 1024);
        }
        else
        {
            // Beside the byte that wakes a worker, which the table does not count.
            EXPECT_EQ(traffic.rootSends + traffic.rootReceives, row.sent * 1024 + row.nodes - 1);
        }
    }
}

TEST(ExchangePattern, EveryPatternSendsWhatItsProgramSends)
{
    const double d = 4096, h = 11008, k = 4096, L = 32, V = 32000, q = 34.0 / 32;
    const auto expect = [](const Traffic& traffic, double bytes, double messages) {
        EXPECT_EQ(traffic.messages, messages);
        EXPECT_EQ(traffic.bytes, bytes);
    };
    for (const double n : {2.0, 4.0, 8.0})
    {
        SCOPED_TRACE(n);
        const double others = n - 1;
        const auto count = [n](const std::string& pattern, const std::string& messages) {
            return Count(pattern, "llama-2-7b", n, messages);
        };
        const double star = L * others * q * (3 * d + others * h / n + (d + 2 * k + d + h + d) / n);
        expect(count("distributed-llama-0.1", "q80"), star, L * others * (3 + others + 6));
        expect(count("distributed-llama-0.3", "q80"),
               star + others,
               others * (1 + L * (3 + others + 6)));
        expect(count("distributed-llama-0.4", "q80"),
               others * (1 + L * q * (2 * d + others * h / n + d + h / n + d / n)),
               others * (1 + L * (2 + others + 3)));
        expect(count("distributed-llama-0.7", "q80"),
               others * (1 + 4 * L * q * d),
               others * (1 + 4 * L));
        expect(count("distributed-llama-0.12", "q80"),
               others * (8 + 4 + 4 * d + 4 * V / n) + 2 * L * n * others * d * q,
               4 * others + 2 * L * n * others);
        expect(count("prima-ring", "f32"), n * (4 * d + 40 + 100), 2 * n);
        expect(count("petals", "f16"), 2 * others * 2 * d, 2 * others);
        expect(count("petals", "int8"), 2 * others * d, 2 * others);
        expect(count("petals-push", "f16"), 2 * others * 2 * d, 2 * others);
        expect(count("exo", "f16"), others * 2 * d + n * others * 2 * d, others + n * others);
        expect(count("llama.cpp-rpc", "f32"), others * (8 * d + 3 * 15000), 3 * others);
        expect(count("edgeshard", "f32"), others * 4 * d + 4, n);
        expect(count("edgeshard-bubbles", "f32"), others * 4 * d + 4, n);
        expect(count("pipeline", "f16"), others * 2 * d + 4, n);
        expect(count("pipeline-logits", "f16"), others * 2 * d + 4 * V, n);
    }
}

TEST(ExchangePattern, PromptsOfTheMeshTakeAMessageAndLogitsForEachToken)
{
    const double d = 4096, L = 32, V = 128256, q = 34.0 / 32;
    const Traffic traffic = Count("distributed-llama-0.12", "llama-3-8b", 4, "q80", 32, 1);
    EXPECT_EQ(traffic.messages, 3 * (2 + 32 + 32) + 2 * L * 12 * 32);
    EXPECT_EQ(traffic.bytes, 3 * (8 + 32 * (4 + 4 * d + V)) + 2 * L * 12 * 32 * d * q);
    // Only the last token of a prompt needs logits elsewhere.
    EXPECT_EQ(Count("pipeline-logits", "llama-3-8b", 2, "f16", 32, 1).bytes, 32 * 2 * d + 4 * V);
}

TEST(ExchangePattern, RingsTakeRounds)
{
    ExchangePattern ring = FindPattern("prima-ring");
    ring.GetParameters()["rounds"] = 2;
    const auto model = Find("llama-2-7b");
    const auto program = ring.Compile(model, {}, {{16, 16}, {1, 1}}, 1, 1);
    double layers = 0;
    uint32_t sends = 0;
    for (const auto& step : program[1])
    {
        sends += step.kind == ExchangeStep::SEND;
        layers += step.kind == ExchangeStep::COMPUTE && step.operation == BLOCK_OPERATION
                      ? step.layers
                      : 0;
    }
    EXPECT_EQ(sends, 3U);
    EXPECT_EQ(layers, 16);
}

TEST(ExchangePattern, MistakesNameTheStep)
{
    const TemporaryFolder folder;
    const auto error = [&](const std::string& steps) {
        const std::string file = folder.Write("p.json",
                                              R"({"format": "edgepipe-exchange 1", "name": "p",
            "source": "here", "split": "layers", "messages": "f16", "pass": [)" +
                                                  steps + "]}");
        return folder.MessageOf([&] {
            ExchangePattern(file).Compile(Find("llama-2-7b"), {}, {{16, 16}, {1, 1}}, 1, 1);
        });
    };
    EXPECT_EQ(error(""), "no error");
    EXPECT_EQ(error(R"({"send": "d*x", "from": "root", "to": "1"})").substr(0, 60),
              "p.json: pass[0]: expression: found \"d*x\", expected one of A,");
    EXPECT_EQ(
        error(R"({"repeat": "2", "do": [{"send": "d", "from": "root", "to": "2"}]})"),
        "p.json: pass[0].do[0]: to: found node 2.000000, expected a whole number from 0 to 1");
    EXPECT_EQ(error(R"({"send": "d", "from": "root", "to": "1"})"),
              "exchange pattern p: node 1 never waits for 1 messages of node 0, expected a wait "
              "after them");
    EXPECT_EQ(error(R"({"compute": "layers", "on": "all"})"),
              "exchange pattern p: node 1 begins before it hears of a pass, expected a wait for a "
              "message first");
    EXPECT_EQ(error(R"({"compute": "soup", "on": "all"})"),
              "p.json: pass[0]: compute: found \"soup\", expected block, head, attention, experts "
              "or layers");
    EXPECT_EQ(error(R"({"think": "hard"})"),
              "p.json: pass[0]: found an object, expected a step with compute, send, wait or "
              "repeat");
}

TEST(Expression, FollowsTheRulesOfArithmetic)
{
    const std::map<std::string, double> names{{"d", 8}, {"n", 3}};
    EXPECT_EQ(EvaluateExpression("2 + d*n - 6/2", names), 23);
    EXPECT_EQ(EvaluateExpression("-(n+1)*2", names), -8);
    EXPECT_EQ(EvaluateExpression("(d+1)%n + ceil(d/n) + floor(d/n)", names), 5);
    EXPECT_EQ(EvaluateExpression("min(d, n) + max(1e1, n)", names), 13);
    for (const char* text : {"", "2 +", "(d", "d d", "e", "sin(d)", "min(d)", "1/0"})
    {
        EXPECT_NE(ErrorOf([&] { EvaluateExpression(text, names); }), "") << text;
    }
}
