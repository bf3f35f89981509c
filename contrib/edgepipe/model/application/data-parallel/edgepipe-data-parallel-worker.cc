/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-worker.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-training-memory.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeDataParallelWorker");

NS_OBJECT_ENSURE_REGISTERED(DataParallelWorker);

TypeId
DataParallelWorker::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Iterations",
             "Number of training iterations (weight updates) to run.",
             {&DataParallelWorker::m_iterations, 1, 1, (1 << 24) - 1})
        .Add("BucketBytes",
             "Size of a gradient bucket exchanged during the backward pass, bytes; 0: all "
             "gradients after it. Default as in PyTorch's DistributedDataParallel.",
             {&DataParallelWorker::m_bucketBytes, 25 << 20})
        .Add("FirstBucketBytes",
             "Size of the first bucket, bytes; unused if BucketBytes is 0.",
             {&DataParallelWorker::m_firstBucketBytes, 1 << 20})
        .Add("Begin",
             "The worker begins to compute its share.",
             {&DataParallelWorker::m_beginTrace, "Begin"})
        .Add("Computed",
             "The worker has computed its share.",
             {&DataParallelWorker::m_computedTrace, "Computed"})
        .Add("IterationEnd",
             "The worker has the new weights.",
             {&DataParallelWorker::m_iterationEndTrace, "Iteration"});
}

void
DataParallelWorker::SetUp(uint32_t rank,
                          std::shared_ptr<const WorkerRanks> ranks,
                          const DataParallelCost& cost,
                          Ptr<GradientExchange> exchange,
                          uint64_t samples,
                          DataParallelMembers members)
{
    m_cost = cost;
    m_exchange = exchange;
    m_buckets = FillBuckets(cost, exchange->TakesBuckets() ? m_bucketBytes : 0, m_firstBucketBytes);
    m_shares[0] = {samples, std::move(members)};
    m_state = samples > 0 ? GREETING : OUTSIDE;
    // Made once, as making a callback costs more than its event.
    m_computeDone = MakeCallback(&DataParallelWorker::FinishCompute, this);
    m_updateDone = MakeCallback(&DataParallelWorker::FinishUpdate, this);
    m_exchange->SetUp(rank,
                      std::move(ranks),
                      TensorSocket(GetNode(), GetJobNumber()),
                      m_buckets,
                      MakeCallback(&DataParallelWorker::Update, this),
                      MakeCallback(&DataParallelWorker::FinishIteration, this));
}

void
DataParallelWorker::DoDispose()
{
    if (m_exchange)
    {
        m_exchange->Dispose();
    }
    m_exchange = nullptr;
    m_memory.reset();
    EdgeApplication::DoDispose();
}

void
DataParallelWorker::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_exchange, "SetUp was not called");
    EdgeApplication::StartApplication();
    m_memory = std::make_unique<MemoryAccount>(GetFromDevice<MemoryLedger>(GetNode()));
    const StageMemory weights = CountStageMemory({m_cost.parameterBytes}, m_cost.optimizerStates);
    const uint64_t bytes = weights.residentBytes + m_cost.parameterBytes;
    if (!m_memory->Reserve(bytes))
    {
        Finish("weights, gradients and optimizer need " + std::to_string(bytes) + " bytes, " +
               m_memory->DescribeFree());
        return;
    }
    if (m_state == OUTSIDE)
    {
        m_exchange->AwaitWeights(MakeCallback(&DataParallelWorker::Enter, this));
        return;
    }
    m_exchange->SetMembers(m_shares.at(0).members);
    m_exchange->Greet(MakeCallback(&DataParallelWorker::StartIteration, this));
}

void
DataParallelWorker::StopApplication()
{
    m_state = STOPPED;
    if (m_memory)
    {
        m_memory->Close();
    }
}

void
DataParallelWorker::Enter(uint32_t iteration, uint32_t version)
{
    NS_LOG_FUNCTION(this << iteration << version);
    m_iteration = iteration;
    m_version = version;
    m_shares.erase(m_shares.begin(), m_shares.find(version));
    m_exchange->SetMembers(m_shares.at(m_version).members);
    StartIteration();
}

uint64_t
DataParallelWorker::GetSampleBytes() const
{
    return CountStageMemory({0, m_cost.activationBytes, 0, 0, m_cost.largestBytes}, 0).GetBytes(1);
}

