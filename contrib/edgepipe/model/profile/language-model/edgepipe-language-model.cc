/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-model.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-ranges.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace ns3::edgepipe
{

namespace
{

/// Most of any number of a model.
constexpr uint64_t LARGEST = 10000000;

/**
 * @param root of a config.json
 * @param key of a value
 * @return it, if it is there and not null, as Hugging Face writes what a model has not
 */
std::optional<JsonField>
FindValue(const JsonField& root, const char* key)
{
    auto field = root.FindField(key);
    try
    {
        if (field && !field->IsList())
        {
            field->GetText();
        }
        return field;
    }
    catch (const InputError&)
    {
        return std::nullopt;
    }
}

/**
 * @param root of a config.json
 * @param keys names of one number, the usual first
 * @param otherwise value where there is none; none: it must be there
 * @return the number
 */
uint32_t
ReadCount(const JsonField& root,
          const std::vector<const char*>& keys,
          std::optional<uint32_t> otherwise = std::nullopt)
{
    for (const char* key : keys)
    {
        if (const auto field = FindValue(root, key))
        {
            return field->GetInteger(1, LARGEST);
        }
    }
    return otherwise ? *otherwise : root.GetField(keys.front()).GetInteger(1, LARGEST);
}

/**
 * @param root of a config.json
 * @param file its path
 * @return the model
 */
LanguageModel
ReadConfig(const JsonField& root, const std::string& file)
{
    static const std::set<std::string> types{"llama",
                                             "mistral",
                                             "gemma",
                                             "phi3",
                                             "qwen2",
                                             "qwen3",
                                             "qwen3_moe",
                                             "mixtral",
                                             "bloom"};
    const JsonField type = root.GetField("model_type");
    const std::string kind = type.GetString();
    type.Expect(types.count(kind) > 0,
                "one of " + JoinWords(types) + ", or numbers as in traces/language-models");
    if (const auto step = FindValue(root, "decoder_sparse_step"))
    {
        step->Expect(step->GetInteger() == 1, "1: all layers have experts");
    }
    if (const auto dense = FindValue(root, "mlp_only_layers"))
    {
        dense->Expect(dense->GetElements().empty(), "none: all layers are alike");
    }
    LanguageModel model;
    const std::filesystem::path path(file);
    model.name = path.stem() == "config" && path.has_parent_path()
                     ? std::filesystem::absolute(path).parent_path().filename().string()
                     : path.stem().string();
    const bool isBloom = kind == "bloom";
    model.width = ReadCount(root, {"hidden_size", "n_embed"});
    model.layers = ReadCount(root, {"num_hidden_layers", "n_layer"});
    model.heads = ReadCount(root, {"num_attention_heads", "n_head"});
    model.kvHeads = ReadCount(root, {"num_key_value_heads"}, model.heads);
    model.headSize = ReadCount(root, {"head_dim"}, model.width / model.heads);
    model.vocabulary = ReadCount(root, {"vocab_size"});
    model.experts = ReadCount(root, {"num_experts", "num_local_experts"}, 0);
    model.activeExperts = model.experts > 0 ? ReadCount(root, {"num_experts_per_tok"}) : 0;
    model.hidden = isBloom ? 4 * model.width
                           : ReadCount(root,
                                       model.experts > 0 && kind == "qwen3_moe"
                                           ? std::vector<const char*>{"moe_intermediate_size"}
                                           : std::vector<const char*>{"intermediate_size"});
    model.isGated = !isBloom;
    model.hasBiases = isBloom;
    model.hasQueryNorms = kind.rfind("qwen3", 0) == 0;
    model.hasQueryBiases = kind == "qwen2";
    const auto tied = FindValue(root, "tie_word_embeddings");
    model.isTied = tied ? tied->GetBoolean() : isBloom || kind == "gemma";
    const auto isUsed = FindValue(root, "use_sliding_window");
    const auto window = FindValue(root, "sliding_window");
    if (window && (!isUsed || isUsed->GetBoolean()))
    {
        model.window = window->GetInteger(1, LARGEST);
    }
    return model;
}

/**
 * @param root of a file of ours
 * @return the model
 */
LanguageModel
ReadNumbers(const JsonField& root)
{
    root.CheckFormat("edgepipe-language-model 1");
    root.CheckKeys({"format",
                    "name",
                    "source",
                    "width",
                    "hidden",
                    "layers",
                    "heads",
                    "kvHeads",
                    "headSize",
                    "vocabulary",
                    "experts",
                    "activeExperts",
                    "isGated",
                    "isTied",
                    "hasBiases",
                    "queryNorms",
                    "queryBiases"});
    LanguageModel model;
    model.name = root.GetField("name").GetFileStem();
    root.GetField("source").GetString();
    const auto count = [&root](const char* key) {
        return root.GetField(key).GetInteger(1, LARGEST);
    };
    model.width = count("width");
    model.hidden = count("hidden");
    model.layers = count("layers");
    model.heads = count("heads");
    model.kvHeads = ReadCount(root, {"kvHeads"}, model.heads);
    model.headSize = ReadCount(root, {"headSize"}, model.width / model.heads);
    model.vocabulary = count("vocabulary");
    model.experts = ReadCount(root, {"experts"}, 0);
    model.activeExperts = model.experts > 0 ? count("activeExperts") : 0;
    const auto read = [&root](const char* key, bool& value) {
        if (const auto field = root.FindField(key))
        {
            value = field->GetBoolean();
        }
    };
    read("isGated", model.isGated);
    read("isTied", model.isTied);
    read("hasBiases", model.hasBiases);
    read("queryNorms", model.hasQueryNorms);
    read("queryBiases", model.hasQueryBiases);
    return model;
}

} // namespace

const std::array<const char*, LANGUAGE_OPERATIONS>&
GetLanguageOperationNames()
{
    static const std::array<const char*, LANGUAGE_OPERATIONS> names{
        {"block", "head", "attention", "experts"}};
    return names;
}

double
GetValueBytes(const std::string& what, const std::string& name)
{
    // Blocks of 32 values with a scale of two bytes; q4k has blocks of 256 in 144 bytes.
    static const std::map<std::string, double> formats{{"f32", 4},
                                                       {"f16", 2},
                                                       {"bf16", 2},
                                                       {"int8", 1},
                                                       {"int4", 0.5},
                                                       {"q80", 34.0 / 32},
                                                       {"q40", 18.0 / 32},
                                                       {"q4k", 144.0 / 256}};
    const auto found = formats.find(name);
    if (found == formats.end())
    {
        throw InputError(what,
                         "\"" + name + "\"",
                         "one of: " + JoinWords(Map(formats, [](auto& one) { return one.first; })));
    }
    return found->second;
}

void
TokenBatch::Add(uint32_t count, uint64_t context)
{
    tokens += count;
    cacheTokens += static_cast<double>(context) + count;
    pairs += static_cast<double>(count) * context + 0.5 * count * (count + 1.0);
}

double
LanguageModel::CountParameters() const
{
    const double d = width;
    const double norm = hasBiases ? 2 * d : d;
    double layer = GetBlockWeights() + GetExpertWeights() + 2 * norm;
    layer += hasQueryNorms ? 2.0 * headSize : 0;
    layer += hasBiases ? GetQueryWidth() + 2 * GetCacheWidth() + d + hidden + d : 0;
    layer += hasQueryBiases ? GetQueryWidth() + 2 * GetCacheWidth() : 0;
    return (isTied ? 1 : 2) * GetHeadWeights() + layers * layer + (hasBiases ? 2 : 1) * norm;
}

LanguageWork
LanguageModel::GetExpertWork(double tokens, const LanguageFormats& formats) const
{
    if (experts == 0)
    {
        return {};
    }
    const double one = GetUpWeights() + GetDownWeights();
    const double gate = static_cast<double>(experts) * width;
    const double share = static_cast<double>(activeExperts) / experts;
    const double read = experts * (1 - std::pow(1 - share, tokens));
    return {(gate + read * one) * formats.weights, 2 * tokens * (gate + activeExperts * one)};
}

LanguageModel
ReadLanguageModel(const std::string& path)
{
    const JsonField root = ReadJsonFile(path);
    const bool isOurs = root.FindField("format").has_value();
    LanguageModel model = isOurs ? ReadNumbers(root) : ReadConfig(root, path);
    Require(model.heads % model.kvHeads == 0,
            path + ": found " + std::to_string(model.heads) + " heads and " +
                std::to_string(model.kvHeads) +
                " of keys and values, expected the first to be a multiple of the second");
    Require(model.headSize > 0 && model.activeExperts <= model.experts,
            path + ": found " + std::to_string(model.activeExperts) + " active experts of " +
                std::to_string(model.experts) + " and heads of " + std::to_string(model.headSize) +
                " dimensions, expected at most all experts and a dimension or more");
    return model;
}

} // namespace ns3::edgepipe
