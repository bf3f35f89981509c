/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_MESSAGE_H
#define EDGEPIPE_PIPELINE_MESSAGE_H

#include "ns3/edgepipe-message-body.h"
#include "ns3/edgepipe-pipeline-problem.h"
#include "ns3/edgepipe-tag.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/edgepipe-training-memory.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @param atStages pass times of every stage on a device, followed, where parts of a micro-batch pay
 *         it, by the fixed part of each
 * @param stages number of stages
 * @param stage one of them
 * @return part of its passes that does not depend on the samples; 0 if not given
 */
inline PassSeconds
GetFixedPart(const std::vector<PassSeconds>& atStages, std::size_t stages, std::size_t stage)
{
    return atStages.size() > stages ? atStages[stages + stage] : PassSeconds();
}

/**
 * Body of PipelineTag::REQUEST: an idle device offers help; the tag names what it waits for.
 * Seconds and shares are sent to nine digits.
 */
struct AssistanceRequest
{
    /// Whether it waits for gradients, not activations, of the micro-batch in the tag. That is past
    /// the last one if the device has finished and waits for none.
    bool backward{false};
    double share{1};       //!< available share of the device, 0 to 1
    uint64_t freeBytes{0}; //!< memory it can lend to that neighbour
    double lentSeconds{0}; //!< backward work on a micro-batch owed to the other neighbour
    /// Its seconds per micro-batch when idle, by stage; see GetFixedPart.
    std::vector<PassSeconds> atStages;

    /// Name in error messages.
    static constexpr const char* NAME = "request for work";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body.SetDigits(9);
        body("backward", backward)("share", share)("freeBytes", freeBytes)("lentSeconds",
                                                                           lentSeconds);
        body.Rest("atStages", atStages);
    }
};

/** Body of PipelineTag::GRANT and RESULT: samples to compute for another device. */
struct AssistanceGrant
{
    uint32_t number{0};   //!< of the grant, by granter; 0: backward pass of samples granted earlier
    uint32_t stage{0};    //!< stage whose layers to run
    bool backward{false}; //!< which pass
    uint32_t samples{0};  //!< number of samples
    bool recomputes{false}; //!< a backward pass that begins with a forward pass

    /// Name in error messages.
    static constexpr const char* NAME = "grant";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("number", number)("stage", stage)("backward", backward)("samples", samples);
        body("recomputes", recomputes);
    }
};

/** Body of PipelineTag::WEIGHTS: the stage copied to a helper; bytes per micro-batch. */
struct AssistanceCopy
{
    uint32_t stage{0};           //!< which stage
    uint64_t parameterBytes{0};  //!< of its weights
    uint64_t inputBytes{0};      //!< of the gradient it sends to the previous stage
    uint64_t outputBytes{0};     //!< of the output it sends to the next stage
    uint64_t activationBytes{0}; //!< kept from forward until backward

    /// Name in error messages.
    static constexpr const char* NAME = "copy of a stage";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("stage", stage)("parameterBytes", parameterBytes)("inputBytes", inputBytes);
        body("outputBytes", outputBytes)("activationBytes", activationBytes);
    }
};

/// Ports of the pipeline training applications, see Message::port.
enum PipelinePort : uint16_t
{
    PIPELINE_COORDINATOR_PORT = 1,
    PIPELINE_WORKER_PORT = 2,
    PIPELINE_METRICS_PORT = 11,
    PIPELINE_WEIGHTS_PORT = 12,
    PIPELINE_TIES_PORT = 13, //!< gradients of tied weights; of the TiedGroup numbered 0
};

/// Most groups of devices that hold tied weights; each has a port.
constexpr uint32_t MOST_TIED_GROUPS = 7;

/**
 * @param port of a job, see TensorSocket::GetJobPort
 * @return whether it is that of a TiedGroup
 */
constexpr bool
IsTiedPort(uint16_t port)
{
    return port >= PIPELINE_TIES_PORT && port < PIPELINE_TIES_PORT + MOST_TIED_GROUPS;
}

/// Payload of a plain notice, bytes.
constexpr uint64_t PIPELINE_NOTICE_BYTES = 16;

