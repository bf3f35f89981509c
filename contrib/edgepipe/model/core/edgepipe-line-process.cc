/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-line-process.h"

#include "edgepipe-input-error.h"
#include "edgepipe-json-reader.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <poll.h>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Variable of the environment by which a program can tell that it is asked.
constexpr char ASKED[] = "EDGEPIPE_PLANNER";
/// Bytes of standard error that are kept.
constexpr std::size_t KEPT_ERRORS = 4096;
/// Bytes of a program's words that a message shows.
constexpr std::size_t SHOWN_WORDS = 200;
/// Longest wait for the end of a program that has closed its input or output, milliseconds.
constexpr int PATIENCE = 1000;

/** Who is told of waits, and how often. */
struct Waiting
{
    LineProcess::WaitingCallback callback; //!< told; may be null
    double periodSeconds{10};              //!< from one to the next
};

/** @return who is told of waits in this process */
Waiting&
GetWaiting()
{
    static Waiting waiting;
    return waiting;
}

/** Both ends of a pipe, which programs that are run do not inherit. */
struct Pipe
{
    /** Above the standard streams, which may be closed here. */
    Pipe()
    {
        int ends[2];
        if (pipe(ends) != 0)
        {
            throw InputError(std::string("cannot be started: ") + std::strerror(errno));
        }
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

    /** @param end closed, and -1 from now on */
    static void CloseEnd(int& end)
    {
        if (end >= 0)
        {
            close(end);
        }
        end = -1;
    }

    /**
     * @param end to be somebody else's from now on
     * @return it
     */
    static int Release(int& end)
    {
        return std::exchange(end, -1);
    }

    int reader; //!< read from here
    int writer; //!< write here
};

/** The guardian's word on how its program ended. */
struct ProgramEnd
{
    int status; //!< as of waitpid
};

/** Keeps SIGPIPE from ending this process for as long as it lives. */
class PipeSignalBlock
{
  public:
    PipeSignalBlock()
    {
        sigemptyset(&m_pipe);
        sigaddset(&m_pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
    }

    ~PipeSignalBlock()
    {
        sigset_t pending;
        sigpending(&pending);
        if (sigismember(&pending, SIGPIPE) && !sigismember(&m_before, SIGPIPE))
        {
            int taken;
            sigwait(&m_pipe, &taken);
        }
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }

  private:
    sigset_t m_pipe;   //!< the one signal
    sigset_t m_before; //!< those that were blocked before
};

/** @return seconds on a clock that never goes back */
double
ReadClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/** @param except the one descriptor above the standard streams that stays open in programs */
void
CloseOthers([[maybe_unused]] int except)
{
#if defined(__linux__) && defined(SYS_close_range)
    syscall(SYS_close_range, 3U, static_cast<unsigned>(except) - 1, 0U);
    syscall(SYS_close_range, static_cast<unsigned>(except) + 1, ~0U, 0U);
#endif
}

/** @return the processes there are that descend from this one */
std::set<pid_t>
ListDescendants()
{
    std::multimap<pid_t, pid_t> children;
    DIR* folder = opendir("/proc");
    while (const dirent* entry = folder ? readdir(folder) : nullptr)
    {
        std::ifstream file("/proc/" + std::string(entry->d_name) + "/stat");
        std::string text;
        std::getline(file, text, '\0');
        const auto end = text.rfind(')'); // the name may hold anything
        if (end != std::string::npos)
        {
            std::istringstream fields(text.substr(end + 1));
            char state = 0;
            pid_t parent = 0;
            fields >> state >> parent;
            children.emplace(parent, std::atoi(entry->d_name));
        }
    }
    if (folder)
    {
        closedir(folder);
    }
    std::set<pid_t> found;
    std::vector<pid_t> queue{getpid()};
    while (!queue.empty())
    {
        const auto [first, last] = children.equal_range(queue.back());
        queue.pop_back();
        for (auto child = first; child != last; ++child)
        {
            if (found.insert(child->second).second)
            {
                queue.push_back(child->second);
            }
        }
    }
    return found;
}

/**
 * Take leave of children that have ended.
 *
 * @param program one of the children; set to -1 when it has ended
 * @param status set to how it ended
 * @return whether there are children left
 */
bool
Reap(pid_t& program, int& status)
{
    pid_t ended;
    int how;
    while ((ended = waitpid(-1, &how, WNOHANG)) > 0)
    {
        if (ended == program)
        {
            status = how;
            program = -1;
        }
    }
    return ended == 0;
}

/**
 * Kill every descendant of this process.
 *
 * @param program one of them, or -1
 * @param status set to how it ended, if it had not
 */
void
KillDescendants(pid_t program, int& status)
{
    do
    {
        std::set<pid_t> alive = ListDescendants();
        if (program > 0)
        {
            alive.insert(program); // also where there is no /proc
        }
        for (const pid_t one : alive)
        {
            kill(one, SIGKILL);
        }
        usleep(1000);
    } while (Reap(program, status));
}

/**
 * Become the program; never returns.
 *
 * @param words of the command, then a null pointer
 * @param streams its standard input, output and error
 * @param started where to write why it cannot be run
 */
[[noreturn]] void
BeProgram(const std::vector<char*>& words, const int (&streams)[3], int started)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    for (int stream = 0; stream < 3; ++stream)
    {
        dup2(streams[stream], stream);
    }
    CloseOthers(started);
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    setenv(ASKED, "1", 1);
    execvp(words.front(), words.data());
    const int error = errno;
    [[maybe_unused]] const auto written = write(started, &error, sizeof(error));
    _exit(127);
}

/**
 * Become the guardian of a program; never returns.
 *
 * @param words of the command, then a null pointer
 * @param streams the program's standard input, output and error
 * @param started where to write why it cannot be run
 * @param report where to write how it ended
 * @param parent the process that has started this one
 */
[[noreturn]] void
BeGuardian(const std::vector<char*>& words,
           const int (&streams)[3],
           int started,
           int report,
           pid_t parent)
{
    setsid(); // a key that ends what runs in the terminal is not for the guardian
    sigset_t watched;
    sigfillset(&watched);
    sigprocmask(SIG_SETMASK, &watched, nullptr);
    std::signal(SIGCHLD, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_NAME, "edgepipe-guard");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    pid_t program = getppid() == parent ? fork() : -1;
    if (program == 0)
    {
        BeProgram(words, streams, started);
    }
    const int nothing = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; ++stream)
    {
        close(streams[stream]);
        dup2(nothing, stream);
    }
    close(started);
    CloseOthers(report);
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGTERM);
    ProgramEnd end{0};
    for (int signal = 0; program > 0 && signal != SIGTERM;)
    {
        sigwait(&watched, &signal);
        Reap(program, end.status);
    }
    KillDescendants(program, end.status);
    [[maybe_unused]] const auto written = write(report, &end, sizeof(end));
    _exit(0);
}

} // namespace

