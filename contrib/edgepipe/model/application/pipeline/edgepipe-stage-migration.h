/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGE_MIGRATION_H
#define EDGEPIPE_STAGE_MIGRATION_H

#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** Which weights a device hands over and which it gets, between two iterations. */
struct MigrationOrder
{
    /** One layer's weights. */
    struct Shipment
    {
        uint32_t layer; //!< index of the layer
        uint32_t to;    //!< its new device
        uint64_t bytes; //!< of its weights

        /**
         * Lists the fields, see MessageBody.
         * @param body writes or reads them
         */
        template <typename Body>
        void List(Body& body)
        {
            body("layer", layer)("to", to)("bytes", bytes);
        }
    };

    uint32_t iteration{0};           //!< first one after the migration
    uint32_t incomingLayers{0};      //!< layers whose weights arrive
    uint64_t incomingBytes{0};       //!< of those weights
    std::vector<Shipment> shipments; //!< outgoing weights

    /// Name in error messages.
    static constexpr const char* NAME = "migration order";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("iteration", iteration)("incomingLayers", incomingLayers);
        body("incomingBytes", incomingBytes);
        body.Rest("shipments", shipments);
    }
};

/**
 * A device's part in a change of plan: sends and receives weights, and keeps the ledger correct.
 *
 * Between two iterations only weights and the optimizer's state are needed, so all other memory is
 * released first, together with the state of outgoing layers: a layer that moves starts with fresh
 * state. Memory for all incoming weights is reserved next. It fits, since a stage's weights count
 * at least twice, and once more for each number of state. Outgoing weights keep their memory until
 * they have arrived. When all weights have arrived, memory for the new stage is reserved.
 */
class StageMigration
{
  public:
    /// Called at the end; a text says why the new stage cannot be held.
    using DoneCallback = std::function<void(const std::string& refusal)>;

    /**
     * Listen on PIPELINE_WEIGHTS_PORT.
     *
     * @param socket moves the weights
     * @param memory the worker's part of the device's memory
     */
    StageMigration(TensorSocket socket, std::shared_ptr<MemoryAccount> memory)
        : m_socket(std::move(socket)),
          m_memory(std::move(memory))
    {
        m_socket.Listen(PIPELINE_WEIGHTS_PORT, MakeCallback(&StageMigration::CountArrival, this));
    }

    // The transport holds this object's address.
    StageMigration(const StageMigration&) = delete;
    StageMigration& operator=(const StageMigration&) = delete;

    /**
     * Begin; the device holds the old stage's resident memory.
     *
     * @param order the order
     * @param before the old stage
     * @param next the new stage
     * @param done called at the end, not before this returns
     */
    void Begin(const MigrationOrder& order,
               const StageAssignment& before,
               const StageAssignment& next,
               DoneCallback done)
    {
        m_isUnderWay = true;
        m_order = order;
        m_nextBytes = next.memory.residentBytes;
        m_done = std::move(done);
        m_outgoing = order.shipments.size();
        const uint64_t stays = next.parameterBytes - order.incomingBytes;
        const uint64_t heldBytes = before.parameterBytes + next.optimizerStates * stays;
        m_memory->Release(before.memory.residentBytes - heldBytes);
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

    /** @return what it waits for, in words; empty unless a migration is under way */
    std::string DescribeWait() const
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

  private:
    /**
     * Weights have arrived, perhaps before the order.
     * @param message with them
     */
    void CountArrival(const Message& message)
    {
        ++m_arrivals[PipelineTag::Unpack(message.tag).iteration];
        Check();
    }

    /** End if all is in place. */
    void Check()
    {
        if (!m_isUnderWay || m_outgoing > 0 ||
            m_arrivals[m_order.iteration] < m_order.incomingLayers)
        {
            return;
        }
        m_memory->Release(m_heldBytes);
        const bool fits = m_memory->Reserve(m_nextBytes);
        End(fits ? "" : "it needs " + std::to_string(m_nextBytes) + " bytes");
    }

    /**
     * End.
     * @param refusal why the stage cannot be held; may be empty
     */
    void End(const std::string& refusal)
    {
        m_isUnderWay = false;
        m_arrivals.erase(m_order.iteration);
        const auto text = refusal.empty() ? "" : refusal + ", " + m_memory->DescribeFree();
        Simulator::ScheduleNow([done = std::move(m_done), text] { done(text); });
    }

    TensorSocket m_socket;                   //!< moves the weights
    std::shared_ptr<MemoryAccount> m_memory; //!< the device's memory
    bool m_isUnderWay{false};                //!< whether there is an order to fulfil
    MigrationOrder m_order;                  //!< the order
    uint32_t m_outgoing{0};                  //!< layers whose weights have yet to arrive elsewhere
    uint64_t m_heldBytes{0};                 //!< reserved during the migration
    uint64_t m_nextBytes{0};                 //!< resident memory of the new stage
    DoneCallback m_done;                     //!< called at the end
    std::map<uint32_t, uint32_t> m_arrivals; //!< layers that have arrived, by iteration
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STAGE_MIGRATION_H */
