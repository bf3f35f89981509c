/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEVICE_REPORT_H
#define EDGEPIPE_DEVICE_REPORT_H

#include "edgepipe-message-body.h"

namespace ns3
{
namespace edgepipe
{

/** What a device tells the coordinator of itself; travels as text in DONE and REPORT messages. */
struct DeviceReport
{
    double share{1};               //!< of the device that is left for us, 0 to 1
    double uplinkBitsPerSecond{0}; //!< to the device it watches, payload bit/s; 0: it watches none
    double downlinkBitsPerSecond{0}; //!< from that device, likewise
    uint64_t backlog{0};             //!< tasks that wait for its processor or run on it

    /// For messages.
    static constexpr const char* NAME = "device report";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("share", share)("uplinkBitsPerSecond", uplinkBitsPerSecond);
        if (body.HasMore(downlinkBitsPerSecond != uplinkBitsPerSecond || backlog > 0))
        {
            body("downlinkBitsPerSecond", downlinkBitsPerSecond);
        }
        else
        {
            downlinkBitsPerSecond = uplinkBitsPerSecond;
        }
        if (body.HasMore(backlog > 0))
        {
            body("backlog", backlog);
        }
    }
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DEVICE_REPORT_H */
