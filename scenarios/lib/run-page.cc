/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-page.h"

#include "run-page-template.h"

#include "ns3/rng-seed-manager.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ns3::edgepipe
{

namespace
{

/// Largest timeline or curve on the page, bytes: a browser would take seconds to open a larger one.
constexpr std::size_t MOST_DRAWN_BYTES = 10000000;

/**
 * @param text to be changed
 * @param what to replace everywhere
 * @param by replacement
 */
void
Replace(std::string& text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + by.size()))
    {
        text.replace(at, what.size(), by);
    }
}

} // namespace

std::string
FormatCommand(const ScenarioOptions& options, const std::vector<std::string>& without)
{
    std::string words = options.GetName();
    for (const auto& [name, given] : options.GetAll())
    {
        if (!Contains(without, name) && options.IsChanged(name))
        {
            std::string value = given;
            if (value.find_first_of(" \t\"'\\") != std::string::npos)
            {
                Replace(value, "'", "'\\''");
                value = "'" + value + "'";
            }
            words += " --" + name + "=" + value;
        }
    }
    if (RngSeedManager::GetSeed() != 1)
    {
        words += " --RngSeed=" + std::to_string(RngSeedManager::GetSeed());
    }
    if (RngSeedManager::GetRun() != 1)
    {
        words += " --RngRun=" + std::to_string(RngSeedManager::GetRun());
    }
    const bool isOne = words == options.GetName();
    for (const char* special : {"\\", "\"", "$", "`"})
    {
        Replace(words, special, std::string("\\") + special);
    }
    return "./ns3 run " + (isOne ? words : "\"" + words + "\"");
}

std::string
FormatRunPage(const ScenarioOptions& options,
              const ResultsFolder& folder,
              const RunCurves& curves,
              const std::vector<std::string>& notes,
              const std::map<std::string, double>& stalls)
{
    nlohmann::ordered_json data;
    data["pictures"] = nlohmann::ordered_json::array(); // drawing scripts add theirs
    data["command"] = FormatCommand(options, {"out"});
    data["files"] = folder.GetFiles();
    data["notes"] = notes;
    data["stalls"] = stalls;
    const auto& files = folder.GetFiles();
    const std::string* table = FindIf(files, [](auto& name) { return name == "results.csv"; });
    if (!table)
    {
        table = FindIf(files, [](const std::string& name) {
            return std::filesystem::path(name).extension() == ".csv";
        });
    }
    data["table"] = table ? *table : "";
    data["results"] = folder.ReadBack(data["table"]);
    if (const std::string intervals = folder.ReadBack("intervals.csv"); !intervals.empty())
    {
        data["draws"] = {{"intervals", intervals}, {"orders", folder.ReadBack("orders.csv")}};
    }
    const std::string points = folder.ReadBack(curves.file);
    if (!points.empty() && points.size() <= MOST_DRAWN_BYTES)
    {
        data["curves"] = {{"points", points},
                          {"over", curves.over},
                          {"of", curves.of},
                          {"by", curves.by},
                          {"expected", curves.expected}};
    }
    using Json = nlohmann::ordered_json;
    const std::vector<std::string>
        keys{"versions", "rngSeed", "rngRun", "options", "layerCosts", "unlikeStacks", "plans"};
    // Without the others, such as the bytes of thousands of links.
    const auto isNeeded = [&keys](int depth, Json::parse_event_t event, const Json& parsed) {
        return depth != 1 || event != Json::parse_event_t::key || Contains(keys, parsed);
    };
    const auto all = Json::parse(folder.ReadBack("run.json"), isNeeded, false);
    for (const std::string& key : keys)
    {
        if (all.contains(key))
        {
            data["run"][key] = all[key];
        }
    }
    // Results do not depend on where they are written.
    data["run"]["options"].erase("out");
    const std::string timeline = folder.ReadBack("timeline.json");
    const bool isShown = !timeline.empty() && timeline.size() <= MOST_DRAWN_BYTES;
    data["names"] = nlohmann::ordered_json::object();
    if (isShown)
    {
        data["names"]["run"] = options.GetName();
    }
    std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.pop_back();
    text += ",\"timelines\":{" + (isShown ? "\"run\":" + timeline : "") + "}}";
    Replace(text, "<", "\\u003c"); // could end the script
    std::string page = RUN_PAGE_TEMPLATE;
    Replace(page, "@title@", options.GetName());
    Replace(page, "@data@", text);
    return page;
}

} // namespace ns3::edgepipe