uint64_t
DataParallelWorker::ReserveActivations()
{
    const uint64_t samples = GetSamples();
    if (samples == m_activationSamples)
    {
        return m_passSamples;
    }
    m_memory->Release(m_activationBytes);
    m_activationBytes = 0;
    uint64_t fitting = samples;
    const uint64_t sampleBytes = GetSampleBytes();
    if (sampleBytes > 0)
    {
        const auto ledger = m_memory->GetLedger();
        const uint64_t left = ledger->GetCapacity() - ledger->GetInUse();
        fitting = std::min(samples, left / sampleBytes);
    }
    if (fitting > 0)
    {
        // Passes of equal size, up to rounding.
        const uint64_t passes = (samples + fitting - 1) / fitting;
        fitting = (samples + passes - 1) / passes;
    }
    m_activationBytes = fitting * sampleBytes;
    const bool isReserved = m_memory->Reserve(m_activationBytes);
    NS_ABORT_MSG_UNLESS(isReserved, "the activations of a pass do not fit");
    m_activationSamples = samples;
    m_passSamples = fitting;
    return fitting;
}

void
DataParallelWorker::StartIteration()
{
    if (m_state == STOPPED)
    {
        return;
    }
    const uint64_t passSamples = ReserveActivations();
    if (passSamples == 0)
    {
        Finish("the activations of one sample need " + std::to_string(GetSampleBytes()) +
               " bytes, " + m_memory->DescribeFree());
        return;
    }
    const uint64_t samples = GetSamples();
    const uint64_t passes = (samples + passSamples - 1) / passSamples;
    m_state = COMPUTING;
    m_computeStart = Simulator::Now();
    m_beginTrace(m_iteration);
    const double all = static_cast<double>(samples) * m_cost.sampleSeconds +
                       static_cast<double>(passes) * m_cost.passSeconds;
    const double stretch = GetShareStretch();
    double begin = 0;
    for (const GradientBucket& bucket : m_buckets)
    {
        const double end = all - (1 - bucket.readyShare) * all / static_cast<double>(passes);
        m_compute->Run(DataParallelTag{DataParallelTag::COMPUTE, m_iteration}.Pack(),
                       end - begin,
                       m_computeDone,
                       GetJobNumber(),
                       false,
                       stretch);
        begin = end;
    }
}

void
DataParallelWorker::FinishCompute()
{
    if (m_state == STOPPED)
    {
        return;
    }
    if (++m_ready < m_buckets.size())
    {
        m_exchange->Begin(m_iteration, m_announced);
        return;
    }
    m_ready = 0;
    const uint64_t samples = GetSamples();
    m_finishedOps += static_cast<double>(samples) * m_cost.opsPerSample;
    m_finishedSeconds += (Simulator::Now() - m_computeStart).GetSeconds();
    m_computedTrace(m_iteration, samples);
    m_state = EXCHANGING;
    m_exchange->Begin(m_iteration, m_announced);
}

void
DataParallelWorker::FinishIteration(uint32_t version)
{
    m_iterationEndTrace(m_iteration, m_version);
    // A worker that leaves is not told of versions after the one without it.
    const auto share = std::prev(m_shares.upper_bound(version));
    NS_ABORT_MSG_UNLESS(share->first == version || share->second.samples == 0,
                        "no share of version " << version << " is known");
    const DataParallelMembers before = m_shares.at(m_version).members;
    m_version = share->first;
    m_shares.erase(m_shares.begin(), share);
    ++m_iteration;
    if (m_iteration == m_iterations || GetSamples() == 0)
    {
        Finish("");
        return;
    }
    if (const auto now = m_shares.at(m_version).members; now != before && *now != *before)
    {
        m_exchange->SetMembers(now);
        for (const uint32_t rank : GetMembers())
        {
            if (m_exchange->IsFirst() && !std::binary_search(before->begin(), before->end(), rank))
            {
                m_exchange->SendWeights(rank, m_iteration, m_version);
            }
        }
    }
    StartIteration();
}

double
DataParallelWorker::MeasureOpsPerSecond()
{
    if (m_finishedSeconds > 0)
    {
        m_opsPerSecond = m_finishedOps / m_finishedSeconds;
        m_finishedOps = 0;
        m_finishedSeconds = 0;
    }
    return m_opsPerSecond;
}

std::string
DataParallelWorker::DescribeWait() const
{
    if (!m_refusal.empty())
    {
        return m_refusal;
    }
    return m_state == OUTSIDE || m_state == GREETING || m_state == EXCHANGING
               ? m_exchange->DescribeWait()
               : "";
}

} // namespace ns3::edgepipe
