/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"

#include "lib/ns-value.h"

#include "ns3/command-line.h"
#include "ns3/edgepipe-library.h"
#include "ns3/edgepipe-link-rate.h"
#include "ns3/edgepipe-table.h"

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3::edgepipe
{

namespace
{

/// What a data rate is, for messages.
const std::string RATE =
    "a data rate above 0 with its unit (bps, kbps, Mbps, Gbps), such as 5.85Mbps";

/**
 * @param a a word
 * @param b another
 * @return the number of letters to insert, remove or replace to turn one into the other
 */
std::size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
    {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const std::size_t replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
        }
    }
    return row[b.size()];
}

/**
 * @param time a time
 * @return the time as users type it, such as 1.5s
 */
std::string
FormatTime(const Time& time)
{
    const double seconds = time.GetSeconds();
    return seconds == 0      ? "0"
           : seconds >= 1    ? Table::Exact(seconds) + "s"
           : seconds >= 1e-3 ? Table::Exact(1e3 * seconds) + "ms"
                             : Table::Exact(1e6 * seconds) + "us";
}

/**
 * @param value of an option
 * @return whether it switches something off
 */
bool
IsOff(const std::string& value)
{
    Time time;
    return value.empty() || value == "off" || value == "false" || value == "none" ||
           (ParseTime(value, time) && time.IsZero());
}

} // namespace

std::string
FormatDefault(const TypeId::AttributeInformation& attribute)
{
    const auto time = DynamicCast<const TimeValue>(attribute.initialValue);
    return time ? FormatTime(time->Get())
                : attribute.initialValue->SerializeToString(attribute.checker);
}

std::string
FormatHelp(const TypeId::AttributeInformation& attribute)
{
    std::string help = attribute.help.substr(0, attribute.help.find_last_not_of('.') + 1);
    help[0] = std::tolower(static_cast<unsigned char>(help[0]));
    return help;
}

ScenarioOptions::Option&
ScenarioOptions::Bind(const std::string& declaration, std::function<void()> apply)
{
    const auto equals = declaration.find('=');
    const std::string name = declaration.substr(0, equals);
    const std::string value = declaration.substr(equals + 1);
    NS_ABORT_MSG_IF(Find(name), "option " << name << " declared twice");
    m_options.push_back({name, "", value, value, std::move(apply), ""});
    return m_options.back();
}

ScenarioOptions::Option&
ScenarioOptions::BindAttribute(const std::string& declaration, std::vector<std::string> attributes)
{
    const auto known = AttributeDefaults::Find(attributes.front());
    const bool isOwnDefault = declaration.find('=') != std::string::npos;
    std::string value;
    if (!isOwnDefault)
    {
        value = "=" + FormatDefault(known);
    }
    const std::string name = declaration.substr(0, declaration.find('='));
    const auto read = [this, name, checker = known.checker] {
        return ReadAttribute(name, *checker);
    };
    const auto check = [this, name, read, isOwnDefault, attributes] {
        read();
        for (const auto& attribute : attributes)
        {
            const std::string other = "ns3::edgepipe::" + attribute;
            Expect(name,
                   !Has(other) || !(isOwnDefault || IsChanged(name)),
                   "no --" + other + ", which it sets");
        }
    };
    Option& option = Bind(declaration + value, std::function<void()>(check));
    option.isOwnDefault = isOwnDefault;
    option.set = [read, attributes = std::move(attributes)](AttributeDefaults& defaults) {
        for (const auto& attribute : attributes)
        {
            defaults.Set(attribute, StringValue(read()));
        }
    };
    option.Help(FormatHelp(known));
    return option;
}

std::string
ScenarioOptions::ReadAttribute(const std::string& name, const AttributeChecker& checker) const
{
    const std::string type = checker.GetValueTypeName();
    // Such as "uint32_t 1:100".
    const std::string range =
        checker.HasUnderlyingTypeInformation() ? checker.GetUnderlyingTypeInformation() : "";
    const auto blank = range.find(' ');
    const auto colon = range.find(':', blank == std::string::npos ? range.size() : blank);
    const std::string low = colon < range.size() ? range.substr(blank + 1, colon - blank - 1) : "";
    const std::string high = colon < range.size() ? range.substr(colon + 1) : "";
    if (type == "ns3::UintegerValue")
    {
        uint64_t value = 0;
        Read(name, value, std::stoull(low), std::stoull(high));
        return std::to_string(value);
    }
    if (type == "ns3::DoubleValue")
    {
        double value = 0;
        Read(name, value, std::stod(low), std::stod(high));
        return GetString(name);
    }
    if (type == "ns3::TimeValue")
    {
        Time value;
        Read(name, value, Time(low));
        return std::to_string(value.GetNanoSeconds()) + "ns";
    }
    if (type == "ns3::BooleanValue" || type == "BooleanValue")
    {
        bool value = false;
        Read(name, value);
        return value ? "true" : "false";
    }
    if (dynamic_cast<const RateStepsChecker*>(&checker))
    {
        const bool isOne = GetString(name).find(':') == std::string::npos;
        Expect(name,
               RateSteps().Parse(GetString(name)),
               isOne ? RATE
                     : "a data rate, or TIME:RATE,... from 0s on in the order of time, such as "
                       "0s:5.85Mbps,30s:1.1Mbps");
    }
    Expect(name,
           checker.CreateValidValue(StringValue(GetString(name))) != nullptr,
           "a value of " + range);
    return GetString(name);
}

