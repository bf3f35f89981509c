/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEPLOYMENT_H
#define EDGEPIPE_DEPLOYMENT_H

#include "ns3/application-container.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-load-player.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/edgepipe-trace.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** How the share of a device that is left for us changes during a run. */
struct LoadSource
{
    std::string trace;            //!< see OpenLoadTrace; empty: steps are given
    std::vector<TraceStep> steps; //!< shares, 0 to 1, from time 0 on, their times increasing

    /** @return whether it never changes */
    bool IsEmpty() const
    {
        return trace.empty() && steps.empty();
    }
};

/**
 * @param load of a device
 * @param options how to replay recordings
 * @return the share that is left at the start, 0 to 1
 * @throws InputError if a recording cannot be read
 */
double GetFirstShare(const LoadSource& load, const TraceOptions& options);

/** ns-3 cannot go on with a simulation, through no mistake of its user's. */
class SimulatorError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * Edge devices on a network of our own in a simulation of its own, which is taken down with this
 * object: what runs of all workloads have in common.
 */
class Deployment
{
  public:
    /**
     * Build the network.
     *
     * @param options how the devices are joined
     * @param names of the devices
     * @param active devices that will send or receive, see NetworkHelper
     * @param stallTimeout longest time without progress; none: StallMonitor's default
     * @throws InputError if the options make no sense
     */
    Deployment(const NetworkOptions& options,
               std::vector<std::string> names,
               const std::set<uint32_t>& active,
               const std::optional<Time>& stallTimeout = {});
    ~Deployment();
    // Events hold this object's address.
    Deployment(const Deployment&) = delete;
    Deployment& operator=(const Deployment&) = delete;

    /** @return the network */
    const Network& GetNetwork() const;

    /**
     * Build another network of the same devices, on nodes of its own.
     *
     * @param options how the devices are joined
     * @return the network, of which only the one who asked keeps a record
     * @throws InputError if the options make no sense
     */
    Network AddNetwork(const NetworkOptions& options);

    /** @return names of the devices */
    const std::vector<std::string>& GetNames() const;

    /** @return what ends a run that is stuck */
    Ptr<StallMonitor> GetMonitor() const;

    /**
     * Make a node an edge device, unless it is one.
     *
     * @param index of the device
     * @param memoryBytes its memory
     * @return its processor, watched by the monitor
     */
    Ptr<ComputeDevice> AddDevice(uint32_t index, uint64_t memoryBytes = UINT64_MAX);

    /**
     * Have a device's load change.
     *
     * @param index of the device, added before
     * @param load its load; may be empty
     * @param options how to replay recordings
     * @throws InputError if a recording cannot be read
     */
    void AddLoad(uint32_t index, const LoadSource& load, const TraceOptions& options);

    /**
     * Have the monitor say what applications wait for when the run is stuck.
     *
     * @param applications those of edgepipe are watched, in this order
     */
    void Watch(const ApplicationContainer& applications);

    /**
     * Let the simulation run to its end.
     * @throws SimulatorError if ns-3 cannot go on
     */
    void Run();

    /** Everything is done: end the simulation now. */
    void End();

    /** @return the links and what they have carried so far */
    std::vector<LinkCounter> GetLinks() const;

  private:
    /**
     * Let the devices send and receive.
     * @param network that joins them
     */
    void Join(const Network& network);

    /** Takes the simulation down, however it ends. */
    struct Teardown
    {
        ~Teardown();
        std::vector<Ptr<TensorTransport>> transports; //!< disposed of first
    };

    Teardown m_teardown;                                //!< comes last
    const std::vector<std::string> m_names;             //!< of the devices
    const std::set<uint32_t> m_active;                  //!< devices that send or receive
    Network m_network;                                  //!< joins them
    Ptr<StallMonitor> m_monitor;                        //!< ends a run that is stuck
    std::vector<std::unique_ptr<LoadPlayer>> m_players; //!< replay loads
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DEPLOYMENT_H */
