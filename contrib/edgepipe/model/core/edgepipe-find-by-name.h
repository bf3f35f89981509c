/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIND_BY_NAME_H
#define EDGEPIPE_FIND_BY_NAME_H

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Cached: ns-3's table has hundreds of types, and ten thousand workers look up their schedules.
 *
 * @return every registered subclass of T with a constructor, in order of registration
 */
template <typename T>
const std::vector<TypeId>&
GetSubclasses()
{
    static std::vector<TypeId> found;
    static uint16_t seen = 0; // types are only ever added
    for (; seen < TypeId::GetRegisteredN(); ++seen)
    {
        const TypeId tid = TypeId::GetRegistered(seen);
        if (tid.IsChildOf(T::GetTypeId()) && tid.HasConstructor())
        {
            found.push_back(tid);
        }
    }
    return found;
}

/** Whether a kind of strategy draws random numbers, from T::STREAMS. */
template <typename T, typename = void>
struct HasStreams : std::false_type
{
};

/** Kinds that have STREAMS. */
template <typename T>
struct HasStreams<T, std::void_t<decltype(T::STREAMS)>> : std::true_type
{
};

/**
 * Visit one object of every registered subclass of T.
 *
 * @param visit called with a Ptr<T>; returns whether to go on
 */
template <typename T, typename Visit>
void
ForEachNamed(Visit visit)
{
    for (const TypeId& tid : GetSubclasses<T>())
    {
        if (!visit(ObjectFactory(tid.GetName()).Create<T>()))
        {
            return;
        }
    }
}

/**
 * List the strategies of one kind in ns-3's TypeId table, whichever module registered them. Those
 * that need an argument are selected as WORD:ARGUMENT; the text after the colon sets their
 * attribute Argument. Until then their names show a placeholder, such as exec:COMMAND.
 *
 * @tparam T an abstract Object subclass with GetName
 * @param needArgument whether to list the strategies that need an argument instead of the others
 * @return their names, sorted
 */
template <typename T>
std::set<std::string>
GetNames(bool needArgument = false)
{
    std::set<std::string> names;
    ForEachNamed<T>([&](Ptr<T> object) {
        const std::string name = object->GetName();
        if ((name.find(':') != std::string::npos) == needArgument)
        {
            names.insert(name);
        }
        return true;
    });
    return names;
}

/**
 * @tparam T an abstract Object subclass with GetName
 * @return what GetNames returns, then those that need an argument, separated by commas
 */
template <typename T>
std::string
JoinNames()
{
    const std::string all = JoinWords(GetNames<T>());
    const std::string others = JoinWords(GetNames<T>(true));
    return all + (all.empty() || others.empty() ? "" : ", ") + others;
}

/**
 * Create the strategy of a given name. A kind that draws random numbers gets the first stream of
 * T::STREAMS, so its draws do not depend on objects created before it.
 *
 * @tparam T an abstract Object subclass with GetName
 * @param what the option or field the name comes from, such as "--planner"
 * @param name the name, as GetName returns it, or the TypeId's
 * @return a new object
 * @throws InputError if no registered subclass of T has that name
 */
template <typename T>
Ptr<T>
FindByName(const std::string& what, const std::string& name)
{
    Ptr<T> found;
    const std::string word = name.substr(0, name.find(':') + 1); // empty without a colon
    ForEachNamed<T>([&](Ptr<T> object) {
        const std::string known = object->GetName();
        if (known == name || object->GetInstanceTypeId().GetName() == name)
        {
            found = object;
        }
        else if (word.size() > 0 && word.size() < name.size() && known.find(word) == 0)
        {
            object->SetAttribute("Argument", StringValue(name.substr(word.size())));
            found = object;
        }
        return !found;
    });
    if (!found)
    {
        throw InputError(what, "\"" + name + "\"", "one of: " + JoinNames<T>());
    }
    if constexpr (HasStreams<T>::value)
    {
        found->AssignStreams(T::STREAMS.first);
    }
    return found;
}

/**
 * @param type a class
 * @return its name, with the namespaces that have one
 */
std::string GetClassName(const std::type_info& type);

/**
 * An object with a TypeId, which can create objects if it has a public default constructor.
 *
 * @tparam Self the class, whose name is its TypeId's; hides AddAttributes if it has attributes
 * @tparam Base its parent
 */
template <typename Self, typename Base>
class Typed : public Base
{
  public:
    using Base::Base;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = [] {
            auto made =
                TypeId(Self::GetTypeName()).template SetParent<Base>().SetGroupName("Edgepipe");
            if constexpr (std::is_default_constructible_v<Self>)
            {
                made.template AddConstructor<Self>();
            }
            return Self::AddAttributes(made);
        }();
        return tid;
    }

    /** @return the name of the TypeId */
    static std::string GetTypeName()
    {
        return GetClassName(typeid(Self));
    }

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid)
    {
        return tid;
    }
};

/**
 * An object that FindByName finds by a fixed name.
 *
 * @tparam Self the class, whose name is its TypeId's; defines NAME, and hides AddAttributes if it
 *         has attributes
 * @tparam Base interface passed to FindByName, or another Named class that it varies
 */
template <typename Self, typename Base>
class Named : public Typed<Self, Base>
{
  public:
    using Typed<Self, Base>::Typed;

    /** @return NAME */
    std::string GetName() const override
    {
        return Self::NAME;
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FIND_BY_NAME_H */