double
ScenarioOptions::GetBitsPerSecond(const std::string& name) const
{
    double value = 0;
    Expect(name, ParseBitsPerSecond(GetString(name), value), RATE);
    return value;
}

void
ScenarioOptions::SetAttributes(AttributeDefaults& defaults) const
{
    for (const auto& option : m_options)
    {
        if (option.set && (option.isOwnDefault || option.value != option.byDefault))
        {
            option.set(defaults);
        }
    }
}

void
ScenarioOptions::Read(const std::string& name,
                      std::vector<std::string>& target,
                      const std::vector<std::string>& known) const
{
    target = GetList(name);
    for (const auto& one : target)
    {
        Expect(name, known.empty() || Contains(known, one), "some of " + JoinWords(known));
    }
}

void
ScenarioOptions::Read(const std::string& name, bool& target) const
{
    const std::string& value = GetString(name);
    target = value == "true" || value == "1" || value == "on";
    Expect(name, target || value == "false" || value == "0" || value == "off", "true or false");
}

void
ScenarioOptions::Read(const std::string& name, bool& target, const char* no, const char* yes) const
{
    std::string word;
    Read(name, word, no, yes);
    target = word == yes;
}

void
ScenarioOptions::Read(const std::string& name, Time& target, const Time& least) const
{
    Expect(name,
           ParseTime(GetString(name), target),
           "a time from 0 with its unit (ns, us, ms, s, min, h), such as 1.5s or 2min");
    if (target < least)
    {
        const double us = least.GetNanoSeconds() / 1e3;
        Refuse(name,
               us < 1     ? "a time above 0"
               : us < 100 ? "a time of " + Table::Exact(us) + "us or more"
               : us < 1e6 ? "a time of " + Table::Exact(us / 1e3) + "ms or more"
                          : "a time of " + Table::Exact(us / 1e6) + "s or more");
    }
}

void
ScenarioOptions::Read(const std::string& name, double& target, double lowest, double highest) const
{
    Expect(name,
           ParseNumber(GetString(name), target) && target >= lowest && target <= highest,
           "a number from " + Table::Exact(lowest) + " to " + Table::Exact(highest));
}

void
ScenarioOptions::Set(const std::string& name, const std::string& value)
{
    Option* option = Find(name);
    NS_ABORT_MSG_UNLESS(option, "option " << name << " was not declared");
    option->value = value;
}

void
ScenarioOptions::Rename(const std::string& old, const std::string& now)
{
    NS_ABORT_MSG_IF(Find(old), "option " << old << " exists");
    m_renamed[old] = now;
}

const ScenarioOptions::Option*
ScenarioOptions::Find(const std::string& name) const
{
    return FindIf(m_options, [&name](const Option& option) { return option.name == name; });
}

ScenarioOptions::Option*
ScenarioOptions::Find(const std::string& name)
{
    return const_cast<Option*>(std::as_const(*this).Find(name));
}

