/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TABLE_H
#define EDGEPIPE_TABLE_H

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Rows and columns of text, written as CSV for tools or aligned for display.
 */
class Table
{
  public:
    /**
     * @param columns the headings; for files, with the unit in the name
     */
    explicit Table(std::vector<std::string> columns);

    /**
     * @param cells one per column
     */
    void AddRow(std::vector<std::string> cells);

    /**
     * @param column a heading; nothing happens if it exists
     * @param cells appended to the rows: one for each, or one for all
     */
    void AddColumn(const std::string& column, const std::vector<std::string>& cells);

    /**
     * Write as CSV (RFC 4180, line ends of one newline), the headings first.
     * @param os where to
     */
    void WriteCsv(std::ostream& os) const;

    /**
     * Write aligned: the first column to the left, the others to the right.
     * @param os where to
     */
    void Print(std::ostream& os) const;

    /**
     * @param value a number
     * @return the number with all significant digits, the same on every machine
     */
    static std::string Exact(double value);

    /**
     * @param value a number
     * @param digits significant digits
     * @return the number for display
     */
    static std::string Rounded(double value, int digits = 4);

    /**
     * @param bytes a number of bytes
     * @return the number for display, in B, kB, MB or GB (powers of 1000)
     */
    static std::string Bytes(uint64_t bytes);

  private:
    std::vector<std::string> m_columns;           //!< the headings
    std::vector<std::vector<std::string>> m_rows; //!< the cells
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TABLE_H */
