/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/published-dgpas.h"

#include "ns3/edgepipe-json-reader.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param field a row of table 3
 * @param models how many there are
 * @return it
 */
PublishedDgpasMethod
ReadMethod(const JsonField& field, std::size_t models)
{
    field.CheckKeys({"name", "kind", "seconds"});
    PublishedDgpasMethod method{field.GetField("name").GetName(),
                                field.GetField("kind").GetString(),
                                {}};
    if (method.kind != "dgpas" && method.kind != "planner" && method.kind != "execution")
    {
        field.GetField("kind").Fail("dgpas, planner or execution");
    }
    for (const JsonField& seconds : field.GetField("seconds").GetElements())
    {
        method.seconds.push_back(seconds.GetPositiveNumber());
    }
    if (method.seconds.size() != models)
    {
        field.GetField("seconds").Fail("a figure per model, " + std::to_string(models));
    }
    return method;
}

} // namespace

const PublishedDgpasMethod*
PublishedDgpas::Find(const std::string& name) const
{
    const auto found = std::find_if(methods.begin(), methods.end(), [&name](const auto& method) {
        return method.name == name;
    });
    return found == methods.end() ? nullptr : &*found;
}

const PublishedDgpasMethod&
PublishedDgpas::GetDgpas() const
{
    return *std::find_if(methods.begin(), methods.end(), [](const auto& method) {
        return method.kind == "dgpas";
    });
}

double
PublishedDgpas::GetTableReduction() const
{
    double sum = 0;
    std::size_t count = 0;
    for (const PublishedDgpasMethod& method : methods)
    {
        for (std::size_t i = 0; method.kind == "planner" && i < models.size(); ++i)
        {
            sum += 1 - GetDgpas().seconds[i] / method.seconds[i];
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

PublishedDgpas
ReadPublishedDgpas(const std::string& path)
{
    const JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-dgpas 1");
    root.CheckKeys(
        {"format", "source", "trainingTimeReduction", "bubbleRateReduction", "models", "methods"});
    PublishedDgpas published;
    published.source = root.GetField("source").GetString();
    published.trainingTimeReduction = root.GetField("trainingTimeReduction").GetPositiveNumber();
    published.bubbleRateReduction = root.GetField("bubbleRateReduction").GetPositiveNumber();
    for (const JsonField& model : root.GetField("models").GetElements())
    {
        model.CheckKeys({"name", "file"});
        published.models.push_back(
            {model.GetField("name").GetName(), model.GetField("file").GetFileStem()});
    }
    const JsonField methods = root.GetField("methods");
    for (const JsonField& method : methods.GetElements())
    {
        published.methods.push_back(ReadMethod(method, published.models.size()));
    }
    const auto& all = published.methods;
    if (std::count_if(all.begin(), all.end(), [](const auto& m) { return m.kind == "dgpas"; }) != 1)
    {
        methods.Fail("one method of kind dgpas");
    }
    return published;
}

} // namespace edgepipe
} // namespace ns3
