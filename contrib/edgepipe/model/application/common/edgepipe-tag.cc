/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-tag.h"

namespace ns3
{
namespace edgepipe
{

TagKind
FindTagKind(const std::vector<TagKind>& kinds, std::size_t kind)
{
    return kind < kinds.size() ? kinds[kind] : TagKind{"unknown"};
}

std::string
DescribeTag(const TagKind& kind, const std::vector<uint32_t>& fields)
{
    std::string text = std::string(kind.name) + kind.details;
    if (*kind.none && fields[1] == TAG_NONE)
    {
        text = kind.none;
    }
    for (std::size_t i = 0; i < fields.size(); ++i)
    {
        const auto mark = text.find("%" + std::to_string(i + 1));
        if (mark != std::string::npos)
        {
            text.replace(mark, 2, std::to_string(fields[i]));
        }
    }
    return text;
}

} // namespace edgepipe
} // namespace ns3
