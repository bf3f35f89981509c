// SPDX-License-Identifier: GPL-2.0-only

#include "simgrid-pipeline.h"

#include <deque>
#include <memory>
#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace
{

/** @return SimGrid's command line: its options and no word on standard error */
std::vector<std::string>
GetArguments()
{
    return {"simgrid",
            "--log=root.thres:error",
            "--cfg=network/model:CM02",
            "--cfg=network/bandwidth-factor:1",
            "--cfg=network/latency-factor:1",
            "--cfg=network/weight-S:0",
            "--cfg=network/TCP-gamma:0",
            "--cfg=network/crosstraffic:0",
            // The fastest way to switch actors, with stacks as small as they need.
            "--cfg=contexts/factory:raw",
            "--cfg=contexts/stack-size:32"};
}

/// @return the hosts by device, each with a link up and a link down
std::vector<sg4::Host*>
BuildStar(const PipelineWorkload& workload)
{
    auto* zone = sg4::create_star_zone("star");
    std::vector<sg4::Host*> hosts;
    for (uint32_t device = 0; device < workload.GetDevices(); ++device)
    {
        const std::string name = std::to_string(device);
        auto* host = zone->create_host(name, PipelineWorkload::GetSpeed(device));
        const auto* link = zone->create_split_duplex_link(name, workload.linkBytesPerSecond)
                               ->set_latency(workload.linkLatencySeconds)
                               ->seal();
        zone->add_route(host->get_netpoint(),
                        nullptr,
                        nullptr,
                        nullptr,
                        {{link, sg4::LinkInRoute::Direction::UP}},
                        true);
        hosts.push_back(host);
    }
    zone->seal();
    return hosts;
}

/** The actor of a stage. */
class StageActor
{
  public:
    StageActor(const PipelineWorkload& workload,
               const std::vector<std::vector<bool>>& tasks,
               uint32_t device)
        : m_workload(workload),
          m_progress(workload, tasks, device),
          m_inputs{GetMailbox(device, false), GetMailbox(device, true)}
    {
        const uint32_t stage = device % workload.stages;
        m_outputs[0] = stage + 1 < workload.stages ? GetMailbox(device + 1, false) : nullptr;
        m_outputs[1] = stage > 0 ? GetMailbox(device - 1, true) : nullptr;
    }

    void operator()()
    {
        for (auto* input : m_inputs)
        {
            // Without a permanent receiver a transfer would start only when it is asked for.
            input->set_receiver(sg4::Actor::self());
        }
        uint32_t receiver = 0;
        while (!m_progress.IsDone())
        {
            const bool isBackward = m_progress.IsBackward();
            if (m_progress.NeedsInput())
            {
                m_inputs[isBackward]->get<char>();
                m_progress.NoticeArrival(isBackward);
            }
            sg4::this_actor::execute(isBackward ? m_workload.backwardFlops
                                                : m_workload.forwardFlops);
            if (m_progress.Finish(receiver))
            {
                m_outputs[isBackward]
                    ->put_init(&m_payload, static_cast<uint64_t>(m_workload.messageBytes))
                    ->detach();
            }
        }
    }

  private:
    static sg4::Mailbox* GetMailbox(uint32_t device, bool isGradient)
    {
        return sg4::Mailbox::by_name(std::to_string(device) + (isGradient ? "g" : "a"));
    }

    const PipelineWorkload& m_workload;  //!< what is run
    StageProgress m_progress;            //!< how far this stage is
    sg4::Mailbox* m_inputs[2];           //!< for activations and gradients
    sg4::Mailbox* m_outputs[2]{nullptr}; //!< for results of forward and backward tasks
    char m_payload{0};                   //!< a mailbox passes a pointer
};

/** A stage that is moved on by the ends of activities. */
class StageCallbacks
{
  public:
    StageCallbacks(const PipelineWorkload& workload,
                   const std::vector<std::vector<bool>>& tasks,
                   uint32_t device,
                   const std::vector<sg4::Host*>& hosts,
                   std::vector<std::unique_ptr<StageCallbacks>>& stages)
        : m_workload(workload),
          m_device(device),
          m_hosts(hosts),
          m_stages(stages),
          m_progress(workload, tasks, device)
    {
    }

    /** Begin the next task if it is ready and the device is idle. */
    void Advance()
    {
        if (m_exec || !m_progress.IsReady())
        {
            return;
        }
        m_exec = sg4::Exec::init()
                     ->set_flops_amount(m_progress.IsBackward() ? m_workload.backwardFlops
                                                                : m_workload.forwardFlops)
                     ->set_host(m_hosts[m_device]);
        m_exec->set_data(this);
        m_exec->vetoable_start();
    }

    /// An activity of this stage has ended.
    /// @param activity its task, or a tensor on its way to it
    void Notice(const sg4::Activity& activity)
    {
        if (&activity == m_exec.get())
        {
            Finish();
        }
        else
        {
            // Only the next stage's transfers come from a later host.
            const auto& comm = static_cast<const sg4::Comm&>(activity);
            m_progress.NoticeArrival(comm.get_source() != m_hosts[m_device ? m_device - 1 : 0]);
        }
        Advance();
    }

  private:
    /** The running task has ended. */
    void Finish()
    {
        m_ended = std::move(m_exec);
        while (!m_comms.empty() && m_comms.front()->get_state() == sg4::Activity::State::FINISHED)
        {
            m_comms.pop_front();
        }
        uint32_t receiver = 0;
        if (m_progress.Finish(receiver))
        {
            auto comm = sg4::Comm::sendto_init(m_hosts[m_device], m_hosts[receiver]);
            comm->set_payload_size(static_cast<uint64_t>(m_workload.messageBytes));
            comm->set_data(m_stages[receiver].get());
            comm->vetoable_start();
            m_comms.push_back(comm);
        }
    }

    const PipelineWorkload& m_workload;                     //!< what is run
    uint32_t m_device;                                      //!< whose stage
    const std::vector<sg4::Host*>& m_hosts;                 //!< by device
    std::vector<std::unique_ptr<StageCallbacks>>& m_stages; //!< by device
    StageProgress m_progress;                               //!< how far this stage is
    sg4::ExecPtr m_exec;                                    //!< the running task, null if idle
    sg4::ExecPtr m_ended;             //!< the task before it: an activity must outlive its callback
    std::deque<sg4::CommPtr> m_comms; //!< sent, oldest first
};

} // namespace

