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

PublishedDgpas
ReadPublishedDgpas(const std::string& path)
{
    const JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-dgpas 1");
    root.CheckKeys(
        {"format", "source", "trainingTimeReduction", "bubbleRateReduction", "models", "methods"});
    PublishedDgpas published;
    published.source = root.GetField("source").GetString();
    root.GetField("trainingTimeReduction").GetPositiveNumber();
    root.GetField("bubbleRateReduction").GetPositiveNumber();
    for (const JsonField& model : root.GetField("models").GetElements())
    {
        model.CheckKeys({"name", "file", "parameters", "multiplyAdds"});
        model.GetField("parameters").GetPositiveNumber();
        model.GetField("multiplyAdds").GetPositiveNumber();
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
