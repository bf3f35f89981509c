/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEPLOYMENT_H
#define EDGEPIPE_DEPLOYMENT_H

#include "ns3/application-container.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-load-player.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/edgepipe-trace.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** How the share of a device that is left for us changes during a run. */
struct DeviceLoad
{
    std::string device;           //!< name of the device
    std::string trace;            //!< see OpenLoadTrace; empty: steps are given
    std::vector<TraceStep> steps; //!< shares, 0 to 1, from time 0 on, their times increasing

    /** @return whether the share may change during a run */
    bool IsChanging() const
    {
        return !trace.empty() || steps.size() > 1;
    }
};

/**
 * @param loads of devices
 * @param device name of one, with a load or without
 * @param options how to replay recordings
 * @return the share that is left of it at the start, 0 to 1
 * @throws InputError if a recording cannot be read
 */
double GetFirstShare(const std::vector<DeviceLoad>& loads,
                     const std::string& device,
                     const TraceOptions& options);

/** What one simulation of a workload came to: the figures that all workloads have. */
struct CaseOutcome
{
    /** @return refused, finished or stalled */
    const char* GetStatus() const
    {
        return !refusal.empty() ? "refused" : isFinished ? "finished" : "stalled";
    }

    bool isFinished{false};             //!< whether it came to its end
    std::string refusal{};              //!< why it did not begin; empty: it did
    std::vector<std::string> diagnosis; //!< if not: who waits for what, one line each
    Time end;                           //!< simulated time at the end
    double seconds{0};                  //!< mean iteration, frame's latency, or response, s
    double perSecond{0};                //!< throughput: samples/s, frames/s or requests/s
    uint64_t requests{0};               //!< iterations of every worker, frames or requests
    /// What `seconds` is the mean of, where a span of time decides how many there are.
    uint64_t responses{UINT64_MAX};
    uint64_t bytesMoved{0};         //!< payload between devices, bytes
    uint64_t events{0};             //!< simulator events executed
    double decisionSeconds{0};      //!< wall-clock time of planning during the run, s
    double simulationSeconds{0};    //!< wall-clock time of the simulation, s
    PlannerFailures failures;       //!< plans that did not come during the run
    std::vector<LinkCounter> links; //!< by transmitter
    /// What else there is of this workload: names of columns, and cells.
    std::vector<std::pair<std::string, std::string>> columns;
};

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
     * @throws InputError if the options make no sense
     */
    Deployment(const NetworkOptions& options,
               std::vector<std::string> names,
               const std::set<uint32_t>& active);

    ~Deployment()
    {
        m_players.clear();
        m_monitor->Dispose();
    }

    // Events hold this object's address.
    Deployment(const Deployment&) = delete;
    Deployment& operator=(const Deployment&) = delete;

    /** @return the network */
    const Network& GetNetwork() const
    {
        return m_network;
    }

    /**
     * Build another network of the same devices, on nodes of its own.
     *
     * @param options how the devices are joined
     * @return the network, of which only the one who asked keeps a record
     * @throws InputError if the options make no sense
     */
    Network AddNetwork(const NetworkOptions& options)
    {
        Network network = NetworkHelper(options, m_names).Build(m_active);
        Join(network);
        return network;
    }

    /** @return names of the devices */
    const std::vector<std::string>& GetNames() const
    {
        return m_names;
    }

    /** @return what ends a run that is stuck */
    Ptr<StallMonitor> GetMonitor() const
    {
        return m_monitor;
    }

    /**
     * Make a node an edge device, unless it is one.
     *
     * @param index of the device
     * @param memoryBytes its memory
     * @return its processor, watched by the monitor
     */
    Ptr<ComputeDevice> AddDevice(uint32_t index, uint64_t memoryBytes = UINT64_MAX);

    /**
     * Have loads of devices change.
     *
     * @param loads of devices; those that are no edge devices by now have none
     * @param options how to replay recordings
     * @throws InputError if a recording cannot be read, or there is no such device
     */
    void AddLoads(const std::vector<DeviceLoad>& loads, const TraceOptions& options);

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
    void End()
    {
        m_monitor->Stop();
        Simulator::Stop();
    }

    /**
     * @param isFinished whether everything is done
     * @param outcome told what the simulation and its network came to
     */
    void Collect(bool isFinished, CaseOutcome& outcome) const;

  private:
    /**
     * Let the devices send and receive.
     * @param network that joins them
     */
    void Join(const Network& network);

    /** Takes the simulation down, however it ends. */
    struct Teardown
    {
        ~Teardown()
        {
            for (const auto& transport : transports)
            {
                transport->Dispose();
            }
            Simulator::Destroy();
        }

        std::vector<Ptr<TensorTransport>> transports; //!< disposed of first
    };

    Teardown m_teardown;                                //!< comes last
    const std::vector<std::string> m_names;             //!< of the devices
    const std::set<uint32_t> m_active;                  //!< devices that send or receive
    Network m_network;                                  //!< joins them
    Ptr<StallMonitor> m_monitor;                        //!< ends a run that is stuck
    std::vector<std::unique_ptr<LoadPlayer>> m_players; //!< replay loads
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEPLOYMENT_H */
