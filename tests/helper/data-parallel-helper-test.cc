// SPDX-License-Identifier: GPL-2.0-only

#include "own-topology.h"

#include "ns3/csma-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"

namespace
{

const std::string PACKET_TRANSPORT = "ns3::edgepipe::PacketTransport"; //!< works on any topology
const Time LONG = Seconds(60); //!< more than a training takes

/** Workers of a star made by script. */
class DataParallelHelperTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_nodes = MakeStar(3, "100Mbps", "1ms").nodes;
    }

    /// Make the nodes edge devices with a transport. @return the transport
    Ptr<TensorTransport> Equip()
    {
        // The floor's devices, so that a fit of costs moves no bound here.
        const std::string devices = GetTracesFolder() + "/../tests/fidelity-floor/devices/";
        EdgeDeviceHelper(devices + "raspberry-pi-5.json")
            .Install(NodeContainer(m_nodes.Get(0), m_nodes.Get(1)));
        EdgeDeviceHelper(devices + "jetson-orin-nano.json").Install(m_nodes.Get(2));
        return TransportHelper(PACKET_TRANSPORT).Install(m_nodes);
    }

    /** @return what trains a small model for two iterations, with reports every 100 ms */
    static DataParallelHelper MakeHelper()
    {
        DataParallelHelper helper("mnist_cnn");
        helper.SetAttribute("BaseBatch", UintegerValue(300));
        helper.SetWorkerAttribute("Iterations", UintegerValue(2));
        helper.SetReporterAttribute("UpdateInterval", TimeValue(MilliSeconds(100)));
        return helper;
    }

    /** Run until nothing is left to do, or for long. */
    static void Run()
    {
        Simulator::Stop(LONG);
        Simulator::Run();
    }

    /** @param applications whose end and decisions are recorded from now on */
    void Record(const ApplicationContainer& applications)
    {
        const uint32_t workers = (applications.GetN() - 1) / 2;
        for (uint32_t rank = 0; rank < workers; ++rank)
        {
            const auto worker = DynamicCast<DataParallelWorker>(applications.Get(rank));
            Connect(worker, "Finished", [this, id = worker->GetNode()->GetId()] {
                ++m_finished[id];
            });
        }
        Connect(applications.Get(2 * workers),
                "Decided",
                [this](uint32_t, const std::vector<uint64_t>& shares) { m_shares = shares; });
    }

    NodeContainer m_nodes;                   //!< of the star
    std::map<uint32_t, uint32_t> m_finished; //!< workers, by node
    std::vector<uint64_t> m_shares;          //!< last decided, by rank
};

} // namespace

TEST_F(DataParallelHelperTest, WorkersOfAStarTrainToTheEnd)
{
    const auto transport = Equip();
    auto helper = MakeHelper();
    helper.SetPlanner("optimal");
    const auto applications = helper.Install(m_nodes);
    EXPECT_EQ(Simulator::Now(), Time());
    ASSERT_EQ(applications.GetN(), 7U);
    Record(applications);
    Run();
    // Nobody reports when all is done.
    EXPECT_LT(transport->GetLastProgress(), LONG / 2);
    EXPECT_EQ(m_finished.size(), 3U);
    for (const auto& [node, count] : m_finished)
    {
        EXPECT_EQ(count, 1U);
    }
    ASSERT_EQ(m_shares.size(), 3U);
    EXPECT_GT(m_shares[2], m_shares[0]);
}

