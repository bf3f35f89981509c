/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-child-process.h"

#include "edgepipe-guardian.h"
#include "edgepipe-input-error.h"
#include "edgepipe-join-words.h"
#include "edgepipe-json-reader.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace ns3::edgepipe
{

namespace
{

/// Bytes of standard error that are kept.
constexpr std::size_t KEPT_ERRORS = 4096;
/// Bytes of a program's output that a message shows.
constexpr std::size_t SHOWN_WORDS = 200;
/// Longest wait for the end of a program that has closed its input or output, milliseconds.
constexpr int PATIENCE = 1000;

/** The callback for long waits, and its period. */
struct Waiting
{
    ChildProcess::WaitingCallback callback; //!< may be null
    double periodSeconds{10};               //!< wall-clock time between calls
} g_waiting;

/**
 * @param isStarted whether the start succeeded
 * @throws InputError with the system's reason if not
 */
void
RequireStarted(bool isStarted)
{
    Require(isStarted, std::string("cannot be started: ") + std::strerror(errno));
}

/**
 * @return what fork returns
 * @throws InputError if it fails
 */
pid_t
Fork()
{
    const pid_t child = fork();
    RequireStarted(child >= 0);
    return child;
}

/** Both ends of a pipe, closed on exec. */
struct Pipe
{
    /** Opens it above the standard streams, which may be closed in this process. */
    Pipe()
    {
        int ends[2];
        RequireStarted(pipe(ends) == 0);
        reader = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
        writer = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
        close(ends[0]);
        close(ends[1]);
    }

    ~Pipe()
    {
        CloseEnd(reader);
        CloseEnd(writer);
    }

    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    /** @param end to close; set to -1 */
    static void CloseEnd(int& end)
    {
        if (end >= 0)
        {
            close(end);
        }
        end = -1;
    }

    int reader; //!< read from here
    int writer; //!< write here
};

/** Keeps SIGPIPE from ending this process for as long as it lives. */
struct PipeSignalIgnore
{
    ~PipeSignalIgnore()
    {
        std::signal(SIGPIPE, before);
    }

    void (*before)(int){std::signal(SIGPIPE, SIG_IGN)}; //!< previous handler
};

/** @return seconds on a clock that never goes back */
double
ReadClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Exit statuses of a copy of this process.
enum CopyStatus
{
    DONE = 0,    //!< the work is done, its text was written
    REFUSED = 2, //!< the work threw an InputError, whose message was written
    FAILED = 1,  //!< the work threw another exception, whose message was written
};

/**
 * Do the work of a copy of this process; never returns.
 *
 * @param work what to do
 * @param end pipe for its text, after a line with its peak memory in bytes
 */
[[noreturn]] void
BeCopy(const std::function<std::string()>& work, int end)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read its result
#endif
    CopyStatus status = DONE;
    std::string text;
    try
    {
        text = work();
    }
    catch (const std::exception& error)
    {
        status = dynamic_cast<const InputError*>(&error) ? REFUSED : FAILED;
        text = error.what();
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    text.insert(0, std::to_string(1024 * static_cast<uint64_t>(usage.ru_maxrss)) + "\n");
    std::cout.flush();
    for (std::size_t done = 0; done < text.size();)
    {
        const ssize_t written = write(end, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR)
        {
            _exit(FAILED);
        }
        done += std::max<ssize_t>(written, 0);
    }
    _exit(status);
}

} // namespace

ChildReport
ChildProcess::Run(const std::function<std::string()>& work)
{
    std::cout.flush();            // else both processes would write the buffer
    static std::mutex isStarting; // else a copy could inherit another's write end
    std::unique_lock lock(isStarting);
    Pipe pipe;
    const pid_t child = Fork();
    if (child == 0)
    {
        Pipe::CloseEnd(pipe.reader);
        BeCopy(work, pipe.writer);
    }
    Pipe::CloseEnd(pipe.writer);
    lock.unlock();
    std::string text;
    char buffer[4096];
    for (ssize_t length = 1; length > 0 || (length < 0 && errno == EINTR);)
    {
        length = read(pipe.reader, buffer, sizeof(buffer));
        text.append(buffer, std::max<ssize_t>(length, 0));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    Require(WIFEXITED(status),
            std::string("a case was ended by the system (") + strsignal(WTERMSIG(status)) +
                "); is there too little memory?");
    const std::size_t line = text.find('\n');
    const ChildReport report{text.substr(line + 1), std::strtoull(text.c_str(), nullptr, 10)};
    Require(WEXITSTATUS(status) != REFUSED, report.text);
    if (WEXITSTATUS(status) != DONE)
    {
        throw std::runtime_error(report.text);
    }
    return report;
}

ChildProcess::~ChildProcess()
{
    Kill();
}

void
ChildProcess::Start(const std::string& command)
{
    Require(m_reason.empty(), m_reason);
    if (m_guardian >= 0)
    {
        return;
    }
    std::vector<std::string> words;
    std::istringstream stream(command);
    for (std::string word; std::getline(stream, word, ' ');)
    {
        if (!word.empty())
        {
            words.push_back(word);
        }
    }
    Require(!words.empty(), "found no command, expected a program and its arguments");
    std::vector<char*> pointers(words.size() + 1, nullptr);
    std::transform(words.begin(), words.end(), pointers.begin(), [](std::string& word) {
        return word.data();
    });
    Pipe input;
    Pipe output;
    Pipe errors;
    Pipe report;
    Pipe started;
    m_command = command;
    m_owner = getpid();
    m_guardian = Fork();
    if (m_guardian == 0)
    {
        BeGuardian(pointers,
                   {input.reader, output.writer, errors.writer},
                   started.writer,
                   report.writer,
                   m_owner);
    }
    m_ends = {std::exchange(input.writer, -1),
              std::exchange(output.reader, -1),
              std::exchange(errors.reader, -1),
              std::exchange(report.reader, -1)};
    for (const int end : {m_ends.input, m_ends.output, m_ends.errors})
    {
        fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK);
    }
    Pipe::CloseEnd(started.writer);
    int error = 0;
    ssize_t length;
    while ((length = read(started.reader, &error, sizeof(error))) < 0 && errno == EINTR)
    {
    }
    if (length > 0)
    {
        Fail(QuoteForMessage(words.front()) + " cannot be run: " + std::strerror(error));
    }
}

void
ChildProcess::SetWaitingCallback(WaitingCallback callback, const Time& period)
{
    g_waiting = {callback, period.GetSeconds()};
}

std::string
ChildProcess::Ask(const std::string& line, double timeoutSeconds)
{
    Require(m_reason.empty(), m_reason);
    const PipeSignalIgnore ignore;
    const std::string whole = line + "\n";
    std::size_t written = whole.size();
    // Unsolicited output would be taken for the answer.
    while (Exchange(whole, written, 0) && m_answer.empty())
    {
    }
    if (!m_answer.empty())
    {
        Fail("wrote " + QuoteForMessage(m_answer.substr(0, SHOWN_WORDS)) +
             " unasked, expected one line per problem on standard output");
    }
    written = 0;
    const double begin = ReadClock();
    const double deadline = begin + timeoutSeconds;
    double word = begin + g_waiting.periodSeconds;
    for (std::size_t searched = 0;;)
    {
        const auto end = m_answer.find('\n', searched);
        if (end != std::string::npos)
        {
            std::string answer = m_answer.substr(0, end);
            m_answer.erase(0, end + 1);
            return answer;
        }
        searched = m_answer.size();
        if (searched > LONGEST_ANSWER)
        {
            Fail("answered with a line of more than " + std::to_string(LONGEST_ANSWER >> 20) +
                 " MiB");
        }
        const double now = ReadClock();
        if (now >= deadline)
        {
            Fail(JoinParts("did not answer within ", timeoutSeconds, " s"));
        }
        if (now >= word)
        {
            word += g_waiting.periodSeconds;
            if (!g_waiting.callback.IsNull())
            {
                g_waiting.callback(m_command, now - begin, timeoutSeconds);
            }
        }
        const double left = std::ceil(1000 * (std::min(deadline, word) - now));
        Exchange(whole, written, static_cast<int>(std::clamp(left, 0.0, 1e9)));
    }
}

bool
ChildProcess::Exchange(const std::string& line, std::size_t& written, int milliseconds)
{
    const bool isWriting = written < line.size();
    pollfd ends[] = {{m_ends.output, POLLIN, 0},
                     {m_ends.errors, POLLIN, 0},
                     {m_ends.input, static_cast<short>(isWriting ? POLLOUT : 0), 0},
                     {m_ends.report, POLLIN, 0}};
    int ready;
    while ((ready = poll(ends, 4, milliseconds)) < 0 && errno == EINTR)
    {
    }
    if (ends[1].revents)
    {
        ReadErrors();
    }
    if (ends[0].revents)
    {
        static char buffer[65536];
        const ssize_t length = read(m_ends.output, buffer, sizeof(buffer));
        if (length == 0)
        {
            Fail(DescribeEnd("closed its standard output"));
        }
        m_answer.append(buffer, std::max<ssize_t>(length, 0));
    }
    if (ends[3].revents && !ends[0].revents)
    {
        Fail(DescribeEnd("ended"));
    }
    if ((ends[2].revents & POLLERR) && !ends[0].revents)
    {
        Fail(DescribeEnd("closed its standard input"));
    }
    if (ends[2].revents & POLLOUT)
    {
        const ssize_t length = write(m_ends.input, line.data() + written, line.size() - written);
        written += std::max<ssize_t>(length, 0);
    }
    return ready > 0;
}

void
ChildProcess::ReadErrors()
{
    char buffer[4096];
    ssize_t length;
    while ((length = read(m_ends.errors, buffer, sizeof(buffer))) > 0)
    {
        m_errors.append(buffer, length);
        m_errors.erase(0, m_errors.size() - std::min(m_errors.size(), KEPT_ERRORS));
    }
    if (length == 0)
    {
        Pipe::CloseEnd(m_ends.errors);
    }
}

std::string
ChildProcess::DescribeEnd(const std::string& otherwise)
{
    pollfd report{m_ends.report, POLLIN, 0};
    while (poll(&report, 1, PATIENCE) < 0 && errno == EINTR)
    {
    }
    std::string text = otherwise;
    int status = 0;
    if (report.revents)
    {
        // Only a guardian that was killed leaves no status.
        text = read(m_ends.report, &status, sizeof(status)) != sizeof(status)
                   ? "killed its guardian"
               : WIFEXITED(status)
                   ? "ended with status " + std::to_string(WEXITSTATUS(status))
                   : std::string("was ended by a signal (") + strsignal(WTERMSIG(status)) + ")";
    }
    text += m_answer.empty() ? " without an answer, expected a line" : " in the middle of a line";
    if (m_ends.errors >= 0)
    {
        ReadErrors();
    }
    std::string last;
    std::istringstream lines(m_errors);
    for (std::string line; std::getline(lines, line);)
    {
        last = line.find_first_not_of(" \t\r") == std::string::npos ? last : line;
    }
    return last.empty() ? text : text + ", saying " + QuoteForMessage(last.substr(0, SHOWN_WORDS));
}

void
ChildProcess::Fail(const std::string& reason)
{
    End(reason);
    throw InputError(reason);
}

void
ChildProcess::End(const std::string& reason)
{
    Kill();
    m_reason = reason;
}

void
ChildProcess::Kill()
{
    if (m_guardian >= 0 && m_owner == getpid())
    {
        kill(m_guardian, SIGTERM);
        siginfo_t end;
        while (waitid(P_PID, m_guardian, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        {
        }
        kill(-m_guardian, SIGKILL); // the program, if it has killed the guardian
        waitpid(m_guardian, nullptr, 0);
    }
    m_guardian = -1;
    for (int* end : {&m_ends.input, &m_ends.output, &m_ends.errors, &m_ends.report})
    {
        Pipe::CloseEnd(*end);
    }
}

} // namespace ns3::edgepipe
