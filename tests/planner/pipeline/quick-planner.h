// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUICK_PLANNER_H
#define QUICK_PLANNER_H

#include "test.h"

/// @return the planner, set to learn little
inline Ptr<PipelinePlanner>
MakeQuickPlanner(const std::string& name)
{
    auto planner = FindByName<PipelinePlanner>("planner", name);
    planner->SetAttributeFailSafe("Cache", BooleanValue(false));
    if (name != "ga" && name != "pso" && name.rfind("grdqn", 0) != 0)
    {
        planner->SetAttributeFailSafe("Evaluations", UintegerValue(24));
    }
    for (const char* small : {"CutEpisodes",
                              "PlaceEpisodes",
                              "ImprovedEpisodes",
                              "FitsPerEpisode",
                              "Episodes",
                              "Rounds",
                              "Epochs"})
    {
        planner->SetAttributeFailSafe(small, UintegerValue(2));
    }
    planner->SetAttributeFailSafe("BatchSize", UintegerValue(4));
    planner->SetAttributeFailSafe("BatchPlans", UintegerValue(8));
    return planner;
}

/// @return pipeline planners that this build has, those of tests left out; which learn
inline std::map<std::string, bool>
FindPipelinePlanners()
{
    std::map<std::string, bool> found;
    for (const auto& name : GetNames<PipelinePlanner>())
    {
        const TypeId type = FindByName<PipelinePlanner>("planner", name)->GetInstanceTypeId();
        TypeId::AttributeInformation ignored;
        // Planners of other tests are wrong on purpose.
        if (type.GetName().rfind("ns3::", 0) == 0)
        {
            found[name] = type.LookupAttributeByName("LearningRate", &ignored);
        }
    }
    return found;
}

#endif /* QUICK_PLANNER_H */
