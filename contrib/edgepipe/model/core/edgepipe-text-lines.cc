/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-text-lines.h"

#include "edgepipe-input-error.h"
#include "edgepipe-join-words.h"
#include "edgepipe-json-reader.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace ns3::edgepipe
{

TextLines::TextLines(std::string path)
    : m_path(std::move(path))
{
    std::error_code ignored;
    CheckFile(!std::filesystem::is_directory(m_path, ignored), "found a folder, expected a file");
    m_text = ReadTextFile(m_path);
    CheckFile(!m_text.empty(), "found an empty file, expected text");
    constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
    m_cursor =
        m_text.compare(0, byteOrderMark.size(), byteOrderMark) == 0 ? byteOrderMark.size() : 0;
}

bool
TextLines::Next(std::string_view& line)
{
    for (line = ""; line.empty() && m_cursor < m_text.size(); line = TrimBlanks(line))
    {
        const std::size_t end = std::min(m_text.find('\n', m_cursor), m_text.size());
        line = std::string_view(m_text).substr(m_cursor, end - m_cursor);
        m_cursor = end + 1;
        ++m_line;
        if (line.size() > LONGEST)
        {
            Fail("found a line longer than " + std::to_string(LONGEST) + " bytes, expected text");
        }
        if (line.find('\0') != std::string_view::npos)
        {
            Fail("found a NUL byte, expected text");
        }
    }
    return !line.empty();
}

bool
TextLines::NextRow(const std::string& header, std::string_view& line)
{
    while (Next(line) && (line[0] == '#' || !m_hasHeader))
    {
        if (line[0] != '#')
        {
            Check(line == header, "found " + QuoteBriefly(line) + ", expected \"" + header + "\"");
            m_hasHeader = true;
        }
    }
    return !line.empty();
}

void
TextLines::Fail(const std::string& message) const
{
    throw InputError(m_path + ": line " + std::to_string(m_line) + ": " + message);
}

void
TextLines::CheckFile(bool isGood, const std::string& message) const
{
    Require(isGood, m_path + ": " + message);
}

void
TextLines::CheckField(bool isGood,
                      std::string_view what,
                      std::string_view found,
                      std::string_view expected) const
{
    if (!isGood)
    {
        Fail(JoinParts(what, ": found ", QuoteBriefly(found), ", expected ", expected));
    }
}

double
TextLines::ParseNumber(std::string_view what,
                       std::string_view text,
                       double least,
                       double most,
                       const char* expected) const
{
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || !(number >= least && number <= most))
    {
        const auto range = JoinParts("a number from ", least, " to ", most);
        CheckField(false, what, text, expected ? expected : range);
    }
    return number;
}

std::string_view
TrimBlanks(std::string_view text)
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && isBlank(text.front()))
    {
        text.remove_prefix(1);
    }
    while (!text.empty() && isBlank(text.back()))
    {
        text.remove_suffix(1);
    }
    return text;
}

std::string_view
TakeField(std::string_view& rest, char separator)
{
    const std::size_t at = rest.find(separator);
    const std::string_view field = TrimBlanks(rest.substr(0, at));
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    return field;
}

std::vector<std::string_view>
SplitFields(std::string_view line)
{
    std::vector<std::string_view> fields(1 + std::count(line.begin(), line.end(), ','));
    std::generate(fields.begin(), fields.end(), [&line] { return TakeField(line, ','); });
    return fields;
}

std::string
QuoteBriefly(std::string_view text)
{
    constexpr std::size_t longest = 60;
    return QuoteForMessage(std::string(text.substr(0, longest)) +
                           (text.size() > longest ? "..." : ""));
}

} // namespace ns3::edgepipe
