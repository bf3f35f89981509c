/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-model-helper.h"

#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-traces-folder.h"

namespace ns3::edgepipe
{

LanguageModelHelper::LanguageModelHelper(const std::string& model,
                                         const std::string& exchange,
                                         const std::string& device)
    : LanguageModelHelper(
          ReadLanguageModel(FindTracesFile("model", model, "language-models")),
          ExchangePattern(FindTracesFile("exchange", exchange, "exchanges")),
          {ReadLanguageDevice(FindTracesFile("device", device, "language-devices"))})
{
}

LanguageModelHelper::LanguageModelHelper(LanguageModel model,
                                         ExchangePattern exchange,
                                         std::vector<LanguageDevice> devices)
    : JobHelper("uniform"),
      m_model(std::move(model)),
      m_exchange(std::move(exchange)),
      m_devices(std::move(devices))
{
    m_formats.messages = GetValueBytes("messages", m_exchange.GetMessageFormat());
}

ApplicationContainer
LanguageModelHelper::Install(const NodeContainer& nodes) const
{
    auto devices = m_devices;
    devices.resize(devices.size() == 1 ? nodes.GetN() : devices.size(), devices.front());
    const auto job =
        std::make_shared<LanguageJob>(m_model, m_formats, m_exchange, std::move(devices), nodes);
    if (m_draft)
    {
        job->SetDraft(*m_draft);
    }
    auto complete = m_complete;
    if (!complete)
    {
        const double bandwidth = FindBandwidth(nodes);
        complete = [bandwidth](LanguageProblem& problem) {
            for (auto& node : problem.nodes)
            {
                node.uplinkBitsPerSecond = bandwidth;
                node.downlinkBitsPerSecond = bandwidth;
            }
        };
    }
    const auto server = CreateObject<LanguageModelServer>();
    std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>> parts{{nodes.Get(0), server}};
    Ptr<LanguageModelNode> first;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        GetFromDevice<ComputeDevice>(nodes.Get(i));
        const auto application = CreateObject<LanguageModelNode>();
        application->SetJob(job);
        first = first ? first : application;
        parts.emplace_back(nodes.Get(i), application);
    }
    m_server.Apply(*server);
    server->SetRequests(m_requests);
    server->SetAcceptances(m_acceptances);
    server->SetJob(job, first, MakePlanner(), std::move(complete));
    return AddJob(parts);
}

} // namespace ns3::edgepipe
