/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "papers/dgpas-format.h"
#include "papers/dgpas-study.h"

#include <iostream>

namespace ns3
{
namespace edgepipe
{

std::vector<DgpasStudy::Section>
DgpasStudy::MakeSections() const
{
    std::vector<Section> sections;
    const std::string first = m_networks.front().label;
    sections.push_back({"Table 3 and figure 10, over " + first,
                        "seconds: theirs / ours, mean and 95 % confidence interval (Student); "
                        "ours are of estimated devices, so only the order and the next table "
                        "compare",
                        MakeTable3([](const DgpasComparison& one) {
                            return (one.theirs ? Table::Rounded(*one.theirs) + " / " : "") +
                                   FormatInterval(one.ours);
                        }),
                        true});
    sections.push_back({"Table 3 over DGPAS",
                        "times DGPAS: theirs / ours over grdqn faithful / ours over grdqn improved",
                        MakeTable3([](const DgpasComparison& one) {
                            return FormatIfAny(one.theirRatio) + " / " +
                                   FormatIfAny(one.toFaithful) + " / " +
                                   FormatIfAny(one.toImproved);
                        }),
                        true});
    sections.push_back({"Averages",
                        "over models, and over planners where there are several",
                        MakeAverageTable(),
                        true});
    sections.push_back({"Order of the planners",
                        "pairs of table 3 that are the other way round in ours by more than 0.5 %",
                        MakeOrderTable(),
                        true});
    sections.push_back(
        {"Figure 12, over " + first, "seconds: theirs / ours", MakeFigure12(), true});
    std::string bubbles;
    for (const std::string& name : m_bubbleNames)
    {
        bubbles += (bubbles.empty() ? "" : ", ") + name;
    }
    sections.push_back({"Figure 11: decrease of the bubble rate over mini-batches",
                        "ideal, mean over the plans of " + bubbles + "; theirs on average " +
                            FormatPercent(m_published.bubbleRateReduction),
                        MakeFigure11(m_miniPoints, "mini-batches"),
                        true});
    sections.push_back({"Figure 11 read otherwise: over micro-batches",
                        "one mini-batch of 256 samples, cut into so many; same plans",
                        MakeFigure11(m_microPoints, "micro-batches"),
                        true});
    sections.push_back({"Help between neighbours by network",
                        "by how much less, mean over models and seeds; worst: the case whose time "
                        "gains least",
                        MakeHelpTable(),
                        true});
    sections.push_back({"Bandwidth of a LAN from which on full help pays",
                        "gains " + FormatPercent(DGPAS_LEAST_GAIN) +
                            " of an iteration or more there and at every bandwidth above; "
                            "grdqn's plan is that for " +
                            first + ", exact plans for each bandwidth",
                        MakePayingTable(),
                        true});
    sections.push_back({"What decisions take, over " + first,
                        "mean wall-clock seconds and plans whose cost was looked at; weights that "
                        "come from the cache count no training",
                        MakeCostTable(),
                        true});
    sections.push_back({"Bubble rates and indices, over " + first,
                        "first seed; the index of equation 14 adds seconds to a logarithm and is "
                        "no rate; theta of theorem 1 is a mean over grants",
                        MakeBubbleTable(),
                        false});
    return sections;
}

void
DgpasStudy::Print() const
{
    const TrainingInputs& inputs = m_settings.begin()->second->GetInputs();
    std::cout << "The DGPAS paper beside ours: "
              << FormatCount(m_published.models.size(), "model", "models") << ", "
              << FormatCount(m_methods.size(), "method", "methods") << ", "
              << FormatCount(m_networks.size(), "network", "networks") << ", "
              << inputs.cluster.name << " ("
              << FormatCount(inputs.cluster.devices.size(), "device", "devices") << "), "
              << inputs.microBatches << " micro-batches of " << inputs.microBatchSize
              << " samples, " << m_options.GetString("fidelity") << " level\n";
    PrintLayerCosts(inputs.costs);
    std::size_t simulations = 0;
    for (const auto& [site, setting] : m_settings)
    {
        simulations += setting->GetSimulations();
    }
    std::cout << FormatCount(m_cases.GetAll().size(), "plan", "plans") << ", "
              << FormatCount(simulations, "simulation", "simulations")
              << " (equal plans are simulated once); weights of grdqn trained anew for "
              << FormatCount(m_trainings, "plan", "plans")
              << ", the others come from its cache; training and loading took "
              << Table::Rounded(m_preparationSeconds, 3) << " s, decisions "
              << Table::Rounded(m_decisionSeconds, 3) << " s\n\n";
    for (const Section& section : MakeSections())
    {
        if (section.isShort && section.table.GetRows() > 0)
        {
            std::cout << section.title << " (" << section.note << "):\n\n";
            section.table.Print(std::cout);
            std::cout << "\n";
        }
    }
    for (const DgpasCase& one : m_cases.GetAll())
    {
        const auto name = m_methods[one.method].name + ", " + GetName(one.model) + ", " +
                          m_networks[one.network].label + ", seed " + std::to_string(one.seed);
        if (!one.made.problemWithPlan.empty())
        {
            std::cout << "No plan: " << name << ": " << one.made.problemWithPlan << "\n";
            continue;
        }
        for (const auto& [help, label] : DGPAS_HELPS)
        {
            const DgpasOutcome& outcome = one.outcomes.Get(help);
            if (!outcome.isFinished)
            {
                std::cerr << m_options.GetName() << ": not finished, help " << label << ": " << name
                          << ": " << outcome.reason << "\n";
            }
        }
    }
}

} // namespace edgepipe
} // namespace ns3
