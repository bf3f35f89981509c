/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_WORKER_H
#define EDGEPIPE_PIPELINE_WORKER_H

#include "ns3/edgepipe-adjacent-scheduler.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-gradient-exchange.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-pair-monitors.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-metrics.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-stage-migration.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Runs one stage of a pipeline-parallel training.
 *
 * The worker waits for its StageAssignment, reserves the resident memory of the stage
 * (StageMemory), greets its neighbours so that no iteration pays for opening a connection, and
 * reports to the coordinator. In an iteration it takes the steps of its schedule strictly in order:
 * a forward step needs the previous stage's activations and memory for what it keeps, a backward
 * step the next stage's gradients. Results are sent as soon as they exist, while computing goes on.
 * After the last step it updates its weights and reports again. With adjacent scheduling
 * (AdjacentScheduler), idle neighbours compute part of its samples. In a group of devices that
 * share the stage, it runs its own samples of every micro-batch, exchanges them with the devices of
 * the neighbouring stages that have the same ones, and sums the group's gradients before the update
 * (GradientExchange), as it sums those of weights that devices of other stages hold, too. Between
 * two iterations it may be given another stage, or none, and moves weights as ordered
 * (StageMigration).
 *
 * The worker's node has a ComputeDevice, a MemoryLedger and a TensorEndpoint (EdgeDeviceHelper,
 * TransportHelper).
 *
 * Mini-batches are available on the device of the first stage. The ledger counts by the rule of the
 * planning problem (CountStageMemory), in which one tensor arrives and one leaves at a time; others
 * that wait to be computed or sent are not counted.
 */
