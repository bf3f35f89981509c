/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SHEET_H
#define EDGEPIPE_SHEET_H

#include "edgepipe-table.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** Formats a number for display. */
using NumberFormat = std::string (*)(double);

/** A cell of a table: nothing, a text or a number; times become seconds. */
class Cell
{
  public:
    Cell() = default;

    /** @param value a text, a number or a time, or a std::optional of one */
    template <typename T>
    Cell(const T& value)
        : m_isGiven(true)
    {
        if constexpr (std::is_convertible_v<T, std::string>)
        {
            m_text = value;
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            *this = value.GetSeconds();
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            m_text = Table::Exact(value);
            m_number = value;
        }
        else if constexpr (std::is_integral_v<T>)
        {
            m_text = std::to_string(value);
            m_number = static_cast<double>(value);
        }
        else
        {
            *this = value ? Cell(*value) : Cell();
        }
    }

    /** @return its text for files, numbers with all significant digits; empty if there is none */
    const std::string& GetText() const
    {
        return m_text;
    }

    /** @return its number; NaN if it is none */
    double GetNumber() const
    {
        return m_number.value_or(std::numeric_limits<double>::quiet_NaN());
    }

    /**
     * @param format of numbers; null: as in files
     * @return its text for display; a dash if it holds nothing
     */
    std::string Show(NumberFormat format) const
    {
        return !m_isGiven ? "-" : m_number && format ? format(*m_number) : m_text;
    }

  private:
    std::string m_text;             //!< text for files
    std::optional<double> m_number; //!< the number, if it is one
    bool m_isGiven{false};          //!< whether it holds anything
};

/**
 * @param is whether there is a value
 * @param value the value
 * @return a cell with the value, or with nothing
 */
template <typename T>
Cell
When(bool is, const T& value)
{
    return is ? Cell(value) : Cell();
}

/** A Sheet as numbers, to compare with others of the same columns. */
struct Figures
{
    std::vector<std::string> names;           //!< by column, in files; empty: not in files
    std::vector<std::string> headings;        //!< by column, on display; empty: not displayed
    std::vector<NumberFormat> formats;        //!< by column, on display; null: as in files
    std::vector<std::vector<double>> numbers; //!< by row and column; NaN: none, or not displayed
};

/** A table made cell by cell, for files and for display; its first row names the columns. */
class CellTable
{
  public:
    /** Begin a row. */
    void Begin()
    {
        m_rows.emplace_back();
        m_figures.numbers.emplace_back();
    }

    /**
     * Add a cell to the row; every row has the same columns in the same order.
     *
     * @param name see Name
     * @param cell the cell
     * @param heading see Name
     * @param format see Name
     * @param isShown whether to display it, or a dash otherwise
     */
    void Add(const std::string& name,
             const Cell& cell,
             const std::string& heading = "",
             NumberFormat format = nullptr,
             bool isShown = true)
    {
        if (m_rows.size() == 1)
        {
            Name(name, heading, format);
        }
        AddCell(cell, isShown);
    }

    /** @return the table for files */
    Table GetFile() const
    {
        return Make(m_figures.names, &Texts::first);
    }

    /** @return the table for display */
    Table GetShown() const
    {
        return Make(m_figures.headings, &Texts::second);
    }

    /** @return the table as numbers */
    const Figures& GetFigures() const
    {
        return m_figures;
    }

  protected:
    /**
     * Name a column before there are rows.
     *
     * @param name heading in files, with the unit in the name; empty: not in files
     * @param heading on display, with the unit; empty: not displayed
     * @param format of numbers on display; null: as in files
     */
    void Name(const std::string& name, const std::string& heading, NumberFormat format)
    {
        m_figures.names.push_back(name);
        m_figures.headings.push_back(heading);
        m_figures.formats.push_back(format);
    }

    /**
     * Add a cell to the row, whose column has a name.
     *
     * @param cell the cell
     * @param isShown whether to display it, or a dash otherwise
     */
    void AddCell(const Cell& cell, bool isShown)
    {
        const Cell shown = isShown ? cell : Cell();
        const auto format = m_figures.formats[m_rows.back().size()];
        m_rows.back().emplace_back(cell.GetText(), shown.Show(format));
        m_figures.numbers.back().push_back(shown.GetNumber());
    }

  private:
    using Texts = std::pair<std::string, std::string>; //!< of a cell, in files and on display

