/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-format.h"

#include "lib/run-report.h"

#include "ns3/edgepipe-table.h"

namespace ns3
{
namespace edgepipe
{

std::string
FormatIfAny(const std::optional<double>& value)
{
    return value ? Table::Rounded(*value, 3) : "-";
}

std::string
FormatShareIfAny(const std::optional<double>& share)
{
    return share ? FormatPercent(*share) : "-";
}

std::string
FormatInterval(const MeanInterval& interval)
{
    return Table::Rounded(interval.mean) +
           (interval.halfWidth > 0 ? " ± " + Table::Rounded(interval.halfWidth, 2) : "");
}

} // namespace edgepipe
} // namespace ns3
