/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JSON_TABLE_H
#define EDGEPIPE_JSON_TABLE_H

#include "edgepipe-input-error.h"
#include "edgepipe-json-reader.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::edgepipe
{

/** Names of earlier entries of a list, which later ones refer to. */
struct JsonNames
{
    JsonNames() = default;

    /** @param entries with different names */
    template <typename Entry>
    explicit JsonNames(const std::vector<Entry>& entries)
    {
        for (const Entry& entry : entries)
        {
            indices.emplace(entry.name, names.size());
            names.push_back(entry.name);
        }
    }

    std::vector<std::string> names;                       //!< in order
    std::unordered_map<std::string, std::size_t> indices; //!< by name
};

/**
 * The fields of a JSON object, listed once for both reading and writing.
 *
 * A function lists the fields in their order by calling the methods below on a table that reads or
 * writes. Before reading, it is called with a table that only notes the keys, since an object with
 * any other key is refused. Errors are those of JsonField.
 */
class JsonTable
{
  public:
    /// What Input and Inputs name unless told otherwise.
    static constexpr const char* EARLIER_LAYER = "a layer that stands before this one";

    /**
     * @param field an object
     * @param list lists its fields
     * @throws InputError if the object does not match the list
     */
    static void Read(const JsonField& field, const std::function<void(JsonTable&)>& list);

    /**
     * @param list lists the fields of an object
     * @return its text: members that are lists or objects start a line, as do their entries, except
     *         in lists without objects; other members share lines
     */
    static std::string Write(const std::function<void(JsonTable&)>& list);

    /**
     * @param list lists the fields of an object
     * @return the object
     */
    static nlohmann::ordered_json ToJson(const std::function<void(JsonTable&)>& list);

    /**
     * The kind of problem and the version of its format; the version may be missing.
     * @param kind required value of the field "problem"
     */
    void Kind(const std::string& kind);

    /**
     * The fields that plans of all kinds begin with; when reading, none needs to be there.
     *
     * @param model name of the model that the plan is for; empty: not known
     * @param layers number of its layers; 0: the plan does not depend on them
     * @param figures keys of figures that may stand beside the plan
     */
    void Plan(const std::string& model,
              std::size_t layers,
              const std::vector<const char*>& figures = {});

    /** @return whether an object is being read */
    bool IsReading() const
    {
        return m_mode == READ;
    }

    /**
     * @param key of a name (JsonField::GetName)
     * @param value the name
     * @param isOptional whether it may be missing; an empty one is then not written
     */
    void Name(const char* key, std::string& value, bool isOptional = false)
    {
        Value(key, value, &JsonField::GetName, isOptional, !isOptional || !value.empty());
    }

    /**
     * Records a name for later entries, once it has been read or written.
     *
     * @param key of a name
     * @param value the name; refused if an earlier entry has it
     * @param names of earlier entries
     * @param kind of the entries, such as "layer"
     */
    void Unique(const char* key,
                const std::string& value,
                JsonNames& names,
                const std::string& kind);

    /**
     * @param key of a list of names of earlier layers
     * @param indices of the layers named
     * @param names of the earlier layers
     */
    void Inputs(const char* key, std::vector<std::size_t>& indices, const JsonNames& names);

    /**
     * @param key of a name
     * @param index of the entry named
     * @param names of the entries
     * @param what the entries are
     */
    void Input(const char* key,
               std::size_t& index,
               const JsonNames& names,
               const std::string& what = EARLIER_LAYER);

    /**
     * @param key of an integer
     * @param value the integer, 0 or more
     */
    void Integer(const char* key, uint64_t& value);

    /**
     * @param key of an integer that may be missing
     * @param value the integer, 0 or more; 0 is not written
     */
    void IntegerIfAny(const char* key, uint32_t& value);

    /**
     * @param key of an integer
     * @param value the integer, above 0
     */
    void Count(const char* key, uint32_t& value);

    /**
     * @param key of a number
     * @param value the number, 0 or more
     * @param isGiven whether the object has the field
     */
    void Number(const char* key, double& value, bool isGiven = true);

    /**
     * @param key of a number that may be missing
     * @param value the number, 0 or more
     * @param isGiven whether to write it
     */
    void NumberIfAny(const char* key, double& value, bool isGiven = true);

    /**
     * @param key of a number
     * @param value the number, above 0
     * @param isOptional whether it may be missing, which leaves the value as it was; 0 is then
     *        not written
     */
    void Positive(const char* key, double& value, bool isOptional = false)
    {
        Value(key, value, &JsonField::GetPositiveNumber, isOptional, !isOptional || value > 0);
    }

    /**
     * @param key of a word; the first word is the default and is not written
     * @param words the allowed words
     * @param index of the value among them
     * @return the value's index, as read
     */
    std::size_t Choice(const char* key, const std::vector<std::string>& words, std::size_t index);

    /**
     * @param one key of a number
     * @param several key of a list of numbers; the object has exactly one of the two keys
     * @param values the numbers, 0 or more each; a single one is written as a number
     */
    void NumberOrNumbers(const char* one, const char* several, std::vector<double>& values);

    /**
     * @param key of a list of integers
     * @param values the integers
     * @param least the least that each may be
     * @param most the largest
     */
    void Integers(const char* key,
                  std::vector<uint64_t>& values,
                  uint64_t least = 0,
                  uint64_t most = JsonField::MAX_INTEGER);

    /**
     * @param key of a list of numbers
     * @param values the numbers, 0 or more each
     * @param isOptional whether it may be missing; an empty list is then not written
     */
    void Numbers(const char* key, std::vector<double>& values, bool isOptional = false);

    /**
     * @param key of a field
     * @param value its value
     * @param get reads a value from a JsonField
     * @param isOptional whether it may be missing
     * @param isGiven whether to write it
     */
    template <typename T, typename Get>
    void Value(const char* key, T& value, Get get, bool isOptional = false, bool isGiven = true)
    {
        if (const auto field = TakeField(key, isOptional))
        {
            value = std::invoke(get, *field);
        }
        if (m_mode == WRITE && isGiven)
        {
            m_json[key] = value;
        }
    }

    /**
     * @param key of a list of objects
     * @param values the entries
     * @param list called with a table and a value; lists the fields of an entry
     * @param isOptional whether it may be missing; an empty one is then not written
     */
    template <typename T, typename List>
    void Elements(const char* key, std::vector<T>& values, List list, bool isOptional = false)
    {
        if (const auto field = TakeField(key, isOptional))
        {
            for (const JsonField& entry : field->GetElements())
            {
                values.emplace_back();
                Read(entry, [&](JsonTable& table) { list(table, values.back()); });
            }
        }
        else if (m_mode == WRITE && !(isOptional && values.empty()))
        {
            auto& entries = m_json[key] = nlohmann::ordered_json::array();
            for (T& value : values)
            {
                entries.push_back(ToJson([&](JsonTable& table) { list(table, value); }));
            }
        }
    }

    /**
     * @param key of an object of objects
     * @param values the members, by key
     * @param list called with a table and a value; lists the fields of a member
     */
    template <typename T, typename List>
    void Members(const char* key, std::map<std::string, T>& values, List list)
    {
        if (const auto field = TakeField(key))
        {
            for (const auto& [name, entry] : field->GetMembers())
            {
                T& value = values[name];
                Read(entry, [&](JsonTable& table) { list(table, value); });
            }
        }
        else if (m_mode == WRITE)
        {
            auto& members = m_json[key] = nlohmann::ordered_json::object();
            for (auto& member : values)
            {
                members[member.first] =
                    ToJson([&](JsonTable& table) { list(table, member.second); });
            }
        }
    }

    /**
     * @param key of a field that an object may have
     * @param isGiven when writing, whether it does
     * @return whether the object has it
     */
    bool Has(const char* key, bool isGiven) const
    {
        return m_field ? m_field->FindField(key).has_value() : isGiven;
    }

    /**
     * When reading, refuse the whole object.
     *
     * @param isGood whether its values are allowed
     * @param message what is wrong otherwise
     */
    void Check(bool isGood, const std::string& message) const
    {
        if (m_mode == READ && !isGood)
        {
            m_field->FailWith(message);
        }
    }

    /**
     * When reading, refuse a field.
     *
     * @param key of the field
     * @param isGood whether its value is allowed
     * @param message what is wrong otherwise
     */
    void Check(const char* key, bool isGood, const std::string& message) const;

    /**
     * When reading, refuse the whole object.
     *
     * @param validate throws an InputError for an invalid value
     * @param value passed to it
     */
    template <typename T>
    void Check(void (*validate)(const T&), const T& value) const
    {
        try
        {
            if (m_mode == READ)
            {
                validate(value);
            }
        }
        catch (const InputError& error)
        {
            m_field->FailWith(error.what());
        }
    }

    /**
     * @param key of a list of objects
     * @param one a key
     * @param other another
     * @return when reading, the number of entries if any has either key; else 0
     */
    std::size_t CountIfAny(const char* key, const char* one, const char* other) const;

  private:
    /// Version of the formats of problems and plans.
    static constexpr uint64_t VERSION = 1;

    /// What is done with the fields.
    enum Mode
    {
        NOTE,
        READ,
        WRITE
    };

    /** @param mode what is done with the fields */
    explicit JsonTable(Mode mode)
        : m_mode(mode)
    {
    }

    /** The field "formatVersion", which may be missing. */
    void Version();

    /**
     * @param key of a field
     * @param isOptional whether it may be missing
     * @return when reading, the field
     */
    std::optional<JsonField> TakeField(const char* key, bool isOptional = false);

    /**
     * @param key of a list
     * @param values its values
     * @param get reads one from a JsonField
     * @param isOptional whether it may be missing; an empty list is then not written
     */
    template <typename T, typename Get>
    void Values(const char* key, std::vector<T>& values, Get get, bool isOptional);

    Mode m_mode;                      //!< what is done with the fields
    std::vector<const char*> m_keys;  //!< keys noted
    std::optional<JsonField> m_field; //!< object being read
    /// Object written.
    nlohmann::ordered_json m_json = nlohmann::ordered_json::object();
};

/**
 * @param json any value
 * @return its text in one line
 */
std::string DumpInLine(const nlohmann::ordered_json& json);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_JSON_TABLE_H */
