/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_MODEL_H
#define EDGEPIPE_LANGUAGE_MODEL_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Kinds of operations of a language model, each with a speed of its own. */
enum LanguageOperation
{
    BLOCK_OPERATION,     //!< matrix products of a layer, but for experts
    HEAD_OPERATION,      //!< logits of the vocabulary
    ATTENTION_OPERATION, //!< of a token to its context
    EXPERT_OPERATION,    //!< gate and active experts of a layer
    LANGUAGE_OPERATIONS  //!< how many kinds there are
};

/** @return names of operations in files, by LanguageOperation */
const std::array<const char*, LANGUAGE_OPERATIONS>& GetLanguageOperationNames();

/**
 * @param what the option or field, for the message
 * @param name of a format, such as f32, f16, q80 (32 int8 and a scale of two bytes) or q40
 * @return bytes of a value
 * @throws InputError listing the known names
 */
double GetValueBytes(const std::string& what, const std::string& name);

/** Bytes of a value, by its place. */
struct LanguageFormats
{
    double weights{2};  //!< of blocks, experts, and head
    double cache{2};    //!< keys and values of the context
    double messages{2}; //!< activations between devices
};

/** Bytes read and operations done. */
struct LanguageWork
{
    double bytes{0}; //!< of weights and cache
    double flop{0};  //!< FLOP
};

/** Tokens computed together: one of each sequence that is decoded, or a stretch of a prompt. */
struct TokenBatch
{
    /**
     * @param tokens of one sequence
     * @param context its tokens before these
     */
    void Add(uint32_t tokens, uint64_t context);

    uint32_t tokens{0};    //!< computed
    uint32_t rows{0};      //!< tokens whose logits are needed
    double cacheTokens{0}; //!< of all contexts, read once a layer
    double pairs{0};       //!< of a token and one that it attends to, itself included
};

/** A decoder-only transformer, by the numbers that determine its work. */
struct LanguageModel
{
    std::string name;           //!< as results name it
    uint32_t width{0};          //!< d: of the residual stream
    uint32_t hidden{0};         //!< h: of the feed-forward, or of one expert
    uint32_t layers{0};         //!< L
    uint32_t heads{0};          //!< of queries
    uint32_t kvHeads{0};        //!< of keys and values
    uint32_t headSize{0};       //!< dimensions of a head
    uint32_t vocabulary{0};     //!< V
    uint32_t experts{0};        //!< of a layer; 0: one dense feed-forward
    uint32_t activeExperts{0};  //!< of a token
    uint32_t window{0};         //!< most tokens that attention reads; 0: all. It is not modelled.
    bool isGated{true};         //!< whether the feed-forward has a third matrix
    bool isTied{false};         //!< whether the head is the embedding
    bool hasBiases{false};      //!< all products and norms have one, as has an embedding norm
    bool hasQueryNorms{false};  //!< norms of a query's and a key's head
    bool hasQueryBiases{false}; //!< biases of queries, keys and values only

    /** @return k: width of keys, or of values */
    double GetCacheWidth() const
    {
        return static_cast<double>(kvHeads) * headSize;
    }

    /** @return width of queries and of attention's result */
    double GetQueryWidth() const
    {
        return static_cast<double>(heads) * headSize;
    }

    /** @return weights of queries, keys and values in a layer */
    double GetQueryWeights() const
    {
        return width * (GetQueryWidth() + 2 * GetCacheWidth());
    }

    /** @return weights of attention's output in a layer */
    double GetOutputWeights() const
    {
        return width * GetQueryWidth();
    }

    /** @return weights of the way into a feed-forward, or into an expert */
    double GetUpWeights() const
    {
        return (isGated ? 2.0 : 1.0) * width * hidden;
    }

    /** @return weights of the way out of it */
    double GetDownWeights() const
    {
        return static_cast<double>(width) * hidden;
    }

    /** @return weights of the operation `block` in a layer */
    double GetBlockWeights() const
    {
        return GetQueryWeights() + GetOutputWeights() +
               (experts > 0 ? 0 : GetUpWeights() + GetDownWeights());
    }

    /** @return weights of gate and experts in a layer */
    double GetExpertWeights() const
    {
        return experts * (width + GetUpWeights() + GetDownWeights());
    }

    /** @return weights of the head, or of the embedding */
    double GetHeadWeights() const
    {
        return static_cast<double>(vocabulary) * width;
    }

    /** @return all parameters, norms and biases included */
    double CountParameters() const;

    /**
     * @param formats bytes of values
     * @return bytes that a token of context takes in a layer
     */
    double GetCacheBytes(const LanguageFormats& formats) const
    {
        return 2 * GetCacheWidth() * formats.cache;
    }

    /**
     * Work of matrix products.
     *
     * @param weights read once
     * @param tokens multiplied by them
     * @param formats bytes of values
     * @return the work
     */
    static LanguageWork GetProductWork(double weights,
                                       double tokens,
                                       const LanguageFormats& formats)
    {
        return {weights * formats.weights, 2 * weights * tokens};
    }

    /**
     * Attention in a layer: 4 FLOP for each value of the queries and each token attended to.
     *
     * @param batch the tokens
     * @param formats bytes of values
     * @return the work
     */
    LanguageWork GetAttentionWork(const TokenBatch& batch, const LanguageFormats& formats) const
    {
        return {GetCacheBytes(formats) * batch.cacheTokens, 4 * GetQueryWidth() * batch.pairs};
    }

    /**
     * Gate and experts in a layer. Tokens choose experts independently, so that t tokens read
     * E (1 - (1 - A/E)^t) of them.
     *
     * @param tokens computed
     * @param formats bytes of values
     * @return the work
     */
    LanguageWork GetExpertWork(double tokens, const LanguageFormats& formats) const;
};

/**
 * Reads a model by its numbers (doc/reference/formats.rst, "Language model"), or the config.json
 * of Hugging Face's transformers.
 *
 * @param path the file
 * @return the model
 * @throws InputError for an unreadable or malformed file
 */
LanguageModel ReadLanguageModel(const std::string& path);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_MODEL_H */
