/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_STUDY_H
#define EDGEPIPE_DGPAS_STUDY_H

#include "lib/progress.h"
#include "papers/dgpas-method.h"
#include "papers/dgpas-setting.h"
#include "papers/published-dgpas.h"

#include "ns3/edgepipe-table.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
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

/**
 * @ingroup edgepipe
 *
 * The evaluation of the DGPAS paper: the scenario dgpas-testbed. Every planner plans every model
 * over every network, with several seeds if it is random; plans are judged by simulated iteration
 * time, without and with help between neighbours. analysis/papers/dgpas_testbed.py puts what comes
 * of it beside the paper's figures.
 */
class DgpasStudy
{
  public:
    /**
     * Declare the options.
     *
     * @param options of the scenario
     */
    static void AddOptions(ScenarioOptions& options);

    /**
     * Read the paper's figures and choose models, networks and planners.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit DgpasStudy(const ScenarioOptions& options);

    /**
     * Plan and simulate.
     *
     * @throws InputError if a site cannot be set up
     */
    void Run();

    /** Say on standard output what was done, and what has no plan. */
    void Print() const;

    /**
     * Write the result files and say where they are.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if a run did not finish */
    int GetStatus() const;

  private:
    /**
     * @param model index in the models
     * @param network index in the networks
     * @return the site, set up when first asked for
     */
    DgpasSetting& GetSetting(std::size_t model, std::size_t network);
    /**
     * Plan and simulate with one seed.
     *
     * @param model index in the models
     * @param network index in the networks
     * @param seed ns-3's run number
     * @param done share of all work that is done
     * @param share of all work that this is
     */
    void RunSeed(std::size_t model, std::size_t network, uint64_t seed, double done, double share);
    /** Figure 11, both ways to read it. */
    void SweepBubbles();
    /** Help over bandwidth. */
    void SweepBandwidth();
    /**
     * @param name of a method
     * @return its index; the number of methods if it is not among them
     */
    std::size_t FindMethod(const std::string& name) const;
    /** @return models by their names in the paper */
    const std::string& GetName(std::size_t model) const;
    /** @return a row per case and help */
    Table MakeCaseRows() const;
    /** @return decisions; they differ from run to run */
    Table MakeCostRows() const;
    /** @return options, what was run and the paper's figures as JSON */
    std::string MakeJson() const;

    const ScenarioOptions& m_options;       //!< of the scenario
    std::string m_paper;                    //!< file with the paper's figures
    PublishedDgpas m_published;             //!< they, of chosen models
    std::vector<DgpasNetwork> m_networks;   //!< chosen
    std::vector<DgpasMethod> m_methods;     //!< chosen
    bool m_isQuick;                         //!< whether little will do
    uint32_t m_seeds;                       //!< of the first network
    uint32_t m_otherSeeds;                  //!< of the other networks
    std::vector<std::string> m_bubbleNames; //!< methods of figure 11
    std::vector<uint32_t> m_miniBatches;    //!< of figure 11
    uint64_t m_firstRun;                    //!< ns-3's run number as given
    std::vector<DgpasCase> m_cases;         //!< everything simulated
    Table m_miniPoints;                     //!< figure 11 over mini-batches
    Table m_microPoints;                    //!< over micro-batches of a mini-batch
    Table m_bandwidths;                     //!< help over bandwidth
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<DgpasSetting>>
        m_settings;                 //!< by model and network
    std::size_t m_trainings{0};     //!< weights trained anew
    double m_preparationSeconds{0}; //!< wall-clock, of all plans
    double m_decisionSeconds{0};    //!< wall-clock, of all plans
    Progress m_progress;            //!< on standard error
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_STUDY_H */
