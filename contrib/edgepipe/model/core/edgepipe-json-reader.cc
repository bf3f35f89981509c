/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-json-reader.h"

#include "edgepipe-input-error.h"
#include "edgepipe-join-words.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

using nlohmann::json;

/**
 * @param value a JSON value
 * @return the value for a message, shortened
 */
std::string
Describe(const json& value)
{
    if (value.is_structured())
    {
        return value.is_object() ? "an object" : "an array";
    }
    constexpr std::size_t longest = 60;
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/**
 * @param text a text
 * @param byte number of bytes read when the error was found
 * @return the place as "line L, column C", both from 1
 */
std::string
Locate(const std::string& text, std::size_t byte)
{
    std::size_t end = std::min(byte > 0 ? byte - 1 : 0, text.size());
    std::size_t line = 1 + std::count(text.begin(), text.begin() + end, '\n');
    std::size_t lineStart = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    std::size_t column = lineStart == std::string::npos ? end + 1 : end - lineStart;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/**
 * @param error the JSON library's error
 * @return its last part, without the library's own prefix and place
 */
std::string
Reason(const json::exception& error)
{
    std::string what = error.what();
    for (const std::string mark : {"syntax error ", "] "})
    {
        std::size_t at = what.find(mark);
        if (at != std::string::npos)
        {
            std::string reason = what.substr(mark == "] " ? at + mark.size() : at);
            // The last token may be as long as the file; line and column suffice.
            std::size_t quote = reason.find("; last read: ");
            if (quote != std::string::npos)
            {
                std::size_t tail = reason.rfind("; expected ");
                bool hasTail = tail != std::string::npos && tail > quote;
                reason = reason.substr(0, quote) + (hasTail ? reason.substr(tail) : "");
            }
            std::replace_if(
                reason.begin(),
                reason.end(),
                [](unsigned char c) { return c < ' ' || c > '~'; },
                '?');
            return reason;
        }
    }
    return what;
}

} // namespace

JsonField::JsonField(std::shared_ptr<const json> document,
                     const json& value,
                     std::string file,
                     std::string path)
    : m_document(std::move(document)),
      m_value(&value),
      m_file(std::move(file)),
      m_path(std::move(path))
{
}

void
JsonField::CheckKeys(const std::vector<const char*>& keys) const
{
    Expect(m_value->is_object(), "an object");
    for (const auto& [key, value] : m_value->items())
    {
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
        {
            FailWith("unknown key " + QuoteForMessage(key) + ", expected one of " +
                     JoinWords(keys));
        }
    }
}

void
JsonField::CheckFormat(const std::string& format) const
{
    const JsonField field = GetField("format");
    field.Expect(field.GetString() == format, QuoteForMessage(format));
}

JsonField
JsonField::GetField(const std::string& key) const
{
    std::optional<JsonField> field = FindField(key);
    if (!field)
    {
        FailWith("key " + QuoteForMessage(key) + " is missing");
    }
    return *field;
}

std::optional<JsonField>
JsonField::FindField(const std::string& key) const
{
    Expect(m_value->is_object(), "an object");
    auto found = m_value->find(key);
    if (found == m_value->end())
    {
        return std::nullopt;
    }
    return JsonField(m_document, *found, m_file, m_path.empty() ? key : m_path + "." + key);
}

bool
JsonField::IsList() const
{
    return m_value->is_array();
}

std::vector<JsonField>
JsonField::GetElements() const
{
    Expect(m_value->is_array(), "an array");
    std::vector<JsonField> elements;
    elements.reserve(m_value->size());
    for (const json& element : *m_value)
    {
        std::string index = "[" + std::to_string(elements.size()) + "]";
        elements.emplace_back(m_document, element, m_file, m_path + index);
    }
    return elements;
}

std::vector<std::pair<std::string, JsonField>>
JsonField::GetMembers() const
{
    Expect(m_value->is_object(), "an object");
    std::vector<std::pair<std::string, JsonField>> members;
    for (const auto& [key, value] : m_value->items())
    {
        members.emplace_back(key, GetField(key));
    }
    return members;
}

bool
JsonField::GetBoolean() const
{
    Expect(m_value->is_boolean(), "true or false");
    return m_value->get<bool>();
}

std::string
JsonField::GetString() const
{
    Expect(m_value->is_string(), "a string");
    return m_value->get<std::string>();
}

std::string
JsonField::GetText() const
{
    Expect(m_value->is_primitive() && !m_value->is_null(), "a string or a number");
    return m_value->is_string() ? m_value->get<std::string>() : m_value->dump();
}

std::string
JsonField::GetName() const
{
    std::string name = m_value->is_string() ? m_value->get<std::string>() : "";
    auto isControl = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    Expect(!name.empty() && std::none_of(name.begin(), name.end(), isControl),
           "a name (not empty, no control characters)");
    return name;
}

std::string
JsonField::GetFileStem() const
{
    std::string name = GetName();
    Expect(name.front() != '.' && name.find_first_of("/\\") == std::string::npos,
           "a name without slashes");
    return name;
}

uint64_t
JsonField::GetInteger(uint64_t minimum, uint64_t maximum) const
{
    std::optional<uint64_t> integer;
    if (m_value->is_number_unsigned())
    {
        integer = m_value->get<uint64_t>();
    }
    else if (m_value->is_number_float())
    {
        double number = m_value->get<double>();
        if (number >= 0 && number <= static_cast<double>(MAX_INTEGER) &&
            number == std::floor(number))
        {
            integer = static_cast<uint64_t>(number);
        }
    }
    if (!integer || *integer < minimum || *integer > maximum)
    {
        std::string kind = minimum == 0 ? "an integer, 0 or more" : "a positive integer";
        if (minimum > 1)
        {
            kind = "an integer of at least " + std::to_string(minimum);
        }
        bool tooLarge = m_value->is_number() && m_value->get<double>() > minimum;
        Fail(tooLarge ? kind + ", at most " + std::to_string(maximum) : kind);
    }
    return *integer;
}

double
JsonField::GetNumber(double minimum) const
{
    double number = m_value->is_number() ? m_value->get<double>() : std::nan("");
    if (!std::isfinite(number) || number < minimum)
    {
        const bool isBounded = minimum > std::numeric_limits<double>::lowest();
        Fail(isBounded ? JoinParts("a number of at least ", minimum) : "a number");
    }
    return number;
}

double
JsonField::GetPositiveNumber() const
{
    double number = m_value->is_number() ? m_value->get<double>() : 0;
    Expect(std::isfinite(number) && number > 0, "a number above 0");
    return number;
}

void
JsonField::Fail(const std::string& expected) const
{
    FailWith("found " + Describe(*m_value) + ", expected " + expected);
}

void
JsonField::FailWith(const std::string& message) const
{
    throw InputError(GetPlace() + ": " + message);
}

JsonField
ReadJsonFile(const std::string& path)
{
    return ParseJsonText(ReadTextFile(path), path);
}

namespace
{

/** Takes any part of a JSON text. */
struct AnyPart
{
    /** @return true, as the parser is to go on */
    template <typename... Part>
    bool operator()(Part&&...) const
    {
        return true;
    }
};

/**
 * Refuses a key that is given twice in one object, of which the library would silently keep the
 * last value. Its parser with a callback takes a time that grows as the square of a list's length.
 */
struct DuplicateKeys
{
    bool start_object(std::size_t)
    {
        open.emplace_back();
        return true;
    }

    bool end_object()
    {
        open.pop_back();
        return true;
    }

    bool key(std::string& found)
    {
        Require(open.back().insert(found).second,
                name + ": key " + Describe(found) + " is given twice in one object");
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&)
    {
        return false; // the parser reports it
    }

    const std::string& name;                   //!< stands for the file name in messages
    std::vector<std::set<std::string>> open{}; //!< keys so far of each open object
    AnyPart null{};                            //!< and what else may come
    AnyPart boolean{};
    AnyPart number_integer{};
    AnyPart number_unsigned{};
    AnyPart number_float{};
    AnyPart string{};
    AnyPart binary{};
    AnyPart start_array{};
    AnyPart end_array{};
};

} // namespace

JsonField
ParseJsonText(const std::string& text, const std::string& name)
{
    auto document = std::make_shared<json>();
    try
    {
        DuplicateKeys keys{name};
        json::sax_parse(text, &keys);
        *document = json::parse(text);
    }
    catch (const json::parse_error& error)
    {
        throw InputError(name + ": " + Locate(text, error.byte) + ": not JSON: " + Reason(error));
    }
    catch (const json::exception& error)
    {
        throw InputError(name + ": not JSON: " + Reason(error));
    }
    return {document, *document, name, ""};
}

std::string
QuoteForMessage(const std::string& text)
{
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string
ReadTextFile(const std::string& path)
{
    // Reading a device, or a pipe that nobody opens for writing, may never end.
    std::error_code ignored;
    Require(std::filesystem::symlink_status(path, ignored).type() !=
                    std::filesystem::file_type::fifo &&
                !std::filesystem::is_character_file(path, ignored) &&
                !std::filesystem::is_block_file(path, ignored),
            path + ": found a device or pipe, expected a plain file");
    constexpr uintmax_t most = uintmax_t{1} << 28;
    const uintmax_t size = std::filesystem::file_size(path, ignored);
    Require(ignored || size <= most,
            path + ": found " + std::to_string(size) + " bytes, expected at most " +
                std::to_string(most));
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream contents;
    // Inserting an empty file fails without setting errno.
    const bool isRead = stream && (contents << stream.rdbuf() || errno == 0) && !stream.bad();
    Require(isRead, path + ": cannot be read: " + std::strerror(errno ? errno : EIO));
    return contents.str();
}

} // namespace ns3::edgepipe
