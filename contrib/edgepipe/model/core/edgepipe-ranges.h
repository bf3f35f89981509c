/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RANGES_H
#define EDGEPIPE_RANGES_H

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @param range some elements
 * @param get a function of an element, or a member of it
 * @return what it gives for each, in order
 */
template <typename Range, typename Get>
auto
Map(const Range& range, Get get)
{
    std::vector<std::decay_t<std::invoke_result_t<Get&, decltype(*std::begin(range))>>> all;
    for (const auto& element : range)
    {
        all.push_back(std::invoke(get, element));
    }
    return all;
}

/**
 * @param range some elements
 * @param is a function of an element, or a member of it
 * @return the elements for which it holds, in order
 */
template <typename Range, typename Is>
auto
Filter(const Range& range, Is is)
{
    std::vector<typename Range::value_type> found;
    for (const auto& element : range)
    {
        if (std::invoke(is, element))
        {
            found.push_back(element);
        }
    }
    return found;
}

/**
 * @param count how many
 * @return the numbers from 0 on
 */
inline std::vector<std::size_t>
CountUp(std::size_t count)
{
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
}

/**
 * @param range some elements
 * @param get a function of an element, or a member of it
 * @return the sum of what it gives, in order; 0 without elements
 */
template <typename Range, typename Get>
auto
Sum(const Range& range, Get get)
{
    std::decay_t<std::invoke_result_t<Get&, decltype(*std::begin(range))>> sum{};
    for (const auto& element : range)
    {
        sum += std::invoke(get, element);
    }
    return sum;
}

/**
 * @param range some numbers
 * @return their sum, in order; 0 without numbers
 */
template <typename Range>
auto
Sum(const Range& range)
{
    return Sum(range, [](const auto& number) { return number; });
}

/**
 * @param values some numbers
 * @return their mean; 0 if there are none
 */
inline double
Mean(const std::vector<double>& values)
{
    return values.empty() ? 0 : Sum(values) / values.size();
}

/**
 * @param range some elements
 * @param is a function of an element, or a member of it
 * @return whether it holds for any of them
 */
template <typename Range, typename Is>
bool
AnyOf(const Range& range, Is is)
{
    return std::any_of(std::begin(range), std::end(range), [&is](const auto& element) {
        return bool(std::invoke(is, element));
    });
}

/**
 * @param range some elements
 * @param value of an element
 * @return whether one of them equals it
 */
template <typename Range, typename Value>
bool
Contains(const Range& range, const Value& value)
{
    return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

/**
 * @param range some elements
 * @param is a function of an element, or a member of it
 * @return the first element for which it holds; null: none
 */
template <typename Range, typename Is>
auto
FindIf(Range& range, Is is) -> decltype(&*std::begin(range))
{
    for (auto& element : range)
    {
        if (std::invoke(is, element))
        {
            return &element;
        }
    }
    return nullptr;
}

/**
 * @param range some elements, at least one
 * @param get a function of an element, or a member of it
 * @return the first element for which it gives the most
 */
template <typename Range, typename Get>
const auto&
MaxBy(const Range& range, Get get)
{
    return *std::max_element(std::begin(range), std::end(range), [&](auto& a, auto& b) {
        return std::invoke(get, a) < std::invoke(get, b);
    });
}

/**
 * @param range some elements, at least one
 * @param get a function of an element, or a member of it
 * @return the first element for which it gives the least
 */
template <typename Range, typename Get>
const auto&
MinBy(const Range& range, Get get)
{
    return *std::min_element(std::begin(range), std::end(range), [&](auto& a, auto& b) {
        return std::invoke(get, a) < std::invoke(get, b);
    });
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RANGES_H */
