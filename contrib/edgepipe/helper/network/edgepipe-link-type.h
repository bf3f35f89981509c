/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_TYPE_H
#define EDGEPIPE_LINK_TYPE_H

#include "edgepipe-network-options.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/object.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

struct Topology;

/** What a link type is like, whatever its options say. */
struct LinkTraits
{
    std::set<std::string> options; //!< as scenarios call them, of those that not every type uses
    bool isForwarding{false};      //!< whether devices forward what others send to each other
    bool isShared{false};          //!< whether transfers share links or a medium
    uint32_t largestMtu{9000};     //!< largest IP packet, bytes
};

/**
 * @ingroup edgepipe
 *
 * A way to join devices. Every registered subclass with a constructor is an option of every
 * network, by its name; Named makes one.
 *
 * What it is told by NetworkOptions its traits list; options of its own are attributes.
 */
class LinkType : public Object
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @return what NetworkOptions::link calls it */
    virtual std::string GetName() const = 0;

    /** @return what it is like, whatever its options say */
    const LinkTraits& GetTraits() const
    {
        return m_traits;
    }

    /**
     * @param options set to what such links have unless told otherwise
     */
    virtual void SetDefaults([[maybe_unused]] NetworkOptions& options) const
    {
    }

    /**
     * Refuse options that make no sense, of those that the traits list.
     *
     * @param options of such a link
     * @param names of the devices
     * @throws InputError naming the option
     */
    virtual void Check([[maybe_unused]] const NetworkOptions& options,
                       [[maybe_unused]] const std::vector<std::string>& names) const
    {
    }

    /**
     * @param options of such a link
     * @param isDetailed whether to say also what reports say elsewhere
     * @return its name, and what it is like
     */
    virtual std::string Describe([[maybe_unused]] const NetworkOptions& options,
                                 [[maybe_unused]] bool isDetailed) const
    {
        return GetName();
    }

    /**
     * @param options how to join the devices, checked
     * @param names of the devices
     * @return what joins them
     * @throws InputError if an input file cannot be used
     */
    virtual Topology MakeTopology(const NetworkOptions& options,
                                  const std::vector<std::string>& names) const = 0;

  protected:
    /** @param traits what it is like */
    explicit LinkType(LinkTraits traits)
        : m_traits(std::move(traits))
    {
    }

    LinkTraits m_traits; //!< what it is like
};

/**
 * @param options of any link
 * @return the link type
 * @throws InputError naming the option if there is none of that name
 */
Ptr<const LinkType> FindLinkType(const NetworkOptions& options);

/**
 * @param options of any link
 * @return its name, and what it is like
 */
std::string DescribeLink(const NetworkOptions& options);

/** @return names of the options that some link types use and others do not */
std::set<std::string> GetLinkOptions();

/**
 * @param link a link type
 * @param option which it does not use
 * @return what is expected of the option, naming the link types that use it
 */
std::string ExplainUnused(const LinkType& link, const std::string& option);

/** @return what joins devices with networks of their own, NetworkOptions::groups */
Ptr<const LinkType> MakeMixedLink();

/**
 * @param options of devices with networks of their own
 * @param group one of the groups
 * @return options of that group alone, with what holds for the whole network
 */
NetworkOptions GetGroupOptions(const NetworkOptions& options, const NetworkGroup& group);

/**
 * @param uplinkTrace a recording of an uplink
 * @return the recording of its downlink: FILE.down beside FILE.up, or FILE.down.csv beside
 *         FILE.up.csv, if it is there, else the same file
 */
std::string FindDownlinkTrace(const std::string& uplinkTrace);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_TYPE_H */