class PipelineWorker : public Typed<PipelineWorker, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    PipelineWorker();

    /** @return the worker's part in adjacent scheduling, off unless its attribute says otherwise */
    Ptr<AdjacentScheduler> GetAdjacentScheduler() const
    {
        return m_adjacent;
    }

    /**
     * Report on the device and allow changes of stage; call before the application starts.
     *
     * @param monitors of the training
     * @param other id of a node to watch without neighbours; the worker's own: none
     */
    void SetMonitors(std::shared_ptr<PairMonitors> monitors, uint32_t other)
    {
        m_monitors = std::move(monitors);
        m_other = other;
    }

    /** @return what the worker waits for, in words; empty if it computes or has nothing to do */
    std::string DescribeWait() const override;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Receive(const Message& message) override;

    /**
     * Take on another stage, or none.
     * @param body a StageAssignment and a MigrationOrder, a line each
     */
    void Move(const std::string& body);
    /**
     * Switch to another stage.
     * @param assignment the stage
     */
    void SetStage(const StageAssignment& assignment);
    /** Open the connections to the neighbouring stages, and report once nothing is missing. */
    void GreetNeighbours();
    /** Wait for one event fewer, and report READY after the last. */
    void Settle();
    /**
     * Open the connection to a device that it sends tensors to.
     * @param device the device
     */
    void Greet(uint32_t device);
    /** Send the devices of the first stage their samples of the next micro-batch, if any. */
    void Feed();
    /** Join the exchanges of gradients of the stage's group and of tied weights, if any. */
    void JoinExchanges();
    /**
     * Join an exchange of gradients.
     *
     * @param exchange how they are summed
     * @param devices that take part, ids of their nodes
     * @param bytes of the gradients
     * @param port of its messages
     */
    void Join(Ptr<GradientExchange> exchange,
              const std::vector<uint32_t>& devices,
              uint64_t bytes,
              uint16_t port);

    /**
     * Send the coordinator a message.
     *
     * @param tag message tag
     * @param body real bytes; with READY: why the stage is refused; empty if it is not
     */
    void SendToCoordinator(const PipelineTag& tag, const std::string& body)
    {
        SendNotice(m_socket, m_stage.coordinator, PIPELINE_COORDINATOR_PORT, tag, body);
    }

    /**
     * The device's memory in use has changed.
     *
     * @param before bytes in use before
     * @param after bytes in use now
     */
    void NoticeMemory(uint64_t before, uint64_t after);
    /** Begin the next step if possible; otherwise wait for the next event. */
    void Advance();
    /** The present step's task has finished. */
    void FinishStep();
    /**
     * Send a step's output.
     * @param step a step, all of whose samples have been computed
     */
    void SendOutput(const PipelineStep& step);
    /** The previous stage has got gradients of a stage that takes part in an exchange. */
    void NoticeDelivery();
    /** The gradients of an exchange are summed. */
    void NoticeSum();
    /**
     * An exchange is over.
     * @param version unused
     */
    void FinishExchange(uint32_t version);
    /** The weight update has finished. */
    void FinishUpdate();
    /** The device has the weights of the next iteration. */
    void FinishIteration();

    /**
     * Send another worker a message.
     *
     * @param to receiving device
     * @param tag message tag
     * @param bytes payload, bytes
     * @param delivered called on delivery; may be null
     */
    void Send(uint32_t to, const PipelineTag& tag, uint64_t bytes, Callback<void> delivered = {})
    {
        m_socket.Send(to, PIPELINE_WORKER_PORT, tag.Pack(), bytes, "", delivered);
    }

    /**
     * Keep a message's tag until its iteration ends.
     * @param tag of tensors or weight gradients
     */
    void NoteArrival(uint64_t tag)
    {
        m_arrivals.insert(std::upper_bound(m_arrivals.begin(), m_arrivals.end(), tag), tag);
    }

    /**
     * @param tag of tensors or weight gradients
     * @return arrived messages with it
     */
    uint32_t CountArrivals(const PipelineTag& tag) const
    {
        const auto [first, last] =
            std::equal_range(m_arrivals.begin(), m_arrivals.end(), tag.Pack());
        return last - first;
    }

    /**
     * @param step a step of the present iteration
     * @return whether the tensor it needs is here
     */
    bool HasInput(const PipelineStep& step) const
    {
        const std::size_t sources = (step.backward ? m_after : m_before).size();
        return sources == 0 ||
               CountArrivals({step.backward ? PipelineTag::GRADIENTS : PipelineTag::ACTIVATIONS,
                              m_iteration,
                              step.microBatch}) >= sources;
    }

    /**
     * Send the weight gradients of shared layers to the previous stage, then to the next. Called
     * when the last gradient has been delivered, since tensors sent together delay each other and
     * lose packets.
     */
    void ShareWithPrevious();
    /** Send the next stage the weight gradients of the layers shared with it. */
    void ShareWithNext();

    /** @return neighbours whose weight gradients are missing for the update */
    uint32_t CountMissingGradients() const
    {
        const uint32_t shared = (m_stage.sharedPreviousBytes > 0) + (m_stage.sharedNextBytes > 0);
        return shared - CountArrivals({PipelineTag::WEIGHT_GRADIENTS, m_iteration});
    }

    /** @return whether this is the pipeline's last stage */
    bool IsLast() const
    {
        return m_stage.stage + 1 == m_stage.stages;
    }

    /// What the worker is doing.
    enum State
    {
        UNASSIGNED,
        GREETING,
        READY,
        WAITING,
        COMPUTING,
        FINISHED,
        STOPPED,
    };

    std::shared_ptr<MemoryAccount> m_memory;  //!< its part of the device's memory
    ComputeDevice::DoneCallback m_stepDone;   //!< calls FinishStep
    ComputeDevice::DoneCallback m_updateDone; //!< calls FinishUpdate
    Ptr<AdjacentScheduler> m_adjacent;        //!< help given and received
    std::string m_exchangeName;               //!< of a GradientExchange
    Ptr<GradientExchange> m_exchange;         //!< sums the gradients of groups; null before any
    std::map<uint32_t, Ptr<GradientExchange>> m_tied; //!< those of tied weights, by TiedGroup
    std::vector<Ptr<GradientExchange>> m_exchanges;   //!< of those, in which the stage takes part
    StageAssignment m_stage;                          //!< the stage
    std::vector<StagePeer> m_before;                  //!< devices that its activations come from
    std::vector<StagePeer> m_after;                   //!< devices that its output goes to
    std::vector<bool> m_layers; //!< whether the stage executes each, where recordings are replayed
    std::vector<PipelineStep> m_steps; //!< its steps, in order
    State m_state{UNASSIGNED};         //!< what the worker is doing
    uint32_t m_greetings{0}; //!< neighbours that have yet to be reached, and a migration under way
    bool m_isLastIteration{false}; //!< whether the training ends with the present iteration
    uint32_t m_iteration{0};       //!< present iteration
    std::size_t m_next{0};         //!< index of the present step in m_steps
    uint32_t m_fed{0};             //!< micro-batches whose samples have been sent
    uint32_t m_feeding{0};         //!< messages with samples under way
    /// Passes, whether backward and of which micro-batch, whose output lacks parts of the group.
    std::set<std::pair<bool, uint32_t>> m_gathering;
    uint32_t m_undelivered{0}; //!< gradients that precede an exchange and have yet to be delivered
    uint32_t m_unsummed{0};    //!< exchanges whose gradients are being summed
    uint32_t m_unfinished{0};  //!< exchanges that are not over
    bool m_isSummed{false};    //!< whether all gradients have been summed
    bool m_lacksMemory{false}; //!< whether the present step does not fit
    /// Tags of messages that have arrived for the present iteration and the next, sorted.
    std::vector<uint64_t> m_arrivals;
    std::shared_ptr<PairMonitors> m_monitors;    //!< of the training; null: stages stay
    uint32_t m_other{0};                         //!< node to watch without neighbours
    std::unique_ptr<PipelineMetrics> m_metrics;  //!< of the device; null without m_monitors
    std::unique_ptr<StageMigration> m_migration; //!< moves weights; null with m_metrics
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_WORKER_H */
