/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RESULTS_FOLDER_H
#define EDGEPIPE_RESULTS_FOLDER_H

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Writes result files all or none: each goes to a temporary name, and Commit renames them.
 * What was not committed is removed with the object.
 */
class ResultsFolder
{
  public:
    /**
     * @param path the folder; made at the first Write, with its parents
     */
    explicit ResultsFolder(std::string path);
    ~ResultsFolder();

    ResultsFolder(const ResultsFolder&) = delete;
    ResultsFolder& operator=(const ResultsFolder&) = delete;

    /**
     * Refuse a folder that could not be written to, before any work is done.
     *
     * @throws InputError if the path is taken by something else or not writable
     */
    void Check() const;

    /**
     * Write a file under its temporary name.
     *
     * @param name file name
     * @param write writes the content
     * @throws InputError if the file cannot be written
     */
    void Write(const std::string& name, const std::function<void(std::ostream&)>& write);

    /**
     * Give every file its name, replacing what was there.
     *
     * @throws InputError if a file cannot be renamed
     */
    void Commit();

    /**
     * @param name file name
     * @return the file's path
     */
    std::string GetPath(const std::string& name) const;

  private:
    std::string m_path;               //!< the folder
    std::vector<std::string> m_files; //!< written and not yet committed
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_RESULTS_FOLDER_H */
