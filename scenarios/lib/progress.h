/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PROGRESS_H
#define EDGEPIPE_PROGRESS_H

#include <chrono>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * One line on standard error that says how far long work has come and how long it will still
 * take. Silent when standard error is no terminal, and for the first second.
 */
class Progress
{
  public:
    Progress();
    ~Progress();

    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /**
     * Tell how far the work has come; cheap enough to be called for every task.
     *
     * @param done share of the work that is done, 0 to 1
     * @param what is being done
     */
    void Update(double done, const std::string& what);

  private:
    using Clock = std::chrono::steady_clock;

    bool m_enabled;            //!< whether standard error is a terminal
    bool m_shown{false};       //!< whether a line stands there
    Clock::time_point m_start; //!< when the work began
    Clock::time_point m_next;  //!< when to show the next line
};

/** Measures wall-clock time from when it is made. */
class Stopwatch
{
  public:
    /** @return seconds since then */
    double GetSeconds() const
    {
        return std::chrono::duration<double>(Clock::now() - m_start).count();
    }

  private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point m_start{Clock::now()}; //!< when it was made
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PROGRESS_H */
