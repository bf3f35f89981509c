// SPDX-License-Identifier: GPL-2.0-only

// The link of examples/own-module, which this program is linked with.

#include "network/transport/transport-fixture.h"

#include "ns3/edgepipe-topology.h"

namespace
{

/** Messages over the switches at a fidelity. */
class LinkTypeTest : public TransportTest, public ::testing::WithParamInterface<std::string>
{
  protected:
    /// Join four devices and open a connection.
    void Open(uint32_t from, uint32_t to)
    {
        NetworkOptions options;
        options.fidelity = GetParam();
        options.SetLink("two-switches", "Bandwidth", RateStepsValue(50e6));
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

TEST(LinkTypeOptions, AreItsAttributesAndOthersAreExplained)
{
    const auto link = MakeLink("two-switches", "Delay", TimeValue(MilliSeconds(1)));
    std::set<std::string> options;
    for (const auto& [option, attribute] : link->GetOptions())
    {
        options.insert(option);
    }
    EXPECT_EQ(options, (std::set<std::string>{"bandwidth", "delay", "trunk", "trunk-delay"}));
    EXPECT_EQ(ExplainUnused(*link, "jitter"),
              "none, since --link=two-switches does not use it; 3g, 4g, cat1, trace do");
    EXPECT_EQ(ErrorOf([] { MakeLink("three-switches"); }),
              "link: found \"three-switches\", expected one of: 3g, 4g, cat1, lan, lte, p2p, "
              "trace, two-switches, wifi");
}

TEST(LinkTypeOptions, RatesAreTexts)
{
    const auto repeat = [](const std::string& text) {
        RateStepsValue value;
        const auto checker = MakeRateStepsChecker();
        return value.DeserializeFromString(text, checker) ? value.SerializeToString(checker)
                                                          : "refused";
    };
    EXPECT_EQ(repeat("5850kbps"), "5.85Mbps");
    EXPECT_EQ(repeat(""), "");
    EXPECT_EQ(repeat("0s:2Gbps,30s:0bps,1min:1.1kbps"),
              "0ns:2Gbps,30000000000ns:0bps,"
              "60000000000ns:1.1kbps");
    for (const char* text : {"5", "fast", "1s:2Mbps", "0s:2Mbps,0s:1Mbps", "0s:0bps"})
    {
        EXPECT_EQ(repeat(text), "refused") << text;
    }
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
