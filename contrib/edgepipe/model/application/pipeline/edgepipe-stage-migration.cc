/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-stage-migration.h"

#include "ns3/simulator.h"

#include <sstream>
#include <utility>

namespace ns3
{
namespace edgepipe
{

StageMigration::StageMigration(TensorSocket socket, std::shared_ptr<MemoryAccount> memory)
    : m_socket(std::move(socket)),
      m_memory(std::move(memory))
{
    m_socket.Listen(PIPELINE_WEIGHTS_PORT, MakeCallback(&StageMigration::Take, this));
}

void
StageMigration::Begin(const MigrationOrder& order,
                      uint64_t heldBytes,
                      uint64_t nextBytes,
                      DoneCallback done)
{
    m_isUnderWay = true;
    m_order = order;
    m_nextBytes = nextBytes;
    m_done = std::move(done);
    m_outgoing = order.shipments.size();
    m_memory->Release(heldBytes);
    if (!m_memory->Reserve(order.incomingBytes))
    {
        m_heldBytes = heldBytes;
        End("weights that come in need " + std::to_string(order.incomingBytes) + " bytes");
        return;
    }
    m_heldBytes = heldBytes + order.incomingBytes;
    for (const auto& shipment : order.shipments)
    {
        m_socket.Send(
            shipment.to,
            PIPELINE_WEIGHTS_PORT,
            PipelineTag{PipelineTag::LAYER_WEIGHTS, order.iteration, shipment.layer}.Pack(),
            shipment.bytes,
            "",
            Callback<void>([this] {
                --m_outgoing;
                Check();
            }));
    }
    Check();
}

void
StageMigration::Take(const Message& message)
{
    ++m_arrivals[PipelineTag::Unpack(message.tag).iteration];
    Check();
}

void
StageMigration::Check()
{
    if (!m_isUnderWay || m_outgoing > 0 || m_arrivals[m_order.iteration] < m_order.incomingLayers)
    {
        return;
    }
    m_memory->Release(m_heldBytes - m_nextBytes);
    m_heldBytes = m_nextBytes;
    const bool fits = m_memory->Reserve(m_nextBytes);
    End(fits ? "" : "gradients need " + std::to_string(m_nextBytes) + " bytes");
}

void
StageMigration::End(const std::string& refusal)
{
    m_isUnderWay = false;
    m_arrivals.erase(m_order.iteration);
    std::string text = refusal;
    if (!text.empty())
    {
        text += ", " + m_memory->DescribeFree();
    }
    Simulator::ScheduleNow([done = std::move(m_done), text] { done(text); });
}

std::string
StageMigration::DescribeWait() const
{
    if (!m_isUnderWay)
    {
        return "";
    }
    const auto arrivals = m_arrivals.find(m_order.iteration);
    const uint32_t arrived = arrivals == m_arrivals.end() ? 0 : arrivals->second;
    std::string text;
    if (arrived < m_order.incomingLayers)
    {
        text = "the weights of " + std::to_string(m_order.incomingLayers - arrived) + " of " +
               std::to_string(m_order.incomingLayers) + " layers that it takes on";
    }
    if (m_outgoing > 0)
    {
        text += (text.empty() ? "" : " and for ") + std::string("the weights of ") +
                std::to_string(m_outgoing) + " of " + std::to_string(m_order.shipments.size()) +
                " layers to reach their new devices";
    }
    return text;
}

} // namespace edgepipe
} // namespace ns3
