/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-model-server.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-peek-scheduler.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LanguageModelServer);

TypeId
LanguageModelServer::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Users",
             "Users who each make the next request when they have the answer to the last one; "
             "0: requests arrive at their own times.",
             {&LanguageModelServer::m_users, 1})
        .Add("Sequences", "Most sequences in a pass.", {&LanguageModelServer::m_most, 1, 1, 4096})
        .Add("TokenBudget",
             "Most tokens in a pass.",
             {&LanguageModelServer::m_budget, 2048, 1, 1000000})
        .Add("CacheBlocks",
             "Blocks of 16 tokens that the cache of keys and values has; 0: as many as the "
             "memories hold beside the weights.",
             {&LanguageModelServer::m_blocks, 0, 0, 1000000000})
        .Add("MemoryMargin",
             "Share of every memory that stays free, 0 to 1.",
             {&LanguageModelServer::m_margin, 0.2, 0, 1})
        .Add("DraftTokens",
             "Tokens that a draft model proposes in a window.",
             {&LanguageModelServer::m_draftTokens, 4, 1, 1024})
        .Add("DraftDepth",
             "Windows that are drafted or verified at once; from 2 on, later ones are drafted as "
             "if all before were accepted.",
             {&LanguageModelServer::m_draftDepth, 1, 1, 1024})
        .Add("Acceptance",
             "Probability that a draft is right, 0 to 1.",
             {&LanguageModelServer::m_acceptance, 0.8, 0, 1})
        .Add("SkipLaps",
             "Whether layers that repeat the one before, on wires that nobody else uses, are "
             "counted instead of simulated; times are the same.",
             {&LanguageModelServer::m_skipsLaps, true})
        .Add("RequestEnd",
             "A request has all its tokens.",
             {&LanguageModelServer::m_requestTrace, "Request"})
        .Add("PassEnd",
             "The first node has finished a pass.",
             {&LanguageModelServer::m_passTrace, "Pass"});
}

void
LanguageModelServer::SetJob(std::shared_ptr<LanguageJob> job,
                            Ptr<LanguageModelNode> node,
                            Ptr<LanguagePlanner> planner,
                            std::function<void(LanguageProblem&)> complete)
{
    m_job = std::move(job);
    m_node = node;
    m_planner = planner;
    m_complete = std::move(complete);
    Connect(node, "PassEnd", [this](uint32_t pass) { EndPass(pass); });
}

void
LanguageModelServer::DoDispose()
{
    m_job = nullptr;
    m_node = nullptr;
    m_planner = nullptr;
    m_streams.clear();
    m_windows.clear();
    m_waiting.clear();
    EdgeApplication::DoDispose();
}

void
LanguageModelServer::StartApplication()
{
    EdgeApplication::StartApplication();
    if (m_skipsLaps)
    {
        PeekScheduler::Install();
        m_job->SetSkipsLaps(true);
    }
    uint64_t longest = 0;
    for (const auto& request : m_requests)
    {
        longest = std::max<uint64_t>(longest,
                                     uint64_t{request.context} + request.prompt + request.output);
    }
    m_problem = m_job->MakeProblem(longest, m_margin);
    m_complete(m_problem);
    m_plan = m_planner->Plan(m_problem);
    m_refusal = m_job->SetPlan(m_plan, longest, m_margin, m_blocks);
    const uint64_t needed = (longest + LanguageJob::BLOCK_TOKENS - 1) / LanguageJob::BLOCK_TOKENS;
    if (m_refusal.empty() && needed > m_job->GetBlocks())
    {
        m_refusal = "keys and values of " + std::to_string(longest) +
                    " tokens do not fit: " + std::to_string(needed) +
                    " blocks of 16 tokens, there is room for " + std::to_string(m_job->GetBlocks());
    }
    if (!m_refusal.empty() || m_requests.empty())
    {
        m_job->Close();
        NotifyFinished();
        return;
    }
    m_streams.resize(m_job->CountStreams());
    if (m_job->HasDraft())
    {
        Require(m_streams.size() == 1 && m_most == 1,
                "a draft model: found " + std::to_string(m_streams.size()) + " streams of " +
                    std::to_string(m_most) + " sequences, expected one of one");
        const auto draw =
            MakeRandomVariable<UniformRandomVariable>(random_streams::LANGUAGE_ACCEPTANCE.first);
        m_speculation.emplace(m_draftTokens, m_draftDepth, m_acceptances, [this, draw] {
            return draw->GetValue() < m_acceptance;
        });
    }
    if (m_users == 0)
    {
        for (uint32_t i = 0; i < m_requests.size(); ++i)
        {
            Simulator::Schedule(m_requests[i].arrival, [this, i] { Arrive(i); });
        }
        return;
    }
    m_made = std::min<std::size_t>(m_users, m_requests.size());
    for (uint32_t i = 0; i < m_made; ++i)
    {
        Arrive(i);
    }
}

