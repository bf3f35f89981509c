/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/actor-churn.h"

#include "ns3/double.h"
#include "ns3/edgepipe-time.h"
#include "ns3/random-variable-stream.h"

#include <numeric>
#include <utility>

namespace ns3
{
namespace edgepipe
{

std::vector<ActorChange>
DrawActorChanges(uint32_t actors,
                 uint32_t first,
                 double perMinute,
                 const Time& duration,
                 int64_t stream)
{
    std::vector<ActorChange> changes = JoinAll(first);
    if (perMinute <= 0)
    {
        return changes;
    }
    const auto interval = CreateObject<ExponentialRandomVariable>();
    interval->SetAttribute("Mean", DoubleValue(60 / perMinute));
    const auto coin = CreateObject<UniformRandomVariable>();
    const auto choice = CreateObject<UniformRandomVariable>();
    interval->SetStream(stream);
    coin->SetStream(stream + 1);
    choice->SetStream(stream + 2);
    std::vector<uint32_t> in(first);
    std::iota(in.begin(), in.end(), 0);
    std::vector<uint32_t> out(actors - first);
    std::iota(out.begin(), out.end(), first);
    const double end = duration.GetSeconds();
    for (double time = interval->GetValue(); time < end; time += interval->GetValue())
    {
        const bool isHeads = coin->GetValue() < 0.5;
        const bool isJoin = !out.empty() && (in.size() < 2 || isHeads);
        auto& from = isJoin ? out : in;
        if (!isJoin && in.size() < 2)
        {
            continue;
        }
        std::swap(from[choice->GetInteger(0, from.size() - 1)], from.back());
        changes.push_back({RoundSeconds(time), from.back(), isJoin});
        (isJoin ? in : out).push_back(from.back());
        from.pop_back();
    }
    return changes;
}

} // namespace edgepipe
} // namespace ns3
