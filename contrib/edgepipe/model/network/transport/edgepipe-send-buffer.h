/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SEND_BUFFER_H
#define EDGEPIPE_SEND_BUFFER_H

#include <algorithm>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The send buffer of a TCP connection, as seen by a sender that writes to a blocking socket.
 *
 * A byte has been written when it has found room. Acknowledged bytes free room, but once the buffer
 * was full, Linux wakes the sender only when a third of it is free. Bytes are counted from the
 * connection's first.
 */
class SendBuffer
{
  public:
    /** @param bytes to be written after all others, >= 0 */
    void Add(double bytes)
    {
        m_given += bytes;
    }

    /**
     * Write what there is room for.
     *
     * @param acknowledged bytes that have left the buffer
     * @param room capacity of the buffer, bytes
     */
    void Write(double acknowledged, double room)
    {
        if (!m_isBlocked || acknowledged >= GetWakeUp(room))
        {
            m_written = std::max(m_written, std::min(m_given, acknowledged + room));
            m_isBlocked = m_written < m_given;
        }
    }

    /** @return bytes that have been written */
    double GetWritten() const
    {
        return m_written;
    }

    /**
     * @param room capacity of the buffer, bytes
     * @return acknowledged bytes at which a blocked sender continues
     */
    double GetWakeUp(double room) const
    {
        return m_written - room * 2 / 3;
    }

  private:
    double m_given{0};       //!< bytes written and to be written
    double m_written{0};     //!< bytes that have found room
    bool m_isBlocked{false}; //!< whether the buffer was full when last written to
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SEND_BUFFER_H */
