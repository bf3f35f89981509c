/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NS_SETTING_H
#define EDGEPIPE_NS_SETTING_H

#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Set one of ns-3's global values (RngRun) or the default of an attribute
 * (ns3::TcpSocket::SegmentSize), as ns-3's own command line does, but without its aborts.
 *
 * @param name of the global value or attribute
 * @param value what to set it to
 * @return false if ns-3 has neither a global value nor an attribute of that name
 * @throws InputError if ns-3 cannot work with the value
 */
bool SetNsValue(const std::string& name, const std::string& value);

/**
 * @param name of a type of ns-3, such as ns3::TcpSocket
 * @throws InputError if there is no such type
 */
void CheckNsType(const std::string& name);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NS_SETTING_H */
