/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-json-table.h"

#include "edgepipe-join-words.h"

#include "ns3/edgepipe-ranges.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

using OrderedJson = nlohmann::ordered_json;

/**
 * @param value a list or an object
 * @return its text with one line per entry; a list without objects in one line
 */
std::string
DumpInLines(const OrderedJson& value)
{
    const bool isList = value.is_array();
    if (isList && !value.empty() && !value.front().is_object())
    {
        return DumpInLine(value);
    }
    std::string text;
    for (const auto& [key, entry] : value.items())
    {
        text += (text.empty() ? "\n    " : ",\n    ") + (isList ? "" : DumpInLine(key) + ": ") +
                DumpInLine(entry);
    }
    return (isList ? "[" : "{") + text + (isList ? "]" : "}");
}

/** @return the number in a field, 0 or more */
double
GetAmount(const JsonField& field)
{
    return field.GetNumber(0);
}

} // namespace

std::string
DumpInLine(const OrderedJson& json)
{
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void
JsonTable::Read(const JsonField& field, const std::function<void(JsonTable&)>& list)
{
    JsonTable keys(NOTE);
    keys.m_field = field;
    list(keys);
    field.CheckKeys(keys.m_keys);
    JsonTable table(READ);
    table.m_field = field;
    list(table);
}

OrderedJson
JsonTable::ToJson(const std::function<void(JsonTable&)>& list)
{
    JsonTable table(WRITE);
    list(table);
    return std::move(table.m_json);
}

std::string
JsonTable::Write(const std::function<void(JsonTable&)>& list)
{
    const OrderedJson json = ToJson(list);
    std::string text;
    bool isLong = false; // whether the previous member takes lines of its own
    for (const auto& [key, value] : json.items())
    {
        const bool wasLong = isLong;
        isLong = value.is_structured();
        text += text.empty() ? "{" : wasLong || isLong ? ",\n  " : ", ";
        text += DumpInLine(key) + ": " + (isLong ? DumpInLines(value) : DumpInLine(value));
    }
    return text + "}\n";
}

std::optional<JsonField>
JsonTable::TakeField(const char* key, bool isOptional)
{
    if (m_mode == NOTE)
    {
        m_keys.push_back(key);
    }
    return m_mode != READ ? std::nullopt
           : isOptional   ? m_field->FindField(key)
                          : m_field->GetField(key);
}

template <typename T, typename Get>
void
JsonTable::Values(const char* key, std::vector<T>& values, Get get, bool isOptional)
{
    if (const auto field = TakeField(key, isOptional))
    {
        values = Map(field->GetElements(), get);
    }
    if (m_mode == WRITE && (!isOptional || !values.empty()))
    {
        m_json[key] = values;
    }
}

void
JsonTable::Check(const char* key, bool isGood, const std::string& message) const
{
    if (m_mode == READ && !isGood)
    {
        m_field->GetField(key).FailWith(message);
    }
}

std::size_t
JsonTable::CountIfAny(const char* key, const char* one, const char* other) const
{
    if (m_mode != READ)
    {
        return 0;
    }
    const auto entries = m_field->GetField(key).GetElements();
    return std::any_of(entries.begin(),
                       entries.end(),
                       [&](const JsonField& entry) {
                           return entry.FindField(one) || entry.FindField(other);
                       })
               ? entries.size()
               : 0;
}

void
JsonTable::Kind(const std::string& kind)
{
    std::string found = kind;
    Value("problem", found, [&kind](const JsonField& field) {
        field.Expect(field.GetString() == kind, QuoteForMessage(kind));
        return kind;
    });
    Version();
}

void
JsonTable::Version()
{
    uint64_t version = VERSION;
    const auto get = [](const JsonField& field) {
        field.Expect(field.GetNumber() == VERSION, std::to_string(VERSION));
        return VERSION;
    };
    Value("formatVersion", version, get, true);
}

void
JsonTable::Plan(const std::string& model,
                std::size_t layers,
                const std::vector<const char*>& figures)
{
    if (m_mode == NOTE)
    {
        m_keys.insert(m_keys.end(), {"planner", "costDraws"});
        m_keys.insert(m_keys.end(), figures.begin(), figures.end());
    }
    Version();
    std::string name = model;
    const auto getName = [&model](const JsonField& field) {
        field.Expect(field.GetName() == model || model.empty(),
                     QuoteForMessage(model) + ", since the plan is for that model");
        return model;
    };
    Value("model", name, getName, true, !model.empty());
    uint64_t count = layers;
    const auto getCount = [layers](const JsonField& field) {
        field.Expect(layers == 0 || field.GetInteger(1) == layers,
                     std::to_string(layers) + ", which the model has");
        return layers;
    };
    Value("layerCount", count, getCount, true, layers > 0);
}

void
JsonTable::Unique(const char* key,
                  const std::string& value,
                  JsonNames& names,
                  const std::string& kind)
{
    if (m_mode == NOTE)
    {
        return;
    }
    if (!names.indices.emplace(value, names.names.size()).second && m_mode == READ)
    {
        m_field->GetField(key).Fail("a name that no other " + kind + " has");
    }
    names.names.push_back(value);
}

namespace
{

/**
 * @param field the name of an entry
 * @param names of the entries
 * @param what they are
 * @return its index
 */
std::size_t
FindNamed(const JsonField& field, const JsonNames& names, const std::string& what)
{
    const auto input = names.indices.find(field.GetString());
    field.Expect(input != names.indices.end(), "the name of " + what);
    return input->second;
}

} // namespace

void
JsonTable::Input(const char* key,
                 std::size_t& index,
                 const JsonNames& names,
                 const std::string& what)
{
    if (const auto field = TakeField(key))
    {
        index = FindNamed(*field, names, what);
    }
    if (m_mode == WRITE)
    {
        m_json[key] = names.names[index];
    }
}

void
JsonTable::Inputs(const char* key, std::vector<std::size_t>& indices, const JsonNames& names)
{
    if (const auto field = TakeField(key))
    {
        for (const JsonField& entry : field->GetElements())
        {
            indices.push_back(FindNamed(entry, names, EARLIER_LAYER));
        }
    }
    if (m_mode == WRITE)
    {
        auto& list = m_json[key] = OrderedJson::array();
        for (const std::size_t index : indices)
        {
            list.push_back(names.names[index]);
        }
    }
}

void
JsonTable::Integer(const char* key, uint64_t& value)
{
    Value(key, value, [](const JsonField& field) { return field.GetInteger(); });
}

void
JsonTable::IntegerIfAny(const char* key, uint32_t& value)
{
    const auto get = [](const JsonField& field) { return field.GetInteger(0, UINT32_MAX); };
    Value(key, value, get, true, value > 0);
}

void
JsonTable::Count(const char* key, uint32_t& value)
{
    Value(key, value, [](const JsonField& field) { return field.GetInteger(1, UINT32_MAX); });
}

void
JsonTable::Number(const char* key, double& value, bool isGiven)
{
    if (m_mode == NOTE || isGiven)
    {
        Value(key, value, GetAmount);
    }
}

void
JsonTable::NumberIfAny(const char* key, double& value, bool isGiven)
{
    Value(key, value, GetAmount, true, isGiven);
}

void
JsonTable::NumberOrNumbers(const char* one, const char* several, std::vector<double>& values)
{
    const auto field = TakeField(one, true);
    const auto fields = TakeField(several, true);
    if (m_mode == READ && field.has_value() == fields.has_value())
    {
        m_field->FailWith(std::string("found ") + (field ? "both" : "neither") + " of " + one +
                          " and " + several + ", expected one of them");
    }
    if (field || (m_mode == WRITE && values.size() == 1))
    {
        values.resize(1);
        Value(one, values.front(), GetAmount);
    }
    else if (m_mode != NOTE)
    {
        Numbers(several, values);
    }
}

std::size_t
JsonTable::Choice(const char* key, const std::vector<std::string>& words, std::size_t index)
{
    std::string word = words[index];
    const auto get = [&words](const JsonField& field) {
        field.Expect(std::count(words.begin(), words.end(), field.GetString()) > 0,
                     JoinWords(words, ", ", " or "));
        return field.GetString();
    };
    Value(key, word, get, true, index > 0);
    return std::find(words.begin(), words.end(), word) - words.begin();
}

void
JsonTable::Integers(const char* key, std::vector<uint64_t>& values, uint64_t least, uint64_t most)
{
    const auto get = [=](const JsonField& entry) { return entry.GetInteger(least, most); };
    Values(key, values, get, false);
}

void
JsonTable::Numbers(const char* key, std::vector<double>& values, bool isOptional)
{
    Values(key, values, GetAmount, isOptional);
}

} // namespace ns3::edgepipe
