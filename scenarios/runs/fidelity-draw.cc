/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/fidelity-draw.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-two-way-cut-planner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Rates of wires, bit/s.
constexpr double LOWEST_RATE = 5e6;
constexpr double HIGHEST_RATE = 1e9;
/// Share of networks whose rate changes under way, where rates can be given.
constexpr double CHANGING_SHARE = 0.2;
/// Planners of pipelines that decide at once; the others learn for a while first.
const std::vector<std::string> PIPELINE_PLANNERS{"dp", "even", "exact", "ga", "pso"};

/**
 * @param folder a folder
 * @param ending of files
 * @return their names without it, sorted
 * @throws InputError if there is none
 */
std::vector<std::string>
ListNames(const std::string& folder, const std::string& ending)
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    {
        const std::string name = entry.path().filename().string();
        if (name.size() > ending.size() &&
            name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
        {
            names.push_back(name.substr(0, name.size() - ending.size()));
        }
    }
    if (names.empty())
    {
        throw InputError(folder + ": found no *" + ending + ", expected some to draw from");
    }
    std::sort(names.begin(), names.end());
    return names;
}

/**
 * @param value a number
 * @return it in three digits
 */
std::string
Digits(double value)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
    return text;
}

/**
 * @tparam Planner a kind of planner
 * @return names of all
 */
template <typename Planner>
std::vector<std::string>
ListPlanners()
{
    const auto names = GetNames<Planner>();
    return {names.begin(), names.end()};
}

} // namespace

const std::vector<std::string>&
FidelityDraw::GetLinks()
{
    static const std::vector<std::string>
        links{"lan", "p2p", "wifi", "3g", "4g", "lte", "trace", "mixed"};
    return links;
}

FidelityDraw::FidelityDraw(uint32_t seed, const std::string& traces)
    : m_uniform(MakeRandomVariable<UniformRandomVariable>(random_streams::FIDELITY_DRAW.Get(seed))),
      m_traces(traces),
      m_models(ListNames(traces + "/models", ".json")),
      m_clusters(ListNames(traces + "/clusters", ".json")),
      m_devices(ListNames(traces + "/devices", ".json"))
{
    // Those whose devices have networks of their own would not have the link that is drawn.
    const auto isMixed = [&traces](const std::string& name) {
        const Cluster cluster = ReadCluster(traces + "/clusters/" + name + ".json", traces);
        return std::any_of(cluster.devices.begin(), cluster.devices.end(), [](const auto& device) {
            return device.network != nullptr;
        });
    };
    m_clusters.erase(std::remove_if(m_clusters.begin(), m_clusters.end(), isMixed),
                     m_clusters.end());
}

double
FidelityDraw::DrawLog(double lowest, double highest)
{
    return lowest * std::pow(highest / lowest, m_uniform->GetValue());
}

uint32_t
FidelityDraw::DrawWhole(uint32_t lowest, uint32_t highest)
{
    return m_uniform->GetInteger(lowest, highest);
}

const std::string&
FidelityDraw::Pick(const std::vector<std::string>& from)
{
    return from[DrawWhole(0, from.size() - 1)];
}

std::string
FidelityDraw::DrawRates(double bitsPerSecond)
{
    const auto format = [](double rate) { return Digits(1e-6 * rate) + "Mbps"; };
    if (m_uniform->GetValue() >= CHANGING_SHARE)
    {
        return format(bitsPerSecond);
    }
    std::string text = "0s:" + format(bitsPerSecond);
    double at = 0;
    for (uint32_t step = DrawWhole(1, 3); step > 0; --step)
    {
        at += DrawLog(0.1, 5);
        text += "," + Digits(at) + "s:" + format(bitsPerSecond * DrawLog(0.2, 5));
    }
    return text;
}

std::string
FidelityDraw::DrawNetwork(const std::string& link)
{
    std::string text = " link=" + link;
    if (link == "lan" || link == "p2p")
    {
        text += " bandwidth=" + DrawRates(DrawLog(LOWEST_RATE, HIGHEST_RATE));
        text += " delay=" + Digits(DrawLog(0.02, 10)) + "ms";
    }
    else if (link == "wifi")
    {
        text += " wifi-standard=" + Pick({"n", "ac", "ax"});
        text += " distance=" + Digits(DrawLog(2, 25));
    }
    else if (link == "lte")
    {
        text += " lte-bandwidth=" + Pick({"25", "50", "100"});
        text += " distance=" + Digits(DrawLog(10, 1000));
    }
    else if (link == "trace")
    {
        const std::string up = m_traces + "/bandwidth/" + DrawRecording();
        const auto at = up.rfind("up");
        text += " trace=" + up + ".csv";
        if (at != std::string::npos)
        {
            text += " trace-down=" + std::string(up).replace(at, 2, "down") + ".csv";
        }
        text += " trace-offset=" + std::to_string(DrawWhole(0, 100)) + "s";
    }
    else // 3g and 4g, whose rates are those of the link unless they change
    {
        const std::string rates = DrawRates(DrawLog(1e6, 1e7));
        text += rates.find(',') == std::string::npos ? "" : " bandwidth=" + rates;
    }
    return text;
}

std::string
FidelityDraw::DrawRecording()
{
    auto names = ListNames(m_traces + "/bandwidth", ".csv");
    // The downlink is of the same recording.
    names.erase(
        std::remove_if(names.begin(),
                       names.end(),
                       [](const auto& name) { return name.find("down") != std::string::npos; }),
        names.end());
    return Pick(names);
}

