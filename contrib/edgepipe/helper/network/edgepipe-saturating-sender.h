/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SATURATING_SENDER_H
#define EDGEPIPE_SATURATING_SENDER_H

#include "ns3/edgepipe-tensor-transport.h"

#include <cstdint>

namespace ns3::edgepipe
{

/**
 * Send messages of 1 MB, one after another.
 *
 * @param transport between the devices; not a Ptr, since its own callback must not keep it alive
 * @param from the sender
 * @param to the receiver
 */
inline void
SendNextOf(TensorTransport* transport, uint32_t from, uint32_t to)
{
    transport->Send({from, to, 0, 0, 1000000, ""},
                    Callback<void>([transport, from, to] { SendNextOf(transport, from, to); }));
}

/**
 * @ingroup edgepipe
 *
 * Send from one device to another without end, from now on: messages of 1 MB, of which one is under
 * way and one more waits, so that the sender never pauses. The receiver must listen on port 0.
 *
 * @param transport between the devices; sending ends when it is disposed of
 * @param from the sender
 * @param to the receiver
 */
inline void
SendWithoutEnd(Ptr<TensorTransport> transport, uint32_t from, uint32_t to)
{
    SendNextOf(PeekPointer(transport), from, to);
    SendNextOf(PeekPointer(transport), from, to);
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SATURATING_SENDER_H */
