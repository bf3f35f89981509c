/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEPLOYMENT_H
#define EDGEPIPE_DEPLOYMENT_H

#include "runs/progress.h"

#include "ns3/application-container.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-load-player.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/simulator.h"

#include <map>
#include <stdexcept>
#include <utility>

namespace ns3::edgepipe
{

/** Share of a device that is left for the workload, and its changes during a run. */
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

/** What a run of any workload needs to know of its network and devices. */
struct RunSetting
{
    /** @param options how the devices are joined */
    RunSetting(NetworkOptions options = {})
        : network(std::move(options))
    {
    }

    NetworkOptions network;                     //!< how the devices are joined
    std::string planner;                        //!< name of the planner, where one decides
    std::vector<DeviceLoad> loads;              //!< devices that have other work as well
    TraceOptions load;                          //!< how to replay their recordings
    std::map<std::string, std::string> replays; //!< files of recorded passes, by device
};

/**
 * @param loads of devices
 * @param device name of a device, with or without a load
 * @param options how to replay recordings
 * @return the device's share at the start, 0 to 1
 * @throws InputError if a recording cannot be read
 */
double GetFirstShare(const std::vector<DeviceLoad>& loads,
                     const std::string& device,
                     const TraceOptions& options);

/** Wall-clock times of decisions during a run, s. */
struct PlannerTimes
{
    /**
     * @param seconds of all decisions of a planner
     * @param made number of them
     * @param first seconds of the first one, during which a program starts; 0: no program
     */
    void Add(double seconds, uint64_t made, double first)
    {
        total += seconds;
        start += first;
        later += made - (first > 0 && made > 0);
    }

    /** @return mean of a decision, without the first ones of programs; 0: there are no others */
    double GetMean() const
    {
        return later > 0 ? (total - start) / later : 0;
    }

    double total{0};   //!< of all decisions
    double start{0};   //!< of the first decisions of programs, which start meanwhile
    uint64_t later{0}; //!< number of decisions without these
};

/// Mean of requests over that of one alone from which on they count as saturated.
constexpr double SATURATED = 2;

/** An answered request of a device: a frame, or an actor's step. */
struct AnsweredRequest
{
    uint32_t device; //!< index of the device
    uint64_t number; //!< of the request among its own, from 0
    Time ended;      //!< when it was answered
    double seconds;  //!< from its begin to its answer, s
};

/** Outcome of one simulation of a workload: the figures that all workloads have. */
struct CaseOutcome
{
    /** @return refused, finished or stalled */
    const char* GetStatus() const
    {
        return !refusal.empty() ? "refused" : isFinished ? "finished" : "stalled";
    }

    bool isFinished{false};                  //!< whether it finished
    std::string refusal{};                   //!< why it did not start; empty: it did
    std::vector<std::string> diagnosis;      //!< if not finished: who waits for what, one line each
    Time end;                                //!< simulated time at the end
    double seconds{0};                       //!< mean iteration, frame's latency, or response, s
    double wholeSeconds{0};                  //!< of all iterations, where they are ranked by it, s
    double perSecond{0};                     //!< throughput: samples/s, frames/s or requests/s
    uint64_t requests{0};                    //!< iterations of every worker, frames or requests
    std::vector<AnsweredRequest> answered{}; //!< averaged in `seconds`; empty: iterations are
    bool isClosedLoop{false}; //!< whether a device waits for an answer before its next request
    bool isSaturated{false};  //!< whether requests take twice as long as one alone, or longer
    /// Options, by name, with which `seconds` would be of all devices; empty: it is.
    std::vector<std::pair<std::string, std::string>> longer{};
    uint64_t bytesMoved{0};         //!< payload between devices, bytes
    uint64_t events{0};             //!< simulator events executed
    double decisionSeconds{0};      //!< wall-clock time of planning during the run, s
    PlannerTimes times;             //!< of its decisions, where they are counted
    double simulationSeconds{0};    //!< wall-clock time of the simulation, s
    PlannerFailures failures;       //!< decisions that failed during the run
    std::vector<LinkCounter> links; //!< by transmitter
    /// Further figures of this workload: names of columns, and cells.
    std::vector<std::pair<std::string, std::string>> columns;
};

/** ns-3 cannot continue a simulation, through no fault of the user. */
class SimulatorError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * Edge devices and their network in one simulation, which is torn down with this object: common to
 * runs of all workloads.
 */
class Deployment
{
  public:
    /**
     * Build the network.
     *
     * @param setting how the devices are joined, and what they replay
     * @param names of the devices
     * @param active devices that will send or receive, see NetworkHelper; none: all
     * @throws InputError if the options are invalid
     */
    Deployment(RunSetting setting,
               std::vector<std::string> names,
               const std::set<uint32_t>& active = {});

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
     * @return the network, of which this object keeps only the transport
     * @throws InputError if the options are invalid
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

    /**
     * Make a node an edge device, unless it is one.
     *
     * @param index of the device
     * @param memoryBytes its memory
     * @return its processor, watched by the monitor
     */
    Ptr<ComputeDevice> AddDevice(uint32_t index, uint64_t memoryBytes = UINT64_MAX);

    /**
     * Replay the loads of the devices that are edge devices by now.
     * @throws InputError if a recording cannot be read, or there is no such device
     */
    void AddLoads();

    /**
     * Let the monitor report what applications wait for in a stuck run.
     *
     * @param applications to watch, in this order; only those of edgepipe count
     */
    void Watch(const ApplicationContainer& applications);

    /**
     * Run the simulation to its end.
     * @throws SimulatorError if ns-3 cannot continue it
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
     * @param outcome set to the figures of the simulation and its network
     */
    void Collect(bool isFinished, CaseOutcome& outcome) const;

  private:
    /**
     * Say which devices have no link now, where a distance decides it.
     * @param diagnosis of a stalled run, which gets a line
     */
    void AddOutOfRange(std::vector<std::string>& diagnosis) const;
    /**
     * Let the devices send and receive.
     * @param network that joins them
     */
    void Join(const Network& network);

    /** Tears the simulation down, however it ends. */
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

    Teardown m_teardown;                                //!< destroyed last
    const RunSetting m_setting;                         //!< network, loads and replays
    const Stopwatch m_watch;                            //!< of the simulation, building included
    const std::vector<std::string> m_names;             //!< of the devices
    const std::set<uint32_t> m_active;                  //!< devices that send or receive
    Network m_network;                                  //!< joins them
    Ptr<StallMonitor> m_monitor;                        //!< ends a stuck run
    std::vector<std::unique_ptr<LoadPlayer>> m_players; //!< replay loads
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEPLOYMENT_H */
