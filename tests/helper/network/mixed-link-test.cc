// SPDX-License-Identifier: GPL-2.0-only

#include "runs/network-probe.h"
#include "test.h"

#include "ns3/edgepipe-network-options.h"
#include "ns3/ipv4.h"
#include "ns3/node-list.h"

namespace
{

const std::vector<std::string> NAMES{"near", "far", "phone", "car", "desk"};

/// @return two stations of a Wi-Fi cell, one of LTE, one with a bearer and one with a wire
NetworkOptions
MakeMixed(const std::string& fidelity)
{
    NetworkOptions options;
    options.fidelity = fidelity;
    options.sendBufferBytes = 128 * 1024;
    const auto place = [](double distance) {
        return MakeLink("wifi",
                        "WifiStandard",
                        StringValue("n"),
                        "WifiWidth",
                        UintegerValue(20),
                        "Distance",
                        DoubleValue(distance));
    };
    options.groups = {{"", {"near"}, place(3)},
                      {"", {"far"}, place(40)},
                      {"", {"phone"}, MakeLink("lte", "Distance", DoubleValue(50))},
                      {"", {"car"}, MakeLink("4g", "Jitter", TimeValue(Time()))},
                      {"", {"desk"}, MakeLink("lan", "Bandwidth", RateStepsValue(100e6))}};
    return options;
}

/// @return what a lone transfer from the first to the second gets, payload bit/s: the mean of two
///        run numbers where that is random and quick
double
MeasureMean(const NetworkOptions& options, const std::vector<std::string>& names)
{
    const uint32_t runs = options.fidelity == "packet" && names.front() == "near" ? 2 : 1;
    double sum = 0;
    for (uint32_t run = 1; run <= runs; ++run)
    {
        RngSeedManager::SetRun(run);
        sum += MeasureBandwidth(options, names);
    }
    RngSeedManager::SetRun(1);
    return sum / runs;
}

/// @param options of devices with networks of their own
/// @return what a lone transfer gets, payload bit/s
double
Measure(const NetworkOptions& options, const std::string& from, const std::string& to)
{
    std::vector<std::string> names{from, to};
    std::copy_if(NAMES.begin(), NAMES.end(), std::back_inserter(names), [&](const auto& name) {
        return name != from && name != to;
    });
    return MeasureMean(options, names);
}

/// Send a megabyte from each of two devices at once.
/// @param options of devices with networks of their own
/// @return when the last has arrived at the desk, s
double
SendTwo(const NetworkOptions& options)
{
    const Network network = NetworkHelper(options, NAMES).Build({0, 1, 4});
    network.transport->Listen(4, 0, Callback<void, const Message&>([](const Message&) {}));
    uint32_t left = 2;
    Time last;
    Simulator::Schedule(Seconds(1), [&] {
        for (const uint32_t from : {0, 1})
        {
            network.transport->Send({from, 4, 0, 0, 1000000, ""}, Callback<void>([&] {
                                        last = Simulator::Now() - Seconds(1);
                                        if (--left == 0)
                                        {
                                            Simulator::Stop();
                                        }
                                    }));
        }
    });
    Simulator::Stop(Seconds(60));
    Simulator::Run();
    network.transport->Dispose();
    Simulator::Destroy();
    EXPECT_EQ(left, 0U);
    return last.GetSeconds();
}

using EdgepipeMixedLink = BothFidelities;

TEST_P(EdgepipeMixedLink, ALoneTransferGetsTheLesserOfBothEnds)
{
    const NetworkOptions mixed = MakeMixed(GetParam());
    const bool isPacket = mixed.fidelity == "packet";
    const std::string core = "core of all";
    std::map<std::string, std::pair<double, double>> rates;
    for (const auto& group : mixed.groups)
    {
        NetworkOptions own = GetGroupOptions(mixed, group);
        own.wiredDevices = {core};
        const std::string device = *group.devices.begin();
        // Packets of LTE take ten seconds each way: MixedWorkloads measures them.
        if (!isPacket || device != "phone")
        {
            rates[device] = {MeasureMean(own, {device, core}), MeasureMean(own, {core, device})};
        }
    }
    EXPECT_LT(rates["far"].first, 0.8 * rates["near"].first);
    EXPECT_NEAR(rates["desk"].first, 94.1e6, 1e6);
    std::map<std::string, std::string> pairs{{"near", "desk"}, {"far", "car"}, {"desk", "car"}};
    if (!isPacket)
    {
        EXPECT_LT(rates["car"].first, 0.5 * rates["phone"].second);
        pairs["far"] = "phone";
        pairs.emplace("phone", "near");
    }
    for (const auto& [from, to] : pairs)
    {
        const double expected = std::min(rates[from].first, rates[to].second);
        EXPECT_NEAR(Measure(mixed, from, to), expected, 0.05 * expected) << from << " to " << to;
    }
}

TEST_P(EdgepipeMixedLink, GroupsOfOneCellShareItAndOthersDoNot)
{
    NetworkOptions mixed = MakeMixed(GetParam());
    const double together = SendTwo(mixed);
    mixed.groups[1].cell = "upstairs";
    const double apart = SendTwo(mixed);
    EXPECT_LT(apart, 0.8 * together);
    // The farther one alone decides.
    mixed.groups[0].Set("Distance", DoubleValue(40));
    EXPECT_NEAR(SendTwo(mixed), apart, 0.05 * apart);
}

TEST_P(EdgepipeMixedLink, ManyStationsOfManyCellsHaveAddressesBesideLteAndBearers)
{
    NetworkOptions mixed = MakeMixed(GetParam());
    std::vector<std::string> names = NAMES;
    for (uint32_t i = 0; i < 300; ++i)
    {
        names.push_back("d" + std::to_string(i));
        mixed.groups[i % 5].devices.insert(names.back());
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        names.push_back("c" + std::to_string(i));
        mixed.groups.push_back(mixed.groups.front());
        mixed.groups.back().cell = names.back();
        mixed.groups.back().devices = {names.back()};
    }
    std::set<uint32_t> all;
    for (uint32_t i = 0; i < names.size(); ++i)
    {
        all.insert(i);
    }
    const Network network = NetworkHelper(mixed, names).Build(all);
    std::set<Ipv4Address> addresses;
    for (uint32_t i = 0; i < NodeList::GetNNodes() && GetParam() == std::string("packet"); ++i)
    {
        auto ip = NodeList::GetNode(i)->GetObject<Ipv4>();
        for (uint32_t j = 1; ip && j < ip->GetNInterfaces(); ++j)
        {
            EXPECT_TRUE(addresses.insert(ip->GetAddress(j, 0).GetLocal()).second);
        }
    }
    EXPECT_EQ(network.devices.GetN(), 308U);
    network.transport->Dispose();
    Simulator::Destroy();
}

TEST_P(EdgepipeMixedLink, NetworksThatAreAlikeAreOneNetwork)
{
    NetworkOptions lan;
    lan.fidelity = GetParam();
    NetworkOptions mixed = lan;
    const auto link = lan.groups.front().link;
    mixed.groups = {{"", {"near", "desk"}, link}, {"", {"far", "phone", "car"}, link}};
    EXPECT_EQ(Measure(mixed, "near", "far"), Measure(lan, "near", "far"));
    EXPECT_EQ(SendTwo(mixed), SendTwo(lan));
}

TEST_P(EdgepipeMixedLink, ADeviceThatIsCutOffReachesNobody)
{
    NetworkOptions mixed = MakeMixed(GetParam());
    mixed.cutDevice = "car";
    mixed.cutTime = Seconds(0);
    const Network network = NetworkHelper(mixed, NAMES).Build({0, 1, 2, 3, 4});
    network.transport->Listen(4, 0, Callback<void, const Message&>([](const Message&) {}));
    std::set<uint32_t> arrived;
    for (const uint32_t from : {0, 1, 2, 3})
    {
        Simulator::Schedule(Seconds(1), [&, from] {
            network.transport->Send({from, 4, 0, 0, 1000, ""},
                                    Callback<void>([&arrived, from] { arrived.insert(from); }));
        });
    }
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    network.transport->Dispose();
    Simulator::Destroy();
    EXPECT_EQ(arrived, (std::set<uint32_t>{0, 1, 2}));
}

TEST_P(EdgepipeMixedLink, RefusesWhatItCannotJoin)
{
    const auto refuse = [&](const NetworkOptions& options) {
        return ErrorOf([&] { CheckNetworkOptions(options, NAMES); });
    };
    NetworkOptions mixed = MakeMixed(GetParam());
    EXPECT_EQ(refuse(mixed), "");
    mixed.groups.pop_back();
    EXPECT_EQ(refuse(mixed),
              "network: found none for desk, expected one for each device, as the cluster says; "
              "--link gives all the same");
    mixed.wiredDevices = {"desk"};
    EXPECT_EQ(refuse(mixed), "");
    mixed.groups.back().link = MakeLink("p2p");
    EXPECT_EQ(
        refuse(mixed),
        "link: found \"p2p\" for a device of its own, expected a link that ends in a network, "
        "such as lan: devices of p2p forward for each other");
    mixed = MakeMixed(GetParam());
    mixed.groups[3] = mixed.groups[2];
    mixed.groups[3].devices = {"car"};
    mixed.groups[3].cell = "other";
    EXPECT_EQ(refuse(mixed).substr(0, 28),
              std::string(GetParam()) == "packet" ? "cell: found 2 of lte, expect" : "");
    mixed.groups[3].cell = mixed.groups[2].cell;
    const auto compete = [&mixed](uint32_t competitors) {
        for (const std::size_t i : {2, 3})
        {
            mixed.groups[i].Set("Competitors", UintegerValue(competitors));
        }
    };
    compete(317);
    EXPECT_EQ(refuse(mixed), "");
    compete(318);
    EXPECT_EQ(refuse(mixed).substr(0, 38),
              std::string(GetParam()) == "packet" ? "competitors: found 318 and 2 devices, " : "");
    mixed = MakeMixed(GetParam());
    mixed.groups[1].Set("Mobility", StringValue("circling"));
    EXPECT_EQ(refuse(mixed), "mobility: found \"circling\", expected static, away or random-walk");
}

INSTANTIATE_BOTH_FIDELITIES(EdgepipeMixedLink);

} // namespace
