/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-model-node.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-edge-device.h"

#include <functional>
#include <utility>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LanguageModelNode);

TypeId
LanguageModelNode::GetTypeId()
{
    static TypeId tid = Attributes::Of<LanguageModelNode, EdgeApplication>("LanguageModelNode")
                            .Add("PassEnd",
                                 "The node has taken its last step of a pass.",
                                 {&LanguageModelNode::m_passTrace, "Pass"});
    return tid;
}

void
LanguageModelNode::DoDispose()
{
    m_job = nullptr;
    m_host = nullptr;
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
    if (!m_host)
    {
        m_position = m_job->GetPosition(GetNode()->GetId());
        m_host = m_job->GetDevice(m_position).hasThread ? CreateObject<ComputeDevice>() : m_compute;
    }
    auto& runs = m_streams[m_job->GetPass(pass).stream];
    for (Run& run : runs)
    {
        if (run.pass == pass)
        {
            return run;
        }
    }
    runs.push_back({pass, 0, false, {}, 0});
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
    run.boxes[m_job->GetPosition(message.from)].bytes.push_back(message.bytes);
    Advance(m_job->GetPass(pass).stream);
}

void
LanguageModelNode::RunTask(LanguageTag::Kind kind,
                           const Run& run,
                           double seconds,
                           std::function<void()> done)
{
    const bool isCompute = kind < LanguageTag::SENDING;
    const auto tag = LanguageTag(kind, run.pass, run.next).Pack();
    (isCompute ? m_compute : m_host)
        ->Run(tag, seconds, Callback<void>(std::move(done)), GetJobNumber());
}

bool
LanguageModelNode::Read(Run& run, const ExchangeStep& step)
{
    bool hasAll = true;
    for (const auto& [peer, count] : step.awaited)
    {
        Inbox& box = run.boxes[peer];
        hasAll &= box.bytes.size() >= count;
        while (box.read < box.bytes.size() && box.read < count)
        {
            const uint32_t stream = m_job->GetPass(run.pass).stream;
            const double seconds =
                m_job->GetDevice(m_position).GetMessageSeconds(box.bytes[box.read++]);
            if (seconds > 0)
            {
                m_usage[m_job->GetPass(run.pass).isPrefill].messageSeconds += seconds;
                ++run.reading;
                RunTask(LanguageTag::RECEIVING, run, seconds, [this, stream] {
                    // Only the first pass of a stream reads.
                    if (!m_streams[stream].empty())
                    {
                        --m_streams[stream].front().reading;
                        Advance(stream);
                    }
                });
            }
        }
    }
    return hasAll && run.reading == 0;
}

void
LanguageModelNode::Advance(uint32_t stream)
{
    auto& runs = m_streams[stream];
    while (!runs.empty() && !runs.front().isBusy)
    {
        Run& run = runs.front();
        const LanguagePass& pass = m_job->GetPass(run.pass);
        const auto& steps = (*pass.program)[m_position];
        LanguageNodeUsage& usage = m_usage[pass.isPrefill];
        if (run.next == steps.size())
        {
            const uint32_t number = run.pass;
            runs.pop_front();
            ++usage.passes;
            m_job->EndPass(number);
            m_passTrace(number);
            continue;
        }
        const ExchangeStep& step = steps[run.next];
        // What to do when the time of the step is over.
        const auto goOn = [this, stream] {
            auto& all = m_streams[stream];
            if (!all.empty())
            {
                all.front().isBusy = false;
                ++all.front().next;
                Advance(stream);
            }
        };
        if (step.kind == ExchangeStep::WAIT)
        {
            if (!Read(run, step))
            {
                return;
            }
            ++run.next;
        }
        else if (step.kind == ExchangeStep::COMPUTE)
        {
            auto& operation = usage.operations[step.operation];
            const LanguageWork work = m_job->GetWork(step, pass.batch);
            const double calls = step.calls * step.layers;
            const double seconds = m_job->GetDevice(m_position)
                                       .GetSeconds(step.operation, work, calls, pass.isPrefill);
            operation.calls += calls;
            operation.work.bytes += work.bytes;
            operation.work.flop += work.flop;
            operation.seconds += seconds;
            run.isBusy = true;
            RunTask(static_cast<LanguageTag::Kind>(step.operation), run, seconds, goOn);
        }
        else
        {
            const double seconds = m_job->GetDevice(m_position).GetMessageSeconds(step.bytes);
            usage.messageSeconds += seconds;
            usage.bytes += step.bytes;
            ++usage.messages;
            const auto send = [this,
                               tag = LanguageTag(LanguageTag::EXCHANGE, run.pass, run.next).Pack(),
                               to = m_job->GetNodeId(step.peer),
                               bytes = step.bytes] {
                m_socket.Send(to, LANGUAGE_NODE_PORT, tag, bytes);
            };
            if (seconds > 0)
            {
                run.isBusy = true;
                RunTask(LanguageTag::SENDING, run, seconds, [send, goOn] {
                    send();
                    goOn();
                });
                continue;
            }
            send();
            ++run.next;
        }
    }
}

std::string
LanguageModelNode::DescribeWait() const
{
    for (const auto& [stream, runs] : m_streams)
    {
        if (runs.empty() || runs.front().isBusy)
        {
            continue;
        }
        const Run& run = runs.front();
        const ExchangeStep& step = (*m_job->GetPass(run.pass).program)[m_position][run.next];
        for (const auto& [peer, count] : step.awaited)
        {
            const auto box = run.boxes.find(peer);
            const std::size_t come = box == run.boxes.end() ? 0 : box->second.bytes.size();
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
