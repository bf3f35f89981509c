/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-model-node.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LanguageModelNode);

TypeId
LanguageModelNode::AddAttributes(TypeId tid)
{
    return Attributes(tid).Add("PassEnd",
                               "The node has taken its last step of a pass.",
                               {&LanguageModelNode::m_passTrace, "Pass"});
}

void
LanguageModelNode::DoDispose()
{
    m_job = nullptr;
    m_threads.clear();
    m_streams.clear();
    EdgeApplication::DoDispose();
}

void
LanguageModelNode::StopApplication()
{
    m_streams.clear();
}

LanguageModelNode::Run&
LanguageModelNode::Find(uint32_t pass)
{
    if (!m_hasPosition)
    {
        m_hasPosition = true;
        m_position = m_job->GetPosition(GetNode()->GetId());
        for (uint32_t i = 0; i < m_job->GetDevice(m_position).messageThreads; ++i)
        {
            m_threads.push_back(CreateObject<ComputeDevice>());
        }
    }
    auto& runs = m_streams[m_job->GetPass(pass).stream];
    for (Run& run : runs)
    {
        if (run.pass == pass)
        {
            return run;
        }
    }
    runs.push_back({pass, 0, false, false, {}, 0, 0, false});
    return runs.back();
}

void
LanguageModelNode::Receive(const Message& message)
{
    if (!m_job)
    {
        return;
    }
    const uint32_t pass = LanguageTag::Unpack(message.tag).pass;
    Run& run = Find(pass);
    Inbox& box = run.boxes[m_job->GetPosition(message.from)];
    box.unread.push_back(message.bytes);
    ++box.come;
    Advance(m_job->GetPass(pass).stream);
}

void
LanguageModelNode::Handle(bool isSending,
                          Run& run,
                          uint32_t peer,
                          uint64_t bytes,
                          std::function<void()> done)
{
    const LanguagePass& pass = m_job->GetPass(run.pass);
    const double seconds = m_job->GetDevice(m_position).GetMessageSeconds(bytes);
    if (seconds == 0)
    {
        done();
        return;
    }
    m_usage[pass.isPrefill].messageSeconds += seconds;
    ++run.handling;
    const uint32_t connection = peer - (peer > m_position);
    const auto& device = m_threads.empty() ? m_compute : m_threads[connection % m_threads.size()];
    device->Run(
        LanguageTag(isSending ? LanguageTag::SENDING : LanguageTag::RECEIVING, run.pass, run.next)
            .Pack(),
        seconds,
        Callback<void>([this, stream = pass.stream, done = std::move(done)] {
            // Only the first pass of a stream handles messages.
            if (!m_streams[stream].empty())
            {
                done();
                --m_streams[stream].front().handling;
                Advance(stream);
            }
        }),
        GetJobNumber());
}

void
LanguageModelNode::Send(Run& run)
{
    const LanguagePass& pass = m_job->GetPass(run.pass);
    const auto& steps = (*pass.program)[m_position];
    LanguageNodeUsage& usage = m_usage[pass.isPrefill];
    for (; run.next < steps.size() && steps[run.next].kind == ExchangeStep::SEND; ++run.next)
    {
        const ExchangeStep& step = steps[run.next];
        usage.bytes += step.bytes;
        ++usage.messages;
        const auto tag = LanguageTag(LanguageTag::EXCHANGE, run.pass, run.next).Pack();
        Handle(true, run, step.peer, step.bytes, [this, tag, &step] {
            m_socket.Send(m_job->GetNodeId(step.peer), LANGUAGE_NODE_PORT, tag, step.bytes);
        });
    }
}

bool
LanguageModelNode::Read(Run& run, const ExchangeStep& step)
{
    bool hasAll = true;
    for (const auto& [peer, count] : step.awaited)
    {
        Inbox& box = run.boxes[peer];
        hasAll &= box.come >= count;
        while (!box.unread.empty() && box.come - box.unread.size() < count)
        {
            const uint64_t bytes = box.unread.front();
            box.unread.pop_front();
            Handle(false, run, peer, bytes, [] {});
        }
    }
    return hasAll && run.handling == 0;
}

