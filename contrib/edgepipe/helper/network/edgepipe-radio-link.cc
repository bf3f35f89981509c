/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-radio-link.h"

#include "ns3/edgepipe-lte-capacity.h"
#include "ns3/edgepipe-mobility.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/edgepipe-wifi-radio-cell.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

WifiCell
MakeWifiCell(const NetworkOptions& options)
{
    NetworkOptions uncut = options;
    uncut.cutDevice.clear();
    CheckNetworkOptions(uncut, {});
    const WifiBand* band = FindWifiBand(options.wifiStandard, options.wifiBandGhz);
    WifiCell cell;
    cell.standard = options.wifiStandard;
    cell.bandGhz = options.wifiBandGhz;
    cell.channelMhz =
        options.wifiChannelMhz ? options.wifiChannelMhz : std::min(80U, band->widestMhz);
    cell.guardIntervalNs = options.wifiGuardIntervalNs ? options.wifiGuardIntervalNs
                           : cell.standard == "ax"     ? 3200
                                                       : 800;
    cell.rateControl = options.wifiRateControl;
    cell.lossAtOneMeterDb = band->lossAtOneMeterDb;
    cell.mtuBytes = options.mtuBytes;
    return cell;
}

std::shared_ptr<const RadioCell>
MakeRadioCell(const NetworkOptions& options)
{
    if (options.link == "lte")
    {
        return std::make_shared<LteCapacity>(options.lteResourceBlocks, options.mtuBytes);
    }
    const std::string file = options.wifiCapacityFile.empty()
                                 ? GetTracesFolder() + "/links/wifi-capacity.csv"
                                 : options.wifiCapacityFile;
    return MakeWifiRadioCell(MakeWifiCell(options), file);
}

std::function<double(uint32_t from, uint32_t to)>
MakeRadioCapacity(const NetworkOptions& options,
                  const std::vector<std::string>& names,
                  const NodeContainer& devices)
{
    auto cell = std::make_shared<std::shared_ptr<const RadioCell>>();
    return [options, names, devices, cell](uint32_t from, uint32_t to) {
        if (!*cell)
        {
            *cell = MakeRadioCell(options);
        }
        const auto isWired = [&](uint32_t device) {
            return options.wiredDevices.count(names[device]) > 0;
        };
        const auto onAir = [&](uint32_t device, RadioDirection direction) {
            return isWired(device)
                       ? 0
                       : (*cell)->GetSecondsPerByte(GetHubDistance(options, devices.Get(device)),
                                                    direction);
        };
        const double up = onAir(from, RadioDirection::UP);
        const double down = onAir(to, RadioDirection::DOWN);
        double seconds = (*cell)->IsDuplex() ? std::max(up, down) : up + down;
        if (isWired(from) || isWired(to))
        {
            const double cable =
                options.backhaulBitsPerSecond * GetEthernetShare(options.mtuBytes) / 8;
            seconds = std::max(seconds, 1 / cable);
        }
        return 8 / seconds * (options.mtuBytes - TCP_IP_HEADERS) / options.mtuBytes;
    };
}

} // namespace edgepipe
} // namespace ns3
