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
 * Adds attributes and trace sources to a TypeId. Each is bound to a member of the class; the type
 * of the member gives the kind of attribute.
 */
class Attributes
{
  public:
    /** A member with its initial value and its range. */
    class Member
    {
      public:
        /**
         * @param member a truth value
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
         * @param member an object, null at first unless the owner creates it
         * @param flags how it can be used; TypeId::ATTR_GET: read only
         */
        template <typename T, typename Owner>
        Member(Ptr<T> Owner::*member, uint32_t flags = TypeId::ATTR_SGC)
            : Member(PointerValue(), MakePointerAccessor(member), MakePointerChecker<T>(), flags)
        {
        }

        /**
         * @param initial its initial value
         * @param accessor reads and sets the member
         * @param checker checks its range
         * @param flags how it can be used
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
        Ptr<const AttributeAccessor> m_accessor; //!< reads and sets the member
        Ptr<const AttributeChecker> m_checker;   //!< checks its range
        uint32_t m_flags;                        //!< how it can be used
    };

    /** A trace source and the type of its callbacks. */
    class Source
    {
      public:
        /**
         * @param source the trace source
         * @param callback type of its callbacks: one of ns-3, with ns3::, or the owner's typedef
         *        without its suffix TracedCallback; empty: no arguments
         */
        template <typename Owner, typename... Arguments>
        Source(TracedCallback<Arguments...> Owner::*source, std::string callback = "")
            : m_accessor(MakeTraceSourceAccessor(source)),
              m_callback(std::move(callback))
        {
        }

        /**
         * @param source a value whose changes are traced
         * @param callback type of its callbacks, as above
         */
        template <typename T, typename Owner>
        Source(TracedValue<T> Owner::*source, std::string callback)
            : m_accessor(MakeTraceSourceAccessor(source)),
              m_callback(std::move(callback))
        {
        }

      private:
        friend class Attributes;

        Ptr<const TraceSourceAccessor> m_accessor; //!< connects to the source
        std::string m_callback;                    //!< type of its callbacks, see the constructor
    };

    /** @param tid of the class with the members */
    explicit Attributes(TypeId tid)
        : m_tid(tid)
    {
    }

    /**
     * @param name of the attribute
     * @param help help text
     * @param member the member that it sets
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
     * @param help help text: when it fires
     * @param source the trace source
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

    /** @return the TypeId with the attributes */
    operator TypeId() const
    {
        return m_tid;
    }

  private:
    TypeId m_tid; //!< of the class with the members
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ATTRIBUTES_H */
