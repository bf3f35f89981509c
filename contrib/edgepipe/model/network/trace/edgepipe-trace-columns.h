/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_COLUMNS_H
#define EDGEPIPE_TRACE_COLUMNS_H

#include "edgepipe-trace-rows.h"
#include "edgepipe-trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::edgepipe
{

/**
 * What the columns of a table hold, such as `time=Timestamp:ms,down=5:bytes`.
 *
 * Entries are separated by commas. An entry is ROLE=COLUMN:UNIT, where the column is a name in the
 * header or a number from 1 on, or ROLE:UNIT, where the entry's place is the column's number; `-`
 * leaves out a column. Roles and units:
 * - `time` (end of the row's interval), `start`, `interval`: s, ms, us, ns; time and start also
 *   `date`. Without time and start, `every:500ms` says how long all rows last.
 * - `down`, `up`, `rate` (of either direction): bps, kbps, Mbps, Gbps, Bps, kBps, MBps; text (a
 *   number and its unit, in one field or two); or of an interval: bits, bytes, kB, MB, packets.
 * - `latency`, the delay one way, or `rtt`, of which half counts each way: s, ms, us, ns.
 * - `busy`, `free`, of a device's load: percent, share.
 * - `device`: rows of other devices are left out; `idle`: its unit is the value of idle rows.
 */
class TraceColumns
{
  public:
    /**
     * @param text what the columns hold
     * @param isLoad whether of a device's load, not bandwidth
     * @throws InputError naming the option trace-columns or load-columns
     */
    TraceColumns(const std::string& text, bool isLoad);

    /**
     * Read a table, whose fields are separated by tabs, semicolons, commas or blanks. Lines that
     * begin with # are comments.
     *
     * @param lines of the file, at its start
     * @param direction whose column to read; without one, that of the other direction
     * @param device whose rows to read; empty: there is one
     * @param rows gets them
     * @throws InputError if the table lacks a column or a line is malformed
     */
    void Read(TextLines& lines,
              TraceDirection direction,
              const std::string& device,
              TraceRows& rows) const;

    /**
     * @param role a role
     * @return whether a column has it
     */
    bool Has(const std::string& role) const
    {
        return m_columns.count(role) > 0;
    }

  private:
    /** A column. */
    struct Column
    {
        std::string name;     //!< in the header; empty: by place
        std::size_t place{0}; //!< from 0 on, without a name
        std::string unit;     //!< of its values
        double factor{1};     //!< from the unit to ns, bit/s, bits or a share
    };

    /** One reading of a table. */
    class Reader;

    std::map<std::string, Column> m_columns; //!< by role
    int64_t m_every{0};                      //!< length of all rows, ns; 0: not given
    std::string m_option;                    //!< for messages
};

/**
 * @param line of a file
 * @return whether it is a number and a unit of rates, such as `8,Mbits/sec`
 */
bool IsRateText(std::string_view line);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRACE_COLUMNS_H */