void
LanguageModelServer::StopApplication()
{
    m_requests.clear();
    m_waiting.clear();
    m_windows.clear();
    m_streams.clear();
}

void
LanguageModelServer::Arrive(uint32_t request)
{
    if (request >= m_requests.size())
    {
        return; // stopped
    }
    auto sequence = std::make_shared<Sequence>();
    sequence->record.request = request;
    sequence->record.prompt = m_requests[request].prompt;
    sequence->record.arrived = Simulator::Now();
    sequence->wanted = m_requests[request].output;
    sequence->toRead = sequence->record.prompt;
    sequence->context = m_requests[request].context;
    m_waiting.push_back(std::move(sequence));
    BeginPasses();
}

void
LanguageModelServer::BeginPasses()
{
    const auto hasPass = [this] {
        return AnyOf(m_streams, [](auto& stream) { return !stream.inPass.empty(); });
    };
    if (m_job->GetPattern().HasRounds() && hasPass())
    {
        return;
    }
    while (true)
    {
        for (Stream& stream : m_streams)
        {
            if (stream.inPass.empty())
            {
                BeginPass(stream);
            }
        }
        const auto holder = FindIf(m_streams, [](auto& one) { return !one.sequences.empty(); });
        if (hasPass() || !holder)
        {
            return;
        }
        // Every stream waits for memory that another holds.
        Preempt(*holder);
    }
}

void
LanguageModelServer::Preempt(Stream& stream)
{
    const auto last = stream.sequences.back();
    m_job->ReleaseBlocks(last->blocks);
    last->toRead =
        m_requests[last->record.request].context + last->record.prompt + last->record.output;
    last->context = 0;
    last->blocks = 0;
    ++last->record.preemptions;
    stream.sequences.pop_back();
    m_waiting.push_front(last);
}

bool
LanguageModelServer::Reserve(Stream& stream,
                             const std::shared_ptr<Sequence>& sequence,
                             uint32_t tokens)
{
    const uint64_t needed =
        (sequence->context + tokens + LanguageJob::BLOCK_TOKENS - 1) / LanguageJob::BLOCK_TOKENS;
    while (needed > sequence->blocks)
    {
        if (m_job->ReserveBlocks(needed - sequence->blocks))
        {
            sequence->blocks = needed;
            break;
        }
        // One that is yet to be admitted takes nothing from others.
        if (!Contains(stream.sequences, sequence) || stream.sequences.back() == sequence)
        {
            return false;
        }
        Preempt(stream);
    }
    return true;
}

bool
LanguageModelServer::BeginPass(Stream& stream)
{
    if (m_speculation && !stream.sequences.empty() && stream.sequences.front()->toRead == 0)
    {
        return BeginWindows(stream);
    }
    const uint32_t promptTokens = m_job->GetPattern().GetPromptTokens();
    uint32_t budget = m_budget;
    LanguagePass pass;
    stream.pass = {};
    const auto add = [&](const std::shared_ptr<Sequence>& sequence) {
        const bool isPrompt = sequence->toRead > 0;
        const uint32_t most = promptTokens > 0 ? std::min(promptTokens, budget) : budget;
        const uint32_t tokens = isPrompt ? std::min(sequence->toRead, most) : 1;
        if (tokens > budget || !Reserve(stream, sequence, tokens))
        {
            return false;
        }
        budget -= tokens;
        stream.inPass.emplace_back(sequence, tokens);
        return true;
    };
    // Preemption removes sequences at the end, which have yet to be added.
    for (auto i = stream.sequences.begin(); i != stream.sequences.end() && budget > 0; ++i)
    {
        if (!add(*i))
        {
            break;
        }
    }
    while (!m_waiting.empty() && budget > 0 && stream.sequences.size() < m_most)
    {
        const auto sequence = m_waiting.front();
        if (!add(sequence))
        {
            break;
        }
        m_waiting.pop_front();
        stream.sequences.push_back(sequence);
    }
    if (stream.inPass.empty())
    {
        return false;
    }
    for (const auto& [sequence, tokens] : stream.inPass)
    {
        pass.batch.Add(tokens, sequence->context);
        pass.batch.rows += tokens >= sequence->toRead;
        pass.isPrefill |= sequence->toRead > 0;
        stream.pass.context += sequence->context;
        if (!std::exchange(sequence->isStarted, true))
        {
            sequence->record.started = Simulator::Now();
        }
    }
    pass.stream = &stream - m_streams.data();
    stream.pass.stream = pass.stream;
    stream.pass.tokens = pass.batch.tokens;
    stream.pass.sequences = stream.inPass.size();
    stream.pass.isPrefill = pass.isPrefill;
    stream.pass.begin = Simulator::Now();
    stream.pass.output = pass.batch.rows;
    if (m_speculation)
    {
        // The draft model reads the prompt, too.
        Simulator::ScheduleNow(&LanguageModelNode::Draft,
                               m_node,
                               pass.batch,
                               true,
                               Callback<void>());
    }
    stream.pass.pass = m_job->AddPass(std::move(pass));
    // As an event of its own, since passes may end within it.
    Simulator::ScheduleNow(&LanguageModelNode::Begin, m_node, stream.pass.pass);
    return true;
}

