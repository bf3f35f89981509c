/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TAG_H
#define EDGEPIPE_TAG_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** How a kind of message or task is described. */
struct TagKind
{
    const char* name;        //!< a word or two, such as "gradients"
    const char* details{""}; //!< text after the name; %1 is the first field, and so on
    const char* none{""};    //!< whole text if the second field is TAG_NONE; empty: no special case
};

/// The index of 24 bits that means none.
constexpr uint32_t TAG_NONE = (1 << 24) - 1;

/**
 * @param kinds a workload's kinds
 * @param kind any number
 * @return its description; "unknown" if there is no such kind
 */
inline TagKind
FindTagKind(const std::vector<TagKind>& kinds, std::size_t kind)
{
    return kind < kinds.size() ? kinds[kind] : TagKind{"unknown"};
}

/**
 * @param kind of a message or task
 * @param fields of its tag
 * @return the tag in words, such as "gradients of iteration 3, step 0"
 */
inline std::string
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

/**
 * Identifies a message or a task of a workload; sent as a 64-bit number whose highest eight bits
 * are its kind.
 *
 * @tparam T the workload's tag: has a `kind`, a list FIELDS of its other members in the order of
 *         their bits, each with its width, 56 bits in all, and a list KINDS with a TagKind per kind
 */
template <typename T>
struct PackedTag
{
    /** @return the tag as one number */
    uint64_t Pack() const
    {
        const T& tag = static_cast<const T&>(*this);
        uint64_t packed = tag.kind;
        for (const auto& field : T::FIELDS)
        {
            packed = packed << field.bits | tag.*field.member;
        }
        return packed;
    }

    /**
     * @param packed what Pack returned
     * @return the tag
     */
    static T Unpack(uint64_t packed)
    {
        T tag(static_cast<typename T::Kind>(packed >> 56));
        uint32_t left = 56;
        for (const auto& field : T::FIELDS)
        {
            left -= field.bits;
            tag.*field.member = packed >> left & ((uint64_t{1} << field.bits) - 1);
        }
        return tag;
    }

    /** @return the kind in a word or two, such as "gradients" */
    std::string GetKindName() const
    {
        return FindTagKind(T::KINDS, static_cast<const T&>(*this).kind).name;
    }

    /** @return the tag in words, such as "gradients of iteration 3, step 0" */
    std::string Describe() const
    {
        const T& tag = static_cast<const T&>(*this);
        std::vector<uint32_t> fields;
        for (const auto& field : T::FIELDS)
        {
            fields.push_back(tag.*field.member);
        }
        return DescribeTag(FindTagKind(T::KINDS, tag.kind), fields);
    }

  protected:
    /** A member of a tag. */
    struct Field
    {
        uint32_t T::*member; //!< the member
        uint32_t bits;       //!< its width
    };
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TAG_H */
