/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/child-process.h"

#include "ns3/edgepipe-input-error.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <csignal>
#include <sys/prctl.h>
#endif

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Exit statuses of a child.
enum Status
{
    DONE = 0,    //!< the work is done, its text was written
    REFUSED = 2, //!< the work threw an InputError, whose words were written
    FAILED = 1,  //!< the work threw something else, whose words were written
};

/**
 * @param end where to write
 * @param text what
 * @return whether it was written whole
 */
bool
WriteAll(int end, const std::string& text)
{
    for (std::size_t done = 0; done < text.size();)
    {
        const ssize_t written = write(end, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR)
        {
            return false;
        }
        done += written > 0 ? written : 0;
    }
    return true;
}

/**
 * @param end where to read, up to its end
 * @return what there was
 */
std::string
ReadAll(int end)
{
    std::string text;
    char buffer[4096];
    for (ssize_t length = 1; length > 0 || (length < 0 && errno == EINTR);)
    {
        length = read(end, buffer, sizeof(buffer));
        text.append(buffer, length > 0 ? length : 0);
    }
    return text;
}

/**
 * What the child does; never returns.
 *
 * @param work what to do
 * @param end where to write its text, after a line with its peak memory
 */
[[noreturn]] void
BeChild(const std::function<std::string()>& work, int end)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read what it finds
#endif
    Status status = DONE;
    std::string text;
    try
    {
        text = work();
    }
    catch (const InputError& error)
    {
        status = REFUSED;
        text = error.what();
    }
    catch (const std::exception& error)
    {
        status = FAILED;
        text = error.what();
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const uint64_t peak = 1024 * static_cast<uint64_t>(usage.ru_maxrss);
    std::cout.flush();
    const bool isWritten = WriteAll(end, std::to_string(peak) + "\n" + text);
    _exit(isWritten ? status : FAILED);
}

} // namespace

ChildReport
RunInChild(const std::function<std::string()>& work)
{
    std::cout.flush();            // else both would write what is in the buffer
    static std::mutex isStarting; // else a child could hold another's end open
    std::unique_lock lock(isStarting);
    int ends[2];
    const auto cannot = [] {
        return InputError(std::string("a child process: ") + std::strerror(errno));
    };
    if (pipe(ends) != 0)
    {
        throw cannot();
    }
    const pid_t child = fork();
    if (child < 0)
    {
        const InputError error = cannot();
        close(ends[0]);
        close(ends[1]);
        throw error;
    }
    if (child == 0)
    {
        close(ends[0]);
        BeChild(work, ends[1]);
    }
    close(ends[1]);
    lock.unlock();
    std::istringstream message(ReadAll(ends[0]));
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    if (!WIFEXITED(status))
    {
        throw InputError(std::string("a case was ended by the system (") +
                         strsignal(WTERMSIG(status)) + "); is there too little memory?");
    }
    ChildReport report;
    message >> report.peakMemoryBytes;
    message.ignore();
    report.text.assign(std::istreambuf_iterator<char>(message), {});
    if (WEXITSTATUS(status) == REFUSED)
    {
        throw InputError(report.text);
    }
    if (WEXITSTATUS(status) != DONE)
    {
        throw std::runtime_error(report.text);
    }
    return report;
}

} // namespace edgepipe
} // namespace ns3
