/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "runs/deployment.h"
#include "runs/progress.h"

#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-table.h"
#include "ns3/rng-stream.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ns3::edgepipe
{

namespace
{

using Clock = std::chrono::steady_clock;

/// Longest message, bytes; the middle of a longer one is left out.
constexpr std::size_t LONGEST_MESSAGE = 2000;

/// Exit status of a case that took too long.
constexpr int TIME_LIMIT = 124;
/// Time that such a case has to end after SIGTERM.
constexpr std::chrono::seconds GRACE{5};

/** A case to run. */
struct ServedCase
{
    std::vector<std::string> words; //!< its arguments
    std::string folder;             //!< for its output and status
    double seconds;                 //!< time limit; 0: none
    int retries;                    //!< further attempts if it fails
    int attempts{0};                //!< so far
    Clock::time_point start{};      //!< of the last one
    bool isLate{false};             //!< whether that one was sent SIGTERM
};

/**
 * Run a case in this process, and exit.
 *
 * @param one the case
 * @param name of the program
 * @param run runs the program with the case's arguments
 */
[[noreturn]] void
Become(ServedCase& one, const char* name, const std::function<int(int, char*[])>& run)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGCHLD, SIG_DFL);
    const std::vector<std::pair<std::string, int>> files{{"/dev/null", O_RDONLY},
                                                         {one.folder + "/stdout", O_WRONLY},
                                                         {one.folder + "/stderr", O_WRONLY}};
    for (int number = 0; number < 3; ++number)
    {
        const auto& [path, mode] = files[number];
        const int file = open(path.c_str(), mode | (number ? O_CREAT | O_TRUNC : 0), 0644);
        dup2(file, number);
        close(file);
    }
    std::vector<char*> words{const_cast<char*>(name)};
    for (auto& word : one.words)
    {
        words.push_back(word.data());
    }
    words.push_back(nullptr);
    const int status = run(words.size() - 1, words.data());
    std::cout.flush();
    std::fflush(nullptr);
    _exit(status);
}

/**
 * Run the cases of a campaign in forks of this process, which saves the start of a program for
 * each. Each line of standard input is a case in JSON: `words`, its arguments; `folder`, into which
 * its stdout, stderr, usage (seconds, and peak memory in kB), attempts and, last, its status are
 * written; `seconds`, after which it is killed with status 124, 0: never; `retries`, further
 * attempts of a case that fails. After the end of the input, all cases read are finished.
 *
 * @param name of the program
 * @param most cases that run at once
 * @param run runs the program with a case's arguments
 * @return the exit status
 */
int
ServeCases(const char* name, std::size_t most, const std::function<int(int, char*[])>& run)
{
    // ns-3 builds tables for its first stream, in 20 ms: do it once for all forks.
    const RngStream tables(1, 1, 1);
    // Let the end of a case interrupt only the wait for input.
    sigset_t ends;
    sigset_t before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    std::signal(SIGCHLD, [](int) {});
    std::deque<ServedCase> waiting;
    std::map<pid_t, ServedCase> running;
    std::string input;
    for (bool isOpen = true; isOpen || !waiting.empty() || !running.empty();)
    {
        for (; running.size() < most && !waiting.empty(); waiting.pop_front())
        {
            ServedCase& one = waiting.front();
            ++one.attempts;
            one.start = Clock::now();
            one.isLate = false;
            if (one.retries > 0)
            {
                std::ofstream(one.folder + "/attempts", std::ios::app) << "\n";
            }
            const pid_t child = fork();
            if (child < 0)
            {
                std::perror(name);
                return 1;
            }
            if (child == 0)
            {
                Become(one, name, run);
            }
            running.emplace(child, std::move(one));
        }
        pollfd wanted{STDIN_FILENO, POLLIN, 0};
        const timespec patience{0, 200000000};
        if (ppoll(&wanted, isOpen ? 1 : 0, &patience, &before) > 0)
        {
            char read[65536];
            const auto count = ::read(STDIN_FILENO, read, sizeof(read));
            isOpen = count > 0 || (count < 0 && errno == EINTR);
            input.append(read, std::max<ssize_t>(count, 0));
            for (auto end = input.find('\n'); end != std::string::npos; end = input.find('\n'))
            {
                const auto line = nlohmann::json::parse(input.substr(0, end));
                waiting.push_back(
                    {line["words"], line["folder"], line["seconds"], line["retries"]});
                input.erase(0, end + 1);
            }
        }
        int status = 0;
        rusage usage{};
        for (pid_t child; (child = wait4(-1, &status, WNOHANG, &usage)) > 0;)
        {
            auto ended = running.extract(child);
            ServedCase& one = ended.mapped();
            const std::chrono::duration<double> took = Clock::now() - one.start;
            const int code = one.isLate            ? TIME_LIMIT
                             : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                                   : WEXITSTATUS(status);
            std::ofstream(one.folder + "/usage") << took.count() << " " << usage.ru_maxrss << "\n";
            if (code != 0 && one.attempts <= one.retries)
            {
                waiting.push_front(std::move(one));
                continue;
            }
            std::ofstream(one.folder + "/status") << code << "\n";
        }
        for (auto& [child, one] : running)
        {
            const auto late = Clock::now() - one.start - std::chrono::duration<double>(one.seconds);
            if (one.seconds > 0 && late > Clock::duration::zero())
            {
                kill(child, late > GRACE ? SIGKILL : SIGTERM);
                one.isLate = true;
            }
        }
    }
    return 0;
}

} // namespace

int
RunScenario(const std::string& name,
            int argc,
            char* argv[],
            const std::function<int(int, char*[])>& body)
{
    const std::string serve = "--serve=";
    if (argc == 2 && std::string(argv[1]).compare(0, serve.size(), serve) == 0)
    {
        return ServeCases(
            argv[0],
            std::atoi(argv[1] + serve.size()),
            [&](int count, char* words[]) { return RunScenario(name, count, words, body); });
    }
    // Writes beyond a file-size limit then fail like those to a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    ChildProcess::SetWaitingCallback(Callback<void, const std::string&, double, double>(
        [](const std::string& command, double seconds, double longest) {
            Progress::Say("exec:" + command + " has not answered for " +
                          Table::Rounded(seconds, 2) + " s; it is awaited for " +
                          Table::Rounded(longest, 2) + " s");
        }));
    try
    {
        const int status = body(argc, argv);
        Require(bool(std::cout.flush()),
                "standard output: not all of it could be written; is the disk full?");
        return status;
    }
    catch (const DryRunEnd&)
    {
        return 0;
    }
    catch (const InputError& error)
    {
        // Keep the message on one line, whatever the names given by users hold.
        std::string line = error.what();
        std::replace_if(
            line.begin(),
            line.end(),
            [](unsigned char c) { return c < ' ' || c == 0x7f; },
            '?');
        if (line.size() > LONGEST_MESSAGE)
        {
            line.replace(LONGEST_MESSAGE / 2, line.size() - LONGEST_MESSAGE, " ... ");
        }
        std::cerr << name << ": " << line << std::endl;
        return 2;
    }
    catch (const std::exception& error)
    {
        const bool isKnown = dynamic_cast<const SimulatorError*>(&error) != nullptr;
        std::cerr << name << (isKnown ? ": " : ": internal error: ") << error.what() << std::endl;
        return 1;
    }
}

} // namespace ns3::edgepipe
