/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-radio-options.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-table.h"

#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Stations that ns-3's LTE can tell apart by their sounding signals, one less than their longest
/// period in ms.
constexpr std::size_t MOST_LTE_STATIONS = 319;

/**
 * @param option name of an option
 * @param found its value
 * @param want what it may be
 * @throws InputError saying so
 */
[[noreturn]] void
Refuse(const std::string& option, const std::string& found, const std::string& want)
{
    throw InputError(option, found, want);
}

} // namespace

void
CheckRadioOptions(const NetworkOptions& o, const std::vector<std::string>& names)
{
    const bool isRadio = o.link == "wifi" || o.link == "lte";
    if (o.mobility != "static" && o.mobility != "away" && o.mobility != "random-walk")
    {
        Refuse("mobility", "\"" + o.mobility + "\"", "static, away or random-walk");
    }
    if (!isRadio && o.mobility != "static")
    {
        Refuse("mobility", o.mobility + " on " + o.link, "static, or --link=wifi or lte");
    }
    if (!isRadio && o.competitors > 0)
    {
        Refuse("competitors",
               std::to_string(o.competitors) + " on " + o.link,
               "0, or --link=wifi or lte");
    }
    if (!isRadio)
    {
        return;
    }
    if (o.competitors > 1000)
    {
        Refuse("competitors", std::to_string(o.competitors), "0 to 1000");
    }
    if (!(o.speedMetersPerSecond >= 0 && o.speedMetersPerSecond <= 1000))
    {
        Refuse("speed", Table::Exact(o.speedMetersPerSecond), "0 to 1000 m/s");
    }
    if (!(o.wifiDistanceMeters > 0 && o.wifiDistanceMeters <= 10000))
    {
        Refuse("distance", Table::Exact(o.wifiDistanceMeters), "more than 0, up to 10000 m");
    }
    if (o.link == "wifi")
    {
        return;
    }
    if (!std::set<uint32_t>{6, 15, 25, 50, 75, 100}.count(o.lteResourceBlocks))
    {
        Refuse("lte-bandwidth",
               std::to_string(o.lteResourceBlocks),
               "6, 15, 25, 50, 75 or 100 resource blocks");
    }
    if (o.lossRate > 0)
    {
        Refuse("loss", Table::Exact(o.lossRate), "0 on lte: its radio loses blocks by itself");
    }
    if (o.mtuBytes > 1500)
    {
        Refuse("mtu", std::to_string(o.mtuBytes), "576 to 1500 bytes on lte");
    }
    if (o.fidelity == "packet" && names.size() + o.competitors > MOST_LTE_STATIONS)
    {
        Refuse("competitors",
               std::to_string(o.competitors) + " and " + std::to_string(names.size()) + " devices",
               std::to_string(MOST_LTE_STATIONS) + " in all on lte at packet level");
    }
}

} // namespace edgepipe
} // namespace ns3
