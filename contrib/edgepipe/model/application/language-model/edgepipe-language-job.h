/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_JOB_H
#define EDGEPIPE_LANGUAGE_JOB_H

#include "edgepipe-language-laps.h"

#include "ns3/edgepipe-exchange-pattern.h"
#include "ns3/edgepipe-language-device.h"
#include "ns3/edgepipe-language-problem.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::edgepipe
{

/** Tokens that all nodes compute together once. */
struct LanguagePass
{
    uint32_t stream{0};                               //!< passes of a stream follow each other
    TokenBatch batch;                                 //!< its tokens
    bool isPrefill{false};                            //!< whether they belong to a prompt
    uint32_t nodesLeft{0};                            //!< that have not finished it
    std::shared_ptr<const ExchangeProgram> program{}; //!< what every node does
    std::optional<uint32_t> voidAfter{};              //!< pass whose logits make this one useless
};

/**
 * @ingroup edgepipe
 *
 * What the applications of one language model have in common: the model, who holds what, the
 * passes under way, and the memory of all nodes. Nodes are numbered by position, in the order of
 * the plan.
 */
class LanguageJob
{
  public:
    /// Tokens of a block of keys and values.
    static constexpr uint32_t BLOCK_TOKENS = 16;

    /**
     * @param model the model
     * @param formats bytes of values
     * @param pattern what is sent when
     * @param devices speeds, by node
     * @param nodes that may take part; requests arrive at the first
     */
    LanguageJob(LanguageModel model,
                LanguageFormats formats,
                ExchangePattern pattern,
                std::vector<LanguageDevice> devices,
                NodeContainer nodes);

    /** @param draft model that the first node runs beside, with the formats of the other */
    void SetDraft(LanguageModel draft)
    {
        m_draft = std::move(draft);
    }

    /** @return whether the first node has a draft model */
    bool HasDraft() const
    {
        return m_draft.has_value();
    }

    /**
     * @param hasLogits whether a token's logits are needed
     * @return what the draft model computes in a pass
     */
    std::vector<ExchangeStep> ListDraftSteps(bool hasLogits) const;

    /**
     * @param step of ListDraftSteps
     * @param batch its tokens
     * @return the first node's work
     */
    LanguageWork GetDraftWork(const ExchangeStep& step, const TokenBatch& batch) const
    {
        return GetWork(*m_draft, step, batch);
    }

    /**
     * Describe the choice of who holds what.
     *
     * @param tokens of context that caches should hold
     * @param margin share of every memory that stays free
     * @return the problem, but for rates and delays of links, which are to be set
     * @throws InputError if the pattern cannot run
     */
    LanguageProblem MakeProblem(uint64_t tokens, double margin) const;

    /**
     * Share out the model, and take the memory of its weights, but of those that stay on disks.
     *
     * @param plan a valid plan
     * @param tokens of context for which memory is left
     * @param margin share of every memory that stays free
     * @param blocks of keys and values at most; 0: as memory allows
     * @return why it does not fit; empty: it does
     */
    std::string SetPlan(const LanguagePlan& plan, uint64_t tokens, double margin, uint64_t blocks);

    /** @return how many nodes take part */
    uint32_t CountNodes() const
    {
        return m_order.size();
    }

    /**
     * @param position of a node
     * @return its id
     */
    uint32_t GetNodeId(uint32_t position) const
    {
        return m_nodes.Get(m_order[position])->GetId();
    }

    /**
     * @param id of a node that takes part
     * @return its position
     */
    uint32_t GetPosition(uint32_t id) const
    {
        return m_positions.at(id);
    }

    /**
     * @param position of a node
     * @return its speeds
     */
    const LanguageDevice& GetDevice(uint32_t position) const
    {
        return m_devices[m_order[position]];
    }

    /** @return what nodes hold, by position */
    const ExchangeShares& GetShares() const
    {
        return m_shares;
    }

    /** @return what is sent when */
    const ExchangePattern& GetPattern() const
    {
        return m_pattern;
    }

    /** @return passes under way at once */
    uint32_t CountStreams() const
    {
        return m_pattern.CountStreams(m_model, CountNodes());
    }

    /**
     * Announce a pass.
     *
     * @param pass its tokens; its program and nodes are set
     * @return its number
     */
    uint32_t AddPass(LanguagePass pass);

    /**
     * @param number of a pass that some node has not finished
     * @return the pass
     */
    const LanguagePass& GetPass(uint32_t number) const
    {
        return m_passes.at(number);
    }

    /** @param number of a pass that one more node has finished */
    void EndPass(uint32_t number);

    /**
     * @param step that computes
     * @param batch of the pass
     * @return the node's work
     */
    LanguageWork GetWork(const ExchangeStep& step, const TokenBatch& batch) const
    {
        return GetWork(m_model, step, batch);
    }

    /**
     * @param position of a node
     * @param operation that it computes
     * @param work of it
     * @return bytes that it reads from its disk for that
     */
    double GetReadBytes(uint32_t position,
                        LanguageOperation operation,
                        const LanguageWork& work) const
    {
        return operation == ATTENTION_OPERATION ? 0 : m_readShares[position] * work.bytes;
    }

    /** @return passes that some node has not finished */
    std::size_t CountPasses() const
    {
        return m_passes.size();
    }

    /** @param skips whether laps are skipped */
    void SetSkipsLaps(bool skips)
    {
        m_skipsLaps = skips;
    }

    /** @return whether laps are skipped */
    bool SkipsLaps() const
    {
        return m_skipsLaps;
    }

    /** @return what skips laps of passes */
    LanguageLaps& GetLaps()
    {
        return m_laps;
    }

    /** @return blocks of keys and values that all nodes can hold */
    uint64_t GetBlocks() const
    {
        return m_blocks;
    }

    /**
     * Take memory for keys and values on every node.
     *
     * @param blocks how many
     * @return whether they fitted; if not, nothing was taken
     */
    bool ReserveBlocks(uint64_t blocks);

    /** @param blocks to give back on every node */
    void ReleaseBlocks(uint64_t blocks);

    /** Give all memory back. */
    void Close();

  private:
    /**
     * @param model that is computed
     * @param step that computes
     * @param batch of the pass
     * @return the node's work
     */
    LanguageWork GetWork(const LanguageModel& model,
                         const ExchangeStep& step,
                         const TokenBatch& batch) const;

    /**
     * @param hasHead whether the first node computes a part of the head
     * @return node that looks up embeddings: the first, unless it only passes on tokens
     */
    uint32_t FindEmbedding(bool hasHead) const
    {
        return hasHead ? 0 : m_pattern.GetClients();
    }

    /** @return bytes of the draft model's weights */
    double GetDraftBytes() const;
    /** @return bytes that a token of context takes in the draft model */
    double GetDraftCacheBytes() const;

    /**
     * @param tokens of a pass
     * @param rows tokens of it whose logits are needed
     * @return what every node does
     */
    std::shared_ptr<const ExchangeProgram> FindProgram(uint32_t tokens, uint32_t rows);

    LanguageModel m_model;                    //!< the model
    std::optional<LanguageModel> m_draft;     //!< of the first node
    LanguageFormats m_formats;                //!< bytes of values
    ExchangePattern m_pattern;                //!< what is sent when
    std::vector<LanguageDevice> m_devices;    //!< speeds, by node
    NodeContainer m_nodes;                    //!< that may take part
    std::vector<std::size_t> m_order;         //!< nodes, by position
    std::map<uint32_t, uint32_t> m_positions; //!< by id
    ExchangeShares m_shares;                  //!< by position
    std::vector<MemoryAccount> m_memories;    //!< by position
    std::vector<double> m_readShares;         //!< of weights that are on disk, by position
    std::vector<uint64_t> m_blockBytes;       //!< of a block of keys and values, by position
    uint64_t m_blocks{0};                     //!< see GetBlocks
    uint64_t m_blocksInUse{0};                //!< of these
    LanguageLaps m_laps;                      //!< see GetLaps
    bool m_skipsLaps{false};                  //!< see SkipsLaps
    uint32_t m_nextPass{0};                   //!< number of the next pass
    std::unordered_map<uint32_t, LanguagePass> m_passes; //!< under way
    /// By tokens and rows.
    std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<const ExchangeProgram>> m_programs;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_JOB_H */
