/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGE_MIGRATION_H
#define EDGEPIPE_STAGE_MIGRATION_H

#include "ns3/edgepipe-memory-account.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-tensor-socket.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Which weights a device hands over and which it gets, between two iterations. */
struct MigrationOrder
{
    /** One layer's weights. */
    struct Shipment
    {
        uint32_t layer; //!< index of the layer
        uint32_t to;    //!< device that runs it from now on
        uint64_t bytes; //!< of its weights

        /**
         * Lists the fields, see MessageBody.
         * @param body what writes or reads them
         */
        template <typename Body>
        void List(Body& body)
        {
            body("layer", layer)("to", to)("bytes", bytes);
        }
    };

    uint32_t iteration{0};           //!< the one that begins when all is in place
    uint32_t incomingLayers{0};      //!< layers whose weights come in
    uint64_t incomingBytes{0};       //!< of those weights
    std::vector<Shipment> shipments; //!< what goes out

    /// For messages.
    static constexpr const char* NAME = "migration order";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
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
 * A device's part in a change of plan: sends weights away, takes weights in, and keeps the ledger
 * right meanwhile.
 *
 * Between two iterations no gradients and no activations are held, so their memory is given back
 * first. Room for all weights that come in is taken next; since a stage's weights count twice, no
 * more than half a memory is weights, and old and new weights fit together. Weights that leave
 * keep their room until they have arrived; when all has, room for the gradients of the new weights
 * is taken. Optimizers keep no state beside the weights.
 */
class StageMigration
{
  public:
    /// Told that all is in place; a text is why the new stage cannot be held.
    using DoneCallback = std::function<void(const std::string& refusal)>;

    /**
     * Listen on PIPELINE_WEIGHTS_PORT.
     *
     * @param socket moves the weights
     * @param memory the worker's part of the device's memory
     */
    StageMigration(TensorSocket socket, std::shared_ptr<MemoryAccount> memory);
    // The transport holds this object's address.
    StageMigration(const StageMigration&) = delete;
    StageMigration& operator=(const StageMigration&) = delete;

    /**
     * Begin; the device holds 2 x heldBytes of memory.
     *
     * @param order what to do
     * @param heldBytes weights of the old stage
     * @param nextBytes weights of the new stage
     * @param done told of the end, not before this returns
     */
    void Begin(const MigrationOrder& order,
               uint64_t heldBytes,
               uint64_t nextBytes,
               DoneCallback done);

    /** @return what it waits for, in words; empty unless a migration is under way */
    std::string DescribeWait() const;

  private:
    /**
     * Weights have arrived, perhaps before the order.
     * @param message with them
     */
    void Take(const Message& message);
    /** End if all is in place. */
    void Check();
    /**
     * End.
     * @param refusal why the stage cannot be held; may be empty
     */
    void End(const std::string& refusal);

    TensorSocket m_socket;                   //!< moves the weights
    std::shared_ptr<MemoryAccount> m_memory; //!< the device's memory
    bool m_isUnderWay{false};                //!< whether there is an order to fulfil
    MigrationOrder m_order;                  //!< the order
    uint32_t m_outgoing{0};                  //!< layers whose weights have yet to arrive elsewhere
    uint64_t m_heldBytes{0};                 //!< weights in the ledger, gone and came
    uint64_t m_nextBytes{0};                 //!< weights of the new stage
    DoneCallback m_done;                     //!< told of the end
    std::map<uint32_t, uint32_t> m_arrivals; //!< layers that have come, by iteration
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_STAGE_MIGRATION_H */