void
LanguageModelNode::Advance(uint32_t stream)
{
    // A node takes the steps between two waits without turning to another stream.
    if (m_holder.value_or(stream) != stream)
    {
        if (!Contains(m_ready, stream))
        {
            m_ready.push_back(stream);
        }
        return;
    }
    m_holder = stream;
    auto& runs = m_streams[stream];
    while (!runs.empty() && !runs.front().isBusy)
    {
        Run& run = runs.front();
        const LanguagePass& pass = m_job->GetPass(run.pass);
        const auto& steps = (*pass.program)[m_position];
        LanguageNodeUsage& usage = m_usage[pass.isPrefill];
        // Messages are sent before the next step.
        if (run.isSending && run.handling > 0)
        {
            return;
        }
        run.isSending = false;
        if (run.next == steps.size())
        {
            const uint32_t number = run.pass;
            runs.pop_front();
            ++usage.passes;
            // The first node is where a pass comes back to.
            m_judged = m_position == 0 ? number : m_judged;
            m_job->EndPass(number);
            m_passTrace(number);
            continue;
        }
        const ExchangeStep& step = steps[run.next];
        if (m_job->SkipsLaps() && step.laps > 1 && run.lap != run.next + 1)
        {
            run.lap = run.next + 1;
            run.isTaking = true;
            m_job->GetLaps().Begin(m_position,
                                   m_job->CountNodes(),
                                   {this, Simulator::Now(), usage},
                                   run.pass,
                                   step.laps);
            run.isTaking = false;
            continue;
        }
        if (step.kind == ExchangeStep::WAIT)
        {
            if (!Read(run, step))
            {
                if (run.handling == 0)
                {
                    Release();
                }
                return;
            }
            ++run.next;
        }
        else if (step.kind == ExchangeStep::COMPUTE)
        {
            if (pass.voidAfter && m_judged >= *pass.voidAfter)
            {
                ++run.next;
                continue;
            }
            const LanguageWork work = m_job->GetWork(step, pass.batch);
            const double seconds =
                m_job->GetDevice(m_position)
                    .disk.Add(Count(step, work, pass.isPrefill),
                              m_job->GetReadBytes(m_position, step.operation, work));
            const bool isJudge = step.operation == HEAD_OPERATION && step.share == 1;
            run.isBusy = true;
            m_compute->Run(
                LanguageTag(static_cast<LanguageTag::Kind>(step.operation), run.pass, run.next)
                    .Pack(),
                seconds,
                Callback<void>([this, stream, isJudge, number = run.pass] {
                    m_judged = isJudge ? number : m_judged;
                    GoOn(stream, 1);
                }),
                GetJobNumber());
        }
        else
        {
            run.isSending = true;
            Send(run);
        }
    }
    if (runs.empty())
    {
        Release();
    }
}

double
LanguageModelNode::Count(const ExchangeStep& step, const LanguageWork& work, bool isPrefill)
{
    auto& operation = m_usage[isPrefill].operations[step.operation];
    const double calls = step.calls * step.layers;
    const double seconds =
        m_job->GetDevice(m_position).GetSeconds(step.operation, work, calls, isPrefill);
    operation.calls += calls;
    operation.work.bytes += work.bytes;
    operation.work.flop += work.flop;
    operation.seconds += seconds;
    return seconds;
}

void
LanguageModelNode::Draft(const TokenBatch& batch, bool isPrefill, Callback<void> done)
{
    double seconds = 0;
    for (const ExchangeStep& step : m_job->ListDraftSteps(!isPrefill))
    {
        seconds += Count(step, m_job->GetDraftWork(step, batch), isPrefill);
    }
    m_compute->Run(LanguageTag(LanguageTag::DRAFT).Pack(), seconds, done, GetJobNumber());
}