LineProcess::~LineProcess()
{
    Kill();
}

void
LineProcess::Start(const std::string& command)
{
    if (!m_reason.empty())
    {
        throw InputError(m_reason);
    }
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
    if (words.empty())
    {
        throw InputError("found no command, expected a program and its arguments");
    }
    std::vector<char*> pointers;
    for (std::string& word : words)
    {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    Pipe input;
    Pipe output;
    Pipe errors;
    Pipe report;
    Pipe started;
    m_command = command;
    m_owner = getpid();
    m_guardian = fork();
    if (m_guardian == 0)
    {
        BeGuardian(pointers,
                   {input.reader, output.writer, errors.writer},
                   started.writer,
                   report.writer,
                   m_owner);
    }
    if (m_guardian < 0)
    {
        throw InputError(std::string("cannot be started: ") + std::strerror(errno));
    }
    m_ends = {Pipe::Release(input.writer),
              Pipe::Release(output.reader),
              Pipe::Release(errors.reader),
              Pipe::Release(report.reader)};
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
LineProcess::SetWaitingCallback(WaitingCallback callback, const Time& period)
{
    GetWaiting() = {callback, period.GetSeconds()};
}

std::string
LineProcess::Ask(const std::string& line, double timeoutSeconds)
{
    if (!m_reason.empty())
    {
        throw InputError(m_reason);
    }
    const PipeSignalBlock block;
    const std::string whole = line + "\n";
    std::size_t written = whole.size();
    // What it says unasked would be taken for the answer.
    while (Exchange(whole, written, 0) && m_answer.empty())
    {
    }
    if (!m_answer.empty())
    {
        Fail("wrote " + QuoteForMessage(m_answer.substr(0, SHOWN_WORDS)) +
             " unasked, expected one line per problem on standard output");
    }
    written = 0;
    const Waiting& waiting = GetWaiting();
    const double begin = ReadClock();
    const double deadline = begin + timeoutSeconds;
    double word = begin + waiting.periodSeconds;
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
            std::ostringstream message;
            message << "did not answer within " << timeoutSeconds << " s";
            Fail(message.str());
        }
        if (now >= word)
        {
            word += waiting.periodSeconds;
            if (!waiting.callback.IsNull())
            {
                waiting.callback(m_command, now - begin, timeoutSeconds);
            }
        }
        const double left = std::ceil(1000 * (std::min(deadline, word) - now));
        Exchange(whole, written, static_cast<int>(std::clamp(left, 0.0, 1e9)));
    }
}

bool
LineProcess::Exchange(const std::string& line, std::size_t& written, int milliseconds)
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
        Fail(DescribeEnd("killed its guardian"));
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
LineProcess::ReadErrors()
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
LineProcess::DescribeEnd(const std::string& otherwise)
{
    pollfd report{m_ends.report, POLLIN, 0};
    while (poll(&report, 1, PATIENCE) < 0 && errno == EINTR)
    {
    }
    std::string text = otherwise;
    ProgramEnd end{0};
    if (report.revents && read(m_ends.report, &end, sizeof(end)) == sizeof(end))
    {
        text = WIFEXITED(end.status)
                   ? "ended with status " + std::to_string(WEXITSTATUS(end.status))
                   : std::string("was ended by a signal (") + strsignal(WTERMSIG(end.status)) + ")";
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
LineProcess::Fail(const std::string& reason)
{
    End(reason);
    throw InputError(reason);
}

void
LineProcess::End(const std::string& reason)
{
    Kill();
    m_reason = reason;
}

void
LineProcess::Kill()
{
    if (m_guardian >= 0 && m_owner == getpid())
    {
        kill(m_guardian, SIGTERM);
        siginfo_t end;
        while (waitid(P_PID, m_guardian, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        {
        }
        kill(-m_guardian, SIGKILL); // if the program has killed it first
        waitpid(m_guardian, nullptr, 0);
    }
    m_guardian = -1;
    for (int* end : {&m_ends.input, &m_ends.output, &m_ends.errors, &m_ends.report})
    {
        Pipe::CloseEnd(*end);
    }
}

} // namespace edgepipe
} // namespace ns3
