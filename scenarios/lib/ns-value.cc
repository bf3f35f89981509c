/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/ns-value.h"

#include "ns3/attribute.h"
#include "ns3/config.h"
#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/global-value.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <exception>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3::edgepipe
{

namespace
{

/** Type and help of one of ns-3's global values or attributes. */
struct NsValue
{
    Ptr<const AttributeChecker> checker; //!< its type and range; null: it does not exist
    std::string help;                    //!< its purpose
};

/**
 * @param name of a global value or an attribute
 * @return its type and help
 */
NsValue
FindNsValue(const std::string& name)
{
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        if ((*global)->GetName() == name)
        {
            return {(*global)->GetChecker(), (*global)->GetHelp()};
        }
    }
    const auto colons = name.rfind("::");
    TypeId type;
    if (colons == std::string::npos || !TypeId::LookupByNameFailSafe(name.substr(0, colons), &type))
    {
        return {};
    }
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        const auto attribute = type.GetAttribute(i);
        if (attribute.name == name.substr(colons + 2))
        {
            return {attribute.checker, attribute.help};
        }
    }
    return {};
}

/**
 * @param name of a global value or an attribute
 * @param value its new value
 * @return whether ns-3 accepted it
 */
bool
Apply(const std::string& name, const std::string& value)
{
    return Config::SetGlobalFailSafe(name, StringValue(value)) ||
           Config::SetDefaultFailSafe(name, StringValue(value));
}

/**
 * Try a value in a child process, since ns-3 aborts on values that it cannot read, or later on
 * values that it cannot use.
 *
 * @param name of a global value or an attribute
 * @param value its new value
 * @return whether ns-3 accepts it and a simulation can start with it
 */
bool
Try(const std::string& name, const std::string& value)
{
    try
    {
        const auto report = ChildProcess::Run([&] {
            const rlimit noCore{0, 0};
            setrlimit(RLIMIT_CORE, &noCore);
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
            const bool isTaken = Apply(name, value);
            Simulator::Now();
            CreateObject<UniformRandomVariable>()->GetValue();
            return std::string(isTaken ? "taken" : "");
        });
        return !report.text.empty();
    }
    catch (const std::exception&)
    {
        return false;
    }
}

} // namespace

bool
SetNsValue(const std::string& name, const std::string& value)
{
    const NsValue known = FindNsValue(name);
    if (!known.checker)
    {
        return false;
    }
    // ns-3 reads a negative value as a large positive one.
    const bool wraps =
        known.checker->GetValueTypeName() == "ns3::UintegerValue" && value.find('-') == 0;
    // Do not try run numbers: all are valid, and every case of a campaign has one.
    const bool isRun = name == "RngRun" && value.size() < 19 &&
                       value.find_first_not_of("0123456789") == std::string::npos;
    if (wraps || !(isRun || Try(name, value)) || !Apply(name, value))
    {
        std::string expected = known.checker->GetValueTypeName();
        if (known.checker->HasUnderlyingTypeInformation())
        {
            expected = known.checker->GetUnderlyingTypeInformation();
        }
        throw InputError("--" + name + ": ns-3 cannot work with \"" + value + "\", expected " +
                         expected + " (" + known.help + ")");
    }
    return true;
}

} // namespace ns3::edgepipe
