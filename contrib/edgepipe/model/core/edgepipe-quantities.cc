/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-quantities.h"

#include "ns3/data-rate.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

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

} // namespace ns3::edgepipe
