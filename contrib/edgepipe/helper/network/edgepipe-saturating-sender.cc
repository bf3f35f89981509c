/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-saturating-sender.h"

namespace ns3::edgepipe
{

namespace
{

/// Payload of one message, bytes.
constexpr uint64_t MESSAGE_BYTES = 1000000;

/**
 * Send one message, and after it another.
 *
 * @param transport between the devices
 * @param from the sender
 * @param to the receiver
 */
void
SendNext(TensorTransport* transport, uint32_t from, uint32_t to)
{
    transport->Send({from, to, 0, 0, MESSAGE_BYTES, ""},
                    Callback<void>([transport, from, to] { SendNext(transport, from, to); }));
}

} // namespace

void
SendWithoutEnd(Ptr<TensorTransport> transport, uint32_t from, uint32_t to)
{
    // A callback that the transport itself holds must not keep it alive.
    SendNext(PeekPointer(transport), from, to);
    SendNext(PeekPointer(transport), from, to);
}

} // namespace ns3::edgepipe
