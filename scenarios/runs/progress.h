/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PROGRESS_H
#define EDGEPIPE_PROGRESS_H

#include <chrono>
#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Shows the progress of long work and its remaining time on standard error: on a terminal in one
 * line that changes, elsewhere, as in a log, in a line every ten seconds. EDGEPIPE_PROGRESS=off in
 * the environment switches it off.
 */
class Progress
{
  public:
    Progress();
    ~Progress();

    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /**
     * Update the progress; cheap enough to be called for every task.
     *
     * @param done share of the work that is done, 0 to 1
     * @param what is being done
     */
    void Update(double done, const std::string& what);

    /** @param line printed on standard error to stay there, unless progress is off */
    static void Say(const std::string& line);

    /**
     * @param done share of the work that is done, 0 to 1
     * @param what is being done; cut if the line would be longer than 79 characters
     * @param seconds that the work has taken so far
     * @return such as " 40%  even: simulating, 12 s left"
     */
    static std::string FormatLine(double done, const std::string& what, double seconds);

  private:
    using Clock = std::chrono::steady_clock;

    bool m_isSilent;           //!< whether progress is off
    bool m_isTerminal;         //!< whether standard error is one
    bool m_shown{false};       //!< whether a line is on the terminal
    Clock::time_point m_start; //!< when the work began
    Clock::time_point m_next;  //!< when to show the next line
};

/** Measures wall-clock time from its construction. */
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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PROGRESS_H */
