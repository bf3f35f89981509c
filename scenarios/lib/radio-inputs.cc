/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/radio-inputs.h"

namespace ns3
{
namespace edgepipe
{

void
AddRadioOptions(ScenarioOptions& o)
{
    o.Add("distance", "wifi, lte: of every device from the access point or base station, m", "5");
    o.Add("mobility",
          "wifi, lte: static; away (straight outwards from --distance); or random-walk (within "
          "--distance)",
          "static");
    o.Add("speed", "wifi, lte: of every device that moves, m/s", "1");
    o.Add("competitors",
          "wifi, lte: further stations at --distance that upload by TCP all the time",
          "0");
    o.Add("lte-bandwidth",
          "each way, resource blocks of 180 kHz: 6, 15, 25, 50, 75 or 100 (1.4 to 20 MHz)",
          "25");
}

void
ReadRadioOptions(const ScenarioOptions& options, NetworkOptions& network)
{
    network.wifiDistanceMeters = options.GetDouble("distance", 0.1, 10000);
    network.mobility = options.GetString("mobility");
    network.speedMetersPerSecond = options.GetDouble("speed", 0, 1000);
    network.competitors = options.GetUint("competitors", 0, 1000);
    network.lteResourceBlocks = options.GetUint("lte-bandwidth", 6, 100);
}

} // namespace edgepipe
} // namespace ns3
