// SPDX-License-Identifier: GPL-2.0-only

#include "recording-bytes.h"

#include <cstdio>

namespace
{

std::vector<std::string>
Split(const std::string& line)
{
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');)
    {
        fields.push_back(field);
    }
    return fields;
}

} // namespace

RecordingBytes::RecordingBytes(const std::string& path, bool isUp)
{
    std::ifstream file(path);
    if (path.find("/mahimahi/") != std::string::npos)
    {
        m_isMahimahi = true;
        std::vector<double> all;
        for (double milliseconds; file >> milliseconds;)
        {
            all.push_back(milliseconds);
        }
        m_atOnce = std::count(all.begin(), all.end(), 0.0);
        m_seconds.assign(static_cast<std::size_t>(all.back() / 1000), 0);
        for (const double milliseconds : all)
        {
            const auto second = static_cast<std::size_t>(milliseconds / 1000);
            if (second < m_seconds.size())
            {
                m_seconds[second] += 1500;
            }
        }
        return;
    }
    if (path.find("/pensieve/") != std::string::npos)
    {
        for (double seconds, megabits; file >> seconds >> megabits;)
        {
            times.push_back(seconds);
            rates.push_back(1e6 * megabits);
        }
        Cut();
        return;
    }
    std::string line;
    std::getline(file, line);
    const auto header = Split(line);
    const auto column =
        std::find(header.begin(), header.end(), isUp ? "UL_bitrate" : "DL_bitrate") -
        header.begin();
    std::vector<uint32_t> rows;
    while (std::getline(file, line))
    {
        int day = 0;
        int hour = 0;
        int minute = 0;
        int second = 0;
        std::sscanf(line.c_str(), "%*d.%*d.%d_%d.%d.%d", &day, &hour, &minute, &second);
        const double time = 3600.0 * (24 * day + hour) + 60.0 * minute + second;
        const std::string value = Split(line)[column];
        if (value == "-")
        {
            continue;
        }
        if (times.empty() || times.back() != time)
        {
            times.push_back(time);
            rates.push_back(0);
            rows.push_back(0);
        }
        // The mean of the rows of a second.
        rates.back() += (1e3 * std::stod(value) - rates.back()) / ++rows.back();
    }
    // The first second of an app that writes one a second.
    times.insert(times.begin(), 2 * times[0] - times[1]);
    rates.insert(rates.begin(), 0);
    Cut();
}

void
RecordingBytes::Cut()
{
    m_seconds.assign(static_cast<std::size_t>(times.back() - times.front()), 0);
    for (std::size_t second = 0; second < m_seconds.size(); ++second)
    {
        for (std::size_t i = 0; i + 1 < times.size(); ++i)
        {
            const double from = std::max<double>(second, times[i] - times.front());
            const double to = std::min<double>(second + 1, times[i + 1] - times.front());
            m_seconds[second] += rates[i + 1] / 8 * std::max(0.0, to - from);
        }
    }
}

const std::vector<double>&
RecordingBytes::GetSeconds() const
{
    return m_seconds;
}

bool
RecordingBytes::IsMahimahi() const
{
    return m_isMahimahi;
}

uint32_t
RecordingBytes::GetAtOnce() const
{
    return m_atOnce;
}
