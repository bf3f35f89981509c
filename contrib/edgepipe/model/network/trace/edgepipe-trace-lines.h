/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_LINES_H
#define EDGEPIPE_TRACE_LINES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * The lines of a text file of any size, in constant memory.
 *
 * The file is open only while a buffer is filled, so that thousands of links may each replay their
 * own recording. A file that fits into the buffer is read once, however often it is gone through.
 */
class TraceLines
{
  public:
    static constexpr std::size_t LONGEST = 8192; //!< bytes of a line, without its end

    /** A place between two lines. */
    struct Position
    {
        uint64_t byte{0}; //!< bytes before it
        uint64_t line{0}; //!< lines before it
    };

    /**
     * @param path a plain file: no folder, device or pipe
     * @throws InputError if it is none or cannot be read
     */
    explicit TraceLines(std::string path);

    /**
     * @param line set to the next line that is not blank, without blanks at its ends; valid until
     *             the next call
     * @return false at the end of the file
     * @throws InputError at a line longer than LONGEST, a NUL byte, or if reading fails
     */
    bool Next(std::string_view& line);

    /** @return the place behind the line that Next gave last */
    Position GetPosition() const;

    /** @param position where to go on reading, as GetPosition returned it */
    void Seek(Position position);

    /**
     * @param message what is wrong with the line that Next gave last
     * @throws InputError naming file, line and message
     */
    [[noreturn]] void Fail(const std::string& message) const;

    /**
     * @param message what is wrong with the file
     * @throws InputError naming file and message
     */
    [[noreturn]] void FailFile(const std::string& message) const;

    /**
     * @param what the field
     * @param found its text
     * @param expected what it should be
     * @throws InputError naming file, line and all of these
     */
    [[noreturn]] void FailField(std::string_view what,
                                std::string_view found,
                                const std::string& expected) const;

    /**
     * @param what the field, for the message
     * @param text the field's text
     * @param least smallest value
     * @param most largest value
     * @return the number
     * @throws InputError if it is no decimal number in that range
     */
    double ParseNumber(std::string_view what,
                       std::string_view text,
                       double least,
                       double most) const;

  private:
    /** @return whether there was more to read */
    bool Fill();

    std::string m_path;         //!< the file
    std::vector<char> m_buffer; //!< a part of it
    std::size_t m_size{0};      //!< bytes in the buffer
    std::size_t m_cursor{0};    //!< of them, those read
    uint64_t m_start{0};        //!< where the buffer lies in the file
    uint64_t m_line{0};         //!< lines read
};

/**
 * @param text a text
 * @return the text without blanks and carriage returns at its ends
 */
std::string_view TrimBlanks(std::string_view text);

/**
 * @param rest of a line; what follows the separator, or nothing, is left in it
 * @param separator a byte
 * @return what stands before the separator, without blanks at its ends
 */
std::string_view TakeField(std::string_view& rest, char separator);

/**
 * @param text any text
 * @return its beginning in quotes, fit for a message
 */
std::string QuoteBriefly(std::string_view text);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRACE_LINES_H */
