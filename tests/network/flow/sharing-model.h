// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_TEST_SHARING_MODEL_H
#define EDGEPIPE_TEST_SHARING_MODEL_H

#include "ns3/edgepipe-max-min-sharing.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

/** Links and flows, kept apart from the class under test. */
struct SharingModel
{
    using Uses = ns3::edgepipe::MaxMinSharing::Uses;

    /** A flow. */
    struct Flow
    {
        Uses uses;    //!< the links it crosses
        double bound; //!< highest rate
    };

    std::vector<double> capacities; //!< by link
    std::vector<Flow> flows;        //!< in any order

    /**
     * Max-min fair rates in another way than MaxMinSharing: one common level rises from 0; at each
     * step every sum is formed anew, in extended precision.
     *
     * @return rates by flow
     */
    std::vector<double> Solve() const;

    /**
     * Look for what is wrong with rates by the definition alone.
     *
     * @param rates by flow
     * @param tolerance relative
     * @return the first fault in words, empty if they are feasible and max-min fair
     */
    std::string FindFault(const std::vector<double>& rates, double tolerance) const;

    /**
     * @param number of a link
     * @param rates by flow
     * @return what the flows take of the link
     */
    long double GetLoad(uint32_t number, const std::vector<double>& rates) const;
};

/** What random networks look like. */
struct SharingStyle
{
    std::string name;    //!< in words
    double lowestWeight; //!< weights are log-uniform from here
    double highestWeight;
    double lowestCapacity; //!< as are capacities
    double highestCapacity;
    double zeroes;   //!< share of capacities that are 0
    bool isRounded;  //!< whether capacities and bounds are powers of 2, so that many tie
    double bounded;  //!< share of flows that have a bound
    uint32_t links;  //!< at most
    uint32_t flows;  //!< at most
    uint32_t length; //!< links of a flow, at most
};

/** Draws networks of one style. */
class SharingDice
{
  public:
    /**
     * @param style what they look like
     * @param seed any number
     */
    SharingDice(const SharingStyle& style, uint32_t seed);

    /** @return a capacity, or a bound if `isBound` */
    double DrawCapacity(bool isBound = false);

    /**
     * @param links how many there are
     * @return a flow
     */
    SharingModel::Flow DrawFlow(uint32_t links);

    /** @return a bound */
    double DrawBound();

    /**
     * @param end not drawn
     * @return a number below it
     */
    uint32_t DrawBelow(uint32_t end);

    std::mt19937 random; //!< where the draws come from

  private:
    /**
     * @param low lowest, > 0
     * @param high highest
     * @return log-uniform
     */
    double DrawBetween(double low, double high);

    SharingStyle m_style; //!< what they look like
};

#endif /* EDGEPIPE_TEST_SHARING_MODEL_H */
