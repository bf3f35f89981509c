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

/** A device's share of a plan, or that of several devices with equal work. */
struct PlanPart
{
    std::string device; //!< its name, or the number of devices
    std::string work;   //!< first..last layer, by name, or number of samples
    /// First and last of the layers, or of the batch's samples, by index
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    std::optional<double> share{}; //!< of an iteration, frame or request spent computing, 0 to 1
    uint64_t memoryBytes{0};       //!< peak in use
    uint64_t capacityBytes{0};     //!< of a device; 0: memory is not known
};

/** A plan of a case, or for some of its devices. */
struct PlanStep
{
    /** @param part to add, unless it has no work */
    void Add(const PlanPart& part)
    {
        if (!part.spans.empty())
        {
            parts.push_back(part);
        }
    }

    std::string moment;          //!< such as first or last, or a device; empty: always
    std::vector<PlanPart> parts; //!< in the order in which they compute
};

/// What a share of time is of, where it is of the whole run.
inline constexpr char COMPUTING[] = "the run, in which the device computes";

/** The plans of a case that are shown. */
struct CasePlan
{
    std::string name;            //!< of the case
    std::vector<PlanStep> steps; //!< none: it had no plan
    std::string time{};          //!< what the shares of its parts are of
    std::string share{"time"};   //!< the same in a word: "latency" counts waiting on the device
};

/**
 * @param device that runs layers
 * @param graph the network
 * @param isIts whether it runs a layer, by index
 * @return its part of a plan; without spans if it runs none
 */
PlanPart MakeLayerPart(const std::string& device,
                       const DnnGraph& graph,
                       const std::function<bool(std::size_t)>& isIts);

/**
 * Add the memory of inference: weights that its layers use, and the most tensors alive at once.
 *
 * @param part of a plan, with layers
 * @param graph the network
 * @param capacityBytes memory of a device
 */
void AddInferenceMemory(PlanPart& part, const DnnGraph& graph, uint64_t capacityBytes);

/**
 * @param planner whose plan it is
 * @param parts of the plan
 * @return a line on the first device whose memory does not suffice; empty: none
 */
std::string FindOverflow(const std::string& planner, const std::vector<PlanPart>& parts);

/**
 * @param parts of a plan
 * @return the parts in a line: `DEVICE FIRST..LAST > DEVICE FIRST..LAST`, or joined by + if they
 *         are samples, computed at the same time
 */
std::string FormatParts(const std::vector<PlanPart>& parts);

/**
 * @param plan of a case
 * @return its steps in a line, with `MOMENT: ` before their parts, joined by |
 */
std::string FormatCasePlan(const CasePlan& plan);

/**
 * @param plans of cases
 * @return the plans, for run.json and the page
 */
nlohmann::ordered_json FormatCasePlans(const std::vector<CasePlan>& plans);

/**
 * Print plans on standard output, in a dozen lines at most: each distinct plan once, with as many
 * parts as fit.
 *
 * @param plans of cases
 */
void PrintCasePlans(const std::vector<CasePlan>& plans);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CASE_PLAN_H */
