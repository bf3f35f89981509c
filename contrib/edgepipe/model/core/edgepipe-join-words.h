/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOIN_WORDS_H
#define EDGEPIPE_JOIN_WORDS_H

#include <cstddef>
#include <sstream>
#include <string>

namespace ns3::edgepipe
{

/**
 * @tparam Words a container of streamable values
 * @param words some words
 * @param between put between two of them
 * @param beforeLast put before the last word instead
 * @return the words as one text, such as "a, b or c"
 */
template <typename Words>
std::string
JoinWords(const Words& words, const std::string& between, const std::string& beforeLast)
{
    std::ostringstream text;
    std::size_t left = words.size();
    for (const auto& word : words)
    {
        --left;
        text << word << (left > 1 ? between : left == 1 ? beforeLast : "");
    }
    return text.str();
}

/** @copydoc JoinWords */
template <typename Words>
std::string
JoinWords(const Words& words, const std::string& between = ", ")
{
    return JoinWords(words, between, between);
}

/**
 * @param parts streamable values
 * @return their concatenation, as a stream writes them
 */
template <typename... Parts>
std::string
JoinParts(const Parts&... parts)
{
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_JOIN_WORDS_H */
