/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEVICE_REPORT_H
#define EDGEPIPE_DEVICE_REPORT_H

#include <string>

namespace ns3
{
namespace edgepipe
{

/** What a device tells the coordinator of itself; travels as text in DONE and REPORT messages. */
struct DeviceReport
{
    double share{1}; //!< of the device that is left for us, 0 to 1
    double bitsPerSecond{
        0}; //!< to and from the device it watches, payload bit/s; 0: it watches none

    /** @return the report as text, exact */
    std::string ToText() const;

    /**
     * @param text what ToText returned
     * @return the report
     */
    static DeviceReport FromText(const std::string& text);
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DEVICE_REPORT_H */
