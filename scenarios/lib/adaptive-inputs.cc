/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/adaptive-inputs.h"

#include "ns3/double.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param options of a scenario, parsed
 * @param load how to replay load traces
 * @param text a device's load as --load has it
 * @param device an example for the message
 * @return the load, still without its device
 */
DeviceLoad
ReadLoad(const ScenarioOptions& options,
         const TraceOptions& load,
         const std::string& text,
         const std::string& device)
{
    DeviceLoad one;
    const auto at = text.find('@');
    double share = 0;
    if (at == std::string::npos && !ParseNumber(text, share))
    {
        one.trace = text;
        try
        {
            OpenLoadTrace(text, load);
        }
        catch (const InputError& error)
        {
            throw InputError((error.GetOption().empty() ? "--load: " : "--") +
                             std::string(error.what()));
        }
        return one;
    }
    std::istringstream changes(text);
    for (std::string change; std::getline(changes, change, ';');)
    {
        const auto when = change.find('@');
        Time time;
        options.Expect(
            "load",
            ParseNumber(change.substr(0, when), share) && share >= 0 && share <= 1 &&
                (when == std::string::npos || ParseTime(change.substr(when + 1), time)) &&
                (one.steps.empty() || time > one.steps.back().time),
            "a share from 0 to 1 and a time, such as " + device +
                ":0.4@20s, or several in their order, such as " + device +
                ":0.4@20s;1@30s, or a file whose name has no @");
        if (one.steps.empty() && !time.IsZero())
        {
            one.steps.push_back({Time(), 1});
        }
        one.steps.push_back({time, share});
    }
    return one;
}

/**
 * @param entry DEVICE:REST or DEVICE
 * @param aliases other names of devices
 * @return the name of the device and the rest
 */
std::pair<std::string, std::string>
SplitEntry(const std::string& entry, const std::map<std::string, std::string>& aliases)
{
    const auto colon = std::min(entry.find(':'), entry.size());
    const std::string device = entry.substr(0, colon);
    return {aliases.count(device) ? aliases.at(device) : device,
            entry.substr(std::min(colon + 1, entry.size()))};
}

} // namespace

void
AddLoadOptions(ScenarioOptions& o, TraceOptions& load, const std::string& devices)
{
    o.Bind("load=").Help(
        "shares of devices that are left for the workload, DEVICE:LOAD,...; "
        "LOAD is a share such as 0.4, shares from times on such as 0.4@20s "
        "or 0.4@20s;1@30s, or a CSV file of seconds,share, or of --load-columns; " +
        devices + "; empty: all of every device");
    o.Bind("load-end=loop", load.end, "loop", "hold", "stop")
        .Help("after the end of a load trace: loop, hold or stop");
    o.Bind("load-columns=", load.columns)
        .Help("what the columns of a load file hold, such as device,time:s,busy:percent, where "
              "FILE#NAME reads one device's rows; units: percent or share, of busy or free");
    o.Bind("load-order=strict", load.order, "strict", "sort", "drop")
        .Help("rows of a load file that go back in time: strict (refused), sort or drop");
    o.Need({"load-end", "load-columns", "load-order"}, "load", "a file");
}

void
AddReplayOptions(ScenarioOptions& o, const std::string& devices)
{
    o.Bind("replay=").Help("recorded passes whose times devices take instead of their profile's, "
                           "DEVICE:FILE,...; " +
                           devices + "; empty: none");
    o.BindAttribute("replay-order", {"LayerReplay::Order"});
    o.BindAttribute("replay-block", {"LayerReplay::BlockPasses"});
    o.Need({"replay-order"}, "replay", "a device's file");
    o.Need({"replay-block"}, "replay-order", "blocks", "loop");
}

std::map<std::string, std::string>
ReadReplays(const ScenarioOptions& options,
            const std::vector<std::string>& names,
            const std::map<std::string, std::string>& aliases)
{
    std::map<std::string, std::string> files;
    if (options.GetString("replay").empty())
    {
        return files;
    }
    for (const auto& entry : options.GetList("replay"))
    {
        const auto [device, file] = SplitEntry(entry, aliases);
        options.Expect("replay",
                       Contains(names, device) && !file.empty() &&
                           files.emplace(device, file).second,
                       "DEVICE:FILE for devices of the cluster, such as " + names.front() +
                           ":passes.csv, each once");
    }
    return files;
}

void
AddPlanningTimeOption(ScenarioOptions& o)
{
    // Time that a decision takes the deciding device: fixed, plus a multiple of the wall-clock
    // time.
    const auto read = [&o]() -> std::pair<Time, double> {
        const std::string& text = o.GetString("planning-time");
        const auto colon = text.find(':');
        const std::string kind = text.substr(0, colon);
        const std::string value = colon == std::string::npos ? "1" : text.substr(colon + 1);
        Time fixed;
        double scale = 0;
        o.Expect("planning-time",
                 text == "off" ||
                     (kind == "fixed" && colon != std::string::npos && ParseTime(value, fixed)) ||
                     (kind == "measured" && ParseNumber(value, scale) && scale > 0),
                 "off, fixed:TIME such as fixed:90ms, measured, or measured:SCALE with a "
                 "scale above 0");
        return {fixed, scale};
    };
    auto& option = o.Bind("planning-time=off", std::function<void()>(read));
    option.Help("time that each decision takes the deciding device: off, fixed:TIME such as "
                "fixed:90ms, measured (as long as on this machine) or measured:SCALE (SCALE times "
                "as long)");
    option.set = [read](AttributeDefaults& defaults) {
        defaults.Set("Replanner::FixedPlanningTime", TimeValue(read().first));
        defaults.Set("Replanner::PlanningScale", DoubleValue(read().second));
    };
}

std::vector<DeviceLoad>
ReadLoads(const ScenarioOptions& options,
          const TraceOptions& load,
          const std::vector<std::string>& names,
          std::size_t all,
          const std::map<std::string, std::string>& aliases)
{
    std::vector<DeviceLoad> loads;
    if (options.GetString("load").empty())
    {
        return loads;
    }
    std::set<std::string> seen;
    const auto add = [&](const std::string& device, DeviceLoad one) {
        one.device = device;
        options.Expect("load",
                       seen.insert(device).second,
                       "each device once; " + device + " has a second load");
        loads.push_back(std::move(one));
    };
    for (const auto& entry : options.GetList("load"))
    {
        const auto [device, text] = SplitEntry(entry, aliases);
        const bool isOfOne = entry.find(':') != std::string::npos;
        if (Contains(names, device) != isOfOne || (isOfOne && text.empty()))
        {
            std::string example = names.front();
            for (const auto& [name, of] : aliases)
            {
                example += " or " + name;
            }
            options.Refuse("load",
                           "DEVICE:FILE or DEVICE:SHARE@TIME with a device of the cluster, such "
                           "as " +
                               example + ", and a time such as 0.4@20s");
        }
        const auto one = ReadLoad(options, load, isOfOne ? text : entry, names.front());
        if (isOfOne)
        {
            add(device, one);
        }
        else
        {
            std::for_each(names.begin(), names.begin() + all, [&](auto& name) { add(name, one); });
        }
    }
    options.Expect("load-columns",
                   load.columns.empty() ||
                       AnyOf(loads, [](const auto& one) { return !one.trace.empty(); }),
                   "none where --load names no file");
    return loads;
}

} // namespace ns3::edgepipe
