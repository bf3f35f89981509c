/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TEXT_LINES_H
#define EDGEPIPE_TEXT_LINES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::edgepipe
{

/** The lines of a text file, which is read once, whole. */
class TextLines
{
  public:
    static constexpr std::size_t LONGEST = 8192; //!< bytes of a line, without its end

    /**
     * @param path a plain file: no folder, device or pipe
     * @throws InputError if it is none, is empty or cannot be read
     */
    explicit TextLines(std::string path);

    /**
     * @param line set to the next line that is not blank, without blanks at its ends; valid as long
     *        as this object
     * @return false at the end of the file, with an empty line
     * @throws InputError at a line longer than LONGEST or a NUL byte
     */
    bool Next(std::string_view& line);

    /**
     * @param header required first line, after comments, which begin with #
     * @param line set to the next line after the header that is no comment, as by Next
     * @return false at the end of the file
     * @throws InputError at another header, and as Next
     */
    bool NextRow(const std::string& header, std::string_view& line);

    /**
     * @param message what is wrong with the last line from Next
     * @throws InputError naming file, line and message
     */
    [[noreturn]] void Fail(const std::string& message) const;

    /**
     * @param isGood whether nothing is wrong with the line
     * @param message as Fail
     */
    void Check(bool isGood, const std::string& message) const
    {
        if (!isGood)
        {
            Fail(message);
        }
    }

    /**
     * @param isGood whether nothing is wrong with the file
     * @param message what is wrong otherwise
     * @throws InputError naming file and message
     */
    void CheckFile(bool isGood, const std::string& message) const;

    /**
     * @param isGood whether nothing is wrong with a field
     * @param what the field
     * @param found its text
     * @param expected what it should be
     * @throws InputError naming file, line and all of these
     */
    void CheckField(bool isGood,
                    std::string_view what,
                    std::string_view found,
                    std::string_view expected) const;

    /**
     * @param what the field, for the message
     * @param text the field's text
     * @param least smallest value
     * @param most largest value
     * @param expected what it should be, for the message; null: a number in that range
     * @return the number
     * @throws InputError if it is no decimal number in that range
     */
    double ParseNumber(std::string_view what,
                       std::string_view text,
                       double least,
                       double most,
                       const char* expected = nullptr) const;

  private:
    std::string m_path;      //!< the file
    std::string m_text;      //!< all of it
    std::size_t m_cursor{0}; //!< bytes read
    uint64_t m_line{0};      //!< lines read
    bool m_hasHeader{false}; //!< whether NextRow has read the header
};

/**
 * @param text a text
 * @return the text without blanks and carriage returns at its ends
 */
std::string_view TrimBlanks(std::string_view text);

/**
 * @param rest of a line; set to the text after the separator, or to nothing
 * @param separator a byte
 * @return the text before the separator, without blanks at its ends
 */
std::string_view TakeField(std::string_view& rest, char separator);

/**
 * @param line of a CSV file
 * @return its fields, without blanks at their ends
 */
std::vector<std::string_view> SplitFields(std::string_view line);

/**
 * @param text any text
 * @return its beginning in quotes, fit for a message
 */
std::string QuoteBriefly(std::string_view text);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TEXT_LINES_H */
