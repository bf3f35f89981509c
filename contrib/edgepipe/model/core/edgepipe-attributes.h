/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ATTRIBUTES_H
#define EDGEPIPE_ATTRIBUTES_H

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace ns3::edgepipe
{

/**
 * Adds attributes that set a member each, whose type says what kind of attribute it is, and trace
 * sources that are a member each.
 */
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
        Member(double Owner::*member,
               double initial,
               double least,
               double most = std::numeric_limits<double>::max())
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

        /**
         * @param member an object, null at first unless the owner makes it
         * @param flags whether one can set it, TypeId::ATTR_GET: not
         */
        template <typename T, typename Owner>
        Member(Ptr<T> Owner::*member, uint32_t flags = TypeId::ATTR_SGC)
            : Member(PointerValue(), MakePointerAccessor(member), MakePointerChecker<T>(), flags)
        {
        }

        /**
         * @param initial its initial value
         * @param accessor reaches it
         * @param checker knows its range
         * @param flags whether one can set it
         */
        Member(const AttributeValue& initial,
               Ptr<const AttributeAccessor> accessor,
               Ptr<const AttributeChecker> checker,
               uint32_t flags = TypeId::ATTR_SGC)
            : m_initial(initial.Copy()),
              m_accessor(accessor),
              m_checker(checker),
              m_flags(flags)
        {
        }

      private:
        friend class Attributes;

        Ptr<AttributeValue> m_initial;           //!< initial value
        Ptr<const AttributeAccessor> m_accessor; //!< reaches the member
        Ptr<const AttributeChecker> m_checker;   //!< knows its range
        uint32_t m_flags;                        //!< whether one can set it
    };

    /** A trace source, and what it calls. */
    class Source
    {
      public:
        /**
         * @param source the trace source
         * @param callback begins the name of the owner's typedef of what it calls, which ends in
         *        TracedCallback, or is a type of ns-3's; empty: a function without arguments
         */
        template <typename Owner, typename... Arguments>
        Source(TracedCallback<Arguments...> Owner::*source, std::string callback = "")
            : m_accessor(MakeTraceSourceAccessor(source)),
              m_callback(std::move(callback))
        {
        }

        /**
         * @param source a value that calls when it changes
         * @param callback its type
         */
        template <typename T, typename Owner>
        Source(TracedValue<T> Owner::*source, std::string callback)
            : m_accessor(MakeTraceSourceAccessor(source)),
              m_callback(std::move(callback))
        {
        }

      private:
        friend class Attributes;

        Ptr<const TraceSourceAccessor> m_accessor; //!< reaches the source
        std::string m_callback;                    //!< begins the name of what it calls
    };

    /**
     * @tparam Self a class of this namespace
     * @tparam Parent what it is derived from
     * @param name its name
     * @return its type, which can be made by name if it has a public constructor without arguments
     */
    template <typename Self, typename Parent>
    static Attributes Of(const std::string& name)
    {
        TypeId tid("ns3::edgepipe::" + name);
        tid.SetParent<Parent>().SetGroupName("Edgepipe");
        if constexpr (std::is_default_constructible_v<Self>)
        {
            tid.AddConstructor<Self>();
        }
        return Attributes(tid);
    }

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
        m_tid.AddAttribute(name,
                           help,
                           member.m_flags,
                           *member.m_initial,
                           member.m_accessor,
                           member.m_checker);
        return *this;
    }

    /**
     * @param name of the trace source
     * @param help when it calls, for people
     * @param source what it is
     * @return this
     */
    Attributes& Add(const std::string& name, const std::string& help, const Source& source)
    {
        const std::string& callback = source.m_callback;
        const std::string own = m_tid.GetName() + "::" + callback + "TracedCallback";
        m_tid.AddTraceSource(name,
                             help,
                             source.m_accessor,
                             callback.empty()                  ? "ns3::TracedCallback::Void"
                             : callback.rfind("ns3::", 0) == 0 ? callback
                                                               : own);
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