std::string
FidelityDraw::DrawCluster(std::string& options)
{
    using Json = nlohmann::ordered_json;
    // Of two cells of Wi-Fi each has a name.
    std::vector<std::string> links{"wifi", "wifi", "lte", "3g", "4g", "lan", "trace"};
    std::vector<Json> networks;
    for (uint32_t count = DrawWhole(2, 4); networks.size() < count;)
    {
        const auto link = links.begin() + DrawWhole(0, links.size() - 1);
        networks.push_back({{"link", *link}});
        if (*link == "wifi")
        {
            networks.back()["cell"] = std::to_string(networks.size());
        }
        links.erase(link);
    }
    if (std::count(links.begin(), links.end(), "wifi") < 2)
    {
        options += " wifi-standard=" + Pick({"n", "ac", "ax"});
    }
    if (std::count(links.begin(), links.end(), "lte") == 0)
    {
        options += " lte-bandwidth=" + Pick({"25", "50", "100"});
    }
    Json devices = Json::array();
    for (uint32_t count = DrawWhole(3, 10); devices.size() < count;)
    {
        // The first devices are on a network each.
        const std::size_t place = devices.size();
        Json network =
            networks[place < networks.size() ? place : DrawWhole(0, networks.size() - 1)];
        const std::string link = network["link"];
        if (link == "wifi")
        {
            network["distanceMeters"] = std::stod(Digits(DrawLog(2, 25)));
        }
        else if (link == "lte")
        {
            network["distanceMeters"] = std::stod(Digits(DrawLog(10, 1000)));
        }
        else if (link == "trace")
        {
            network["trace"] = DrawRecording() + ".csv";
            network["traceOffsetSeconds"] = DrawWhole(0, 100);
        }
        else if (link == "lan")
        {
            network["bandwidthBitsPerSecond"] = std::round(DrawLog(LOWEST_RATE, HIGHEST_RATE));
            network["delaySeconds"] = 1e-3 * std::stod(Digits(DrawLog(0.02, 10)));
        }
        devices.push_back({{"type", Pick(m_devices)},
                           {"name", "d" + std::to_string(place)},
                           {"network", network}});
    }
    const Json cluster{{"format", "edgepipe-cluster 1"},
                       {"name", "drawn"},
                       {"source", "Drawn by the scenario fidelity."},
                       {"devices", devices},
                       {"network", {{"link", "lan"}, {"bandwidthBitsPerSecond", HIGHEST_RATE}}}};
    return cluster.dump(2) + "\n";
}

FidelitySetting
FidelityDraw::Draw(const std::string& workload,
                   const std::string& link,
                   std::size_t planners,
                   const std::string& cluster)
{
    FidelitySetting setting;
    setting.workload = workload;
    setting.link = link;
    std::string& text = setting.options;
    text = "workload=" + workload;
    const auto number = [this](uint32_t lowest, uint32_t highest) {
        return std::to_string(DrawWhole(lowest, highest));
    };
    const bool isMixed = link == "mixed";
    // Those of a mixed network are in its cluster file.
    const auto pickCluster = [&] { return isMixed ? "" : " cluster=" + Pick(m_clusters); };
    const auto pickDevice = [&](const std::string& option) {
        return isMixed ? "" : option + Pick(m_devices);
    };
    std::vector<std::string> names;
    if (workload == "pipeline-training")
    {
        static const auto schedules = GetNames<PipelineSchedule>();
        names = PIPELINE_PLANNERS;
        text += " model=" + Pick(m_models) + pickCluster();
        text += " schedule=" + Pick({schedules.begin(), schedules.end()});
        text += " micro-batch-size=" + Pick({"1", "2", "4", "8", "16", "32"});
        text += " micro-batches=" + number(2, 16) + " iterations=" + number(1, 3);
        // A rate for all, since those measured of each device are none that an option gives again.
        text += isMixed ? " planner-bandwidth=" + Digits(DrawLog(1, 100)) + "Mbps" : "";
    }
    else if (workload == "cooperative-inference")
    {
        names = ListPlanners<TwoWayCutPlanner>();
        text += " model=" + Pick(m_models) + pickDevice(" device=");
        text += pickDevice(" server=") + (isMixed ? "" : " devices=" + number(1, 4));
        text += " frames=" + number(10, 60) + " replan=" + Pick({"true", "false"});
        text += DrawWhole(0, 1) ? " in-flight=" + number(1, 3)
                                : " frame-rate=" + Digits(DrawLog(0.2, 20));
    }
    else if (workload == "actor-learner")
    {
        names = ListPlanners<MultiActorPlanner>();
        text += " model=" + Pick(m_models) + pickDevice(" actor=");
        text += pickDevice(" server=") + (isMixed ? "" : " actors=" + number(1, 8));
        text += " step-time=" + Digits(DrawLog(20, 500)) + "ms unroll=" + number(1, 40);
        text += " train-batch=" + number(0, 8) + " warm-up=3s duration=10s";
    }
    else
    {
        names = ListPlanners<BatchSharesPlanner>();
        text += " model=" + Pick(m_models) + pickCluster();
        text += (isMixed ? "" : " devices=" + number(2, 5)) + " base-batch=" + number(8, 256);
        text += " updates=" + number(1, 3) + " exchange=" + Pick({"ring", "parameter-server"});
    }
    if (isMixed)
    {
        text += " cluster=" + cluster;
        setting.cluster = DrawCluster(text);
    }
    else
    {
        text += DrawNetwork(link);
    }
    while (setting.planners.size() < planners && !names.empty())
    {
        const auto name = names.begin() + DrawWhole(0, names.size() - 1);
        setting.planners.push_back("planner=" + *name);
        names.erase(name);
    }
    return setting;
}

} // namespace edgepipe
} // namespace ns3
