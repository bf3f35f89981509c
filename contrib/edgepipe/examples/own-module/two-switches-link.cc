// A custom link: two switches, the devices on one and the other in turn, and a trunk between them.
//
//      device 0 --\                        /-- device 1
//                  left ---- trunk ---- right
//      device 2 --/                        \-- device 3
//
// Bandwidth and Delay of the devices' wires are WireLink's; the attributes Trunk and TrunkDelay
// become the options --trunk and --trunk-delay of every scenario.

#include "ns3/data-rate.h"
#include "ns3/edgepipe-topology.h"

using namespace ns3;
using namespace ns3::edgepipe;

/** Wires to two switches. */
class TwoSwitchesLink : public Named<TwoSwitchesLink, WireLink>
{
  public:
    static constexpr const char* NAME = "two-switches";

    static TypeId AddAttributes(TypeId tid)
    {
        return tid
            .AddAttribute("Trunk",
                          "Rate of the wire between the switches.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&TwoSwitchesLink::m_trunk),
                          MakeDataRateChecker())
            .AddAttribute("TrunkDelay",
                          "Delay of the wire between the switches.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&TwoSwitchesLink::m_trunkDelay),
                          MakeTimeChecker(Time()));
    }

    TwoSwitchesLink()
        : Named({}, PPP_OVERHEAD)
    {
    }

    Topology MakeTopology(const NetworkOptions& network,
                          const std::vector<std::string>& names) const override
    {
        const uint32_t devices = names.size();
        WireMedium trunk = MakeWires();
        trunk.bitsPerSecond = m_trunk.GetBitRate();
        trunk.delay = m_trunkDelay;
        Topology tree{network.mtuBytes, network.lossRate, devices, {MakeWires(), trunk}, {}};
        for (uint32_t i = 0; i < devices; ++i)
        {
            tree.nodes.push_back({names[i], devices + i % 2, 0});
        }
        tree.nodes.push_back({"left", devices + 1, 1});
        tree.nodes.push_back({"right", devices + 1, 0});
        return tree;
    }

  private:
    DataRate m_trunk;  //!< rate of the wire between the switches
    Time m_trunkDelay; //!< its delay, one way
};

NS_OBJECT_ENSURE_REGISTERED(TwoSwitchesLink);
