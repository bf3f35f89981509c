/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-problem-json.h"

namespace ns3::edgepipe
{

nlohmann::ordered_json
MakeStateJson(double seconds,
              const nlohmann::ordered_json& plan,
              const std::vector<DeviceState>& devices)
{
    nlohmann::ordered_json state{{"seconds", seconds}, {"plan", plan}};
    auto& list = state["devices"] = nlohmann::ordered_json::array();
    for (const DeviceState& device : devices)
    {
        auto& entry = list.emplace_back(nlohmann::ordered_json{{"name", device.name}});
        const auto put = [&entry](const char* key, const auto& value) {
            if (value)
            {
                entry[key] = *value;
            }
        };
        put("uplinkBitsPerSecond", device.uplinkBitsPerSecond);
        put("downlinkBitsPerSecond", device.downlinkBitsPerSecond);
        put("share", device.share);
        put("backlog", device.backlog);
    }
    return state;
}

} // namespace ns3::edgepipe
