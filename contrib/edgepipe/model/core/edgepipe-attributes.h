/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ATTRIBUTES_H
#define EDGEPIPE_ATTRIBUTES_H

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace ns3::edgepipe
{

/** Adds attributes that set a member each, whose type says what kind of attribute it is. */
class Attributes
{
  public:
    /** A member, its initial value, and from what to what it may be. */
    class Member
    {
      public:
        /**
         * @param member says whether
         * @param initial its initial value
         */
        template <typename Owner>
        Member(bool Owner::*member, bool initial)
            : Member(BooleanValue(initial), MakeBooleanAccessor(member), MakeBooleanChecker())
        {
        }

        /**
         * @param member a text
         * @param initial its initial value
         */
        template <typename Owner>
        Member(std::string Owner::*member, const std::string& initial)
            : Member(StringValue(initial), MakeStringAccessor(member), MakeStringChecker())
        {
        }

        /**
         * @param member a number
         * @param initial its initial value
         * @param least the smallest value
         * @param most the largest value
         */
        template <typename Owner>
        Member(double Owner::*member, double initial, double least, double most)
            : Member(DoubleValue(initial),
                     MakeDoubleAccessor(member),
                     MakeDoubleChecker<double>(least, most))
        {
        }

        /**
         * @param member a time
         * @param initial its initial value
         * @param least the smallest value
         */
        template <typename Owner>
        Member(Time Owner::*member, const Time& initial, const Time& least = Time())
            : Member(TimeValue(initial), MakeTimeAccessor(member), MakeTimeChecker(least))
        {
        }

        /**
         * @param member a whole number
         * @param initial its initial value
         * @param least the smallest value
         */
        template <typename Owner>
        Member(int64_t Owner::*member, int64_t initial, int64_t least)
            : Member(IntegerValue(initial),
                     MakeIntegerAccessor(member),
                     MakeIntegerChecker<int64_t>(least))
        {
        }

        /**
         * @param member a whole number without a sign
         * @param initial its initial value
         * @param least the smallest value
         * @param most the largest value
         */
        template <typename T, typename Owner>
        Member(T Owner::*member,
               std::enable_if_t<std::is_unsigned_v<T>, uint64_t> initial,
               uint64_t least = 0,
               uint64_t most = std::numeric_limits<T>::max())
            : Member(UintegerValue(initial),
                     MakeUintegerAccessor(member),
                     MakeUintegerChecker<T>(least, most))
        {
        }

      private:
        friend class Attributes;

        Member(const AttributeValue& initial,
               Ptr<const AttributeAccessor> accessor,
               Ptr<const AttributeChecker> checker)
            : m_initial(initial.Copy()),
              m_accessor(accessor),
              m_checker(checker)
        {
        }

        Ptr<AttributeValue> m_initial;           //!< initial value
        Ptr<const AttributeAccessor> m_accessor; //!< reaches the member
        Ptr<const AttributeChecker> m_checker;   //!< knows its range
    };

    /** @param tid of the class with the members */
    explicit Attributes(TypeId tid)
        : m_tid(tid)
    {
    }

    /**
     * @param name of the attribute
     * @param help what it is, for people
     * @param member what it sets
     * @return this
     */
    Attributes& Add(const std::string& name, const std::string& help, const Member& member)
    {
        m_tid.AddAttribute(name, help, *member.m_initial, member.m_accessor, member.m_checker);
        return *this;
    }

    /** @return the class with the attributes */
    operator TypeId() const
    {
        return m_tid;
    }

  private:
    TypeId m_tid; //!< of the class with the members
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ATTRIBUTES_H */
