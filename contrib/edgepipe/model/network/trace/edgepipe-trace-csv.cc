/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-rows.h"

#include <cmath>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** Two columns, the first of them seconds; lines that begin with # are comments. */
class CsvRows : public TraceRows
{
  public:
    /**
     * @param path a file
     * @param header names of both columns
     * @param most largest value of the second one
     */
    CsvRows(const std::string& path, std::string_view header, double most)
        : TraceRows(path),
          m_what(header.substr(header.find(',') + 1)),
          m_most(most)
    {
        std::string_view line;
        if (!NextRow(line) || line != header)
        {
            GetLines().FailField("header", line, QuoteBriefly(header));
        }
        MarkHere();
    }

  private:
    /**
     * @param line set to the next line that is no comment
     * @return false at the end of the file
     */
    bool NextRow(std::string_view& line)
    {
        while (NextLine(line))
        {
            if (line[0] != '#')
            {
                return true;
            }
        }
        line = "";
        return false;
    }

    bool DoNext(TraceRow& row) override
    {
        std::string_view line;
        if (!NextRow(line))
        {
            return false;
        }
        const std::size_t comma = line.find(',');
        if (comma == std::string_view::npos)
        {
            GetLines().FailField("columns", line, "seconds and " + std::string(m_what));
        }
        const double seconds =
            GetLines().ParseNumber("seconds", TrimBlanks(line.substr(0, comma)), 0, MOST_SECONDS);
        row = {std::llround(1e9 * seconds),
               GetLines().ParseNumber(m_what, TrimBlanks(line.substr(comma + 1)), 0, m_most)};
        return true;
    }

    std::string_view m_what; //!< name of the second column
    double m_most;           //!< its largest value
};

} // namespace

std::unique_ptr<TraceRows>
MakeCsvRows(const std::string& path, std::string_view header, double most)
{
    return std::make_unique<CsvRows>(path, header, most);
}

} // namespace edgepipe
} // namespace ns3
