/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CONNECT_H
#define EDGEPIPE_CONNECT_H

#include "ns3/callback.h"
#include "ns3/ptr.h"

#include <functional>
#include <string>
#include <utility>

namespace ns3::edgepipe
{

/**
 * @param function the function to call
 * @return a callback that calls it
 */
template <typename... Arguments>
Callback<void, Arguments...>
AsCallback(std::function<void(Arguments...)> function)
{
    return Callback<void, Arguments...>(std::move(function));
}

/**
 * Call a function whenever a trace source fires.
 *
 * @param object the object with the source
 * @param source its name
 * @param function takes exactly the source's arguments
 */
template <typename Object, typename Function>
void
Connect(const Ptr<Object>& object, const std::string& source, Function function)
{
    object->TraceConnectWithoutContext(source, AsCallback(std::function(std::move(function))));
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CONNECT_H */
