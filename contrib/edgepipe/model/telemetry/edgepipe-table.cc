/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-table.h"

#include "ns3/abort.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ns3::edgepipe
{

Table::Table(std::vector<std::string> columns)
    : m_columns(std::move(columns))
{
}

void
Table::AddRow(std::vector<std::string> cells)
{
    NS_ABORT_MSG_UNLESS(cells.size() == m_columns.size(), "a row of the wrong length");
    m_rows.push_back(std::move(cells));
}

void
Table::AddColumn(const std::string& column, const std::vector<std::string>& cells)
{
    NS_ABORT_MSG_UNLESS(cells.size() == 1 || cells.size() == m_rows.size(), "too few cells");
    if (std::find(m_columns.begin(), m_columns.end(), column) != m_columns.end())
    {
        return;
    }
    m_columns.push_back(column);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
    {
        m_rows[i].push_back(cells[cells.size() == 1 ? 0 : i]);
    }
}

void
Table::WriteCsv(std::ostream& os) const
{
    const auto line = [&os](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
        {
            os << (i ? "," : "");
            if (cells[i].find_first_of(",\"\n") == std::string::npos)
            {
                os << cells[i];
                continue;
            }
            os << '"';
            for (const char c : cells[i])
            {
                os << (c == '"' ? "\"\"" : std::string(1, c));
            }
            os << '"';
        }
        os << '\n';
    };
    line(m_columns);
    std::for_each(m_rows.begin(), m_rows.end(), line);
}

void
Table::Print(std::ostream& os) const
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
    {
        widths.push_back(m_columns[i].size());
        for (const auto& row : m_rows)
        {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    const auto line = [&os, &widths](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
        {
            const std::string pad(widths[i] - cells[i].size(), ' ');
            os << (i ? "  " + pad + cells[i] : "  " + cells[i] + pad);
        }
        os << '\n';
    };
    line(m_columns);
    std::for_each(m_rows.begin(), m_rows.end(), line);
}

std::string
Table::Exact(double value)
{
    char text[40];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    return std::string(text, end);
}

std::string
Table::Rounded(double value, int digits)
{
    char text[40];
    std::snprintf(text,
                  sizeof(text),
                  value != 0 && std::fabs(value) < 1 ? "%#.*g" : "%.*g",
                  digits,
                  value);
    if (std::fabs(value) >= 1 && std::fabs(value) < 1e15)
    {
        // As many decimals as significant digits remain, never an exponent.
        const int whole = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
        std::snprintf(text, sizeof(text), "%.*f", std::max(0, digits - whole), value);
    }
    return text;
}

std::string
Table::Bytes(uint64_t bytes)
{
    if (bytes < 1000)
    {
        return std::to_string(bytes) + " B";
    }
    double value = bytes;
    std::size_t unit = 0;
    for (; value >= 1000 && unit < 3; ++unit)
    {
        value /= 1000;
    }
    return Rounded(value) + " " + "BkMG"[unit] + "B";
}

} // namespace ns3::edgepipe
