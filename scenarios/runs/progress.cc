/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/progress.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <unistd.h>

namespace ns3::edgepipe
{

namespace
{

constexpr std::chrono::milliseconds FIRST{1000};
constexpr std::chrono::milliseconds PERIOD{250};
constexpr std::chrono::milliseconds PERIOD_IN_LOGS{10000};
constexpr std::size_t COLUMNS = 80;

/** @return whether the user has switched progress off */
bool
IsSwitchedOff()
{
    const char* wish = std::getenv("EDGEPIPE_PROGRESS");
    return wish && std::string(wish) == "off";
}

} // namespace

Progress::Progress()
    : m_isSilent(IsSwitchedOff()),
      m_isTerminal(isatty(STDERR_FILENO)),
      m_start(Clock::now()),
      m_next(m_start + (m_isTerminal ? FIRST : PERIOD_IN_LOGS))
{
}

Progress::~Progress()
{
    if (m_shown)
    {
        std::fputs("\r\033[K", stderr);
    }
}

void
Progress::Update(double done, const std::string& what)
{
    const auto now = Clock::now();
    if (m_isSilent || now < m_next)
    {
        return;
    }
    m_next = now + (m_isTerminal ? PERIOD : PERIOD_IN_LOGS);
    m_shown = m_isTerminal;
    const auto line = FormatLine(done, what, std::chrono::duration<double>(now - m_start).count());
    std::fprintf(stderr, m_isTerminal ? "\r\033[K%s" : "%s\n", line.c_str());
    std::fflush(stderr);
}

void
Progress::Say(const std::string& line)
{
    if (!IsSwitchedOff())
    {
        std::fprintf(stderr, isatty(STDERR_FILENO) ? "\r\033[K%s\n" : "%s\n", line.c_str());
    }
}

std::string
Progress::FormatLine(double done, const std::string& what, double seconds)
{
    std::ostringstream left;
    if (done > 0)
    {
        const auto rest = std::llround(seconds * (1 - done) / done);
        const auto [whole, part] = rest >= 3600 ? std::pair(rest / 3600, rest % 3600 / 60)
                                                : std::pair(rest / 60, rest % 60);
        left << ", ";
        if (rest >= 60)
        {
            left << whole << (rest >= 3600 ? " h " : " min ");
        }
        left << part << (rest >= 3600 ? " min left" : " s left");
    }
    std::ostringstream line;
    line << std::setw(3) << std::llround(100 * done) << "%  ";
    const std::size_t room = COLUMNS - 1 - line.str().size() - left.str().size();
    line << (what.size() > room ? what.substr(0, room - 3) + "..." : what) << left.str();
    return line.str();
}

} // namespace ns3::edgepipe
