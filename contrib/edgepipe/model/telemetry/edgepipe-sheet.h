/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SHEET_H
#define EDGEPIPE_SHEET_H

#include "edgepipe-table.h"

#include "ns3/nstime.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** How a number is shown to people. */
using NumberFormat = std::string (*)(double);

/** What a cell holds: nothing, a text or a number; times count as seconds. */
class Cell
{
  public:
    Cell() = default;

    /** @param value a text, a number or a time, or perhaps one (std::optional) */
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

    /** @return it for files: numbers with every digit that matters; empty if it holds nothing */
    const std::string& GetText() const
    {
        return m_text;
    }

    /** @return it as a number; NaN if it is none */
    double GetNumber() const
    {
        return m_number.value_or(std::numeric_limits<double>::quiet_NaN());
    }

    /**
     * @param format of numbers; null: as in files
     * @return it for people; a dash if it holds nothing
     */
    std::string Show(NumberFormat format) const
    {
        return !m_isGiven ? "-" : m_number && format ? format(*m_number) : m_text;
    }

  private:
    std::string m_text;             //!< for files
    std::optional<double> m_number; //!< if it is one
    bool m_isGiven{false};          //!< whether it holds anything
};

/**
 * @param is whether there is a value
 * @param value it
 * @return a cell with it, or with nothing
 */
template <typename T>
Cell
When(bool is, const T& value)
{
    return is ? Cell(value) : Cell();
}

/** A Sheet as numbers, to be compared with others of the same columns. */
struct Figures
{
    std::vector<std::string> names;           //!< by column, for files; empty: not there
    std::vector<std::string> headings;        //!< by column, for people; empty: not there
    std::vector<NumberFormat> formats;        //!< by column, for people; null: as in files
    std::vector<std::vector<double>> numbers; //!< by row and column; NaN: no number, or not fair
};

/**
 * A column of a Sheet.
 *
 * @tparam Row what a row is made from
 */
template <typename... Row>
struct Column
{
    /**
     * @param columnName heading in files, with the unit in the name; empty: not there
     * @param shown heading for people, with the unit; empty: not there
     * @param content what rows have here: a function of what a row is made from, or of the first
     *        part of that which it takes alone; a member of such a part; or a value, of every row
     * @param numberFormat of numbers for people; null: as in files
     * @param isFair whether people are shown it, who are shown a dash otherwise; null: always
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
     * @param content what rows have here
     */
    template <typename Content>
    Column(std::string columnName, Content content)
        : Column(std::move(columnName), "", std::move(content))
    {
    }

    std::string name;                           //!< heading in files; empty: not there
    std::string heading;                        //!< heading for people; empty: not there
    std::function<Cell(const Row&...)> get;     //!< what a row has here
    NumberFormat format;                        //!< of numbers for people
    std::function<bool(const Row&...)> isShown; //!< whether people are shown it; null: always

  private:
    /**
     * @param content what rows have here
     * @param parts of a row, and those behind the ones that it does not take
     * @return what the row has here
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
 * A table, for files and for people, by one list of its columns.
 *
 * @tparam Row what a row is made from
 */
template <typename... Row>
class Sheet
{
  public:
    /** @param columns in their order */
    Sheet(std::vector<Column<Row...>> columns)
        : m_columns(std::move(columns)),
          m_file(Select(&Column<Row...>::name)),
          m_shown(Select(&Column<Row...>::heading))
    {
        for (const auto& column : m_columns)
        {
            m_figures.names.push_back(column.name);
            m_figures.headings.push_back(column.heading);
            m_figures.formats.push_back(column.format);
        }
    }

    /** @param row what the row is made from */
    void Add(const Row&... row)
    {
        std::vector<std::string> file;
        std::vector<std::string> shown;
        std::vector<double> numbers;
        for (const auto& column : m_columns)
        {
            const Cell cell = column.get(row...);
            const bool isShown = !column.isShown || column.isShown(row...);
            numbers.push_back((isShown ? cell : Cell()).GetNumber());
            if (!column.name.empty())
            {
                file.push_back(cell.GetText());
            }
            if (!column.heading.empty())
            {
                shown.push_back((isShown ? cell : Cell()).Show(column.format));
            }
        }
        m_figures.numbers.push_back(std::move(numbers));
        m_file.AddRow(std::move(file));
        m_shown.AddRow(std::move(shown));
    }

    /**
     * @param common what all rows have in common
     * @param parts what each row has of its own
     */
    template <typename Common, typename Part>
    void AddEach(const Common& common, const std::vector<Part>& parts)
    {
        for (const auto& part : parts)
        {
            Add(common, part);
        }
    }

    /** @return the table for files */
    const Table& GetFile() const
    {
        return m_file;
    }

    /** @return the table as numbers */
    const Figures& GetFigures() const
    {
        return m_figures;
    }

    /** @return the table for people */
    const Table& GetShown() const
    {
        return m_shown;
    }

  private:
    /**
     * @param heading a member of the columns
     * @return its values, but for those that are empty
     */
    std::vector<std::string> Select(std::string Column<Row...>::*heading) const
    {
        std::vector<std::string> headings;
        for (const auto& column : m_columns)
        {
            if (!(column.*heading).empty())
            {
                headings.push_back(column.*heading);
            }
        }
        return headings;
    }

    std::vector<Column<Row...>> m_columns; //!< in their order
    Table m_file;                          //!< for files
    Table m_shown;                         //!< for people
    Figures m_figures;                     //!< as numbers
};

/**
 * @param columns of a sheet
 * @param rows what its rows are made from
 * @param more columns behind those
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
