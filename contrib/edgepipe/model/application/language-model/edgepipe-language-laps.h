/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_LAPS_H
#define EDGEPIPE_LANGUAGE_LAPS_H

#include "edgepipe-language-usage.h"

#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

class LanguageModelNode;

/**
 * @ingroup edgepipe
 *
 * Skips laps of a pass, such as layers, which repeat the one before.
 *
 * When all nodes have begun a lap and no message is under way, the lap depends on nothing but when
 * each began it and on the state of their connections. If both are as at the lap before, all laps
 * take the same time until something else happens. So nodes continue that much later, and what they
 * and the wires did counts as often. Times are those of event by event.
 */
class LanguageLaps
{
  public:
    /** A node at the beginning of a lap. */
    struct Begun
    {
        LanguageModelNode* node{nullptr}; //!< null: it is yet to begin
        Time time;                        //!< when it began
        LanguageNodeUsage usage;          //!< until then
    };

    /**
     * A node is about to begin a lap, which is not the last one.
     *
     * @param position of the node
     * @param nodes how many there are
     * @param begun the node
     * @param pass its number
     * @param laps left, this one included
     */
    void Begin(uint32_t position, uint32_t nodes, Begun begun, uint32_t pass, uint32_t laps);

  private:
    /** A lap. */
    struct Lap
    {
        uint32_t pass{0};          //!< its number
        uint32_t laps{0};          //!< left, this one included
        uint32_t missing{0};       //!< nodes that are yet to begin
        std::vector<Begun> begun;  //!< by position
        Time end;                  //!< when the last one began
        std::vector<double> state; //!< what its time depends on; empty: unknown
    };

    /**
     * @param last time that the last lap took; 0: there was none
     * @return what the time of the present lap depends on; empty: unknown
     */
    std::vector<double> FindState(const Time& last);

    /**
     * Skip the laps that nothing can come between.
     * @param last time that the last lap took
     */
    void Skip(const Time& last);

    Lap m_last;                                         //!< before the present one
    Lap m_lap;                                          //!< the present one
    std::vector<TensorTransport::LapTraffic> m_traffic; //!< of the present one
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_LAPS_H */
