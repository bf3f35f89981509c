/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-mobility.h"

#include "edgepipe-radio-link.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/double.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/random-variable-stream.h"
#include "ns3/random-waypoint-mobility-model.h"

#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Streams kept for each device.
constexpr int64_t STREAMS_PER_DEVICE = 10;

/**
 * @param distance from the origin, m
 * @param turns angle, 1 for the full circle
 * @return the point
 */
Vector
OnCircle(double distance, double turns)
{
    const double angle = 2 * M_PI * turns;
    return Vector(distance * std::cos(angle), distance * std::sin(angle), 0);
}

/**
 * @param link the distance and the speed
 * @param device number of the device
 * @return a path within the circle
 */
Ptr<MobilityModel>
MakeWalk(const RadioLink& link, uint32_t device)
{
    auto speed = CreateObject<ConstantRandomVariable>();
    speed->SetAttribute("Constant", DoubleValue(link.GetSpeed()));
    auto pause = CreateObject<ConstantRandomVariable>();
    auto points = CreateObject<UniformDiscPositionAllocator>();
    points->SetRho(link.GetDistance());
    auto walk = CreateObject<RandomWaypointMobilityModel>();
    walk->SetAttribute("Speed", PointerValue(speed));
    walk->SetAttribute("Pause", PointerValue(pause));
    walk->SetAttribute("PositionAllocator", PointerValue(points));
    walk->AssignStreams(random_streams::MOBILITY.Get(STREAMS_PER_DEVICE * device));
    return walk;
}

} // namespace

void
InstallMobility(const RadioLink& link,
                const NodeContainer& devices,
                const std::set<uint32_t>& which)
{
    const double distance = link.GetDistance();
    const bool isMoving = link.GetSpeed() > 0;
    for (const uint32_t i : which)
    {
        const double turns = double(i) / devices.GetN();
        Ptr<MobilityModel> model;
        if (isMoving && link.IsRandomWalk())
        {
            model = MakeWalk(link, i);
            model->SetPosition(OnCircle(distance, turns));
        }
        else if (isMoving)
        {
            auto straight = CreateObject<ConstantVelocityMobilityModel>();
            straight->SetPosition(OnCircle(distance, turns)); // ends a movement
            straight->SetVelocity(OnCircle(link.GetSpeed(), turns));
            model = straight;
        }
        else
        {
            model = CreateObject<ConstantPositionMobilityModel>();
            model->SetPosition(OnCircle(distance, turns));
        }
        devices.Get(i)->AggregateObject(model);
    }
}

void
PlaceCompetitors(const RadioLink& link, const NodeContainer& competitors)
{
    const uint32_t count = competitors.GetN();
    for (uint32_t i = 0; i < count; ++i)
    {
        auto model = CreateObject<ConstantPositionMobilityModel>();
        model->SetPosition(OnCircle(link.GetDistance(), (i + 0.5) / count));
        competitors.Get(i)->AggregateObject(model);
    }
}

void
PlaceHub(Ptr<Node> hub)
{
    hub->AggregateObject(CreateObject<ConstantPositionMobilityModel>());
}

double
GetHubDistance(const RadioLink& link, Ptr<Node> device)
{
    auto model = device->GetObject<MobilityModel>();
    return model ? CalculateDistance(model->GetPosition(), Vector()) : link.GetDistance();
}

} // namespace ns3::edgepipe
