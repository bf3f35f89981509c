/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-job.h"

#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Programs kept; those of prompts, whose lengths differ, come and go.
constexpr std::size_t MOST_PROGRAMS = 64;

/**
 * @param steps of a node
 * @return share of the head that it computes
 */
double
FindHeadShare(const std::vector<ExchangeStep>& steps)
{
    const auto head = FindIf(steps, [](auto& step) {
        return step.kind == ExchangeStep::COMPUTE && step.operation == HEAD_OPERATION;
    });
    return head ? head->share : 0;
}

} // namespace

LanguageJob::LanguageJob(LanguageModel model,
                         LanguageFormats formats,
                         ExchangePattern pattern,
                         std::vector<LanguageDevice> devices,
                         NodeContainer nodes)
    : m_model(std::move(model)),
      m_formats(formats),
      m_pattern(std::move(pattern)),
      m_devices(std::move(devices)),
      m_nodes(std::move(nodes))
{
    Require(m_devices.size() == m_nodes.GetN() && m_nodes.GetN() > 0,
            "there are " + std::to_string(m_devices.size()) +
                " devices, expected one for each of " + std::to_string(m_nodes.GetN()) +
                " nodes, at least one");
}

LanguageProblem
LanguageJob::MakeProblem(uint64_t tokens, double margin) const
{
    LanguageProblem problem;
    problem.model = m_model.name;
    problem.isTensorSplit = m_pattern.IsTensorSplit();
    problem.layers = m_model.layers;
    problem.amount = problem.isTensorSplit ? m_model.kvHeads : m_model.layers;
    problem.clients = m_pattern.GetClients();
    const double part = static_cast<double>(problem.layers) / problem.amount;
    const double weights = m_model.GetBlockWeights() + m_model.GetExpertWeights();
    const double contexts = std::ceil(static_cast<double>(tokens) / BLOCK_TOKENS) * BLOCK_TOKENS;
    problem.partBytes =
        part * (weights * m_formats.weights + contexts * m_model.GetCacheBytes(m_formats));
    problem.hopBytes = m_model.width * m_formats.messages;
    problem.closingBytes = 4; // a token's number
    // Who computes the head, of two nodes.
    const uint32_t least = 1 + std::max<uint32_t>(problem.clients, m_nodes.GetN() > 1);
    ExchangeShares shares{std::vector<uint32_t>(least, 1), std::vector<double>(least, 0.5)};
    const auto program = m_pattern.Compile(m_model, m_formats, shares, 1, 1);
    problem.isHeadLast = FindHeadShare(program.front()) == 0;
    const double table = m_model.GetHeadWeights() * m_formats.weights;
    const bool hasTable = FindEmbedding(!problem.isHeadLast) == 0;
    problem.firstBytes = !hasTable || (m_model.isTied && !problem.isHeadLast) ? 0 : table;
    // Which node comes after a client is not known: the one of the head stands for it.
    problem.lastBytes = hasTable || m_model.isTied ? table : 2 * table;
    problem.firstBytes += GetDraftBytes() + contexts * GetDraftCacheBytes();
    TokenBatch batch;
    batch.Add(1, 0);
    for (uint32_t i = 0; i < m_nodes.GetN(); ++i)
    {
        const LanguageDevice& device = m_devices[i];
        const auto attention = m_model.GetAttentionWork(batch, m_formats);
        const auto seconds = [&](LanguageOperation operation, const LanguageWork& work) {
            return device.GetSeconds(operation, work, 1, false);
        };
        const auto product = [&](double amount) {
            return LanguageModel::GetProductWork(amount, 1, m_formats);
        };
        LanguageNode node{};
        node.name = EdgeDevice::NameNode(m_nodes.Get(i)->GetId());
        node.layerSeconds = seconds(BLOCK_OPERATION, product(m_model.GetBlockWeights())) +
                            seconds(ATTENTION_OPERATION, attention);
        node.layerSeconds += m_model.experts > 0
                                 ? seconds(EXPERT_OPERATION, m_model.GetExpertWork(1, m_formats))
                                 : 0;
        node.headSeconds = seconds(HEAD_OPERATION, product(m_model.GetHeadWeights()));
        const auto ledger = GetFromDevice<MemoryLedger>(m_nodes.Get(i));
        node.memoryBytes = std::min(1e18, (1 - margin) * ledger->GetCapacity());
        node.messageSeconds = device.GetMessageSeconds(problem.hopBytes);
        node.disk = device.disk;
        problem.nodes.push_back(node);
    }
    return problem;
}