void
ScenarioOptions::Parse(int argc, char* argv[])
{
    CommandLine command(m_name + ".cc");
    command.Usage(m_usage +
                  "\n\nns-3's own arguments are accepted too, such as --RngRun=N (run number, "
                  "default 1). --library=FILE first loads a shared library, whose planners, "
                  "workloads, links, schedules and monitors can be named like the built-in ones; "
                  "several are separated by commas. --dry-run only reads options and files, and "
                  "reports mistakes in them. --describe prints the options as JSON.");
    // ns-3 answers a mistake with its whole help text or an abort, and cuts values at spaces, so
    // it gets only the arguments that print something and exit.
    const std::vector<std::string> printing{"help",
                                            "PrintHelp",
                                            "PrintVersion",
                                            "version",
                                            "PrintGroups",
                                            "PrintGroup",
                                            "PrintTypeIds",
                                            "PrintGlobals",
                                            "PrintAttributes"};
    std::vector<std::string> toPrint{argv[0]};
    std::set<std::string> given;
    const std::string library = "--library=";
    for (int i = 1; i < argc; ++i)
    {
        if (std::string(argv[i]).rfind(library, 0) == 0 && !Has("library"))
        {
            // Declared only if it is given, so that run.json lists it only then.
            Bind(argv[i] + 2).byDefault.clear();
            for (const auto& path : GetList("library"))
            {
                OpenLibrary("--library", path);
            }
            if (m_onLibrary)
            {
                m_onLibrary();
            }
        }
    }
    for (auto& option : m_options)
    {
        command.AddValue(option.name, option.help, option.value);
    }
    bool isDescribed = false;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = std::string(argv[i]) == "-h" ? "--help" : argv[i];
        Require(argument.size() >= 3 && argument.compare(0, 2, "--") == 0,
                "argument \"" + argument + "\": expected --NAME=VALUE, or --help");
        const auto equals = argument.find('=');
        const std::string name = argument.substr(2, equals - 2);
        const bool hasValue = equals != std::string::npos;
        const std::string value = hasValue ? argument.substr(equals + 1) : "";
        if (value.compare(0, 2, "~/") == 0)
        {
            throw InputError("--" + name + ": found \"" + value +
                             "\", where shells leave the ~ as " +
                             "it is, expected a path such as $HOME" + value.substr(1));
        }
        Require(given.insert(name).second,
                "--" + name + ": found a second one, \"" + value +
                    "\", expected it once; where several values are possible, commas "
                    "separate them");
        if (Contains(printing, name))
        {
            TypeId type;
            Require(name != "PrintAttributes" || TypeId::LookupByNameFailSafe(value, &type),
                    "--PrintAttributes: found \"" + value +
                        "\", expected a type of ns-3; --PrintTypeIds lists them");
            toPrint.push_back(argument);
        }
        else if (name == "dry-run" && !hasValue)
        {
            m_isDryRun = true;
        }
        else if (name == "describe" && !hasValue)
        {
            isDescribed = true;
        }
        else if (Option* option = Find(name))
        {
            const bool isSwitch = option->value == "false" || option->value == "true";
            Require(hasValue || isSwitch,
                    "--" + name + ": found no value, expected --" + name + "=VALUE");
            option->value = hasValue ? value : "true";
        }
        else if (!SetNsValue(name, value))
        {
            RefuseName(name);
        }
        else if (name.compare(0, 3, "Rng") != 0) // run.json has seed and run anyway
        {
            Bind(name + "=").value = value;
        }
    }
    if (isDescribed)
    {
        nlohmann::ordered_json description{{"program", m_name}, {"usage", m_usage}};
        for (const auto& option : m_options)
        {
            description["options"].push_back(
                {{"name", option.name}, {"help", option.help}, {"default", option.byDefault}});
        }
        std::cout << description.dump(2) << std::endl;
        std::exit(0);
    }
    command.Parse(toPrint);
    Apply();
}

void
ScenarioOptions::Apply()
{
    for (const auto& option : m_options)
    {
        if (option.apply)
        {
            option.apply();
        }
    }
    for (const auto& [names, other, on, off] : m_needs)
    {
        const std::string& value = GetString(other);
        const bool isOff = off.empty() ? IsOff(value) : value == off;
        for (const auto& name : names)
        {
            const std::string& usual = Find(name)->byDefault;
            Expect(name,
                   !isOff || !IsChanged(name),
                   (usual.empty() ? "none" : usual) + ", since --" + other + "=" + value +
                       " does not use it; " + on + " does");
        }
    }
}

void
ScenarioOptions::RefuseName(const std::string& name) const
{
    if (const auto renamed = m_renamed.find(name); renamed != m_renamed.end())
    {
        throw InputError("--" + name + ": has another name now, type " + renamed->second);
    }
    const Option& nearest =
        MinBy(m_options, [&](const Option& one) { return EditDistance(one.name, name); });
    std::string hint = "--help lists them";
    if (name.find("::") != std::string::npos)
    {
        hint = "ns-3 has no such attribute, --PrintAttributes=TYPE lists them";
    }
    else if (EditDistance(nearest.name, name) <= std::min<std::size_t>(3, name.size() / 2))
    {
        hint = "did you mean --" + nearest.name + "?";
    }
    throw InputError("--" + name + ": unknown option; " + hint);
}

const std::string&
ScenarioOptions::GetString(const std::string& name) const
{
    const Option* option = Find(name);
    NS_ABORT_MSG_UNLESS(option, "option " << name << " was not declared");
    return option->value;
}

bool
ScenarioOptions::IsChanged(const std::string& name) const
{
    const Option* option = Find(name);
    Time value;
    Time usual;
    return option && option->value != option->byDefault &&
           !(ParseTime(option->value, value) && ParseTime(option->byDefault, usual) &&
             value == usual);
}

std::vector<std::string>
ScenarioOptions::GetList(const std::string& name) const
{
    std::vector<std::string> values;
    std::istringstream stream(GetString(name) + ",");
    for (std::string value; std::getline(stream, value, ',');)
    {
        Expect(name,
               !value.empty() && !Contains(values, value),
               "different names, separated by commas");
        values.push_back(value);
    }
    return values;
}

} // namespace ns3::edgepipe
