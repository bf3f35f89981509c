/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CHILD_PROCESS_H
#define EDGEPIPE_CHILD_PROCESS_H

#include "ns3/callback.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

namespace ns3::edgepipe
{

/** Result of work in a child process. */
struct ChildReport
{
    std::string text;            //!< text that the work returned
    uint64_t peakMemoryBytes{0}; //!< peak resident memory of the process, program included
};

/**
 * A program that answers each line on its standard input by one line on its standard output.
 *
 * It runs in its own session under a guardian process, which adopts the program's orphaned
 * descendants. The guardian kills the program and all of its descendants when the program ends,
 * this object is destroyed, or this process ends for whatever reason. Error messages quote the last
 * non-empty line of the program's standard error. Its environment has EDGEPIPE_PLANNER=1.
 */
class ChildProcess
{
  public:
    /// Longest answer, bytes.
    static constexpr std::size_t LONGEST_ANSWER = std::size_t{64} << 20;

    /// Called during a wait for an answer: the command, seconds so far, and the longest wait in s.
    using WaitingCallback = Callback<void, const std::string&, double, double>;

    ChildProcess() = default;
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /**
     * Do work in a copy of this process. The copy starts with this process's memory, but its peak
     * does not include earlier peaks, and it ends when this process does. Several threads may call
     * this at once if the process's threads do nothing else.
     *
     * @param work returns the text to bring back
     * @return its text and peak memory
     * @throws InputError if the work throws one, or the copy is killed or cannot be started
     */
    static ChildReport Run(const std::function<std::string()>& work);

    /**
     * Start the program, unless it has been started.
     *
     * @param command the program and its arguments, split on spaces; no shell reads it
     * @throws InputError if it cannot be started, or has ended since
     */
    void Start(const std::string& command);

    /**
     * @param line the question, without a line end; call Start first
     * @param timeoutSeconds longest wait for the answer, wall-clock seconds
     * @return the answer, without its line end
     * @throws InputError if there is none, which ends the program for good
     */
    std::string Ask(const std::string& line, double timeoutSeconds);

    /**
     * Set the callback for long waits for the answers of this process's programs.
     *
     * @param callback called once per period of a wait; null: none
     * @param period wall-clock time between calls, > 0
     */
    static void SetWaitingCallback(WaitingCallback callback, const Time& period = Seconds(10));

    /**
     * Kill the program and all that it has started, and do not start it again.
     * @param reason error message of Start and Ask from now on
     */
    void End(const std::string& reason);

  private:
    /** Our ends of the pipes; -1: closed. */
    struct Ends
    {
        int input{-1};  //!< writes to the program's standard input
        int output{-1}; //!< reads its standard output
        int errors{-1}; //!< reads its standard error
        int report{-1}; //!< reads its exit status from the guardian
    };

    /**
     * Wait until reading or writing is possible, then do what is possible without blocking.
     *
     * @param line the question
     * @param written bytes of it written so far; updated
     * @param milliseconds longest wait
     * @return false on a timeout
     * @throws InputError if the program has ended or closed its standard input or output
     */
    bool Exchange(const std::string& line, std::size_t& written, int milliseconds);

    /** Read what is available on standard error. */
    void ReadErrors();

    /**
     * @param otherwise description if the program does not end soon
     * @return how it ended, and the last line of its standard error
     */
    std::string DescribeEnd(const std::string& otherwise);

    /**
     * @param reason why there is no answer
     * @throws InputError always, after ending the program
     */
    [[noreturn]] void Fail(const std::string& reason);

    /** Have the guardian kill everything, wait for it, and close all ends. */
    void Kill();

    std::string m_command; //!< the program and its arguments
    pid_t m_owner{-1};     //!< the process that started it; forked copies must not end it
    pid_t m_guardian{-1};  //!< process id of the guardian; -1: none
    Ends m_ends;           //!< pipes to and from the program
    std::string m_answer;  //!< output not yet returned
    std::string m_errors;  //!< last bytes of standard error
    std::string m_reason;  //!< why it has ended; empty: it has not
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CHILD_PROCESS_H */