RunFigures
RunSimgrid(const PipelineWorkload& workload, SimgridForm form)
{
    std::vector<std::string> arguments = GetArguments();
    std::vector<char*> pointers;
    for (auto& argument : arguments)
    {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    int count = static_cast<int>(arguments.size());
    sg4::Engine engine(&count, pointers.data());
    const auto hosts = BuildStar(workload);
    const auto tasks = workload.GetTasks();
    std::vector<std::unique_ptr<StageCallbacks>> stages;
    if (form == SimgridForm::ACTORS)
    {
        for (uint32_t device = 0; device < hosts.size(); ++device)
        {
            sg4::Actor::create(std::to_string(device),
                               hosts[device],
                               StageActor(workload, tasks, device));
        }
    }
    else
    {
        for (uint32_t device = 0; device < hosts.size(); ++device)
        {
            stages.push_back(
                std::make_unique<StageCallbacks>(workload, tasks, device, hosts, stages));
        }
        sg4::Activity::on_completion_cb([](const sg4::Activity& activity) {
            activity.get_data<StageCallbacks>()->Notice(activity);
        });
        for (const auto& stage : stages)
        {
            stage->Advance();
        }
    }
    const double begin = GetProcessSeconds();
    engine.run();
    return {workload.GetTransfers(), sg4::Engine::get_clock(), GetProcessSeconds() - begin};
}
