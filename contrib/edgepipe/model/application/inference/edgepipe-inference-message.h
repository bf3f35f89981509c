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

/// Payload of a plain notice or request, bytes.
constexpr uint64_t INFERENCE_NOTICE_BYTES = 16;

/** Identifies a task or message of cooperative inference; sent as a 64-bit tag. */
struct InferenceTag : PackedTag<InferenceTag>
{
    /// Kinds of messages and tasks.
    enum Kind : uint8_t
    {
        PLAN,        //!< message: device to server, the InferenceLayers on the device
        READY,       //!< message: server to device, its first plan has arrived
        TENSOR,      //!< message: device to server, the output of a layer, or the frame
        RESULT,      //!< message: server to device, the server's output for the frame
        FETCH,       //!< message: device to server, the InferenceLayers whose weights it lacks
        WEIGHTS,     //!< message: in either direction, InferenceLayers and their weights
        DEVICE_PART, //!< task: the layers on the device
        SERVER_PART, //!< task: the layers on the server
        PLANNING,    //!< task: making a plan
        ASK_LOAD,    //!< message: device to server, requests a LOAD
        LOAD,        //!< message: server to device, a ServerLoad
        ASK_SHARING, //!< message: device to server, subscribes to SHARING; later ones poll it
        SHARING,     //!< message: server to device, a ServerSharing
    };

    /// Tensor index of the frame itself.
    static constexpr uint32_t INPUT = TAG_NONE;

    /**
     * @param kind of message or task
     * @param frame its number
     * @param index of a tensor or a device
     */
    InferenceTag(Kind kind, uint32_t frame = 0, uint32_t index = 0)
        : kind(kind),
          frame(frame),
          index(index)
    {
    }

    Kind kind;      //!< kind of message or task
    uint32_t frame; //!< number of the device's frame, from 0; 0 if none
    uint32_t index; //!< below 2^24. Tensor: its layer, or INPUT; task: the frame's device

    /// Bit layout used by Pack.
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

/** The server's report of its load. */
struct ServerLoad
{
    double share{1}; //!< available share of the server, 0 to 1

    /// Name in error messages.
    static constexpr const char* NAME = "server load";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("share", share);
    }
};

/** The server's report of its other devices, for the time since its last report. */
struct ServerSharing
{
    double backlogSeconds{0};    //!< least backlog that a frame found, seconds on the idle server
    double busyShare{0};         //!< work of the others' frames as a share of that time
    uint32_t devices{0};         //!< others with frames in that time
    double cellBitsPerSecond{0}; //!< payload rate from others in the device's cell
    uint32_t cellDevices{0};     //!< others in the cell that sent

    /// Name in error messages.
    static constexpr const char* NAME = "sharing of the server";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("backlogSeconds", backlogSeconds)("busyShare", busyShare)("devices", devices)(
            "cellBitsPerSecond",
            cellBitsPerSecond)("cellDevices", cellDevices);
    }
};

/** A set of layers, sent as a header of 12 bytes and a bit per layer. */
struct InferenceLayers
{
    uint64_t firstFrame{0};       //!< in a PLAN: first frame under the plan
    std::vector<bool> isIncluded; //!< by layer

    /** @return the message's bytes */
    std::string ToBytes() const;

    /**
     * @param bytes what ToBytes returned
     * @return the layers
     * @throws InputError if the size is wrong
     */
    static InferenceLayers FromBytes(const std::string& bytes);
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_MESSAGE_H */