    /**
     * @param headings by column; empty: left out
     * @param text of a cell
     * @return the table
     */
    Table Make(const std::vector<std::string>& headings, std::string Texts::*text) const
    {
        std::vector<std::vector<std::string>> rows(m_rows.size() + 1);
        for (std::size_t column = 0; column < headings.size(); ++column)
        {
            for (std::size_t row = 0; row < rows.size() && !headings[column].empty(); ++row)
            {
                rows[row].push_back(row == 0 ? headings[column] : m_rows[row - 1][column].*text);
            }
        }
        Table table(rows.front());
        std::for_each(rows.begin() + 1, rows.end(), [&](auto& row) { table.AddRow(row); });
        return table;
    }

    Figures m_figures;                      //!< as numbers
    std::vector<std::vector<Texts>> m_rows; //!< as texts
};

/**
 * A column of a Sheet.
 *
 * @tparam Row objects from which a row is made
 */
template <typename... Row>
struct Column
{
    /**
     * @param columnName heading in files, with the unit in the name; empty: not in files
     * @param shown heading on display, with the unit; empty: not displayed
     * @param content of the cells: a function of a row's objects, or of the first object that it
     *        accepts alone; a member of such an object; or a value for every row
     * @param numberFormat of numbers on display; null: as in files
     * @param isFair whether to display a row's cell, or a dash otherwise; null: always
     */
    template <typename Content>
    Column(std::string columnName,
           std::string shown,
           Content content,
           NumberFormat numberFormat = nullptr,
           std::function<bool(const Row&...)> isFair = nullptr)
        : name(std::move(columnName)),
          heading(std::move(shown)),
          get([content](const Row&... row) { return Read(content, row...); }),
          format(numberFormat),
          isShown(std::move(isFair))
    {
    }

    /**
     * @param columnName heading in files, with the unit in the name
     * @param content of the cells, as above
     */
    template <typename Content>
    Column(std::string columnName, Content content)
        : Column(std::move(columnName), "", std::move(content))
    {
    }

    std::string name;                           //!< heading in files; empty: not in files
    std::string heading;                        //!< heading on display; empty: not displayed
    std::function<Cell(const Row&...)> get;     //!< a row's cell
    NumberFormat format;                        //!< of numbers on display
    std::function<bool(const Row&...)> isShown; //!< whether to display it; null: always

  private:
    /**
     * @param content of the cells
     * @param parts objects of a row that are left to try
     * @return the row's cell
     */
    template <typename Content, typename First, typename... Others>
    static Cell Read(const Content& content, const First& first, const Others&... others)
    {
        if constexpr (std::is_invocable_v<const Content&, const First&, const Others&...>)
        {
            return std::invoke(content, first, others...);
        }
        else if constexpr (std::is_invocable_v<const Content&, const First&>)
        {
            return std::invoke(content, first);
        }
        else if constexpr (sizeof...(others) > 0)
        {
            return Read(content, others...);
        }
        else
        {
            return content;
        }
    }
};

/**
 * @ingroup edgepipe
 *
 * A table for files and for display, from one list of its columns.
 *
 * @tparam Row objects from which a row is made
 */
template <typename... Row>
class Sheet : public CellTable
{
  public:
    /** @param columns in their order */
    Sheet(std::vector<Column<Row...>> columns)
        : m_columns(std::move(columns))
    {
        for (const auto& column : m_columns)
        {
            Name(column.name, column.heading, column.format);
        }
    }

    /** @param row objects from which the row is made */
    void Add(const Row&... row)
    {
        Begin();
        for (const auto& column : m_columns)
        {
            AddCell(column.get(row...), !column.isShown || column.isShown(row...));
        }
    }

    /**
     * @param common object common to all rows
     * @param parts object of each row
     */
    template <typename Common, typename Part>
    void AddEach(const Common& common, const std::vector<Part>& parts)
    {
        for (const auto& part : parts)
        {
            Add(common, part);
        }
    }

  private:
    std::vector<Column<Row...>> m_columns; //!< in their order
};

/**
 * @param columns of a sheet
 * @param rows objects from which its rows are made
 * @param more columns after those
 * @return the sheet
 */
template <typename Row>
Sheet<Row>
MakeSheet(std::vector<Column<Row>> columns,
          const std::vector<Row>& rows,
          const std::vector<Column<Row>>& more = {})
{
    columns.insert(columns.end(), more.begin(), more.end());
    Sheet<Row> sheet(std::move(columns));
    for (const auto& row : rows)
    {
        sheet.Add(row);
    }
    return sheet;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SHEET_H */
