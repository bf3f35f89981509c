/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-results-folder.h"

#include "ns3/edgepipe-input-error.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ns3
{
namespace edgepipe
{

namespace
{

/// What a file is called until it is committed.
constexpr const char* TEMPORARY_SUFFIX = ".tmp";

} // namespace

ResultsFolder::ResultsFolder(std::string path)
    : m_path(std::move(path))
{
}

ResultsFolder::~ResultsFolder()
{
    std::error_code ignored;
    for (const auto& name : m_files)
    {
        fs::remove(GetPath(name) + TEMPORARY_SUFFIX, ignored);
    }
}

void
ResultsFolder::Check() const
{
    std::error_code error;
    fs::path path = fs::absolute(m_path, error);
    while (!path.empty() && !fs::exists(path, error) && path != path.parent_path())
    {
        path = path.parent_path();
    }
    if (m_path.empty() || !fs::is_directory(path, error))
    {
        throw InputError("--out: \"" + m_path + "\" is not a folder and none can be made there");
    }
    if (access(path.c_str(), W_OK | X_OK) != 0)
    {
        throw InputError("--out: cannot write to \"" + path.string() + "\"");
    }
}

void
ResultsFolder::Write(const std::string& name, const std::function<void(std::ostream&)>& write)
{
    std::error_code error;
    fs::create_directories(m_path, error);
    m_files.push_back(name);
    std::ofstream file(GetPath(name) + TEMPORARY_SUFFIX, std::ios::binary | std::ios::trunc);
    write(file);
    file.close();
    if (!file || fs::is_directory(GetPath(name), error))
    {
        throw InputError("--out: cannot write \"" + GetPath(name) + "\"");
    }
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
            throw InputError("--out: cannot write \"" + GetPath(name) + "\": " + error.message());
        }
    }
    m_files.clear();
}

std::string
ResultsFolder::GetPath(const std::string& name) const
{
    return m_path + "/" + name;
}

} // namespace edgepipe
} // namespace ns3
