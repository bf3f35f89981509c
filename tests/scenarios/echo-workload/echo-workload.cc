// SPDX-License-Identifier: GPL-2.0-only

// A workload of one's own, in a library that no program links: every client sends the server one
// message, which the server works on and sends back.

#include "lib/workload.h"

#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-job-helper.h"
#include "ns3/edgepipe-message-description.h"
#include "ns3/edgepipe-tag.h"
#include "ns3/edgepipe-timeline.h"

namespace ns3::edgepipe
{

constexpr uint16_t ECHO_SERVER_PORT = 20, ECHO_CLIENT_PORT = 21;

/** What a message or a task is about. */
struct EchoTag : PackedTag<EchoTag>
{
    enum Kind : uint8_t
    {
        CALL,  //!< message: client to server
        WORK,  //!< task: of the server
        REPLY, //!< message: server to client
    };

    EchoTag(Kind kind, uint32_t client = 0)
        : kind(kind),
          client(client)
    {
    }

    Kind kind;
    uint32_t client; //!< whose it is
    static constexpr Field FIELDS[]{{&EchoTag::client, 56}};
    static inline const std::vector<TagKind> KINDS{{"call", " of client %1"},
                                                   {"work", " for client %1"},
                                                   {"reply", " to client %1"}};
};

/** Works on what comes, and sends it back. */
class EchoServer : public EdgeApplication
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::EchoServer")
                                .SetParent<EdgeApplication>()
                                .AddConstructor<EchoServer>()
                                .AddAttribute("Work",
                                              "Work on each message, on the idle server.",
                                              TimeValue(MilliSeconds(10)),
                                              MakeTimeAccessor(&EchoServer::m_work),
                                              MakeTimeChecker(Time(0)));
        return tid;
    }

    EchoServer()
        : EdgeApplication(ECHO_SERVER_PORT)
    {
    }

    std::string DescribeWait() const override
    {
        return m_awaited == 0 ? "" : "server waits for " + std::to_string(m_awaited) + " calls";
    }

    uint32_t m_awaited{0}; //!< calls that have yet to come

  private:
    void Receive(const Message& message) override
    {
        --m_awaited;
        const auto reply = [this, to = message.from, bytes = message.bytes] {
            m_socket.Send(to, ECHO_CLIENT_PORT, EchoTag(EchoTag::REPLY, to).Pack(), bytes);
        };
        m_compute->Run(EchoTag(EchoTag::WORK, message.from).Pack(),
                       m_work.GetSeconds(),
                       Callback<void>(reply),
                       GetJobNumber());
    }

    Time m_work;
};

/** Sends a message, and waits until it comes back. */
class EchoClient : public EdgeApplication
{
  public:
    EchoClient()
        : EdgeApplication(ECHO_CLIENT_PORT)
    {
    }

    std::string DescribeWait() const override
    {
        return m_isDone ? "" : "client waits for its reply";
    }

    uint32_t m_server{0}; //!< node
    uint64_t m_bytes{0};  //!< of the message

  private:
    void StartApplication() override
    {
        EdgeApplication::StartApplication();
        const uint32_t self = GetNode()->GetId();
        m_socket.Send(m_server, ECHO_SERVER_PORT, EchoTag(EchoTag::CALL, self).Pack(), m_bytes);
    }

    void Receive(const Message&) override
    {
        m_isDone = true;
        NotifyFinished();
    }

    bool m_isDone{false};
};

/** The scenarios' side of it. */
class EchoWorkload : public Named<EchoWorkload, Workload>
{
  public:
    static constexpr const char* NAME = "echo";

    std::string GetUsage() const override
    {
        return "Send messages to a server, which sends them back.";
    }

    std::string GetScript() const override
    {
        return "analysis/timeline.py";
    }

    void Declare(ScenarioOptions& options) override
    {
        m_options = &options;
        for (const uint16_t port : {ECHO_SERVER_PORT, ECHO_CLIENT_PORT})
        {
            AddMessageDescription(port, [](auto tag) { return EchoTag::Unpack(tag).Describe(); });
        }
        options.Bind("devices=1", m_clients, 1, 10000).Help("clients");
        options.Bind("bytes=100000", m_bytes, 1, 1000000000).Help("of a message");
        options.Bind("cluster=").Help("clients and, last, the server; empty: --devices");
        options.BindAttribute("work", {"EchoServer::Work"});
        options.BindAttribute("stall-timeout", {"StallMonitor::Timeout"});
        AddNetworkOptions(options, m_network);
    }

