/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_FORMAT_H
#define EDGEPIPE_DGPAS_FORMAT_H

#include "lib/mean-interval.h"

#include <optional>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @param value a number, if there is one
 * @return it for people, to three digits
 */
std::string FormatIfAny(const std::optional<double>& value);

/**
 * @param share a share, if there is one
 * @return it for people, in percent
 */
std::string FormatShareIfAny(const std::optional<double>& share);

/**
 * @param interval a mean
 * @return it for people, with the half width unless that is 0
 */
std::string FormatInterval(const MeanInterval& interval);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_FORMAT_H */
