/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JSON_READER_H
#define EDGEPIPE_JSON_READER_H

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * One value of a JSON file with its place in the file.
 *
 * Every accessor throws InputError when the value has the wrong type or is out of range; the
 * message names the file and the path of the value, what was found and what was expected, as in
 * `testbed.json: devices[2].count: found "two", expected a positive integer`. A field shares
 * ownership of its file's contents, so it may outlive the field it came from.
 */
class JsonField
{
  public:
    /** Largest integer that every JSON implementation keeps exactly, 2^53. */
    static constexpr uint64_t MAX_INTEGER = uint64_t{1} << 53;

    /**
     * @param document the whole parsed file, kept alive by this field
     * @param value the value itself, inside the document
     * @param file the name used in messages
     * @param path where the value stands in the file; empty for the outermost value
     */
    JsonField(std::shared_ptr<const nlohmann::json> document,
              const nlohmann::json& value,
              std::string file,
              std::string path);

    /**
     * Refuses a value that is not an object, or that has a key outside the given ones.
     * @param keys every key the object may have
     */
    void CheckKeys(const std::vector<const char*>& keys) const;

    /**
     * Refuses a file of another format.
     * @param format required value of this object's field "format"
     */
    void CheckFormat(const std::string& format) const;

    /**
     * @param key a key of this object
     * @return the field; its absence is an error
     */
    JsonField GetField(const std::string& key) const;

    /**
     * @param key a key of this object
     * @return the field, if there is one
     */
    std::optional<JsonField> FindField(const std::string& key) const;

    /** @return whether this is an array */
    bool IsList() const;

    /** @return the elements of this array, in order */
    std::vector<JsonField> GetElements() const;

    /** @return the members of this object, by key in alphabetical order */
    std::vector<std::pair<std::string, JsonField>> GetMembers() const;

    /** @return this truth value, true or false */
    bool GetBoolean() const;

    /** @return this string */
    std::string GetString() const;

    /** @return this string, or this number, true or false as JSON text */
    std::string GetText() const;

    /** @return the file and the path of this value, for messages */
    std::string GetPlace() const
    {
        return m_file + (m_path.empty() ? "" : ": " + m_path);
    }

    /** @return this string, which must not be empty nor hold control characters */
    std::string GetName() const;

    /** @return this string, which must be a file name without slashes or a leading dot */
    std::string GetFileStem() const;

    /**
     * @param minimum the least allowed value
     * @param maximum the largest allowed value
     * @return this integer; 1e9 is accepted, 0.5 is not
     */
    uint64_t GetInteger(uint64_t minimum = 0, uint64_t maximum = MAX_INTEGER) const;

    /**
     * @param minimum the least allowed value
     * @return this finite number
     */
    double GetNumber(double minimum = std::numeric_limits<double>::lowest()) const;

    /** @return this finite number, which must be above zero */
    double GetPositiveNumber() const;

    /**
     * Reports this value as wrong.
     * @param expected what should stand here
     */
    [[noreturn]] void Fail(const std::string& expected) const;

    /**
     * Reports an error about this value, with the caller's message.
     * @param message what is wrong
     */
    [[noreturn]] void FailWith(const std::string& message) const;

    /**
     * @param isSo whether the value is as expected
     * @param expected what it must be
     * @throws InputError if it is not
     */
    template <typename Text>
    void Expect(bool isSo, const Text& expected) const
    {
        if (!isSo)
        {
            Fail(expected);
        }
    }

  private:
    std::shared_ptr<const nlohmann::json> m_document; //!< keeps m_value alive
    const nlohmann::json* m_value;                    //!< this value
    std::string m_file;                               //!< for messages
    std::string m_path;                               //!< for messages
};

/**
 * Reads a JSON file.
 *
 * @param path the file
 * @return its outermost value
 * @throws InputError when the file cannot be read, is not JSON (with line and column), or gives
 *         a key of one object twice
 */
JsonField ReadJsonFile(const std::string& path);

/**
 * Parses JSON text.
 *
 * @param text the JSON text
 * @param name stands for the file name in messages
 * @return its outermost value
 * @throws InputError as ReadJsonFile does
 */
JsonField ParseJsonText(const std::string& text, const std::string& name);

/**
 * @param text any text
 * @return the text in double quotes with control characters escaped: fit for a one-line message
 */
std::string QuoteForMessage(const std::string& text);

/**
 * Reads a whole file.
 *
 * @param path the file
 * @return its contents
 * @throws InputError when it cannot be read, or has more than 256 MiB
 */
std::string ReadTextFile(const std::string& path);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_JSON_READER_H */