    void Read() override
    {
        Cluster cluster{"", {}, {}, {"lan", ""}};
        for (uint32_t i = 0; i < m_clients; ++i)
        {
            cluster.devices.push_back({"client-" + std::to_string(i), "", 0, UINT64_MAX});
        }
        cluster.devices.push_back({"server", "", 0, UINT64_MAX});
        cluster = ReadServedCluster(*m_options, {"devices"}, "a client").value_or(cluster);
        m_names = Map(cluster.devices, &ClusterDevice::name);
        ReadNetworkOptions(*m_options, cluster, m_network);
        m_network.wiredDevices = {m_names.back()};
        CheckNetwork(*m_options, m_network, m_names, "network: ");
    }

    std::size_t CountDevices() const override
    {
        return m_names.size();
    }

    WorkloadSweep GetSweep() const override
    {
        const char* draws = "single:devices=1..3&bytes=20000..500000 work=1~50ms";
        return {"devices", "", "", {"echo (s)", "echoes/s"}, {}, draws};
    }

    std::vector<std::string> GetCases() const override
    {
        return {NAME};
    }

    const CaseOutcome& Simulate(std::size_t,
                                const NetworkOptions& network,
                                const std::function<void(double)>&) override
    {
        AttributeDefaults defaults;
        m_options->SetAttributes(defaults);
        const uint32_t last = m_names.size() - 1;
        m_outcome = {};
        m_timeline = std::make_unique<Timeline>();
        Deployment deployment(network, m_names);
        const NodeContainer& nodes = deployment.GetNetwork().devices;
        m_timeline->Observe(deployment.GetNetwork().transport);
        m_timeline->Observe(last, deployment.AddDevice(last));
        const auto server = CreateObject<EchoServer>();
        server->m_awaited = last;
        std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>> parts{{nodes.Get(last), server}};
        for (uint32_t i = 0; i < last; ++i)
        {
            const auto client = CreateObject<EchoClient>();
            client->m_server = nodes.Get(last)->GetId();
            client->m_bytes = m_bytes;
            Connect(client, "Finished", [&] {
                m_outcome.seconds += Simulator::Now().GetSeconds() / last;
                if (++m_outcome.requests == last)
                {
                    deployment.End();
                }
            });
            parts.emplace_back(nodes.Get(i), client);
        }
        deployment.Watch(AddJob(parts));
        deployment.Run();
        deployment.Collect(m_outcome.requests == last, m_outcome);
        m_outcome.perSecond = m_outcome.requests / m_outcome.end.GetSeconds();
        m_outcome.columns = {{"echoBytes", std::to_string(m_bytes)}};
        return m_outcome;
    }

    void Print() const override
    {
        MakeResults().GetShown().Print(std::cout);
    }

    std::string Write(ResultsFolder& folder) const override
    {
        folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_network));
        folder.Write("timeline.json", [this](std::ostream& os) {
            ChromeTraceWriter writer(os);
            writer.AddCase(NAME, m_names, *m_timeline, [](uint64_t tag, uint16_t) {
                return TagLabel{EchoTag::Unpack(tag).GetKindName()};
            });
            writer.Finish();
        });
        folder.Write("run.json",
                     FormatRunFile(*m_options, {}, {{"diagnosis", m_outcome.diagnosis}}));
        return "results.csv, timeline.json, run.json";
    }

  private:
    Sheet<CaseOutcome> MakeResults() const
    {
        using Case = const CaseOutcome;
        return MakeSheet<CaseOutcome>(
            {{"devices", "devices", m_names.size()},
             {"link", m_network.GetLinkName()},
             {"fidelity", m_network.fidelity},
             {"status", "status", [](Case& c) { return c.isFinished ? "finished" : "stalled"; }},
             {"echoSeconds",
              "echo (ms)",
              [](Case& c) { return When(c.isFinished, c.seconds); },
              FormatMs}},
            {m_outcome});
    }

    uint32_t m_clients{0};
    uint32_t m_bytes{0};              //!< of a message
    std::vector<std::string> m_names; //!< of the clients and, last, the server
    CaseOutcome m_outcome;
    std::unique_ptr<Timeline> m_timeline;
};

NS_OBJECT_ENSURE_REGISTERED(EchoServer);
NS_OBJECT_ENSURE_REGISTERED(EchoWorkload);

} // namespace ns3::edgepipe
