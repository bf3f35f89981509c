/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-device-report.h"

#include <limits>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

std::string
DeviceReport::ToText() const
{
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << share << ' ' << bitsPerSecond;
    return text.str();
}

DeviceReport
DeviceReport::FromText(const std::string& text)
{
    DeviceReport report;
    std::istringstream stream(text);
    stream >> report.share >> report.bitsPerSecond;
    return report;
}

} // namespace edgepipe
} // namespace ns3