TEST_F(DataParallelHelperTest, LinksAreWatchedUntilTheTrainingEnds)
{
    Config::SetDefault("ns3::edgepipe::ProbeMonitor::Interval", TimeValue(Seconds(2)));
    for (const char* monitor : {"probe", "passive"})
    {
        SCOPED_TRACE(monitor);
        const auto transport = Equip();
        uint32_t reports = 0;
        std::map<uint32_t, double> uplinks;
        Time lastOfMonitors;
        Connect(transport, "TransferEnd", [&](uint64_t, const Message& message) {
            if (message.port >= TensorTransport::MONITOR_PORT)
            {
                lastOfMonitors = Simulator::Now();
            }
            else if (DataParallelTag::Unpack(message.tag).kind == DataParallelTag::REPORT)
            {
                ++reports;
                uplinks[message.from] = ReadBody<DeviceReport>(message.body).uplinkBitsPerSecond;
            }
        });
        auto helper = MakeHelper();
        helper.SetPlanner("bno");
        helper.SetMonitor(monitor);
        helper.SetWorkerAttribute("Iterations", UintegerValue(8));
        const auto applications = helper.Install(m_nodes);
        Record(applications);
        Run();
        EXPECT_EQ(m_finished.size(), 3U);
        EXPECT_GT(reports, 3U);
        // The wires' payload, or what gradients leave of it.
        for (const auto& [node, uplink] : uplinks)
        {
            // A probe's messages are three packets each, so it is up to a twentieth off.
            EXPECT_LT(uplink, 1.05 * 95e6) << node;
            EXPECT_GT(uplink, 60e6) << node;
        }
        EXPECT_GT(lastOfMonitors, Time());
        EXPECT_LT(transport->GetLastProgress(), LONG / 2);
        Simulator::Destroy();
        m_finished.clear();
        SetUp();
    }
    Config::Reset();
    EXPECT_EQ(ErrorOf([] { MakeHelper().SetMonitor("clairvoyant"); }).substr(0, 30),
              "monitor: found \"clairvoyant\", ");
    EXPECT_EQ(ErrorOf([] { MakeHelper().SetMonitor("oracle"); }).substr(0, 42),
              "monitor: found \"oracle\" without a capacity");
}

TEST_F(DataParallelHelperTest, AnyNodeIsTheFirst)
{
    for (const char* exchange : {"ring", "parameter-server"})
    {
        SCOPED_TRACE(exchange);
        const auto transport = Equip();
        std::set<uint32_t> told;
        Connect(transport, "TransferEnd", [&told](uint64_t, const Message& message) {
            if (DataParallelTag::Unpack(message.tag).kind == DataParallelTag::METRICS)
            {
                told.insert(message.to);
            }
        });
        auto helper = MakeHelper();
        helper.SetPlanner("optimal");
        helper.SetAttribute("Exchange", StringValue(exchange));
        helper.SetFirstNode(2);
        const auto applications = helper.Install(m_nodes);
        EXPECT_EQ(applications.Get(0)->GetNode(), m_nodes.Get(2));
        EXPECT_EQ(applications.Get(1)->GetNode(), m_nodes.Get(0));
        EXPECT_EQ(applications.Get(6)->GetNode(), m_nodes.Get(2));
        Record(applications);
        Run();
        EXPECT_EQ(m_finished.size(), 3U);
        EXPECT_EQ(told, std::set<uint32_t>{m_nodes.Get(2)->GetId()});
        ASSERT_EQ(m_shares.size(), 3U);
        EXPECT_GT(m_shares[0], m_shares[1]); // the fast one has rank 0
        Simulator::Destroy();
        m_finished.clear();
        SetUp();
    }
}

TEST_F(DataParallelHelperTest, MetricsGoByANetworkOfTheirOwn)
{
    const auto transport = Equip();
    const NodeContainer control(3);
    InternetStackHelper().Install(control);
    Ipv4AddressHelper("10.9.0.0", "255.255.255.0").Assign(CsmaHelper().Install(control));
    const auto controlTransport = TransportHelper(PACKET_TRANSPORT).Install(control);
    std::set<uint32_t> ports;
    std::set<uint32_t> controlPorts;
    const auto record = [](std::set<uint32_t>& set) {
        return Callback<void, uint64_t, const Message&>(
            [&set](uint64_t, const Message& message) { set.insert(message.port); });
    };
    transport->TraceConnectWithoutContext("TransferEnd", record(ports));
    controlTransport->TraceConnectWithoutContext("TransferEnd", record(controlPorts));
    auto helper = MakeHelper();
    helper.SetPlanner("optimal");
    helper.SetControlNodes(control);
    const auto applications = helper.Install(m_nodes);
    EXPECT_EQ(applications.Get(3)->GetNode(), control.Get(0));
    Record(applications);
    const DataParallelLog log(applications);
    Run();
    EXPECT_GT(log.GetRecords().nodes.at(1).controlBytes, 0U);
    EXPECT_EQ(m_finished.size(), 3U);
    EXPECT_EQ(ports, std::set<uint32_t>{DATA_PARALLEL_EXCHANGE_PORT});
    EXPECT_EQ(controlPorts,
              (std::set<uint32_t>{DATA_PARALLEL_FIRST_NODE_PORT, DATA_PARALLEL_REPORTER_PORT}));
    ASSERT_EQ(m_shares.size(), 3U);
    EXPECT_GT(m_shares[2], m_shares[0]);
}