/** Identifies a task or message of pipeline training; sent as a 64-bit tag. */
struct PipelineTag : PackedTag<PipelineTag>
{
    /// Kinds of messages, of tasks, and of marks in a timeline.
    enum Kind : uint8_t
    {
        ASSIGNMENT,    //!< message: coordinator to worker, a StageAssignment
        HELLO,         //!< message: worker to a neighbouring stage, opens the connection
        READY,         //!< message: worker to coordinator; a body is the reason for a refusal
        START,         //!< message: coordinator to worker, begin an iteration, perhaps the last
        DONE,          //!< message: worker to coordinator, iteration finished, weights updated
        ACTIVATIONS,   //!< message: a stage's output to the next stage
        GRADIENTS,     //!< message: the gradient of a stage's input to the previous stage
        FORWARD,       //!< task
        BACKWARD,      //!< task
        UPDATE,        //!< task: weight update
        REQUEST,       //!< message: an idle worker to the neighbour it waits for, AssistanceRequest
        GRANT,         //!< message: samples for an idle neighbour, AssistanceGrant
        RESULT,        //!< message: outcome of a grant, to the granter
        ASK,           //!< message: coordinator to a device without a stage, requests a REPORT
        REPORT,        //!< message: worker to coordinator, a DeviceReport
        PLANNING,      //!< task: the coordinator decides on a new plan
        MOVE,          //!< message: coordinator to worker, a StageAssignment and a MigrationOrder
        LAYER_WEIGHTS, //!< message: one layer's weights to its new device
        ASSIST_FORWARD,   //!< task: forward pass of a neighbour's samples
        ASSIST_BACKWARD,  //!< task: backward pass of a neighbour's samples
        WEIGHTS,          //!< message: a stage's weights to a helper, AssistanceCopy
        COLLECT,          //!< message: requests a helper's weight gradients
        WEIGHT_GRADIENTS, //!< message: of a neighbour's samples, or of layers shared with one
        REFUSAL,          //!< mark: a checkpoint at which a request got nothing
        MERGE,            //!< mark: a helper's weight gradients have arrived
        ACTIVATION_PARTS, //!< message: output for a device's samples, to the head of its group
        GRADIENT_PARTS,   //!< message: gradients for a device's samples, to the head of its group
    };

    /// Micro-batch field of START for the last iteration.
    static constexpr uint32_t LAST_ITERATION = 1;

    /**
     * @param kind of message or task
     * @param iteration that it belongs to
     * @param microBatch that it belongs to, or a layer
     */
    PipelineTag(Kind kind = {}, uint32_t iteration = 0, uint32_t microBatch = 0)
        : kind(kind),
          iteration(iteration),
          microBatch(microBatch)
    {
    }

    Kind kind;           //!< kind of message or task
    uint32_t iteration;  //!< from 0, below 2^24; of MOVE and LAYER_WEIGHTS the next one
    uint32_t microBatch; //!< from 0; 0 if none; of LAYER_WEIGHTS the layer

    /** @return whether the tag belongs to one micro-batch */
    bool HasMicroBatch() const
    {
        return FindTagKind(KINDS, kind).details == std::string_view(OF_MICRO_BATCH);
    }

    /** @return whether it is a task for another device's stage */
    bool IsAssistance() const
    {
        return kind == ASSIST_FORWARD || kind == ASSIST_BACKWARD;
    }

    /// Suffix of the names of kinds.
    static constexpr const char* OF_ITERATION = ", iteration %1";
    /// The same, with a micro-batch.
    static constexpr const char* OF_MICRO_BATCH = " of micro-batch %2, iteration %1";

