/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-telemetry-helper.h"

#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/node-list.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace edgepipe
{

TelemetryHelper::Job::Job(const std::string& jobName,
                          const ApplicationContainer& applications,
                          bool isTimed)
    : name(jobName),
      filter(applications),
      usage(filter),
      timeline(filter),
      recorder(JobRecorder::Make(applications))
{
    std::set<Ptr<TensorTransport>> transports;
    for (const uint32_t id : filter.GetNodes())
    {
        const auto node = NodeList::GetNode(id);
        const auto transport = TensorEndpoint::FindTransport(node);
        if (transports.insert(transport).second)
        {
            usage.Observe(transport);
            if (isTimed)
            {
                timeline.Observe(transport);
            }
        }
        // Nodes for metrics alone have no processor.
        if (const auto compute = node->GetObject<ComputeDevice>())
        {
            usage.Observe(id, compute);
            if (isTimed)
            {
                timeline.Observe(id, compute, GetFromDevice<MemoryLedger>(node));
            }
        }
    }
}

void
TelemetryHelper::SetTimeline(bool isRecorded)
{
    m_isTimed = isRecorded;
}

void
TelemetryHelper::Install(const std::string& name, const ApplicationContainer& applications)
{
    const bool isTaken = std::any_of(m_jobs.begin(), m_jobs.end(), [&name](const auto& job) {
        return job->name == name;
    });
    if (name.empty() || name.find('/') != std::string::npos || isTaken)
    {
        throw InputError("telemetry: found a job called " + QuoteForMessage(name) +
                         ", expected a name of its own that can begin a file's");
    }
    for (uint32_t i = 0; i < applications.GetN(); ++i)
    {
        TensorEndpoint::FindTransport(applications.Get(i)->GetNode());
    }
    m_jobs.push_back(std::make_unique<Job>(name, applications, m_isTimed));
    m_hasTimelines = m_hasTimelines || m_isTimed;
}

const TelemetryHelper::Job&
TelemetryHelper::Find(const std::string& name) const
{
    for (const auto& job : m_jobs)
    {
        if (job->name == name)
        {
            return *job;
        }
    }
    throw InputError("telemetry: found no job called " + QuoteForMessage(name) +
                     ", expected one that was installed");
}

const JobUsage&
TelemetryHelper::GetUsage(const std::string& name) const
{
    return Find(name).usage;
}

const Timeline&
TelemetryHelper::GetTimeline(const std::string& name) const
{
    return Find(name).timeline;
}

void
TelemetryHelper::PrintUsage(std::ostream& os) const
{
    Table table({"job and device", "tasks", "busy (s)", "messages", "sent", "received"});
    for (const auto& job : m_jobs)
    {
        for (const auto& [node, usage] : job->usage.GetNodes())
        {
            table.AddRow({job->name + " on " + EdgeDevice::NameNode(node),
                          std::to_string(usage.tasks),
                          Table::Rounded(usage.busySeconds),
                          std::to_string(usage.messages),
                          Table::Bytes(usage.sentBytes),
                          Table::Bytes(usage.receivedBytes)});
        }
    }
    table.Print(os);
}

void
TelemetryHelper::Write(const std::string& folder) const
{
    ResultsFolder results(folder, "telemetry");
    Table usage(
        {"job", "device", "tasks", "busySeconds", "messages", "sentBytes", "receivedBytes"});
    for (const auto& job : m_jobs)
    {
        for (const auto& [node, done] : job->usage.GetNodes())
        {
            usage.AddRow({job->name,
                          EdgeDevice::NameNode(node),
                          std::to_string(done.tasks),
                          Table::Exact(done.busySeconds),
                          std::to_string(done.messages),
                          std::to_string(done.sentBytes),
                          std::to_string(done.receivedBytes)});
        }
        if (!job->recorder->GetRowName().empty())
        {
            results.Write(job->name + "-" + job->recorder->GetRowName() + ".csv",
                          job->recorder->MakeTable());
        }
    }
    results.Write("usage.csv", usage);
    if (m_hasTimelines)
    {
        WriteTimeline(results);
    }
    results.Commit();
}

void
TelemetryHelper::WriteTimeline(ResultsFolder& results) const
{
    std::vector<std::string> names;
    for (uint32_t node = 0; node < NodeList::GetNNodes(); ++node)
    {
        names.push_back(EdgeDevice::NameNode(node));
    }
    results.Write("timeline.json", [this, &names](std::ostream& os) {
        ChromeTraceWriter writer(os);
        for (const auto& job : m_jobs)
        {
            writer.AddCase(job->name, names, job->timeline, [&job](uint64_t tag) {
                return job->recorder->Label(tag);
            });
        }
        writer.Finish();
    });
}

} // namespace edgepipe
} // namespace ns3
