/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_CASES_H
#define EDGEPIPE_DGPAS_CASES_H

#include "lib/mean-interval.h"
#include "papers/dgpas-method.h"
#include "papers/dgpas-setting.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A network of dgpas-testbed. */
struct DgpasNetwork
{
    std::string name;      //!< for options and files
    std::string label;     //!< for people
    std::string link;      //!< lan or wifi
    std::string bandwidth; //!< of every wire; empty for wifi
};

/** @return the networks there are: two LANs and Wi-Fi */
const std::vector<DgpasNetwork>& GetDgpasNetworks();

/** A plan of one method for one model over one network, and what came of it. */
struct DgpasCase
{
    std::size_t model;      //!< index in the models
    std::size_t network;    //!< index in the networks
    std::size_t method;     //!< index in the methods
    uint64_t seed;          //!< ns-3's run number
    DgpasPlan made;         //!< the plan
    DgpasOutcomes outcomes; //!< empty without a plan
};

/** A figure of a case. */
using DgpasFigure = std::function<double(const DgpasCase&)>;

/**
 * @param help how idle devices help
 * @return a figure: iteration time with it, seconds
 */
DgpasFigure GetDgpasSeconds(DgpasHelp help);

/** All cases of a run of dgpas-testbed. */
class DgpasCases
{
  public:
    /**
     * @param one a case
     */
    void Add(DgpasCase one);

    /** @return all of them, in the order added */
    const std::vector<DgpasCase>& GetAll() const;

    /**
     * @param model index in the models
     * @param network index in the networks
     * @param method index in the methods
     * @param figure of a case
     * @return its mean over the seeds; none if there is no case, or one without a plan or one that
     *         did not finish
     */
    std::optional<MeanInterval> Estimate(std::size_t model,
                                         std::size_t network,
                                         std::size_t method,
                                         const DgpasFigure& figure) const;

    /**
     * @param model index in the models
     * @param network index in the networks
     * @param method index in the methods
     * @return the case of the first seed; null if there is none
     */
    const DgpasCase* FindFirst(std::size_t model, std::size_t network, std::size_t method) const;

  private:
    std::vector<DgpasCase> m_cases; //!< in the order added
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_CASES_H */
