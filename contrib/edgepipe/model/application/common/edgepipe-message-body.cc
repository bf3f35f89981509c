/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-message-body.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Most characters of a malformed field quoted in an error message.
constexpr std::size_t QUOTED = 40;

/**
 * @param text of a field
 * @param value set to the number
 * @return whether the whole text is a number
 */
template <typename T>
bool
ParseWhole(std::string_view text, T& value)
{
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}

} // namespace

MessageBody::MessageBody()
{
    SetDigits(std::numeric_limits<double>::max_digits10);
}

MessageBody::MessageBody(const char* name, std::string_view text)
    : m_isRead(true),
      m_name(name),
      m_isAtEnd(text.empty()),
      m_left(text)
{
}

uint64_t
MessageBody::ReadInteger(const char* field, uint64_t most)
{
    const std::string_view found = TakeField();
    uint64_t integer = 0;
    if (!ParseWhole(found, integer) || integer > most)
    {
        Fail(field, found, "an integer from 0 to " + std::to_string(most));
    }
    return integer;
}

void
MessageBody::Read(const char* field, double& value)
{
    const std::string_view found = TakeField();
    if (!ParseWhole(found, value) || std::isnan(value))
    {
        Fail(field, found, "a number");
    }
}

void
MessageBody::Read(const char* field, std::string& value)
{
    const std::string_view found = TakeField();
    const auto isBlank = [](unsigned char c) { return c <= ' '; };
    if (!found.data() || std::any_of(found.begin(), found.end(), isBlank))
    {
        Fail(field, found, "a word");
    }
    value = found;
}

std::string_view
MessageBody::TakeField()
{
    if (m_isAtEnd)
    {
        return {};
    }
    const std::size_t end = m_left.find(' ');
    const std::string_view found = m_left.substr(0, end);
    m_isAtEnd = end == std::string_view::npos;
    m_left.remove_prefix(m_isAtEnd ? m_left.size() : end + 1);
    return found;
}

void
MessageBody::Fail(const std::string& place,
                  std::string_view found,
                  const std::string& expected) const
{
    throw InputError(
        m_name + (place.empty() ? "" : ": " + place) + ": found " +
        (found.data() ? QuoteForMessage(std::string(found.substr(0, QUOTED))) : "the end") +
        ", expected " + expected);
}

} // namespace ns3::edgepipe