bool
LanguageModelServer::BeginWindows(Stream& stream)
{
    const auto sequence = stream.sequences.front();
    const uint32_t tokens = sequence->wanted - sequence->record.output;
    if (!Reserve(stream, sequence, tokens))
    {
        return false;
    }
    stream.inPass.emplace_back(sequence, 0);
    m_origin = sequence->context;
    m_speculation->Begin(1 + tokens);
    Draft();
    return true;
}

void
LanguageModelServer::Draft()
{
    while (m_speculation->IsComplete())
    {
        SendWindow();
    }
    if (const auto token = m_speculation->BeginStep())
    {
        TokenBatch batch;
        batch.Add(1, m_origin + *token);
        m_node->Draft(batch, false, Callback<void>([this] {
                          m_speculation->EndStep();
                          if (!m_streams.empty() && !m_streams.front().inPass.empty())
                          {
                              Draft();
                          }
                      }));
    }
}

void
LanguageModelServer::SendWindow()
{
    const auto& window = m_speculation->GetNext();
    LanguagePassRecord record;
    // A stream of its own, so that the first node goes on with others while it waits.
    const auto hasStream = [&](auto& one) { return one.second.stream == record.stream; };
    while (FindIf(m_windows, hasStream))
    {
        ++record.stream;
    }
    record.tokens = window.drafts + 1;
    record.sequences = 1;
    record.context = m_origin + window.first;
    record.begin = Simulator::Now();
    LanguagePass pass;
    pass.stream = record.stream;
    pass.batch.Add(record.tokens, record.context);
    pass.batch.rows = record.tokens;
    pass.voidAfter = m_speculation->FindVoid();
    record.pass = m_job->AddPass(std::move(pass));
    m_speculation->Send(record.pass);
    m_windows[record.pass] = record;
    Simulator::ScheduleNow(&LanguageModelNode::Begin, m_node, record.pass);
}

void
LanguageModelServer::EndWindow(LanguagePassRecord window)
{
    window.end = Simulator::Now();
    window.output = m_speculation->End(window.pass);
    m_windows.erase(window.pass);
    m_passTrace(window);
    if (window.output == 0)
    {
        return; // void
    }
    Stream& stream = m_streams.front();
    const auto sequence = stream.inPass.front().first;
    sequence->context += window.output;
    Extend(stream, sequence, window.output);
    if (stream.sequences.empty())
    {
        stream.inPass.clear();
        BeginPasses();
    }
    else
    {
        Draft();
    }
}

void
LanguageModelServer::Extend(Stream& stream,
                            const std::shared_ptr<Sequence>& sequence,
                            uint32_t tokens)
{
    sequence->record.output += tokens;
    if (sequence->record.output == sequence->wanted)
    {
        stream.sequences.remove(sequence);
        End(*sequence);
    }
}

void
LanguageModelServer::EndPass(uint32_t pass)
{
    if (const auto window = m_windows.find(pass); window != m_windows.end())
    {
        EndWindow(window->second);
        return;
    }
    const auto stream = FindIf(m_streams, [pass](auto& one) {
        return !one.inPass.empty() && one.pass.pass == pass;
    });
    if (!stream)
    {
        return; // stopped
    }
    stream->pass.end = Simulator::Now();
    m_passTrace(stream->pass);
    const auto inPass = std::move(stream->inPass);
    stream->inPass.clear();
    for (const auto& [sequence, tokens] : inPass)
    {
        sequence->context += tokens;
        sequence->toRead -= std::min(sequence->toRead, tokens);
        if (sequence->toRead > 0)
        {
            continue;
        }
        if (sequence->record.output == 0)
        {
            sequence->record.first = Simulator::Now();
        }
        Extend(*stream, sequence, 1);
    }
    BeginPasses();
}

void
LanguageModelServer::End(Sequence& sequence)
{
    m_job->ReleaseBlocks(sequence.blocks);
    sequence.record.ended = Simulator::Now();
    m_requestTrace(sequence.record);
    if (++m_ended == m_requests.size())
    {
        m_job->Close();
        NotifyFinished();
    }
    else if (m_users > 0 && m_made < m_requests.size())
    {
        Simulator::ScheduleNow(&LanguageModelServer::Arrive, this, m_made++);
    }
}

std::string
LanguageModelServer::DescribeWait() const
{
    return m_waiting.empty() ? ""
                             : std::to_string(m_waiting.size()) + " requests wait for memory or a "
                                                                  "place in a pass";
}

} // namespace ns3::edgepipe
