/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-json-table.h"

#include "edgepipe-join-words.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

using OrderedJson = nlohmann::ordered_json;

/**
 * @param value a list or an object
 * @return it with a line for each entry; a list of numbers in one line
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

} // namespace

std::string
DumpInLine(const OrderedJson& json)
{
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void
CheckFormVersion(const JsonField& root)
{
    const auto version = root.FindField("formatVersion");
    if (version && version->GetNumber() != JSON_FORM_VERSION)
    {
        version->Fail(std::to_string(JSON_FORM_VERSION));
    }
}

OrderedJson
MakePlanForm(const std::string& model, std::size_t layers)
{
    OrderedJson form{{"formatVersion", JSON_FORM_VERSION}};
    if (!model.empty())
    {
        form["model"] = model;
    }
    if (layers > 0)
    {
        form["layerCount"] = layers;
    }
    return form;
}

void
CheckPlanForm(const JsonField& root,
              const std::string& model,
              std::size_t layers,
              std::vector<const char*> more)
{
    more.insert(more.end(), {"planner", "formatVersion", "model", "layerCount"});
    root.CheckKeys(more);
    CheckFormVersion(root);
    const auto name = root.FindField("model");
    if (name && name->GetName() != model && !model.empty())
    {
        name->Fail(QuoteForMessage(model) + ", since the plan is for that model");
    }
    const auto count = root.FindField("layerCount");
    if (count && layers > 0 && count->GetInteger(1) != layers)
    {
        count->Fail(std::to_string(layers) + ", which the model has");
    }
}

JsonTable::JsonTable(Mode mode)
    : m_mode(mode),
      m_json(mode == WRITE ? std::make_shared<OrderedJson>(OrderedJson::object()) : nullptr)
{
}

void
JsonTable::Read(const JsonField& field, const std::function<void(JsonTable&)>& list)
{
    JsonTable keys(NOTE);
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
    return std::move(*table.m_json);
}

std::string
JsonTable::Write(const std::function<void(JsonTable&)>& list)
{
    const OrderedJson json = ToJson(list);
    std::string text;
    bool isLong = false; // whether the member before takes lines of its own
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
JsonTable::Take(const char* key, bool isOptional)
{
    if (m_mode == NOTE)
    {
        m_keys.push_back(key);
    }
    return m_mode != READ ? std::nullopt
           : isOptional   ? m_field->FindField(key)
                          : m_field->GetField(key);
}

template <typename T>
void
JsonTable::Put(const char* key, const T& value)
{
    if (m_mode == WRITE)
    {
        (*m_json)[key] = value;
    }
}

void
JsonTable::Begin(const char* key, bool isList)
{
    Put(key, isList ? OrderedJson::array() : OrderedJson::object());
}

void
JsonTable::Append(const char* key, const char* name, const std::function<void(JsonTable&)>& list)
{
    if (name)
    {
        (*m_json)[key][name] = ToJson(list);
    }
    else
    {
        (*m_json)[key].push_back(ToJson(list));
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
    const auto field = Take("problem");
    if (field && field->GetString() != kind)
    {
        field->Fail(QuoteForMessage(kind));
    }
    Put("problem", kind);
    if (m_mode == READ)
    {
        CheckFormVersion(*m_field);
    }
    Take("formatVersion", true);
    Put("formatVersion", JSON_FORM_VERSION);
}

void
JsonTable::Name(const char* key, std::string& value)
{
    if (const auto field = Take(key))
    {
        value = field->GetName();
    }
    Put(key, value);
}

void
JsonTable::NameIfAny(const char* key, std::string& value)
{
    if (const auto field = Take(key, true))
    {
        value = field->GetName();
    }
    if (!value.empty())
    {
        Put(key, value);
    }
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

void
JsonTable::Inputs(const char* key, std::vector<std::size_t>& indices, const JsonNames& names)
{
    if (const auto field = Take(key))
    {
        for (const JsonField& entry : field->GetElements())
        {
            const auto input = names.indices.find(entry.GetString());
            if (input == names.indices.end())
            {
                entry.Fail("the name of a layer that stands before this one");
            }
            indices.push_back(input->second);
        }
    }
    if (m_mode == WRITE)
    {
        OrderedJson list = OrderedJson::array();
        for (const std::size_t index : indices)
        {
            list.push_back(names.names[index]);
        }
        Put(key, list);
    }
}

void
JsonTable::Integer(const char* key, uint64_t& value)
{
    if (const auto field = Take(key))
    {
        value = field->GetInteger();
    }
    Put(key, value);
}

void
JsonTable::Count(const char* key, uint32_t& value)
{
    if (const auto field = Take(key))
    {
        value = static_cast<uint32_t>(field->GetInteger(1, std::numeric_limits<uint32_t>::max()));
    }
    Put(key, value);
}

void
JsonTable::Number(const char* key, double& value, bool isGiven)
{
    if (m_mode != NOTE && !isGiven)
    {
        return;
    }
    if (const auto field = Take(key))
    {
        value = field->GetNumber(0);
    }
    Put(key, value);
}

void
JsonTable::Positive(const char* key, double& value, bool isOptional)
{
    if (const auto field = Take(key, isOptional))
    {
        value = field->GetPositiveNumber();
    }
    if (!isOptional || value > 0)
    {
        Put(key, value);
    }
}

void
JsonTable::NumberIfAny(const char* key, double& value, bool isGiven)
{
    if (const auto field = Take(key, true))
    {
        value = field->GetNumber(0);
    }
    if (isGiven)
    {
        Put(key, value);
    }
}

void
JsonTable::NumberOrNumbers(const char* one, const char* several, std::vector<double>& values)
{
    const auto field = Take(one, true);
    const auto fields = Take(several, true);
    if (m_mode == READ && field.has_value() == fields.has_value())
    {
        m_field->FailWith(std::string("found ") + (field ? "both" : "neither") + " of " + one +
                          " and " + several + ", expected one of them");
    }
    if (field)
    {
        values.push_back(field->GetNumber(0));
    }
    else if (fields)
    {
        Numbers(several, values);
    }
    else if (values.size() == 1)
    {
        Put(one, values.front());
    }
    else
    {
        Put(several, values);
    }
}

void
JsonTable::Boolean(const char* key, bool& value)
{
    if (const auto field = Take(key, true))
    {
        value = field->GetBoolean();
    }
    Put(key, value);
}

std::size_t
JsonTable::Choice(const char* key, const std::vector<std::string>& words, std::size_t index)
{
    if (const auto field = Take(key, true))
    {
        const auto found = std::find(words.begin(), words.end(), field->GetString());
        if (found == words.end())
        {
            field->Fail(JoinWords(words, ", ", " or "));
        }
        index = found - words.begin();
    }
    if (index > 0)
    {
        Put(key, words[index]);
    }
    return index;
}

void
JsonTable::Integers(const char* key, std::vector<uint64_t>& values)
{
    if (const auto field = Take(key))
    {
        for (const JsonField& entry : field->GetElements())
        {
            values.push_back(entry.GetInteger());
        }
    }
    Put(key, values);
}

void
JsonTable::Numbers(const char* key, std::vector<double>& values)
{
    ReadNumbers(key, false, values);
    Put(key, values);
}

void
JsonTable::NumbersIfAny(const char* key, std::vector<double>& values)
{
    ReadNumbers(key, true, values);
    if (!values.empty())
    {
        Put(key, values);
    }
}

void
JsonTable::ReadNumbers(const char* key, bool isOptional, std::vector<double>& values)
{
    if (const auto field = Take(key, isOptional))
    {
        for (const JsonField& entry : field->GetElements())
        {
            values.push_back(entry.GetNumber(0));
        }
    }
}

} // namespace edgepipe
} // namespace ns3
