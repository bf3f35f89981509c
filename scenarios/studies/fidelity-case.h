/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIDELITY_CASE_H
#define EDGEPIPE_FIDELITY_CASE_H

#include "lib/workload.h"

#include "ns3/edgepipe-network-options.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/// What one simulation of a case came to.
using FidelityFigure = CaseOutcome;

/** A case in one fidelity, run once or with several run numbers. */
struct FidelityRun
{
    uint32_t runs{0};                   //!< how often it was run
    double seconds{0};                  //!< mean of FidelityFigure::seconds; 0 if none
    double firstSeconds{0};             //!< that of the first run
    double lowestSeconds{0};            //!< that of the fastest run
    double highestSeconds{0};           //!< that of the slowest run
    double wallSeconds{0};              //!< what a simulation took, s of wall clock
    uint64_t bytesMoved{0};             //!< of the last
    uint64_t events{0};                 //!< simulator events executed in the last
    uint64_t responses{0};              //!< see FidelityFigure, of the first
    uint64_t requests{0};               //!< likewise, of the last
    double perSecond{0};                //!< likewise
    double decisionSeconds{0};          //!< likewise
    bool isFinished{false};             //!< whether all came to their end
    Time end;                           //!< of the last that did not, or of the last
    std::vector<std::string> diagnosis; //!< who waits for what there
};

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
     * @param text options of a scenario without their dashes, separated by blanks, such as
     *        "model=alexnet link=p2p"; "workload=NAME" among them says which scenario, see
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

    /** @return whether two runs at packet level differ by their run numbers */
    bool IsRandom() const;

    /**
     * Simulate it with ns-3's run number and those that follow.
     *
     * @param network the devices are joined by this
     * @param runs how often
     * @param progress told the share of a run that is done, 0 to 1; may be empty
     * @return what came of it
     * @throws InputError if something makes no sense
     */
    FidelityRun Run(const NetworkOptions& network,
                    uint32_t runs,
                    const std::function<void(double)>& progress = {});

    /**
     * @param fidelity flow or packet
     * @return what joins the devices, in that fidelity
     */
    NetworkOptions GetNetwork(const std::string& fidelity) const;

  protected:
    std::string m_text;     //!< options that reproduce it
    std::string m_workload; //!< name of the scenario

  private:
    /**
     * @param network the devices are joined by this
     * @param progress told the share of the run that is done, 0 to 1; may be empty
     * @return what a run comes to
     */
    virtual FidelityFigure Simulate(const NetworkOptions& network,
                                    const std::function<void(double)>& progress) = 0;
};

/** @return scenarios that cases are of */
const std::vector<std::string>& GetFidelityWorkloads();

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FIDELITY_CASE_H */
