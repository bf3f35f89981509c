/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-lines.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** A file descriptor, closed in the end. */
class OpenFile
{
  public:
    /** @param path a file; O_NONBLOCK since opening a pipe would wait for its writer */
    explicit OpenFile(const std::string& path)
        : m_descriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    {
    }

    ~OpenFile()
    {
        if (m_descriptor >= 0)
        {
            close(m_descriptor);
        }
    }

    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    /** @return the descriptor, negative if the file could not be opened */
    int Get() const
    {
        return m_descriptor;
    }

  private:
    int m_descriptor; //!< the descriptor
};

} // namespace

TraceLines::TraceLines(std::string path)
    : m_path(std::move(path)),
      m_buffer(2 * LONGEST)
{
    if (!Fill())
    {
        FailFile("found an empty file, expected a recording");
    }
}

bool
TraceLines::Fill()
{
    m_size -= m_cursor;
    std::memmove(m_buffer.data(), m_buffer.data() + m_cursor, m_size);
    m_start += m_cursor;
    m_cursor = 0;

    const auto fail = [this](int error) {
        FailFile(std::string("cannot be read: ") + std::strerror(error));
    };
    const OpenFile file(m_path);
    struct stat status;
    if (file.Get() < 0 || fstat(file.Get(), &status) != 0)
    {
        fail(errno);
    }
    if (!S_ISREG(status.st_mode))
    {
        FailFile(S_ISDIR(status.st_mode) ? "found a folder, expected a file"
                                         : "found a device or pipe, expected a plain file");
    }
    ssize_t count;
    do
    {
        count = pread(file.Get(),
                      m_buffer.data() + m_size,
                      m_buffer.size() - m_size,
                      static_cast<off_t>(m_start + m_size));
    } while (count < 0 && errno == EINTR);
    if (count < 0)
    {
        fail(errno);
    }
    m_size += count;
    return count > 0;
}

bool
TraceLines::Next(std::string_view& line)
{
    while (true)
    {
        const char* begin = m_buffer.data() + m_cursor;
        const std::size_t left = m_size - m_cursor;
        const void* end = std::memchr(begin, '\n', left);
        if (!end && left <= LONGEST && Fill())
        {
            continue;
        }
        begin = m_buffer.data() + m_cursor;
        if (!end && left == 0)
        {
            return false;
        }
        const std::size_t length = end ? static_cast<const char*>(end) - begin : left;
        ++m_line;
        if (length > LONGEST)
        {
            Fail("found a line longer than " + std::to_string(LONGEST) + " bytes, expected text");
        }
        if (std::memchr(begin, '\0', length))
        {
            Fail("found a NUL byte, expected text");
        }
        line = std::string_view(begin, length);
        constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
        if (m_start + m_cursor == 0 && line.substr(0, byteOrderMark.size()) == byteOrderMark)
        {
            line.remove_prefix(byteOrderMark.size());
        }
        m_cursor += length + (end ? 1 : 0);
        line = TrimBlanks(line);
        if (!line.empty())
        {
            return true;
        }
    }
}

TraceLines::Position
TraceLines::GetPosition() const
{
    return {m_start + m_cursor, m_line};
}

void
TraceLines::Seek(Position position)
{
    m_line = position.line;
    if (position.byte >= m_start && position.byte - m_start <= m_size)
    {
        m_cursor = position.byte - m_start;
        return;
    }
    m_start = position.byte;
    m_size = 0;
    m_cursor = 0;
}

void
TraceLines::Fail(const std::string& message) const
{
    FailFile("line " + std::to_string(m_line) + ": " + message);
}

void
TraceLines::FailFile(const std::string& message) const
{
    throw InputError(m_path + ": " + message);
}

void
TraceLines::FailField(std::string_view what,
                      std::string_view found,
                      const std::string& expected) const
{
    Fail(std::string(what) + ": found " + QuoteBriefly(found) + ", expected " + expected);
}

double
TraceLines::ParseNumber(std::string_view what,
                        std::string_view text,
                        double least,
                        double most) const
{
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || !(number >= least && number <= most))
    {
        std::ostringstream range;
        range << "a number from " << least << " to " << most;
        FailField(what, text, range.str());
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

std::string
QuoteBriefly(std::string_view text)
{
    constexpr std::size_t longest = 60;
    return QuoteForMessage(std::string(text.substr(0, longest)) +
                           (text.size() > longest ? "..." : ""));
}

} // namespace edgepipe
} // namespace ns3
