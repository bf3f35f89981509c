/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/progress.h"

#include <cstdio>
#include <unistd.h>

namespace ns3
{
namespace edgepipe
{

Progress::Progress()
    : m_enabled(isatty(STDERR_FILENO)),
      m_start(Clock::now()),
      m_next(m_start + std::chrono::seconds(1))
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
    if (!m_enabled || now < m_next)
    {
        return;
    }
    m_next = now + std::chrono::milliseconds(250);
    m_shown = true;
    const double elapsed = std::chrono::duration<double>(now - m_start).count();
    std::fprintf(stderr, "\r\033[K%3.0f%%  %s", 100 * done, what.c_str());
    if (done > 0)
    {
        std::fprintf(stderr, ", %.0f s left", elapsed * (1 - done) / done);
    }
    std::fflush(stderr);
}

} // namespace edgepipe
} // namespace ns3
