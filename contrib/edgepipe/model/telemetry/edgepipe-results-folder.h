/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RESULTS_FOLDER_H
#define EDGEPIPE_RESULTS_FOLDER_H

#include "edgepipe-table.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::edgepipe
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
     * @param option that says where to write, for messages
     */
    explicit ResultsFolder(std::string path, std::string option = "--out");
    ~ResultsFolder();

    ResultsFolder(const ResultsFolder&) = delete;
    ResultsFolder& operator=(const ResultsFolder&) = delete;

    /**
     * Refuse a folder that cannot be written to, before any work is done. Writes a file there, and
     * removes it, and what folders it made for it.
     *
     * @param name of a file that is to be written there; empty: the whole of a run's results, which
     *        need a folder that is new, empty, or has those of a run, be they of one that was cut
     *        off
     * @throws InputError if the path is taken by something else or not writable, or the disk full
     */
    void Check(const std::string& name = "") const;

    /**
     * Write a file under its temporary name.
     *
     * @param name file name
     * @param write writes the content
     * @throws InputError if the file cannot be written
     */
    void Write(const std::string& name, const std::function<void(std::ostream&)>& write);

    /**
     * Write a table as CSV.
     *
     * @param name file name
     * @param table its content
     * @throws InputError if the file cannot be written
     */
    void Write(const std::string& name, const Table& table);

    /**
     * Write a text.
     *
     * @param name file name
     * @param text its content
     * @throws InputError if the file cannot be written
     */
    void Write(const std::string& name, const std::string& text);

    /** @return names of the files that were written and not yet committed */
    const std::vector<std::string>& GetFiles() const
    {
        return m_files;
    }

    /**
     * @param name of a file
     * @return what was written to it and not yet committed; empty if nothing was
     */
    std::string ReadBack(const std::string& name) const;

    /**
     * Give every file its name, replacing what was there.
     *
     * @throws InputError if a file cannot be renamed
     */
    void Commit();

    /**
     * Commit the whole of a run's results: files are dropped that an earlier run left in the
     * folder, and what scripts made of them, as pictures would be of other figures than those
     * beside them. The file LIST names what is dropped next time; nothing else is touched.
     *
     * @throws InputError if a file cannot be renamed or removed
     */
    void CommitWhole();

    /// The results and what scripts made of them, a file name a line.
    static constexpr const char* LIST = ".edgepipe-files";

    /**
     * @param name file name
     * @return the file's path
     */
    std::string GetPath(const std::string& name) const
    {
        return m_path + "/" + name;
    }

  private:
    /**
     * Complain about a file.
     *
     * @param path of the file
     * @param error why, errno
     * @throws InputError always
     */
    [[noreturn]] void Refuse(const std::string& path, int error) const;

    /** @throws InputError if the folder holds files and none of a run's results */
    void RefuseForeignFolder() const;

    /**
     * @param name file name
     * @throws InputError if there is something of that name that is no file
     */
    void RefuseOtherThanFile(const std::string& name) const;

    std::string m_path;               //!< the folder
    std::string m_option;             //!< that named it
    std::vector<std::string> m_files; //!< written and not yet committed
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RESULTS_FOLDER_H */
