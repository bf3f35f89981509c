/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CASE_PLAN_H
#define EDGEPIPE_CASE_PLAN_H

#include "ns3/edgepipe-dnn-graph.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** What a device, or several that do the same, have to do by a plan. */
struct PlanPart
{
    std::string device; //!< its name, or how many there are
    std::string work;   //!< first..last layer, by name, or how many samples
    /// First and last of the layers, or of the batch's samples, by index
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    std::optional<double> share{}; //!< of an iteration, frame or request that it computes, 0 to 1
    uint64_t memoryBytes{0};       //!< most in use
    uint64_t capacityBytes{0};     //!< that a device has; 0: memory is not known
};

/** A plan of a case, or for some of its devices. */
struct PlanStep
{
    /** @param part another one, unless it has nothing to do */
    void Add(const PlanPart& part)
    {
        if (!part.spans.empty())
        {
            parts.push_back(part);
        }
    }

    std::string moment;          //!< such as first or last, or whose; empty: all the time
    std::vector<PlanPart> parts; //!< in the order in which they compute
};

/** All plans of a case that are shown, and of the case its name. */
struct CasePlan
{
    std::string name;            //!< of the case
    std::vector<PlanStep> steps; //!< none: it had no plan
};

/**
 * @param device that runs layers
 * @param graph the network
 * @param isIts whether it runs a layer
 * @return its part of a plan; without spans if it runs none
 */
PlanPart MakeLayerPart(const std::string& device,
                       const DnnGraph& graph,
                       const std::function<bool(std::size_t)>& isIts);

/**
 * Add the memory of inference: weights of all layers, and inputs and output of the largest one.
 *
 * @param part of a plan, with layers
 * @param graph the network
 * @param capacityBytes memory of a device
 */
void AddInferenceMemory(PlanPart& part, const DnnGraph& graph, uint64_t capacityBytes);

/**
 * @param planner whose plan it is
 * @param parts of the plan
 * @return which device lacks how much memory, in a line; empty: none does
 */
std::string FindOverflow(const std::string& planner, const std::vector<PlanPart>& parts);

/**
 * @param parts of a plan
 * @return them in a line: `DEVICE FIRST..LAST > DEVICE FIRST..LAST`, or joined by + if they are at
 *         the same time
 */
std::string FormatParts(const std::vector<PlanPart>& parts);

/**
 * @param plan of a case
 * @return its steps in a line, with `MOMENT: ` before their parts, joined by |
 */
std::string FormatCasePlan(const CasePlan& plan);

/**
 * @param plans of cases
 * @return the same, for run.json and the page
 */
nlohmann::ordered_json FormatCasePlans(const std::vector<CasePlan>& plans);

/**
 * Print plans on standard output, in a dozen lines at most: of cases with the same plan the first,
 * and of each as many parts as fit.
 *
 * @param plans of cases
 */
void PrintCasePlans(const std::vector<CasePlan>& plans);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CASE_PLAN_H */
