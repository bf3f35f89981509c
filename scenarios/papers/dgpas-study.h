/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_STUDY_H
#define EDGEPIPE_DGPAS_STUDY_H

#include "lib/progress.h"
#include "papers/dgpas-comparison.h"
#include "papers/dgpas-sweep.h"

#include "ns3/edgepipe-table.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
 * The evaluation of the DGPAS paper beside ours: the scenario dgpas-testbed. Every planner plans
 * every model over every network, with several seeds if it is random; plans are judged by
 * simulated iteration time, without and with help between neighbours.
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
     * Plan, simulate and compare.
     *
     * @throws InputError if a site cannot be set up
     */
    void Run();

    /** Print the tables on standard output. */
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
    /** A table with its heading. */
    struct Section
    {
        std::string title; //!< what it shows
        std::string note;  //!< how to read it; may be empty
        Table table;       //!< the figures
        bool isShort;      //!< whether it is printed too
    };

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

    /** @return everything to be read */
    std::vector<Section> MakeSections() const;
    /**
     * @param first heading of the first column
     * @return an empty table with a column per model
     */
    Table MakeModelTable(const std::string& first) const;
    /**
     * @param format of a cell
     * @return table 3
     */
    Table MakeTable3(const std::function<std::string(const DgpasComparison&)>& format) const;
    /** @return averages, theirs and ours */
    Table MakeAverageTable() const;
    /** @return orders of planners */
    Table MakeOrderTable() const;
    /** @return figure 12 */
    Table MakeFigure12() const;
    /** @return bubble rates and indices over the first network */
    Table MakeBubbleTable() const;
    /**
     * @param points of figure 11
     * @param heading of the column of conditions
     * @return decrease of the bubble rate by condition
     */
    Table MakeFigure11(const std::vector<DgpasPoint>& points, const std::string& heading) const;
    /** @return what help gains, by network and method */
    Table MakeHelpTable() const;
    /** @return from which bandwidth on help pays */
    Table MakePayingTable() const;
    /** @return what methods cost to decide */
    Table MakeCostTable() const;
    /**
     * @param points of figure 11
     * @param x condition; any if none
     * @param model index in the models; all if none
     * @param help how idle devices help
     * @return decrease of the bubble rate, mean over models and methods; none without points
     */
    std::optional<double> GetBubbleDecrease(const std::vector<DgpasPoint>& points,
                                            std::optional<double> x,
                                            std::optional<std::size_t> model,
                                            DgpasHelp help) const;

    /** @return a row per case and help, for tools */
    Table MakeCaseRows() const;
    /** @return a row per model, network, method and help: means over seeds, for tools */
    Table MakeMeanRows() const;
    /** @return table 3 for tools */
    Table MakeComparisonRows() const;
    /** @return a sweep for tools */
    Table MakePointRows(const std::vector<DgpasPoint>& points, const std::string& condition) const;
    /** @return decisions for tools; they differ from run to run */
    Table MakeCostRows() const;
    /** @return options and averages as JSON */
    std::string MakeJson() const;

    const ScenarioOptions& m_options;       //!< of the scenario
    PublishedDgpas m_published;             //!< the paper's figures, of chosen models
    std::vector<DgpasNetwork> m_networks;   //!< chosen
    std::vector<DgpasMethod> m_methods;     //!< chosen
    bool m_isQuick;                         //!< whether little will do
    uint32_t m_seeds;                       //!< of the first network
    uint32_t m_otherSeeds;                  //!< of the other networks
    std::vector<std::string> m_bubbleNames; //!< methods of figure 11
    std::vector<uint32_t> m_miniBatches;    //!< of figure 11
    uint64_t m_firstRun;                    //!< ns-3's run number as given
    DgpasCases m_cases;                     //!< everything simulated
    std::vector<DgpasComparison> m_table3;  //!< over the first network
    std::vector<DgpasOrder> m_orders;       //!< over the first network
    std::vector<DgpasPoint> m_miniPoints;   //!< figure 11 over mini-batches
    std::vector<DgpasPoint> m_microPoints;  //!< over micro-batches of a mini-batch
    std::vector<DgpasPoint> m_bandwidths;   //!< help over bandwidth
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
