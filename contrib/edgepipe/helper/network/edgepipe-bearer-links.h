/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BEARER_LINKS_H
#define EDGEPIPE_BEARER_LINKS_H

#include "edgepipe-link-type.h"

#include "ns3/nstime.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A star around the network's core, which forwards in no time: each device has a bearer of its own,
 * wired devices have a cable.
 */
class BearerLink : public LinkType
{
  public:
    void SetDefaults(NetworkOptions& options) const override;
    void Check(const NetworkOptions& options, const std::vector<std::string>& names) const override;
    std::string Describe(const NetworkOptions& options, bool isDetailed) const override;
    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override;

  protected:
    /** What such links have unless told otherwise. */
    struct Defaults
    {
        double uplinkBitsPerSecond;   //!< IP bytes; 0: has to be given
        double downlinkBitsPerSecond; //!< IP bytes; 0: as the uplink
        Time delay;                   //!< least, one way
        Time jitter;                  //!< largest further delay, uniform from 0 on
    };

    /**
     * @param name of the link type
     * @param defaults what such links have unless told otherwise
     * @param options those that not all bearers use
     */
    BearerLink(const std::string& name,
               const Defaults& defaults,
               std::set<std::string> options = {});

  private:
    Defaults m_defaults; //!< what such links have unless told otherwise
};

/**
 * @ingroup edgepipe
 *
 * 4G.
 *
 * Uplinks of this, ThreeGLink and Cat1Link: the QDMP paper (Zhang et al., 2020), table 5.
 *
 * Downlinks of 4g and 3g: Ofcom, "Measuring mobile broadband performance in the UK", April 2015
 * (measured October to December 2014): means of 14.7 and 5.9 Mbit/s. Of cat1: an estimate, the
 * uplink times the ratio of the limits of LTE's UE category 1, 10296 to 5160 bits per millisecond
 * (3GPP TS 36.306, tables 4.1-1 and 4.1-2).
 *
 * Delay: half the mean round trip less the mean jitter. Round trips of 4g and 3g: the same report,
 * 53.1 and 63.5 ms; of cat1, an LTE radio too: as 4g. Of recordings, which hold none: as 4g.
 *
 * Jitter: an estimate, one repetition by the radio: a round of LTE's 8 HARQ processes of 1 ms each
 * (3GPP TS 36.213), and of HSUPA's 8 of 2 ms each (3GPP TS 25.319). Recordings have their own.
 */
class FourGLink : public BearerLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    FourGLink();
};

/**
 * @ingroup edgepipe
 *
 * 3G; FourGLink names the sources.
 */
class ThreeGLink : public BearerLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    ThreeGLink();
};

/**
 * @ingroup edgepipe
 *
 * LTE category 1, for things; FourGLink names the sources.
 */
class Cat1Link : public BearerLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    Cat1Link();
};

/**
 * @ingroup edgepipe
 *
 * Bearers whose bandwidth is recorded; they have no jitter but the recording's.
 */
class TraceLink : public BearerLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    TraceLink();
};

/**
 * @param uplinkTrace a recording of an uplink
 * @return the recording of its downlink: FILE.down beside FILE.up, or FILE.down.csv beside
 *         FILE.up.csv, if it is there, else the same file
 */
std::string FindDownlinkTrace(const std::string& uplinkTrace);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BEARER_LINKS_H */