    /// Bit layout used by Pack.
    static constexpr Field FIELDS[]{{&PipelineTag::iteration, 24}, {&PipelineTag::microBatch, 32}};
    /// How each Kind is described.
    static inline const std::vector<TagKind> KINDS{
        {"assignment"},
        {"hello"},
        {"ready"},
        {"start", OF_ITERATION},
        {"done", OF_ITERATION},
        {"activations", OF_MICRO_BATCH},
        {"gradients", OF_MICRO_BATCH},
        {"forward", OF_MICRO_BATCH},
        {"backward", OF_MICRO_BATCH},
        {"update", OF_ITERATION},
        {"request", OF_MICRO_BATCH},
        {"grant", OF_MICRO_BATCH},
        {"result", OF_MICRO_BATCH},
        {"ask", OF_ITERATION},
        {"report", OF_ITERATION},
        {"planning", OF_ITERATION},
        {"move", OF_ITERATION},
        {"layer-weights", " of layer %2, iteration %1"},
        {"assist-forward", OF_MICRO_BATCH},
        {"assist-backward", OF_MICRO_BATCH},
        {"weights", OF_ITERATION},
        {"collect", OF_ITERATION},
        {"weight-gradients", OF_ITERATION},
        {"refusal", OF_MICRO_BATCH},
        {"merge", OF_ITERATION},
        {"activation-parts", OF_MICRO_BATCH},
        {"gradient-parts", OF_MICRO_BATCH},
    };
};

/**
 * Sends a message without tensors.
 *
 * @param socket of the sender
 * @param to id of the receiving node
 * @param port of the receiver
 * @param tag message tag
 * @param body of the message
 * @param noticeBytes payload besides the body, bytes
 */
inline void
SendNotice(const TensorSocket& socket,
           uint32_t to,
           PipelinePort port,
           PipelineTag tag,
           const std::string& body = "",
           uint64_t noticeBytes = PIPELINE_NOTICE_BYTES)
{
    socket.Send(to, port, tag.Pack(), noticeBytes + body.size(), body);
}

/** A device of a neighbouring stage, and what is exchanged with it per micro-batch. */
struct StagePeer
{
    uint32_t device{0}; //!< id of its node
    uint64_t bytes{0};  //!< of the tensors of the samples that both compute

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("device", device)("bytes", bytes);
    }
};

/** What a worker needs to run its part of a stage that a group shares, or to feed a group. */
struct StageGroup
{
    std::vector<uint32_t> devices;   //!< of the stage, in the order of their samples
    std::vector<StagePeer> previous; //!< devices of the previous stage that it exchanges with
    std::vector<StagePeer> next;     //!< devices of the next stage that it exchanges with
    /// Devices of the first stage that it sends their samples; their bytes are of those.
    std::vector<StagePeer> fed;
    /// Whether tensors between stages pass through the first device of each group, the head.
    bool isRouted{false};
    std::vector<StagePeer> inputs;  //!< at the head: parts of what arrives from the previous stage
    std::vector<StagePeer> outputs; //!< at the head: parts of what goes to the next stage
    uint32_t watched{0};            //!< device to which the bandwidth is watched, see FindWatched
    /// How many times as long transfers to and from there take as each would alone, since others of
    /// the same plan share their links.
    PassSeconds slowdown{1, 1};

    /** @return whether there is a group, here or next to it */
    bool IsNeeded() const
    {
        return devices.size() + previous.size() + next.size() + fed.size() > 0;
    }

    /**
     * @param device id of a node of the group
     * @return whether its tensors pass through another device
     */
    bool HasHead(uint32_t device) const
    {
        return isRouted && devices.size() > 1 && device != devices.front();
    }

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body.Counted("devices", devices);
        body.Counted("previous", previous);
        body.Counted("next", next);
        body.Counted("fed", fed);
        body("isRouted", isRouted);
        body.Counted("inputs", inputs);
        body.Counted("outputs", outputs);
        body("watched", watched)("slowdown", slowdown.forward)("backSlowdown", slowdown.backward);
    }
};

/** Weights that devices of several stages hold, whose gradients they sum in every iteration. */
struct TiedGroup
{
    uint32_t number{0};            //!< below MOST_TIED_GROUPS, tells the groups of a device apart
    uint64_t bytes{0};             //!< of the weights
    std::vector<uint32_t> devices; //!< ids of nodes of the stages, in their order

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("number", number)("tiedBytes", bytes);
        body.Counted("tiedDevices", devices);
    }
};

