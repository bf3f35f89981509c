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

/** What work in a child process brought back. */
struct ChildReport
{
    std::string text;            //!< what the work returned
    uint64_t peakMemoryBytes{0}; //!< the most resident memory of the process, the program included
};

/**
 * A program that answers lines: each line written to its standard input is answered by one line on
 * its standard output.
 *
 * It runs in a session of its own below a guardian, a process of ours that becomes the parent of
 * whatever the program leaves behind, and that kills all of it when the program ends, when this
 * object goes, and when this process ends, however it does. What the program writes to its standard
 * error is kept for messages, its last line that is not empty. Its environment has
 * EDGEPIPE_PLANNER=1.
 */
class ChildProcess
{
  public:
    /// Longest answer, bytes.
    static constexpr std::size_t LONGEST_ANSWER = std::size_t{64} << 20;

    /// Told of a wait for an answer: the command, seconds so far, and the longest wait.
    using WaitingCallback = Callback<void, const std::string&, double, double>;

    ChildProcess() = default;
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /**
     * Do work in a copy of this process: it begins with this process's memory, its peak is its own,
     * whatever was done before, and it ends when this process does.
     *
     * @param work returns what is to be brought back; may be called by several threads at once, of
     *        a process whose threads do nothing else
     * @return what it brought back
     * @throws InputError if the work throws one, or the copy is killed or cannot be started
     */
    static ChildReport Run(const std::function<std::string()>& work);

    /**
     * Start the program, unless it has been started.
     *
     * @param command the program and its arguments, split on spaces; no shell reads it
     * @throws InputError if it cannot be started, or has ended since it was
     */
    void Start(const std::string& command);

    /**
     * @param line what to ask, without the end of the line; Start was called
     * @param timeoutSeconds longest wait for the answer, wall-clock seconds
     * @return the answer, without the end of the line
     * @throws InputError if there is none, which ends the program for good
     */
    std::string Ask(const std::string& line, double timeoutSeconds);

    /**
     * Have somebody told while a program of this process is awaited for long.
     *
     * @param callback told at every such time of a wait; null: nobody is
     * @param period wall-clock time from one to the next, > 0
     */
    static void SetWaitingCallback(WaitingCallback callback, const Time& period = Seconds(10));

    /**
     * Kill the program and all that it has started, and do not start it again.
     * @param reason what Start and Ask will say from now on
     */
    void End(const std::string& reason);

  private:
    /** Our ends of the pipes; -1: closed. */
    struct Ends
    {
        int input{-1};  //!< writes to the program's standard input
        int output{-1}; //!< reads its standard output
        int errors{-1}; //!< reads its standard error
        int report{-1}; //!< reads the guardian's word on how it ended
    };

    /**
     * Write and read what can be, or wait until something can.
     *
     * @param line what is being asked
     * @param written bytes of it that were written
     * @param milliseconds longest wait
     * @return whether anything could be done
     * @throws InputError if the program does not read, or writes no more
     */
    bool Exchange(const std::string& line, std::size_t& written, int milliseconds);

    /** Read what there is on standard error. */
    void ReadErrors();

    /**
     * @param otherwise what to say if the program does not end soon
     * @return how it ended, and its last words
     */
    std::string DescribeEnd(const std::string& otherwise);

    /**
     * @param reason why there is no answer
     * @throws InputError always, after the end of the program
     */
    [[noreturn]] void Fail(const std::string& reason);

    /** Wait for the guardian to have killed all, and close all ends. */
    void Kill();

    std::string m_command; //!< the program and its arguments
    pid_t m_owner{-1};     //!< the process that started it; a copy of that must not end it
    pid_t m_guardian{-1};  //!< process id of the guardian; -1: none
    Ends m_ends;           //!< pipes to and from the program
    std::string m_answer;  //!< read and not yet returned
    std::string m_errors;  //!< last bytes of standard error
    std::string m_reason;  //!< why it has ended; empty: it has not
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CHILD_PROCESS_H */
