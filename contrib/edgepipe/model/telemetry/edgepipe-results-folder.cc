/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-results-folder.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ns3::edgepipe
{

namespace
{

/// Suffix of a file's name until it is committed.
constexpr const char* TEMPORARY_SUFFIX = ".tmp";

/**
 * @param path a folder
 * @return which folders making it would make, deepest first
 */
std::vector<std::string>
ListMissing(const std::string& path)
{
    std::error_code error;
    std::vector<std::string> missing;
    // A dangling link exists, too: it is not ours to remove.
    for (fs::path one = fs::absolute(path, error);
         !one.empty() && !fs::exists(fs::symlink_status(one, error)) && one != one.parent_path();
         one = one.parent_path())
    {
        missing.push_back(one);
    }
    return missing;
}

} // namespace

ResultsFolder::ResultsFolder(std::string path, std::string option)
    : m_path(std::move(path)),
      m_option(std::move(option))
{
}

ResultsFolder::~ResultsFolder()
{
    std::error_code ignored;
    for (const auto& name : m_files)
    {
        fs::remove(GetPath(name) + TEMPORARY_SUFFIX, ignored);
    }
    for (const auto& folder : m_made)
    {
        fs::remove(folder, ignored);
    }
    if (m_hold >= 0)
    {
        close(m_hold);
    }
}

void
ResultsFolder::Hold()
{
    // A name of Linux's abstract sockets, as results_folder.py takes it: it needs no file, and is
    // free again when the process ends, however it ends. Names are short, so hash the path
    // (FNV-1a).
    std::error_code ignored;
    std::string path = fs::weakly_canonical(fs::absolute(m_path), ignored).string();
    path.erase(path.find_last_not_of('/') + 1);
    uint64_t hash = 0xcbf29ce484222325;
    for (const unsigned char c : path)
    {
        hash = (hash ^ c) * 0x100000001b3;
    }
    const std::string text = "edgepipe-out-" + std::to_string(hash);
    sockaddr_un name{AF_UNIX, {}};
    text.copy(name.sun_path + 1, text.size());
    m_hold = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Require(bind(m_hold,
                 reinterpret_cast<const sockaddr*>(&name),
                 offsetof(sockaddr_un, sun_path) + 1 + text.size()) == 0 ||
                errno != EADDRINUSE,
            m_option + ": found a run that writes to \"" + m_path +
                "\" now, expected a folder for this run alone");
}

void
ResultsFolder::Refuse(const std::string& path, int error) const
{
    throw InputError(m_option + ": cannot write \"" + path + "\"" +
                     (error != 0 ? ": " + std::generic_category().message(error) : ""));
}

void
ResultsFolder::RefuseOtherThanFile(const std::string& name) const
{
    std::error_code error;
    Require(name.empty() || !fs::exists(GetPath(name), error) ||
                fs::is_regular_file(GetPath(name), error),
            m_option + ": cannot write \"" + GetPath(name) + "\", which is no file");
}

void
ResultsFolder::RefuseForeignFolder() const
{
    std::error_code error;
    // A run that is killed while committing leaves its list under either name.
    if (fs::exists(GetPath(LIST), error) || fs::exists(GetPath(LIST) + TEMPORARY_SUFFIX, error))
    {
        return;
    }
    std::string foreign;
    for (const auto& entry : fs::directory_iterator(m_path, error))
    {
        const fs::path name = entry.path().filename();
        const bool isTemporary = name.extension().string().rfind(TEMPORARY_SUFFIX, 0) == 0;
        if (!isTemporary && (foreign.empty() || name.string() < foreign))
        {
            foreign = name.string();
        }
    }
    Require(foreign.empty(),
            m_option + ": \"" + m_path + "\" holds \"" + foreign +
                "\", which no run wrote there, expected a folder that is new, empty, or "
                "has a run's results");
}

void
ResultsFolder::Check(const std::string& name) const
{
    std::error_code error;
    const auto missing = ListMissing(m_path);
    const fs::path existing =
        missing.empty() ? fs::path(m_path) : fs::path(missing.back()).parent_path();
    Require(!m_path.empty() && fs::is_directory(existing, error),
            m_option + ": \"" + m_path + "\" is not a folder and none can be made there");
    RefuseOtherThanFile(name);
    if (name.empty())
    {
        RefuseForeignFolder();
    }
    // Another program that checks a neighbouring folder may remove the parent that both need.
    for (int left = 3; left > 0; --left)
    {
        try
        {
            ResultsFolder(m_path, m_option).Write(".edgepipe-check", std::string("x"));
            left = 0;
        }
        catch (const InputError&)
        {
            if (left == 1 || fs::is_directory(m_path, error))
            {
                throw;
            }
        }
    }
}

void
ResultsFolder::Write(const std::string& name, const std::function<void(std::ostream&)>& write)
{
    std::error_code error;
    const auto missing = ListMissing(m_path);
    m_made.insert(m_made.end(), missing.begin(), missing.end());
    fs::create_directories(m_path, error);
    if (error)
    {
        Refuse(m_path, error.value());
    }
    m_files.push_back(name);
    errno = 0;
    std::ofstream file(GetPath(name) + TEMPORARY_SUFFIX, std::ios::binary | std::ios::trunc);
    if (file)
    {
        write(file);
    }
    file.close();
    if (!file)
    {
        Refuse(GetPath(name), errno);
    }
    RefuseOtherThanFile(name);
}

void
ResultsFolder::Write(const std::string& name, const Table& table)
{
    Write(name, [&table](std::ostream& os) { table.WriteCsv(os); });
}

void
ResultsFolder::Write(const std::string& name, const std::string& text)
{
    Write(name, [&text](std::ostream& os) { os << text; });
}

std::string
ResultsFolder::ReadBack(const std::string& name) const
{
    if (std::find(m_files.begin(), m_files.end(), name) == m_files.end())
    {
        return "";
    }
    std::ifstream file(GetPath(name) + TEMPORARY_SUFFIX, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void
ResultsFolder::Commit()
{
    for (const auto& name : m_files)
    {
        std::error_code error;
        fs::rename(GetPath(name) + TEMPORARY_SUFFIX, GetPath(name), error);
        if (error)
        {
            Refuse(GetPath(name), error.value());
        }
    }
    m_files.clear();
    m_made.clear();
}

void
ResultsFolder::CommitWhole()
{
    std::string list;
    for (const auto& name : m_files)
    {
        list += name + "\n";
    }
    std::vector<std::string> stale;
    std::ifstream earlier(GetPath(LIST));
    for (std::string name; std::getline(earlier, name);)
    {
        // An edited list must not remove files outside the folder.
        if (fs::path(name).filename() == name && !fs::is_directory(GetPath(name)) &&
            std::find(m_files.begin(), m_files.end(), name) == m_files.end())
        {
            stale.push_back(name);
        }
    }
    earlier.close();
    Write(LIST, list);
    Commit();
    for (const auto& name : stale)
    {
        std::error_code error;
        fs::remove(GetPath(name), error);
        if (error)
        {
            Refuse(GetPath(name), error.value());
        }
    }
}

} // namespace ns3::edgepipe