/** A worker's stage, as sent by the coordinator; all figures per micro-batch. */
struct StageAssignment
{
    uint32_t stage{0};           //!< which stage, from 0
    uint32_t stages{1};          //!< number of stages; 0: the device has none from now on
    uint32_t microBatches{1};    //!< micro-batches per iteration
    uint32_t coordinator{0};     //!< device of the coordinator
    uint32_t previous{0};        //!< device of the previous stage, if any
    uint32_t next{0};            //!< device of the next stage, if any
    std::string schedule;        //!< name of the PipelineSchedule
    double forwardSeconds{0};    //!< forward pass, seconds
    double backwardSeconds{0};   //!< backward pass, seconds
    double updateSeconds{0};     //!< weight update, seconds per iteration
    uint64_t inputBytes{0};      //!< bytes that arrive from the previous stage
    uint64_t outputBytes{0};     //!< bytes that go to the next stage
    uint64_t parameterBytes{0};  //!< bytes of the stage's weights
    uint64_t activationBytes{0}; //!< bytes kept from forward until backward
    uint32_t optimizerStates{0}; //!< numbers that the optimizer keeps for each weight
    StageMemory memory{};        //!< what the stage takes in the ledger
    uint32_t samples{0};         //!< per micro-batch, which assistance splits; 0: no assistance
    double bandwidthBytesPerSecond{0}; //!< transfer rate that assistance assumes at first
    uint64_t sampleBytes{0};           //!< what the stage reads, even if no stage sends it
    PassSeconds slowestOther;          //!< longest pass of another stage or transfer between stages
    /// With samples: pass times of every stage on this device; see GetFixedPart.
    std::vector<PassSeconds> atStages;
    uint64_t sharedPreviousBytes{0}; //!< weights that the previous stage holds as well
    uint64_t sharedNextBytes{0};     //!< weights that the next stage holds as well
    uint32_t firstLayer{0};          //!< index of its first layer, where recordings are replayed
    uint32_t layers{0};              //!< how many it has; 0: none are replayed
    StageGroup group;                //!< with groups in the plan; excludes assistance
    std::vector<TiedGroup> ties;     //!< weights that other stages hold, too, if any

    /// Name in error messages.
    static constexpr const char* NAME = "stage assignment";

    /** @return whether a neighbour holds some of the weights as well; excludes assistance */
    bool SharesWeights() const
    {
        return sharedPreviousBytes > 0 || sharedNextBytes > 0;
    }

    /**
     * @param isNext of the next stage, not of the previous one
     * @return the devices that it exchanges tensors with; none before the first stage, unless one
     *         feeds it, and after the last
     */
    std::vector<StagePeer> GetPeers(bool isNext) const
    {
        if (group.IsNeeded())
        {
            return isNext ? group.next : group.previous;
        }
        if (isNext ? stage + 1 >= stages : stage == 0)
        {
            return {};
        }
        return {isNext ? StagePeer{next, outputBytes} : StagePeer{previous, inputBytes}};
    }

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("stage", stage)("stages", stages)("microBatches", microBatches);
        body("coordinator", coordinator)("previous", previous)("next", next);
        body("forwardSeconds", forwardSeconds)("backwardSeconds", backwardSeconds);
        body("updateSeconds", updateSeconds)("inputBytes", inputBytes)("outputBytes", outputBytes);
        body("parameterBytes", parameterBytes)("activationBytes", activationBytes);
        body("optimizerStates", optimizerStates)("residentBytes", memory.residentBytes);
        body("heldBytes", memory.heldBytes)("schedule", schedule);
        const bool isLong = layers > 0 || group.IsNeeded() || !ties.empty();
        if (body.HasMore(samples > 0 || SharesWeights() || isLong))
        {
            body("samples", samples);
            if (samples == 0)
            {
                body("sharedPreviousBytes", sharedPreviousBytes);
                body("sharedNextBytes", sharedNextBytes);
                if (body.HasMore(isLong))
                {
                    body("firstLayer", firstLayer)("layers", layers);
                    if (body.HasMore(group.IsNeeded() || !ties.empty()))
                    {
                        group.List(body);
                        body.Rest("ties", ties);
                    }
                }
                return;
            }
            body("bandwidthBytesPerSecond", bandwidthBytesPerSecond)("sampleBytes", sampleBytes);
            slowestOther.List(body);
            body.Counted("ties", ties);
            body.Rest("atStages", atStages);
        }
    }
};

/** A stage and the device that is to run it. */
struct PipelinePlacement
{
    uint32_t device;            //!< id of its node
    StageAssignment assignment; //!< its stage; the coordinator fills in its own device
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_MESSAGE_H */
