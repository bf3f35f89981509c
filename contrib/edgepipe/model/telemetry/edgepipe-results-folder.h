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
 * Writes all result files or none: each gets a temporary name, and Commit renames them. Files not
 * committed are removed with the object.
 */
class ResultsFolder
{
  public:
    /**
     * @param path the folder; created at the first Write, with its parents
     * @param option that gives the folder, for messages
     */
    explicit ResultsFolder(std::string path, std::string option = "--out");
    ~ResultsFolder();

    ResultsFolder(const ResultsFolder&) = delete;
    ResultsFolder& operator=(const ResultsFolder&) = delete;

    /**
     * Refuse a folder that cannot be written to, before any work is done. Writes a file there, and
     * removes it and any folders created for it.
     *
     * @param name of a file to be written there; empty: all results of a run, which need a folder
     *        that is new, empty, or has the results of a run, even an interrupted one
     * @throws InputError if the path is not a folder or not writable, or the disk is full
     */
    void Check(const std::string& name = "") const;

    /**
     * Refuse other runs on this machine in this folder until this object is destroyed.
     *
     * @throws InputError if another run holds it
     */
    void Hold();

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
     * @return its uncommitted content; empty if there is none
     */
    std::string ReadBack(const std::string& name) const;

    /**
     * Give every file its final name, replacing existing files.
     *
     * @throws InputError if a file cannot be renamed
     */
    void Commit();

    /**
     * Commit all results of a run. Files of an earlier run are removed, with those that scripts
     * made from them, since old pictures would not match the new figures. The file LIST names the
     * files to remove next time; nothing else is touched.
     *
     * @throws InputError if a file cannot be renamed or removed
     */
    void CommitWhole();

    /// Lists the results and the files that scripts made from them, one file name a line.
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
     * Report a file that cannot be written.
     *
     * @param path of the file
     * @param error errno; 0: not known
     * @throws InputError always
     */
    [[noreturn]] void Refuse(const std::string& path, int error) const;

    /** @throws InputError if the folder holds files but no results of a run */
    void RefuseForeignFolder() const;

    /**
     * @param name file name
     * @throws InputError if that name exists and is not a file
     */
    void RefuseOtherThanFile(const std::string& name) const;

    std::string m_path;               //!< the folder
    std::string m_option;             //!< option that gives it
    std::vector<std::string> m_files; //!< written but not yet committed
    std::vector<std::string> m_made;  //!< folders made for them, deepest first
    int m_hold{-1};                   //!< socket whose name holds the folder; -1: not held
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RESULTS_FOLDER_H */