TEST_F(DataParallelHelperTest, TwoTrainingsAndActorsShareNodes)
{
    Equip();
    auto helper = MakeHelper();
    Record(helper.Install(m_nodes));
    helper.SetFirstNode(1);
    Record(helper.Install(m_nodes));
    ActorLearnerHelper actors("atari_cnn");
    uint32_t steps = 0;
    const auto playing =
        actors.Install(NodeContainer(m_nodes.Get(0), m_nodes.Get(1)), m_nodes.Get(2));
    Connect(playing.Get(1), "StepEnd", [&steps](const StepRecord&) { ++steps; });
    Run();
    ASSERT_EQ(m_finished.size(), 3U);
    for (const auto& [node, count] : m_finished)
    {
        EXPECT_EQ(count, 2U);
    }
    EXPECT_GT(steps, 10U);
}

TEST_F(DataParallelHelperTest, ConfigPathsReachTheApplications)
{
    Equip();
    const auto applications = MakeHelper().Install(m_nodes);
    const std::string path = "/NodeList/*/ApplicationList/*/$ns3::edgepipe::DataParallelWorker/";
    Config::Set(path + "Iterations", UintegerValue(2));
    uint32_t ended = 0;
    Config::ConnectWithoutContext(
        path + "IterationEnd",
        Callback<void, uint32_t, uint32_t>([&ended](uint32_t, uint32_t) { ++ended; }));
    Run();
    EXPECT_EQ(ended, 2 * 3U);
}

TEST_F(DataParallelHelperTest, WhatCannotBeInstalledIsNamed)
{
    ExpectError([] { DataParallelHelper("no_such_model"); }, "no_such_model");
    auto helper = MakeHelper();
    ExpectError([&] { helper.SetPlanner("best"); }, "bno");
    EXPECT_EQ(ErrorOf([&] { helper.Install(NodeContainer()); }),
              "workers: found 0, expected 1 to 16384");
    EdgeDeviceHelper("raspberry-pi-5").Install(m_nodes);
    ExpectError([&] { helper.Install(m_nodes); }, "found no transport");
    TransportHelper(PACKET_TRANSPORT).Install(m_nodes);
    helper.SetAttribute("Exchange", StringValue("mail"));
    ExpectError([&] { helper.Install(m_nodes); }, "ring");
    helper.SetAttribute("Exchange", StringValue("ring"));
    helper.SetFirstNode(3);
    EXPECT_EQ(ErrorOf([&] { helper.Install(m_nodes); }), "first node: found 3, with 3 workers");
    helper.SetFirstNode(0);
    helper.SetAttribute("BaseBatch", UintegerValue(2));
    ExpectError([&] { helper.Install(m_nodes); }, "base-batch: found 2");
    helper.SetAttribute("BaseBatch", UintegerValue(3));
    ExpectError(
        [&] { helper.Install(NodeContainer(m_nodes.Get(0), m_nodes.Get(1), m_nodes.Get(0))); },
        "twice");
    helper.SetControlNodes(NodeContainer(m_nodes.Get(0)));
    EXPECT_EQ(ErrorOf([&] { helper.Install(m_nodes); }), "control nodes: found 1, with 3 workers");
}
