/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIDELITY_CASE_H
#define EDGEPIPE_FIDELITY_CASE_H

#include "lib/workload.h"

#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-network-options.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A run of one workload that both fidelities can be asked for: planned once, and the same in both
 * but for the network.
 */
class FidelityCase
{
  public:
    virtual ~FidelityCase() = default;

    /**
     * @param text options of a scenario without their dashes, separated by blanks, or by tabs
     *        where values hold blanks, such as "model=alexnet link=p2p"; "workload=NAME" among them says which scenario, see
     *        GetFidelityWorkloads, otherwise pipeline-training
     * @param traces the traces folder; empty: where it is found
     * @return the case
     * @throws InputError if something cannot be used
     */
    static std::unique_ptr<FidelityCase> Make(const std::string& text, const std::string& traces);

    /** @return options that reproduce it, as Make takes them: what was measured for it included */
    const std::string& GetText() const;

    /** @return name of the scenario */
    const std::string& GetWorkload() const;

    /** @return how the devices are joined */
    virtual const NetworkOptions& GetNetwork() const = 0;

    /** @return how many devices there are */
    virtual std::size_t GetDevices() const = 0;

    /** @return stages of the plan; 0 where the workload has none */
    virtual std::size_t GetStages() const;

    /** @return costs of layers by device type, where they are to be told */
    virtual std::map<std::string, LayerCost> GetLayerCosts() const;

    /** @return whether two runs at packet level differ by their run numbers */
    bool IsRandom() const;

    /**
     * @param workload name of a scenario
     * @return how studies vary it
     */
    static WorkloadSweep GetSweep(const std::string& workload);

    /**
     * @param network the devices are joined by this
     * @param progress told the share of the run that is done, 0 to 1; may be empty
     * @return what a run comes to
     * @throws InputError if something makes no sense
     */
    virtual CaseOutcome Simulate(const NetworkOptions& network,
                                 const std::function<void(double)>& progress) = 0;

    /**
     * @param fidelity flow or packet
     * @return what joins the devices, in that fidelity
     */
    NetworkOptions GetNetwork(const std::string& fidelity) const;

  protected:
    std::string m_text;     //!< options that reproduce it
    std::string m_workload; //!< name of the scenario
};

/** @return scenarios that cases are of */
const std::vector<std::string>& GetFidelityWorkloads();

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FIDELITY_CASE_H */
