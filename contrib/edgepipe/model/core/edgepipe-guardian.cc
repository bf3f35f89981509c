/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-guardian.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace ns3::edgepipe
{

namespace
{

/// Environment variable that tells a program that edgepipe runs it.
constexpr char ASKED[] = "EDGEPIPE_PLANNER";

/** @param except the only descriptor above the standard streams that stays open */
void
CloseOthers([[maybe_unused]] int except)
{
#if defined(__linux__) && defined(SYS_close_range)
    syscall(SYS_close_range, 3U, static_cast<unsigned>(except) - 1, 0U);
    syscall(SYS_close_range, static_cast<unsigned>(except) + 1, ~0U, 0U);
#endif
}

/**
 * Reap the children that have ended.
 *
 * @param program one of the children; set to -1 when it has ended
 * @param status set to its status when it has ended, as of waitpid
 * @return whether any child still runs
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
 * @param status set to its status if it ends here, as of waitpid
 */
void
KillDescendants(pid_t program, int& status)
{
    const std::string self = std::to_string(getpid());
    do
    {
        // Orphans become children of this subreaper, so the next round kills them.
        std::ifstream children("/proc/" + self + "/task/" + self + "/children");
        for (pid_t child; children >> child;)
        {
            kill(child, SIGKILL);
        }
        if (program > 0)
        {
            kill(program, SIGKILL); // also where the system does not list children
        }
        usleep(1000);
    } while (Reap(program, status));
}

/**
 * Become the program; never returns.
 *
 * @param words of the command, then a null pointer
 * @param streams its standard input, output and error
 * @param started pipe for errno if it cannot be run
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

} // namespace

void
BeGuardian(const std::vector<char*>& words,
           const int (&streams)[3],
           int started,
           int report,
           pid_t parent)
{
    setsid(); // terminal signals such as Ctrl-C must not reach the guardian
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
    int status = 0; // of the program, as of waitpid
    for (int signal = 0; program > 0 && signal != SIGTERM;)
    {
        sigwait(&watched, &signal);
        Reap(program, status);
    }
    KillDescendants(program, status);
    [[maybe_unused]] const auto written = write(report, &status, sizeof(status));
    _exit(0);
}

} // namespace ns3::edgepipe
