/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_STUDY_H
#define EDGEPIPE_DGPAS_STUDY_H

#include "lib/experiment.h"
#include "papers/dgpas-decomposition.h"
#include "papers/dgpas-method.h"
#include "papers/dgpas-setting.h"
#include "papers/published-dgpas.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
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
    DgpasOutcomes outcomes; //!< without a plan they say so
};

/** A plan of the network of table 3, run otherwise than there. */
struct DgpasPoint
{
    std::string model;      //!< by its name in the paper
    std::string method;     //!< whose plan
    uint64_t run;           //!< ns-3's run number
    Cell x;                 //!< what differs
    DgpasOutcomes outcomes; //!< what came of it
};

/**
 * @ingroup edgepipe
 *
 * The evaluation of the DGPAS paper: the scenario dgpas-testbed. Every planner plans every model
 * over every network, with several seeds if it is random; plans are judged by simulated iteration
 * time, without and with help between neighbours. analysis/papers/dgpas_testbed.py puts what comes
 * of it beside the paper's figures.
 */
class DgpasStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit DgpasStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * @param model index in the models
     * @param network index in the networks
     * @return the site, set up when first asked for
     */
    DgpasSetting& GetSetting(std::size_t model, std::size_t network);
    /**
     * @param method a method
     * @param model index in the models
     * @param network index in the networks
     * @return whether it is run there
     */
    bool IsRun(const DgpasMethod& method, std::size_t model, std::size_t network) const;
    /**
     * Plan with several seeds at once, and simulate.
     *
     * @param model index in the models
     * @param network index in the networks
     * @param first of ns-3's run numbers
     * @param count of them
     */
    void RunSeeds(std::size_t model, std::size_t network, uint64_t first, uint32_t count);
    /**
     * Simulate plans of one seed.
     *
     * @param model index in the models
     * @param network index in the networks
     * @param seed ns-3's run number
     * @param plans by DgpasMethod::GetKey
     */
    void RunSeed(std::size_t model, std::size_t network, uint64_t seed, const DgpasPlans& plans);
    /** Where the misses of grdqn come from, over the first network. */
    void DecomposeMisses();
    /** Figure 11 over mini-batches. */
    void SweepBubbles();
    /**
     * Figure 11 over micro-batches of one mini-batch.
     *
     * @param points to be added to
     * @param describe makes of a model and a count of micro-batches how they are set up
     */
    void SweepMicroBatches(std::vector<DgpasPoint>& points,
                           const std::function<DgpasSite(std::size_t, uint32_t)>& describe);
    /** @return the cases that figure 11 averages, of a model. @param model index in the models */
    std::vector<const DgpasCase*> FindBubbleCases(std::size_t model) const;
    /** Help over bandwidth. */
    void SweepBandwidth();
    /**
     * @param name of a method
     * @return its index; the number of methods if it is not among them
     */
    std::size_t FindMethod(const std::string& name) const;
    /** @return models by their names in the paper */
    const std::string& GetName(std::size_t model) const;
    /** @return what was run, and the paper's figures */
    nlohmann::ordered_json MakeJson() const;

    bool m_isQuick{false};                   //!< whether little will do
    std::vector<std::string> m_models;       //!< names of those to choose
    std::vector<std::string> m_networkNames; //!< likewise
    std::vector<std::string> m_planners;     //!< likewise
    std::vector<std::string> m_methodNames;  //!< rows of the tables, or all
    std::vector<std::string> m_bubbleNames;  //!< methods of figure 11
    std::vector<uint32_t> m_miniBatches;     //!< of figure 11
    uint32_t m_seeds{0};                     //!< of the first network
    uint32_t m_otherSeeds{0};                //!< of the other networks
    uint32_t m_jobs{0};                      //!< seeds planned at once
    uint64_t m_stateNodes{0};                //!< see FindRepresentablePlan
    std::optional<double> m_lambda;          //!< of the index; see GetBubbleIndex
    std::string m_paper;                     //!< file with the paper's figures
    PublishedDgpas m_published;              //!< they, of chosen models
    std::vector<DgpasNetwork> m_networks;    //!< chosen
    std::vector<DgpasMethod> m_methods;      //!< chosen
    uint64_t m_firstRun{0};                  //!< ns-3's run number as given
    std::vector<DgpasCase> m_cases;          //!< everything simulated
    std::vector<DgpasMiss> m_misses;         //!< of plans of grdqn
    std::vector<DgpasPoint> m_miniPoints;    //!< figure 11 over mini-batches
    std::vector<DgpasPoint> m_microPoints;   //!< over micro-batches of a mini-batch
    std::vector<DgpasPoint> m_itemPoints;    //!< over micro-batches of a constant size
    std::vector<DgpasPoint> m_bandwidths;    //!< help over bandwidth, bit/s
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<DgpasSetting>>
        m_settings;                 //!< by model and network
    std::size_t m_trainings{0};     //!< weights trained anew
    double m_preparationSeconds{0}; //!< wall-clock, of all plans
    double m_decisionSeconds{0};    //!< wall-clock, of all plans
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_STUDY_H */
