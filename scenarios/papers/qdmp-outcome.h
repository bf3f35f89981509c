/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_OUTCOME_H
#define EDGEPIPE_QDMP_OUTCOME_H

#include "papers/qdmp-calibration.h"
#include "papers/qdmp-simulation.h"

#include "ns3/edgepipe-two-way-cut-cost.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What a planner makes of a model over a network. */
struct QdmpCell
{
    std::size_t model;                              //!< index in the models
    std::string network;                            //!< name
    std::string planner;                            //!< one of GetQdmpPlanners
    TwoWayCutPlan plan;                             //!< who runs what
    TwoWayCutCost cost;                             //!< of a frame alone, in context
    double framesPerSecond;                         //!< see QdmpOutcome
    std::map<std::string, QdmpSimulated> simulated; //!< by fidelity, if it was
};

/**
 * @param cell a cell
 * @return where its layers run: device, server or cut
 */
const char* GetPlace(const QdmpCell& cell);

/**
 * @return ours, in the order of tables: cloud-only, edge-only, neurosurgeon, dads, qdmp and two
 *         more columns. `dads-with-input` is dads that counts the upload of the input;
 *         `cloud-only-serial` is cloud-only that takes a frame when the one before is done.
 */
const std::vector<std::string>& GetQdmpPlanners();

/** Every model over every network by every planner, under one set of assumptions. */
class QdmpOutcome
{
  public:
    /**
     * Calibrates, plans and evaluates. Throughput is 1 / max(T_e, T_t, T_c), section 5.2.2, but
     * for cloud-only-serial, whose is 1 / latency.
     *
     * @param traces the traces folder
     * @param assumptions what the tables leave open
     * @param published the paper's tables
     * @param networks names of some of its networks
     * @throws InputError as QdmpCalibration
     */
    QdmpOutcome(const std::string& traces,
                const QdmpAssumptions& assumptions,
                const PublishedQdmp& published,
                const std::vector<std::string>& networks);

    /**
     * Simulate every cell over a network that has a bearer, at both fidelities.
     * @param simulation that does it
     * @throws InputError as QdmpSimulation
     */
    void Simulate(QdmpSimulation& simulation);

    /**
     * @param model index in the models
     * @param network name
     * @param planner one of GetQdmpPlanners
     * @return the cell; null if the network is not among them
     */
    const QdmpCell* Find(std::size_t model,
                         const std::string& network,
                         const std::string& planner) const;

    /** @return the cells where another planner's latency is below qdmp's */
    std::vector<const QdmpCell*> FindFasterThanQdmp() const;

    std::vector<CalibratedModel> models; //!< calibrated
    std::vector<QdmpCell> cells;         //!< by model, then network, then planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_OUTCOME_H */
