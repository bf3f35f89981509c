/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_TYPE_H
#define EDGEPIPE_LINK_TYPE_H

#include "edgepipe-network-options.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/object.h"

#include <utility>

namespace ns3::edgepipe
{

struct Topology;

/// Linux multiplies SO_SNDBUF by this, to reserve half for its own bookkeeping, which takes next to
/// nothing where nothing is segmented before the device.
constexpr uint32_t KERNEL_SHARE = 2;

/** Properties of a link type, whatever its options are. */
struct LinkTraits
{
    std::set<std::string> options; //!< that it uses and not every type does, by scenario name
    bool isForwarding{false};      //!< whether devices forward traffic of others
    bool isShared{false};          //!< whether transfers share links or a medium
    uint32_t largestMtu{9000};     //!< largest IP packet, bytes
};

/**
 * @ingroup edgepipe
 *
 * A way to connect devices. Every registered subclass with a constructor can be selected by name
 * for any network; Named makes one.
 *
 * Its traits list the NetworkOptions that it uses; options of its own are attributes.
 */
class LinkType : public Typed<LinkType, Object>
{
  public:
    /** @return its name in NetworkOptions::link */
    virtual std::string GetName() const = 0;

    /** @return its properties, whatever its options are */
    const LinkTraits& GetTraits() const
    {
        return m_traits;
    }

    /**
     * @param options set to the defaults of such links
     */
    virtual void SetDefaults([[maybe_unused]] NetworkOptions& options) const
    {
    }

    /**
     * Refuse invalid options among those that the traits list.
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
     * @return its name and properties
     */
    virtual std::string Describe([[maybe_unused]] const NetworkOptions& options) const
    {
        return GetName();
    }

    /**
     * @param options how to connect the devices, checked
     * @param names of the devices
     * @return the topology
     * @throws InputError if an input file cannot be used
     */
    virtual Topology MakeTopology(const NetworkOptions& options,
                                  const std::vector<std::string>& names) const = 0;

  protected:
    /** @param traits its properties */
    explicit LinkType(LinkTraits traits)
        : m_traits(std::move(traits))
    {
    }

    LinkTraits m_traits; //!< its properties
};

/**
 * @param options of any link
 * @return the link type
 * @throws InputError naming the option if there is no link of that name
 */
Ptr<const LinkType> FindLinkType(const NetworkOptions& options);

/**
 * @param options of any link
 * @return its name and properties
 */
std::string DescribeLink(const NetworkOptions& options);

/**
 * @param bitsPerSecond the highest rate of a link
 * @param roundTripSeconds between two devices, without queues, s
 * @param sendBufferBytes SO_SNDBUF, bytes; 0: TCP sizes its send buffer
 * @return the rate to which TCP's window limits a connection, as a further property of the link;
 *         empty if the link is slower
 */
std::string DescribeWindow(double bitsPerSecond, double roundTripSeconds, uint32_t sendBufferBytes);

/** @return names of the options that some link types use and others do not */
std::set<std::string> GetLinkOptions();

/**
 * @param link a link type
 * @param option that it does not use
 * @return the expected value of the option, naming the link types that use it
 */
std::string ExplainUnused(const LinkType& link, const std::string& option);

/** @return the link of devices with networks of their own, see NetworkOptions::groups */
Ptr<const LinkType> MakeMixedLink();

/**
 * @param options of devices with networks of their own
 * @param group one of the groups
 * @return options of that group alone, with those of the whole network
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
