/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"

#include "ns3/data-rate.h"

#include <cstdlib>
#include <sstream>

namespace ns3::edgepipe
{

bool
ParseNumber(const std::string& text, double& value)
{
    char* end = nullptr;
    if (text.find_first_not_of("0123456789.+-eE") != std::string::npos)
    {
        return false; // such as hexadecimal
    }
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && !std::isspace(static_cast<unsigned char>(text[0])) && *end == '\0' &&
           std::isfinite(value);
}

bool
ParseTime(const std::string& text, Time& time)
{
    static const std::map<std::string, double> units{{"s", 1},
                                                     {"ms", 1e-3},
                                                     {"us", 1e-6},
                                                     {"ns", 1e-9},
                                                     {"min", 60},
                                                     {"h", 3600}};
    const auto split = std::find_if(text.begin(), text.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) && c != 'e' && c != 'E';
    });
    double value = 0;
    if (ParseNumber(text, value) && value == 0)
    {
        time = Time();
        return true;
    }
    const auto unit = units.find(std::string(split, text.end()));
    if (unit == units.end() || !ParseNumber(std::string(text.begin(), split), value) || value < 0 ||
        value * unit->second > 1e9)
    {
        return false;
    }
    // In other units, ns-3 cuts off fractions of a nanosecond.
    time = unit->first == "ns" ? NanoSeconds(std::llround(value)) : Seconds(value * unit->second);
    return true;
}

bool
ParseBitsPerSecond(const std::string& text, double& bitsPerSecond)
{
    DataRateValue rate;
    double number = 0;
    const std::string digits = text.substr(0, text.find_first_not_of("0123456789."));
    // A number alone could be meant in any unit. ns-3 aborts at text after a space, and reads
    // 1.5.5Gbps as 1.5.
    bitsPerSecond = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) &&
                            !ParseNumber(text, number) && ParseNumber(digits, number) &&
                            text.find_first_of(" \t\n\v\f\r") == std::string::npos &&
                            rate.DeserializeFromString(text, MakeDataRateChecker())
                        ? rate.Get().GetBitRate()
                        : 0;
    return bitsPerSecond > 0;
}

double
ScenarioOptions::GetBitsPerSecond(const std::string& name) const
{
    double value = 0;
    Expect(name,
           ParseBitsPerSecond(GetString(name), value),
           "a data rate above 0 with its unit (bps, kbps, Mbps, Gbps), such as 5.85Mbps");
    return value;
}

void
ScenarioOptions::Read(const std::string& name, std::vector<BandwidthStep>& target) const
{
    const std::string& text = GetString(name);
    if (text.find(':') == std::string::npos)
    {
        target = {{Time(), GetBitsPerSecond(name)}};
        return;
    }
    target.clear();
    std::istringstream stream(text + ",");
    for (std::string step; std::getline(stream, step, ',');)
    {
        const auto colon = std::min(step.find(':'), step.size());
        Time time;
        double value = 0;
        const std::string rate = step.substr(std::min(colon + 1, step.size()));
        // As in recordings, the rate may be 0 for a while.
        const bool isNone = rate[0] == '0' && ParseBitsPerSecond("1" + rate.substr(1), value) &&
                            rate.find_first_of("123456789") == std::string::npos;
        const bool isStep = colon < step.size() && ParseTime(step.substr(0, colon), time) &&
                            (ParseBitsPerSecond(rate, value) || (isNone && !target.empty()));
        Expect(name,
               isStep && (target.empty() ? time.IsZero() : time > target.back().time),
               "a data rate, or TIME:RATE,... from 0s on in the order of time, such as "
               "0s:5.85Mbps,30s:1.1Mbps");
        target.push_back({time, value});
    }
}

} // namespace ns3::edgepipe
