// SPDX-License-Identifier: GPL-2.0-only

// Flows over a path that loses packets.

#include "test.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace
{

/// Largest messages that are compared here; those of 20 MB take minutes of processor time.
constexpr double MOST_BYTES = 2e6;
constexpr uint32_t RUNS = 20;
constexpr uint32_t PACKET_RUNS = 2;

/** Requests over a wire of 100 Mbit/s, each sent when the one before it has been answered. */
class FlowLossTest : public ::testing::Test
{
  protected:
    /**
     * @param milliseconds delay one way
     * @param loss share of packets lost each way
     * @param bytes of a request; answers are of one packet
     * @param count requests
     * @param run run number
     * @param model of the error; null: a RateErrorModel of packets
     * @param type of the transport
     * @return mean time from a request to its answer, s
     */
    static double Ask(double milliseconds,
                      double loss,
                      uint64_t bytes,
                      uint32_t count,
                      uint32_t run = 1,
                      Ptr<ErrorModel> model = nullptr,
                      const std::string& type = "FlowTransport")
    {
        RngSeedManager::SetRun(run);
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        PointToPointHelper wire;
        wire.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
        wire.SetChannelAttribute("Delay", TimeValue(Seconds(1e-3 * milliseconds)));
        const auto devices = wire.Install(nodes);
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
        for (uint32_t i = 0; i < 2; ++i)
        {
            auto rate = CreateObject<RateErrorModel>();
            rate->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            rate->SetRate(loss);
            devices.Get(i)->SetAttribute("ReceiveErrorModel",
                                         PointerValue(model ? model : Ptr<ErrorModel>(rate)));
        }
        const auto transport = TransportHelper("ns3::edgepipe::" + type).Install(nodes);
        if (const auto flows = DynamicCast<FlowTransport>(transport))
        {
            flows->AssignStreams(7);
        }
        uint32_t left = count;
        const auto send = [&](uint32_t from, uint64_t size) {
            transport->Send(
                {nodes.Get(from)->GetId(), nodes.Get(1 - from)->GetId(), 7, 0, size, ""});
        };
        transport->Listen(nodes.Get(1), 7, Callback<void, const Message&>([&](const Message&) {
                              send(1, 52);
                          }));
        transport->Listen(nodes.Get(0), 7, Callback<void, const Message&>([&](const Message&) {
                              if (--left > 0)
                              {
                                  send(0, bytes);
                              }
                          }));
        Simulator::Schedule(Seconds(1), [&] { send(0, bytes); });
        Simulator::Run();
        EXPECT_EQ(left, 0U);
        const double mean = (Simulator::Now().GetSeconds() - 1) / count;
        transport->Dispose();
        Simulator::Destroy();
        RngSeedManager::SetRun(1);
        return mean;
    }
};

} // namespace

TEST_F(FlowLossTest, ALonePacketWaitsForItsTimeOut)
{
    constexpr double LOSS = 0.05;
    const double idle = Ask(10, 0, 52, 100);
    EXPECT_NEAR(idle, 0.02, 0.001);
    // Two messages of one packet each; time-outs of a round trip and 0.2 s double.
    double timeouts = 0;
    for (int i = 0; i < 20; ++i)
    {
        timeouts += 2 * std::pow(LOSS, i + 1) * 0.22 * std::pow(2, i);
    }
    double sum = 0;
    for (uint32_t run = 1; run <= RUNS; ++run)
    {
        sum += Ask(10, LOSS, 52, 4000, run) - idle;
    }
    EXPECT_NEAR(sum / RUNS / timeouts, 1, 0.06);
}

TEST_F(FlowLossTest, MessagesTakeAsLongAsInAKernel)
{
    // Linux 6.18, CUBIC, through a relay that delays and drops packets each way
    // (traces/capture/record_kernel_loss.py). The table's rows that are held out changed nothing in
    // the model.
    std::ifstream table(std::string(EDGEPIPE_ROOT) +
                        "/contrib/edgepipe/doc/tables/kernel-loss.csv");
    // A file for the table with packets and flows anew, every row.
    const char* asked = std::getenv("EDGEPIPE_LOSS_TABLE");
    std::ofstream written;
    if (asked)
    {
        written.open(asked);
        ASSERT_TRUE(written) << asked;
    }
    std::string line;
    std::getline(table, line);
    written << line << '\n';
    std::vector<double> errors;
    while (std::getline(table, line))
    {
        std::vector<std::string> row;
        std::istringstream stream(line + ",");
        for (std::string cell; std::getline(stream, cell, ',');)
        {
            row.push_back(cell);
        }
        ASSERT_EQ(row.size(), 8U) << line;
        const double kernel = std::stod(row[4]);
        const double bytes = std::stod(row[2]);
        if (bytes > MOST_BYTES && !asked)
        {
            continue;
        }
        const auto ask = [&](const char* type, uint32_t runs) {
            double sum = 0;
            for (uint32_t run = 1; run <= runs; ++run)
            {
                const double loss = std::stod(row[1]) / 100;
                sum += Ask(std::stod(row[0]), loss, bytes, std::stoul(row[3]), run, nullptr, type);
            }
            return sum / runs;
        };
        const double flows = ask("FlowTransport", RUNS);
        errors.push_back(std::abs(flows / kernel - 1));
        EXPECT_LT(errors.back(), 0.4) << line << " and now " << flows;
        if (asked)
        {
            written << row[0] << ',' << row[1] << ',' << row[2] << ',' << row[3] << ',' << row[4]
                    << std::setprecision(4) << ',' << ask("PacketTransport", PACKET_RUNS) << ','
                    << flows << ',' << row[7] << std::endl;
        }
    }
    ASSERT_GE(errors.size(), 30U);
    std::sort(errors.begin(), errors.end());
    EXPECT_LT(errors[errors.size() / 2], 0.08);
}

TEST_F(FlowLossTest, ABufferOfLessThanASegmentLetsBytesThrough)
{
    constexpr double BYTES = 4096;
    FlowWindow window(9000, BYTES);
    for (const bool isTimeout : {false, true})
    {
        window.Lose(isTimeout);
        EXPECT_GT(window.GetBytes(), 0);
        for (int round = 1; round < 20; ++round)
        {
            window.Acknowledge(window.GetBytes(), MaxMinSharing::UNBOUNDED, {}, round);
        }
        EXPECT_EQ(window.GetBytes(), BYTES);
    }
}

TEST_F(FlowLossTest, OtherErrorModelsAreRefused)
{
    const auto message = [](Ptr<ErrorModel> model) {
        return ErrorOf([&] { Ask(10, 0, 52, 1, 1, model); });
    };
    EXPECT_EQ(message(CreateObject<BurstErrorModel>()),
              "node 1: found ns3::BurstErrorModel on its device, expected a RateErrorModel with "
              "ERROR_UNIT_PACKET at flow level");
}
