/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_MESSAGE_H
#define EDGEPIPE_INFERENCE_MESSAGE_H

#include "ns3/edgepipe-message-body.h"
#include "ns3/edgepipe-tag.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/// Ports of the cooperative inference applications, see Message::port.
enum InferencePort : uint16_t
{
    INFERENCE_SERVER_PORT = 3,
    INFERENCE_DEVICE_PORT = 4,
};

/// Bytes of a message that only says that something has happened, or asks for something.
constexpr uint64_t INFERENCE_NOTICE_BYTES = 16;

/** What a task or a message of cooperative inference is about; travels as a 64-bit tag. */
struct InferenceTag : Tag<InferenceTag>
{
    /// Kinds of messages and tasks.
    enum Kind : uint8_t
    {
        PLAN,        //!< message: device to server, an InferenceLayers, those on the device
        READY,       //!< message: server to device, its first plan has arrived
        TENSOR,      //!< message: device to server, the output of a layer, or the frame
        RESULT,      //!< message: server to device, what its layers make of the frame
        FETCH,       //!< message: device to server, an InferenceLayers, whose weights it lacks
        WEIGHTS,     //!< message: either way, an InferenceLayers and their weights
        DEVICE_PART, //!< task: the layers on the device
        SERVER_PART, //!< task: the layers on the server
        PLANNING,    //!< task: deciding on a plan
        ASK_LOAD,    //!< message: device to server, asks for a LOAD
        LOAD,        //!< message: server to device, a ServerLoad
        ASK_SHARING, //!< message: device to server, asks for a SHARING now and then
        SHARING,     //!< message: server to device, a ServerSharing
    };

    /// Index of the frame itself among the tensors.
    static constexpr uint32_t INPUT = TAG_NONE;

    /**
     * @param kind of message or task
     * @param frame that it belongs to
     * @param index of a tensor or a device
     */
    InferenceTag(Kind kind, uint32_t frame = 0, uint32_t index = 0)
        : kind(kind),
          frame(frame),
          index(index)
    {
    }

    Kind kind;      //!< message or task
    uint32_t frame; //!< which one of its device, from 0; 0 where there is none
    uint32_t index; //!< below 2^24. Tensor: its layer, or INPUT; task: the frame's device

    /// Where Pack puts them.
    static constexpr Field FIELDS[]{{&InferenceTag::frame, 32}, {&InferenceTag::index, 24}};
    /// How each Kind is described.
    static inline const std::vector<TagKind> KINDS{
        {"plan"},
        {"ready"},
        {"tensor", " of layer %2, frame %1", "input, frame %1"},
        {"result", ", frame %1"},
        {"request for weights"},
        {"weights"},
        {"device part", ", frame %1"},
        {"server part", ", frame %1"},
        {"planning"},
        {"request for the load"},
        {"load"},
        {"request for the sharing"},
        {"sharing"},
    };
};

/** What the server says of its load. */
struct ServerLoad
{
    double share{1}; //!< of it that is left for us, 0 to 1

    /// For messages.
    static constexpr const char* NAME = "server load";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("share", share);
    }
};

/** What the server says of the other devices that it serves, over the time since it said so last.
 */
struct ServerSharing
{
    double backlogSeconds{0};    //!< least work that frames found there, seconds on the idle server
    double busyShare{0};         //!< work of the others' frames over the time they came in
    uint32_t devices{0};         //!< those others
    double cellBitsPerSecond{0}; //!< payload that it got from others in the device's cell
    uint32_t cellDevices{0};     //!< those others

    /// For messages.
    static constexpr const char* NAME = "sharing of the server";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("backlogSeconds", backlogSeconds)("busyShare", busyShare)("devices", devices)(
            "cellBitsPerSecond",
            cellBitsPerSecond)("cellDevices", cellDevices);
    }
};

/** A set of layers as a message carries it: a header of 12 bytes and a bit per layer. */
struct InferenceLayers
{
    uint64_t firstFrame{0};       //!< plan: first frame that it is for
    std::vector<bool> isIncluded; //!< by layer

    /** @return the message's bytes */
    std::string ToBytes() const;

    /**
     * @param bytes what ToBytes returned
     * @return the layers
     * @throws InputError when it is anything else
     */
    static InferenceLayers FromBytes(const std::string& bytes);
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_MESSAGE_H */
