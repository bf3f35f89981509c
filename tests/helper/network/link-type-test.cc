// SPDX-License-Identifier: GPL-2.0-only

#include "network/transport/transport-fixture.h"

#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-topology.h"

namespace
{

/** Two switches, the devices on one and the other in turn, and a trunk between them. */
class TwoSwitchesLink : public Named<TwoSwitchesLink, LinkType>
{
  public:
    static constexpr const char* NAME = "two-switches";

    static TypeId AddAttributes(TypeId tid)
    {
        return tid.AddAttribute("Trunk",
                                "Rate of the wire between the switches.",
                                DataRateValue(DataRate("10Mbps")),
                                MakeDataRateAccessor(&TwoSwitchesLink::m_trunk),
                                MakeDataRateChecker());
    }

    TwoSwitchesLink()
        : Named(LinkTraits{{"bandwidth"}})
    {
    }

    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override
    {
        const uint32_t devices = names.size();
        const WireMedium wires{options.bandwidthBitsPerSecond, {}, options.delay, PPP_OVERHEAD};
        WireMedium trunk = wires;
        trunk.bitsPerSecond = m_trunk.GetBitRate();
        Topology tree{options.mtuBytes, options.lossRate, devices, {wires, trunk}, {}};
        for (uint32_t i = 0; i < devices; ++i)
        {
            tree.nodes.push_back({names[i], devices + i % 2, 0});
        }
        tree.nodes.push_back({"left", devices + 1, 1});
        tree.nodes.push_back({"right", devices + 1, 0});
        return tree;
    }

  private:
    DataRate m_trunk; //!< rate of the wire between the switches
};

NS_OBJECT_ENSURE_REGISTERED(TwoSwitchesLink);

/** Messages over the switches at a fidelity. */
class LinkTypeTest : public TransportTest, public ::testing::WithParamInterface<std::string>
{
  protected:
    /// Join four devices and open a connection.
    void Open(uint32_t from, uint32_t to)
    {
        NetworkOptions options;
        options.fidelity = GetParam();
        options.link = "two-switches";
        options.bandwidthBitsPerSecond = 50e6;
        Join(options, 4);
        SendAt(Time(), from, to, 1000000);
    }

    /// @param message number of one that was sent after 100 s
    /// @return how long it took, s
    double GetSeconds(uint64_t message)
    {
        return (m_events[message].end - Seconds(100)).GetSeconds();
    }
};

} // namespace

TEST_P(LinkTypeTest, ANewOneRunsByItsName)
{
    EXPECT_EQ(GetNames<LinkType>().count("two-switches"), 1u);
    const double bits = 8 * 5e6 * 1502 / 1448;
    Open(0, 2); // on one switch
    SendAt(Seconds(100), 0, 2, 5000000);
    Run();
    ExpectAllDelivered();
    EXPECT_NEAR(GetSeconds(1), bits / 50e6, 0.05 * bits / 50e6);
    EXPECT_NEAR(m_network.capacity(0, 2), 50e6 * 1448 / 1502, 1);

    TearDown();
    Open(0, 3); // over the trunk
    SendAt(Seconds(100), 0, 3, 5000000);
    SendAt(Seconds(100), 3, 0, 100);
    Run();
    ExpectAllDelivered();
    EXPECT_NEAR(GetSeconds(1), bits / 10e6, 0.05 * bits / 10e6);
    EXPECT_NEAR(m_network.capacity(3, 0), 10e6 * 1448 / 1502, 1);
    std::set<std::string> sent;
    for (const auto& link : m_network.links)
    {
        if (link->bytes > 5000000)
        {
            sent.insert(link->name);
        }
    }
    EXPECT_EQ(sent, (std::set<std::string>{"d0 -> left", "left -> right", "right -> d3"}));
}

TEST_P(LinkTypeTest, ItsOwnOptionsAreAttributes)
{
    Config::SetDefault("TwoSwitchesLink::Trunk", DataRateValue(DataRate("5Mbps")));
    Open(1, 2);
    Config::SetDefault("TwoSwitchesLink::Trunk", DataRateValue(DataRate("10Mbps")));
    Run();
    ExpectAllDelivered();
    EXPECT_NEAR(m_network.capacity(1, 2), 5e6 * 1448 / 1502, 1);
}

INSTANTIATE_BOTH_FIDELITIES(LinkTypeTest);

TEST(LinkTypeOptions, WhatALinkDoesNotUseIsRefusedAndWhoDoesIsNamed)
{
    NetworkOptions options;
    options.link = "two-switches";
    options.jitter = MilliSeconds(1);
    const auto check = [&options] { CheckNetworkOptions(options, {"a", "b"}); };
    EXPECT_EQ(ErrorOf(check),
              "jitter: found 0.001, expected none, since --link=two-switches does not use it; "
              "3g, 4g, cat1, trace do");
    options.link = "three-switches";
    EXPECT_EQ(ErrorOf(check),
              "link: found \"three-switches\", expected one of: 3g, 4g, cat1, lan, lte, p2p, "
              "trace, two-switches, wifi");
}

TEST(Topology, PathsGoUpToTheFirstCommonNodeAndDown)
{
    const Topology tree{1500,
                        0,
                        3,
                        {WireMedium{1e6, {}, Time(), 2}},
                        {{"a", 3, 0}, {"b", 3, 0}, {"c", 4, 0}, {"d", 4, 0}, {"e", 4, 0}}};
    const auto describe = [&tree](uint32_t from, uint32_t to) {
        std::string text;
        for (const auto& [node, isUp] : tree.GetPath(from, to))
        {
            text += tree.nodes[node].name + (isUp ? "+" : "-");
        }
        return text;
    };
    EXPECT_EQ(describe(0, 1), "a+b-");
    EXPECT_EQ(describe(0, 2), "a+d+c-");
    EXPECT_EQ(describe(2, 1), "c+d-b-");
    EXPECT_EQ(describe(4, 0), "d-a-");
    EXPECT_EQ(describe(1, 1), "");
}
