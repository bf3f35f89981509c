/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_TYPE_H
#define EDGEPIPE_LINK_TYPE_H

#include "edgepipe-link-rate.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/object.h"

#include <array>
#include <map>
#include <set>

namespace ns3::edgepipe
{

struct NetworkOptions;
struct Topology;
struct WireMedium;

/// Linux multiplies SO_SNDBUF by this, to reserve half for its own bookkeeping, which takes next to
/// nothing where nothing is segmented before the device.
constexpr uint32_t KERNEL_SHARE = 2;

/** Properties of a link type, whatever its options are. */
struct LinkTraits
{
    bool isForwarding{false};  //!< whether devices forward traffic of others
    bool isShared{false};      //!< whether transfers share links or a medium
    uint32_t largestMtu{9000}; //!< largest IP packet, bytes
};

/**
 * @ingroup edgepipe
 *
 * A way to connect devices. Every registered subclass with a constructor can be selected by name
 * for any network; Named makes one.
 *
 * Its attributes are the options of such links: scenarios name UplinkBandwidth uplink-bandwidth.
 */
class LinkType : public Typed<LinkType, Object>
{
  public:
    /// Values by option, as typed.
    using Options = std::map<std::string, std::string>;

    /** @return its name, see NetworkOptions::SetLink */
    virtual std::string GetName() const = 0;

    /** @return its properties, whatever its options are */
    const LinkTraits& GetTraits() const
    {
        return m_traits;
    }

    /** @return its attributes, by the names of options */
    std::map<std::string, TypeId::AttributeInformation> GetOptions() const;

    /**
     * @param option name of an option
     * @return whether it has such an option
     */
    bool HasOption(const std::string& option) const
    {
        return GetOptions().count(option) > 0;
    }

    /**
     * Forget options set earlier that others replace.
     *
     * @param given the others, given together and not set yet
     * @throws InputError naming the option if one of them excludes another
     */
    virtual void Forget([[maybe_unused]] const Options& given)
    {
    }

    /**
     * Refuse invalid options.
     *
     * @param network of such links
     * @param names of the devices
     * @throws InputError naming the option
     */
    virtual void Check([[maybe_unused]] const NetworkOptions& network,
                       [[maybe_unused]] const std::vector<std::string>& names) const
    {
    }

    /**
     * @param network of such links
     * @return its name and properties
     */
    virtual std::string Describe([[maybe_unused]] const NetworkOptions& network) const
    {
        return GetName();
    }

    /** @return bandwidth up and down of each, or a station's limits; 0 or infinite: not known */
    virtual std::array<LinkRate, 2> GetRates() const
    {
        return {{{TraceDirection::UP}, {TraceDirection::DOWN}}};
    }

    /** @return known delay of each, one way, in the mean if it is recorded */
    virtual Time GetDelay() const
    {
        return Time();
    }

    /**
     * @param network of such links, checked
     * @param names of the devices
     * @return the topology
     * @throws InputError if an input file cannot be used
     */
    virtual Topology MakeTopology(const NetworkOptions& network,
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
 * @ingroup edgepipe
 *
 * Wires of one bandwidth, which may change, and one delay.
 */
class WireLink : public Typed<WireLink, LinkType>
{
  public:
    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override;
    std::string Describe(const NetworkOptions& network) const override;
    std::array<LinkRate, 2> GetRates() const override;

    Time GetDelay() const override
    {
        return m_delay;
    }

  protected:
    /**
     * @param traits its properties
     * @param overheadBytes per packet on the wire, beyond those of IP
     */
    WireLink(LinkTraits traits, double overheadBytes)
        : Typed(std::move(traits)),
          m_overheadBytes(overheadBytes)
    {
    }

    /** @return its wires */
    WireMedium MakeWires() const;

  private:
    RateSteps m_bandwidth;  //!< of every wire, each way
    Time m_delay;           //!< one way
    double m_overheadBytes; //!< per packet on the wire, beyond those of IP
};

/**
 * @ingroup edgepipe
 *
 * Links with a bandwidth up and one down.
 */
class DuplexLink : public Typed<DuplexLink, LinkType>
{
  public:
    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    void Forget(const Options& given) override;
    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override;
    std::array<LinkRate, 2> GetRates() const override;

  protected:
    /**
     * @param traits its properties
     * @param uplinkBitsPerSecond where no option says it; 0: one must
     * @param downlinkBitsPerSecond the same
     */
    DuplexLink(LinkTraits traits, double uplinkBitsPerSecond, double downlinkBitsPerSecond)
        : Typed(std::move(traits)),
          m_usual{uplinkBitsPerSecond, downlinkBitsPerSecond}
    {
    }

    RateSteps m_bandwidth; //!< both ways
    RateSteps m_uplink;    //!< up; none: as m_bandwidth
    RateSteps m_downlink;  //!< down; none: as m_bandwidth

  private:
    std::array<double, 2> m_usual; //!< up and down where no option says it, bit/s
};

/**
 * @param option name of a bandwidth's option
 * @param rate its value
 * @param pauses whether it may be 0 for a while
 * @throws InputError unless all are from 1e3 to 1e12 bit/s
 */
void CheckRates(const std::string& option, const RateSteps& rate, bool pauses);

/**
 * @param option name of an option
 * @param delay its value
 * @throws InputError unless it is from 0 to 100 s
 */
void CheckDelay(const std::string& option, const Time& delay);

/**
 * @param bitsPerSecond the highest rate of a link
 * @param roundTripSeconds between two devices, without queues, s
 * @param sendBufferBytes SO_SNDBUF, bytes; 0: TCP sizes its send buffer
 * @return the rate to which TCP's window limits a connection, as a further property of the link;
 *         empty if the link is slower
 */
std::string DescribeWindow(double bitsPerSecond, double roundTripSeconds, uint32_t sendBufferBytes);

/**
 * @param link of devices
 * @param like a link whose attributes it gets, where it has them
 * @return link
 */
Ptr<LinkType> SetLike(Ptr<LinkType> link, const LinkType& like);

/** @return options of all link types, each with a link of every type that has it, by type name */
std::map<std::string, std::map<std::string, Ptr<const LinkType>>> GetLinkOptions();

/**
 * @param link a link type
 * @param option that it does not use
 * @return the expected value of the option, naming the link types that use it
 */
std::string ExplainUnused(const LinkType& link, const std::string& option);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_TYPE_H */
