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

    /// @param tolerance relative
    /// @return the first fault by the definition alone, in words, empty if there is none
    std::string FindFault(const std::vector<double>& rates, double tolerance) const;

    /// @return what the flows take of the link
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
    SharingDice(const SharingStyle& style, uint32_t seed);

    /** @return a capacity, or a bound if `isBound` */
    double DrawCapacity(bool isBound = false);

    SharingModel::Flow DrawFlow(uint32_t links);

    double DrawBound();

    /// @return a number below it
    uint32_t DrawBelow(uint32_t end);

    std::mt19937 random; //!< where the draws come from

  private:
    /// @return log-uniform
    double DrawBetween(double low, double high);

    SharingStyle m_style; //!< what they look like
};

#endif /* EDGEPIPE_TEST_SHARING_MODEL_H */
