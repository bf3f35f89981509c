/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-assistance-split.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// The clock's resolution; what gains no more gains nothing, seconds.
constexpr double TICK = 1e-9;

} // namespace

AssistanceAnswer
SplitSamples(const AssistanceQuestion& question)
{
    const AssistanceQuestion& q = question;
    const auto getSeconds = [&q](double samples) {
        return std::max(q.ownerSeconds - samples * q.ownerSecondsPerSample,
                        q.helperSeconds + samples * q.helperSecondsPerSample);
    };
    const AssistanceAnswer none{0, q.ownerSeconds};
    const double slopes = q.ownerSecondsPerSample + q.helperSecondsPerSample;
    if (!(slopes > 0) || q.mostSamples == 0)
    {
        return none;
    }
    const double balanced = (q.ownerSeconds - q.helperSeconds) / slopes;
    const double most = q.mostSamples;
    const double fewer = std::clamp(std::floor(balanced), 0.0, most);
    const double more = std::clamp(std::ceil(balanced), 0.0, most);
    const double samples = getSeconds(more) < getSeconds(fewer) ? more : fewer;
    const double seconds = getSeconds(samples);
    if (samples == 0 || q.ownerSeconds - seconds <= std::max(TICK, q.minimumGainSeconds))
    {
        return none;
    }
    return {static_cast<uint32_t>(samples), seconds};
}

} // namespace edgepipe
} // namespace ns3
