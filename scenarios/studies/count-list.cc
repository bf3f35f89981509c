/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/count-list.h"

#include <charconv>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most counts of a list: more is a mistake, such as steps of 1 up to a million.
constexpr std::size_t MAX_COUNTS = 10000;

/**
 * Insert what an ellipsis stands for.
 *
 * @param counts those before the ellipsis; what it stands for is added
 * @param end the number after it, which is not added
 * @return whether the counts begin a progression, of a length that makes sense
 */
bool
FillUp(std::vector<uint32_t>& counts, uint32_t end)
{
    if (counts.size() < 2)
    {
        return false;
    }
    const uint64_t last = counts.back();
    const uint64_t before = counts[counts.size() - 2];
    if (before == 0 || last <= before)
    {
        return false;
    }
    bool isMultiple = last % before == 0;
    if (counts.size() > 2)
    {
        const uint64_t first = counts[counts.size() - 3];
        isMultiple = last * first == before * before;
        if ((!isMultiple && last - before != before - first) || (isMultiple && last % before != 0))
        {
            return false;
        }
    }
    const uint64_t ratio = isMultiple ? last / before : 1;
    const uint64_t step = isMultiple ? 0 : last - before;
    for (uint64_t next = last * ratio + step; next < end; next = next * ratio + step)
    {
        if (counts.size() == MAX_COUNTS)
        {
            return false;
        }
        counts.push_back(static_cast<uint32_t>(next));
    }
    return true;
}

} // namespace

bool
ParseCounts(const std::string& text, std::vector<uint32_t>& counts)
{
    counts.clear();
    bool isFilling = false;
    std::istringstream stream(text + ",");
    for (std::string word; std::getline(stream, word, ',');)
    {
        if (word == "..." || word == "\u2026")
        {
            if (isFilling)
            {
                return false;
            }
            isFilling = true;
            continue;
        }
        uint32_t count = 0;
        const char* end = word.data() + word.size();
        const auto read = std::from_chars(word.data(), end, count);
        if (read.ec != std::errc() || read.ptr != end || count == 0)
        {
            return false;
        }
        if (isFilling && !FillUp(counts, count))
        {
            return false;
        }
        isFilling = false;
        if ((!counts.empty() && count <= counts.back()) || counts.size() == MAX_COUNTS)
        {
            return false;
        }
        counts.push_back(count);
    }
    return !isFilling && !counts.empty();
}

ScenarioOptions::Option&
BindCounts(ScenarioOptions& options,
           const std::string& declaration,
           std::vector<uint32_t>& target,
           uint32_t highest)
{
    const std::string name = declaration.substr(0, declaration.find('='));
    return options.Bind(declaration, [=, &options, &target] {
        if (!ParseCounts(options.GetString(name), target) || target.back() > highest)
        {
            options.Refuse(name,
                           "rising whole numbers from 1 to " + std::to_string(highest) +
                               ", such as 2,4,8 or 2,4,...," + std::to_string(highest));
        }
    });
}

} // namespace edgepipe
} // namespace ns3
