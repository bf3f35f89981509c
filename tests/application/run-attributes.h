// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_RUN_ATTRIBUTES_H
#define EDGEPIPE_RUN_ATTRIBUTES_H

#include "runs/attribute-defaults.h"

#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-topology.h"
#include "ns3/nstime.h"
#include "ns3/string.h"

#include <map>
#include <sstream>
#include <string>
#include <type_traits>

/** Attributes that objects of one run have. */
class RunAttributes
{
  public:
    /// @param name of an attribute of edgepipe, such as InferenceDevice::Frames
    /// @param value a number, a boolean, a time or a text
    template <typename T>
    void Set(const std::string& name, const T& value)
    {
        std::ostringstream text;
        text.precision(17);
        if constexpr (std::is_same_v<T, ns3::Time>)
        {
            text << value.GetNanoSeconds() << "ns";
        }
        else
        {
            text << std::boolalpha << value;
        }
        m_values[name] = text.str();
    }

    /** @param defaults that objects are made with from now on */
    void Apply(ns3::edgepipe::AttributeDefaults& defaults) const
    {
        for (const auto& [name, value] : m_values)
        {
            defaults.Set(name, ns3::StringValue(value));
        }
    }

  private:
    std::map<std::string, std::string> m_values; //!< as text, by name
};

/// @return goodput of a lone transfer on a wire of the network at the start, payload bit/s
inline double
GetWireGoodput(const ns3::edgepipe::NetworkOptions& options)
{
    const auto topology = MakeTopology(options, {"", ""});
    const auto& wire = std::get<ns3::edgepipe::WireMedium>(topology.media.front());
    return wire.GetGoodput(options.mtuBytes, ns3::Time());
}

#endif /* EDGEPIPE_RUN_ATTRIBUTES_H */
