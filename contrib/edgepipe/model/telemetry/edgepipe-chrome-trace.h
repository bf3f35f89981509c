/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CHROME_TRACE_H
#define EDGEPIPE_CHROME_TRACE_H

#include "ns3/edgepipe-timeline.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** How a tag is shown. */
struct TagLabel
{
    std::string kind;          //!< such as "forward"; one colour each
    uint32_t iteration{0};     //!< which iteration
    bool hasMicroBatch{false}; //!< whether it belongs to one micro-batch
    uint32_t microBatch{0};    //!< which micro-batch, if so
};

/// Turns an application's tag into words.
using LabelTag = std::function<TagLabel(uint64_t tag)>;

/**
 * @ingroup edgepipe
 *
 * Writes timelines in Chrome's trace event format, one event a line, for Perfetto and
 * analysis/timeline.py.
 *
 * A case (one simulation) and a device make a process, called `CASE / DEVICE`; its threads are
 * `compute` and one per receiver, `to DEVICE`; memory in use is a counter. Tasks and transfers are
 * complete events whose category is `task` or `transfer`, named by their kind, with the
 * micro-batch, iteration and bytes as arguments. Marks are instant events on `compute`. Times are
 * microseconds of simulated time, to the nanosecond; every case begins at its own 0.
 */
class ChromeTraceWriter
{
  public:
    /**
     * @param os where to write; the opening is written at once
     */
    explicit ChromeTraceWriter(std::ostream& os);

    /**
     * Add one simulation.
     *
     * @param name name of the case
     * @param deviceNames name of each device
     * @param timeline what happened
     * @param label turns tags into words
     */
    void AddCase(const std::string& name,
                 const std::vector<std::string>& deviceNames,
                 const Timeline& timeline,
                 const LabelTag& label);

    /** Write the end; nothing may be added afterwards. */
    void Finish();

  private:
    /**
     * Begin the next event.
     * @return where to write it
     */
    std::ostream& Next();

    std::ostream& m_os;  //!< where to write
    bool m_first{true};  //!< whether no event has been written
    uint32_t m_cases{0}; //!< number of cases added
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CHROME_TRACE_H */
