/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PROBLEM_CHECK_H
#define EDGEPIPE_PROBLEM_CHECK_H

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/// Largest figure of a problem, so that sums stay finite.
constexpr double LARGEST_FIGURE = 1e200;

/// Least speed or rate: below it, 2^63 FLOP or bytes would take infinitely long.
constexpr double LEAST_RATE = 1e-200;

/** Where a mistake is, such as `layer "a", outputBytes` where it is written to a stream. */
struct Place
{
    const char* kind;        //!< of what has it, such as layer
    const std::string& name; //!< of what has it
    const char* field{""};   //!< at fault; empty: all of it

    /** @return the stream */
    friend std::ostream& operator<<(std::ostream& stream, const Place& place)
    {
        return stream << place.kind << " " << QuoteForMessage(place.name)
                      << (*place.field ? ", " : "") << place.field;
    }
};

/**
 * @param isGood the condition
 * @param parts streamable values
 * @throws InputError of the parts together if it does not hold
 */
template <typename... Parts>
void
RequireThat(bool isGood, const Parts&... parts)
{
    if (!isGood)
    {
        throw InputError(JoinParts(parts...));
    }
}

/**
 * @param isGood the condition
 * @param place streamable, what is at fault
 * @param found streamable
 * @param expected streamable
 * @throws InputError if it does not hold
 */
template <typename Where, typename Found, typename Expected>
void
RequireFound(bool isGood, const Where& place, const Found& found, const Expected& expected)
{
    RequireThat(isGood, place, ": found ", found, ", expected ", expected);
}

/**
 * @param value a figure
 * @param place streamable, what it is
 * @throws InputError if it is negative, or not finite
 */
template <typename Where>
void
RequireSeconds(double value, const Where& place)
{
    const bool isGood = value >= 0 && value <= std::numeric_limits<double>::max();
    RequireFound(isGood, place, value, "seconds, 0 or more");
}

/**
 * @param value a speed or rate
 * @param place streamable, what it is
 * @throws InputError if it is too small, or not finite
 */
template <typename Where>
void
RequireRate(double value, const Where& place)
{
    const bool isGood = value >= LEAST_RATE && value <= std::numeric_limits<double>::max();
    RequireFound(isGood, place, value, "a number above 0");
}

/**
 * @param seconds of all layers
 * @param place streamable, begin of the message
 * @throws InputError if they are so many that sums of costs may not stay finite
 */
template <typename Where>
void
RequireTotal(double seconds, const Where& place)
{
    const auto most = JoinParts(" s in all, expected at most ", LARGEST_FIGURE, " s");
    RequireThat(seconds <= LARGEST_FIGURE, place, "the layers take ", seconds, most);
}

/**
 * Refuses duplicate names. Uses its own hash table, since filling a std::unordered_set may take
 * longer than planning.
 *
 * @param entries fewer than 2^31
 * @param kind of the entries, such as layer
 * @throws InputError naming the first duplicate
 */
template <typename Entry>
void
RequireNames(const std::vector<Entry>& entries, const char* kind)
{
    constexpr uint32_t free = std::numeric_limits<uint32_t>::max();
    Require(entries.size() < free / 2, std::string("too many entries of kind ") + kind);
    std::size_t slots = 2;
    while (slots < 2 * entries.size())
    {
        slots *= 2;
    }
    std::vector<uint32_t> table(slots, free);
    for (uint32_t i = 0; i < entries.size(); ++i)
    {
        const std::string& name = entries[i].name;
        std::size_t slot = std::hash<std::string>()(name) & (slots - 1);
        for (; table[slot] != free; slot = (slot + 1) & (slots - 1))
        {
            RequireThat(entries[table[slot]].name != name, Place{kind, name}, " is given twice");
        }
        table[slot] = i;
    }
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PROBLEM_CHECK_H */