std::string
LanguageJob::SetPlan(const LanguagePlan& plan, uint64_t tokens, double margin, uint64_t blocks)
{
    const bool isTensorSplit = m_pattern.IsTensorSplit();
    const double all = isTensorSplit ? m_model.kvHeads : 1;
    for (const auto& part : plan.parts)
    {
        m_positions[m_nodes.Get(part.node)->GetId()] = m_order.size();
        m_order.push_back(part.node);
        m_shares.layers.push_back(isTensorSplit ? m_model.layers : part.amount);
        m_shares.shares.push_back(isTensorSplit ? part.amount / all : part.amount > 0);
    }
    const auto program = FindProgram(1, 1);
    const double weights =
        (m_model.GetBlockWeights() + m_model.GetExpertWeights()) * m_formats.weights;
    const double table = m_model.GetHeadWeights() * m_formats.weights;
    const uint32_t embedding = FindEmbedding(FindHeadShare(program->front()) > 0);
    m_blocks = blocks > 0 ? blocks : std::numeric_limits<uint32_t>::max();
    for (uint32_t position = 0; position < m_order.size(); ++position)
    {
        const double layers = m_shares.layers[position] * m_shares.shares[position];
        const double head = FindHeadShare((*program)[position]);
        const bool sharesTable = m_model.isTied && head > 0;
        const double bytes = layers * weights + head * table +
                             (position == embedding && !sharesTable ? table : 0) +
                             (position == 0 ? GetDraftBytes() : 0);
        m_blockBytes.push_back(static_cast<uint64_t>(
            std::ceil(BLOCK_TOKENS * (layers * m_model.GetCacheBytes(m_formats) +
                                      (position == 0 ? GetDraftCacheBytes() : 0)))));
        const auto ledger = GetFromDevice<MemoryLedger>(m_nodes.Get(m_order[position]));
        m_memories.emplace_back(ledger);
        const double free = (1 - margin) * ledger->GetCapacity() - ledger->GetInUse();
        const double contexts = std::ceil(static_cast<double>(tokens) / BLOCK_TOKENS);
        const bool hasDisk = GetDevice(position).disk.bytesPerSecond > 0;
        const double kept =
            hasDisk ? std::min(bytes, std::max(0., free - contexts * m_blockBytes.back())) : bytes;
        m_readShares.push_back(bytes > 0 ? 1 - kept / bytes : 0);
        if (kept > free || !m_memories.back().Reserve(static_cast<uint64_t>(std::ceil(kept))))
        {
            return EdgeDevice::NameNode(GetNodeId(position)) + ": weights of " +
                   std::to_string(static_cast<uint64_t>(std::ceil(bytes))) +
                   " bytes do not fit: " + m_memories.back().DescribeFree() + ", and a share of " +
                   std::to_string(margin).substr(0, 4) + " of the memory must stay free";
        }
        if (m_blockBytes.back() > 0)
        {
            m_blocks =
                std::min(m_blocks, static_cast<uint64_t>((free - kept) / m_blockBytes.back()));
        }
    }
    return "";
}

uint32_t
LanguageJob::AddPass(LanguagePass pass)
{
    pass.program = FindProgram(pass.batch.tokens, pass.batch.rows);
    pass.nodesLeft = std::count_if(pass.program->begin(), pass.program->end(), [](auto& steps) {
        return !steps.empty();
    });
    m_passes[m_nextPass] = std::move(pass);
    return m_nextPass++;
}

void
LanguageJob::EndPass(uint32_t number)
{
    if (--m_passes.at(number).nodesLeft == 0)
    {
        m_passes.erase(number);
    }
}

std::shared_ptr<const ExchangeProgram>
LanguageJob::FindProgram(uint32_t tokens, uint32_t rows)
{
    if (m_programs.size() > MOST_PROGRAMS)
    {
        m_programs.clear();
    }
    auto& program = m_programs[{tokens, rows}];
    if (!program)
    {
        program = std::make_shared<const ExchangeProgram>(
            m_pattern.Compile(m_model, m_formats, m_shares, tokens, rows));
    }
    return program;
}

LanguageWork
LanguageJob::GetWork(const LanguageModel& model,
                     const ExchangeStep& step,
                     const TokenBatch& batch) const
{
    const LanguageWork work =
        step.operation == ATTENTION_OPERATION ? model.GetAttentionWork(batch, m_formats)
        : step.operation == EXPERT_OPERATION
            ? model.GetExpertWork(batch.tokens, m_formats)
            : LanguageModel::GetProductWork(step.weights,
                                            step.operation == HEAD_OPERATION ? step.rows
                                                                             : batch.tokens,
                                            m_formats);
    const double times = step.share * step.layers;
    return {work.bytes * times, work.flop * times};
}

std::vector<ExchangeStep>
LanguageJob::ListDraftSteps(bool hasLogits) const
{
    std::vector<ExchangeStep> steps(m_draft->experts > 0 ? 4 : 3, {ExchangeStep::COMPUTE});
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        steps[i].operation = static_cast<LanguageOperation>(i);
        steps[i].layers = m_draft->layers;
    }
    steps[BLOCK_OPERATION].weights = m_draft->GetBlockWeights();
    steps[HEAD_OPERATION].weights = m_draft->GetHeadWeights();
    steps[HEAD_OPERATION].layers = hasLogits;
    steps[HEAD_OPERATION].rows = 1;
    return steps;
}

double
LanguageJob::GetDraftBytes() const
{
    return !m_draft
               ? 0
               : m_formats.weights *
                     (m_draft->layers * (m_draft->GetBlockWeights() + m_draft->GetExpertWeights()) +
                      (m_draft->isTied ? 1 : 2) * m_draft->GetHeadWeights());
}

double
LanguageJob::GetDraftCacheBytes() const
{
    return m_draft ? m_draft->layers * m_draft->GetCacheBytes(m_formats) : 0;
}

bool
LanguageJob::ReserveBlocks(uint64_t blocks)
{
    if (m_blocksInUse + blocks > m_blocks)
    {
        return false;
    }
    for (std::size_t position = 0; position < m_memories.size(); ++position)
    {
        if (!m_memories[position].Reserve(blocks * m_blockBytes[position]))
        {
            // Another application took the memory meanwhile.
            while (position-- > 0)
            {
                m_memories[position].Release(blocks * m_blockBytes[position]);
            }
            return false;
        }
    }
    m_blocksInUse += blocks;
    return true;
}

void
LanguageJob::ReleaseBlocks(uint64_t blocks)
{
    m_blocksInUse -= blocks;
    for (std::size_t position = 0; position < m_memories.size(); ++position)
    {
        m_memories[position].Release(blocks * m_blockBytes[position]);
    }
}

void
LanguageJob::Close()
{
    for (auto& memory : m_memories)
    {
        memory.Close();
    }
}

} // namespace ns3::edgepipe
