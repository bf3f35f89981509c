/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-cases.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

const std::vector<DgpasNetwork>&
GetDgpasNetworks()
{
    static const std::vector<DgpasNetwork> networks{
        {"lan-1g", "1 Gbit/s LAN", "lan", "1Gbps"},
        {"lan-100m", "100 Mbit/s LAN", "lan", "100Mbps"},
        {"wifi-ac", "802.11ac", "wifi", ""},
        // What the paper's own simulation takes tensors to get: the memory of a Jetson Xavier NX.
        {"memory", "LAN like memory, 51.2 GB/s", "lan", "409.6Gbps"}};
    return networks;
}

DgpasFigure
GetDgpasSeconds(DgpasHelp help)
{
    return [help](const DgpasCase& one) { return one.outcomes.Get(help).iterationSeconds; };
}

void
DgpasCases::Add(DgpasCase one)
{
    m_cases.push_back(std::move(one));
}

const std::vector<DgpasCase>&
DgpasCases::GetAll() const
{
    return m_cases;
}

std::optional<MeanInterval>
DgpasCases::Estimate(std::size_t model,
                     std::size_t network,
                     std::size_t method,
                     const DgpasFigure& figure) const
{
    std::vector<double> sample;
    for (const DgpasCase& one : m_cases)
    {
        if (one.model == model && one.network == network && one.method == method)
        {
            if (!one.outcomes.IsFinished())
            {
                return std::nullopt;
            }
            sample.push_back(figure(one));
        }
    }
    return sample.empty() ? std::nullopt : std::make_optional(EstimateMean(sample));
}

const DgpasCase*
DgpasCases::FindFirst(std::size_t model, std::size_t network, std::size_t method) const
{
    const auto found = std::find_if(m_cases.begin(), m_cases.end(), [&](const DgpasCase& one) {
        return one.model == model && one.network == network && one.method == method;
    });
    return found == m_cases.end() ? nullptr : &*found;
}

} // namespace edgepipe
} // namespace ns3
