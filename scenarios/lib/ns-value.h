/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NS_VALUE_H
#define EDGEPIPE_NS_VALUE_H

#include <string>

namespace ns3::edgepipe
{

/**
 * Set one of ns-3's global values (RngRun) or the default of an attribute
 * (ns3::TcpSocket::SegmentSize), as ns-3's own command line does, but without its aborts.
 *
 * @param name of the global value or attribute
 * @param value its new value
 * @return false if ns-3 has neither a global value nor an attribute of that name
 * @throws InputError if ns-3 cannot work with the value
 */
bool SetNsValue(const std::string& name, const std::string& value);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NS_VALUE_H */
