/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-telemetry-helper.h"

#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/node-list.h"

namespace ns3::edgepipe
{

TelemetryHelper::Job::Job(const std::string& jobName,
                          const ApplicationContainer& applications,
                          bool isTimed)
    : name(jobName),
      filter(applications),
      usage(filter),
      timeline(filter),
      recorder(MakeJobRecorder(applications))
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
        // Nodes that carry only metrics have no processor.
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
TelemetryHelper::Install(const std::string& name, const ApplicationContainer& applications)
{
    const bool isTaken = AnyOf(m_jobs, [&name](auto& job) { return job->name == name; });
    Require(!name.empty() && name.find('/') == std::string::npos && !isTaken,
            "telemetry: found a job called " + QuoteForMessage(name) +
                ", expected a name of its own that can begin a file's");
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

Sheet<std::string, uint32_t, NodeUsage>
TelemetryHelper::MakeUsage() const
{
    const auto show = [](double value) { return Table::Rounded(value); };
    const auto showBytes = [](double bytes) { return Table::Bytes(bytes); };
    Sheet<std::string, uint32_t, NodeUsage> sheet({
        {"job", [](const std::string& job) { return job; }},
        {"device", [](auto&, uint32_t node, auto&) { return EdgeDevice::NameNode(node); }},
        {"",
         "job and device",
         [](const std::string& job, uint32_t node, auto&) {
             return job + " on " + EdgeDevice::NameNode(node);
         }},
        {"tasks", "tasks", &NodeUsage::tasks},
        {"busySeconds", "busy (s)", &NodeUsage::busySeconds, show},
        {"messages", "messages", &NodeUsage::messages},
        {"sentBytes", "sent", &NodeUsage::sentBytes, showBytes},
        {"receivedBytes", "received", &NodeUsage::receivedBytes, showBytes},
    });
    for (const auto& job : m_jobs)
    {
        for (const auto& [node, usage] : job->usage.GetNodes())
        {
            sheet.Add(job->name, node, usage);
        }
    }
    return sheet;
}

void
TelemetryHelper::PrintUsage(std::ostream& os) const
{
    MakeUsage().GetShown().Print(os);
}

void
TelemetryHelper::Write(const std::string& folder) const
{
    ResultsFolder results(folder, "telemetry");
    for (const auto& job : m_jobs)
    {
        if (!job->recorder.rows.empty())
        {
            results.Write(job->name + "-" + job->recorder.rows + ".csv", job->recorder.makeTable());
        }
    }
    results.Write("usage.csv", MakeUsage().GetFile());
    if (m_hasTimelines)
    {
        const auto names = Map(CountUp(NodeList::GetNNodes()), EdgeDevice::NameNode);
        results.Write("timeline.json", [this, &names](std::ostream& os) {
            ChromeTraceWriter writer(os);
            for (const auto& job : m_jobs)
            {
                writer.AddCase(job->name, names, job->timeline, job->recorder.label);
            }
            writer.Finish();
        });
    }
    results.Commit();
}

} // namespace ns3::edgepipe