void
LanguageModelNode::GoOn(uint32_t stream, uint32_t steps)
{
    auto& runs = m_streams[stream];
    if (!runs.empty())
    {
        runs.front().isBusy = false;
        runs.front().next += steps;
        Advance(stream);
    }
}

bool
LanguageModelNode::IsAtLap(uint32_t pass) const
{
    const auto stream = m_streams.find(m_job->GetPass(pass).stream);
    if (m_job->CountPasses() > 1 || stream == m_streams.end() || stream->second.size() != 1)
    {
        return false;
    }
    const Run& run = stream->second.front();
    const bool hasUnread = AnyOf(run.boxes, [](auto& box) { return !box.second.unread.empty(); });
    return run.lap == run.next + 1 && run.handling == 0 && !hasUnread && !m_compute->IsObserved() &&
           m_compute->GetBacklog() == run.isBusy &&
           (!run.isBusy || m_compute->GetAvailableShare() > 0);
}

void
LanguageModelNode::ListTraffic(uint32_t number,
                               std::vector<TensorTransport::LapTraffic>& traffic) const
{
    const LanguagePass& pass = m_job->GetPass(number);
    const Run& run = m_streams.at(pass.stream).front();
    const auto& steps = (*pass.program)[m_position];
    std::map<uint32_t, std::vector<uint64_t>> sent;
    for (uint32_t i = 0; i < steps[run.next].lapSteps; ++i)
    {
        const ExchangeStep& step = steps[run.next + i];
        if (step.kind == ExchangeStep::SEND)
        {
            sent[step.peer].push_back(step.bytes);
        }
    }
    for (auto& [peer, bytes] : sent)
    {
        traffic.push_back({m_job->GetNodeId(m_position), m_job->GetNodeId(peer), std::move(bytes)});
    }
}

void
LanguageModelNode::SkipLaps(uint32_t number,
                            uint32_t laps,
                            const Time& delay,
                            const LanguageNodeUsage& usage,
                            const std::vector<TensorTransport::LapTraffic>& traffic)
{
    const LanguagePass& pass = m_job->GetPass(number);
    Run& run = m_streams.at(pass.stream).front();
    m_usage[pass.isPrefill].Add(usage, laps);
    run.next += laps * (*pass.program)[m_position][run.next].lapSteps;
    run.lap = run.next + 1;
    for (const auto& [from, to, bytes] : traffic)
    {
        if (to == m_job->GetNodeId(m_position))
        {
            run.boxes[m_job->GetPosition(from)].come += laps * bytes.size();
        }
    }
    if (run.isBusy)
    {
        m_compute->Postpone(delay);
    }
    else if (run.isTaking)
    {
        run.isBusy = true;
        Simulator::Schedule(delay, [self = Ptr<LanguageModelNode>(this), stream = pass.stream] {
            self->GoOn(stream, 0);
        });
    }
}

void
LanguageModelNode::Release()
{
    m_holder.reset();
    if (!m_ready.empty())
    {
        const uint32_t stream = m_ready.front();
        m_ready.pop_front();
        Advance(stream);
    }
}

std::string
LanguageModelNode::DescribeWait() const
{
    for (const auto& [stream, runs] : m_streams)
    {
        if (runs.empty() || runs.front().isBusy || runs.front().isSending)
        {
            continue;
        }
        const Run& run = runs.front();
        const ExchangeStep& step = (*m_job->GetPass(run.pass).program)[m_position][run.next];
        for (const auto& [peer, count] : step.awaited)
        {
            const auto box = run.boxes.find(peer);
            const uint64_t come = box == run.boxes.end() ? 0 : box->second.come;
            if (come < count)
            {
                return "in pass " + std::to_string(run.pass) + " waits for message " +
                       std::to_string(come + 1) + " of " +
                       EdgeDevice::NameNode(m_job->GetNodeId(peer));
            }
        }
    }
    return "";
}

} // namespace ns3::edgepipe
