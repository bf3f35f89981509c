/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-mobility.h"
#include "edgepipe-packet-network-builder.h"

#include "ns3/double.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-lte-capacity.h"
#include "ns3/edgepipe-table.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/lte-common.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-helper.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/point-to-point-epc-helper.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3::edgepipe
{

namespace
{

/// Stations that ns-3's LTE can tell apart by their sounding signals, one less than their longest
/// period in ms.
constexpr std::size_t MOST_LTE_STATIONS = 319;

/// When stations have attached at the latest: the first few after 20 ms, one more every 1.7 ms, as
/// measured with up to 100. A handshake that begins earlier would be repeated a second later.
const Time ATTACHED = MilliSeconds(50);
/// Further time for each station.
const Time ATTACHED_EACH = MilliSeconds(2);

/**
 * @param users of the cell
 * @return period of the sounding signals by which ns-3 tells them apart, ms
 */
uint32_t
GetSoundingPeriod(std::size_t users)
{
    uint32_t period = 40;
    while (period < 320 && period <= users)
    {
        period *= 2;
    }
    return period;
}

/**
 * Count bytes that a physical layer sends.
 *
 * @param builder of the network
 * @param phy the physical layer
 * @param trace its trace source
 * @param name of the transmitter
 */
void
CountBlocks(PacketNetworkBuilder& builder,
            Ptr<Object> phy,
            const std::string& trace,
            const std::string& name)
{
    Connect(phy, trace, [counter = builder.AddCounter(name)](PhyTransmissionStatParameters block) {
        counter->bytes += block.m_size;
    });
}

} // namespace

/**
 * @ingroup edgepipe
 *
 * One cell of ns-3's LTE with its core network: FDD, round-robin scheduler, RLC in unacknowledged
 * mode with room for two TCP windows, ideal RRC, no fading; powers and path loss of LteRadio. Every
 * device has the default bearer; wired ones are behind the gateway to the Internet, through which
 * devices also reach each other. Devices never look for another cell.
 */
class LteLink : public Named<LteLink, RadioLink>
{
  public:
    static constexpr const char* NAME = "lte"; //!< to select it by

    LteLink()
        : Named(1500, MOST_LTE_STATIONS, "base station", "gateway")
    {
    }

    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add(
            "LteBandwidth",
            "Resource blocks of 180 kHz each way: 6, 15, 25, 50, 75 or 100 (1.4 to 20 MHz).",
            {&LteLink::m_resourceBlocks, 25, 6, 100});
    }

    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override
    {
        RadioLink::Check(network, names);
        const std::set<uint32_t> blocks{6, 15, 25, 50, 75, 100};
        Require(blocks.count(m_resourceBlocks),
                "lte-bandwidth",
                std::to_string(m_resourceBlocks),
                "6, 15, 25, 50, 75 or 100 resource blocks");
        Require(network.lossRate <= 0,
                "loss",
                Table::Exact(network.lossRate),
                "0 on lte: its radio loses blocks by itself");
    }

    std::shared_ptr<RadioCell> MakeCell(uint32_t mtuBytes) const override
    {
        return std::make_shared<LteCapacity>(m_resourceBlocks, mtuBytes);
    }

    PacketHub Install(uint32_t /* mtuBytes */,
                      const NodeContainer& stations,
                      const std::vector<std::string>& names,
                      PacketNetworkBuilder& builder) const override
    {
        auto baseStation = CreateObject<Node>();
        PlaceHub(baseStation);
        auto core = CreateObject<PointToPointEpcHelper>();
        auto lte = CreateObject<LteHelper>();
        lte->SetEpcHelper(core);
        lte->SetSchedulerType("ns3::RrFfMacScheduler");
        lte->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
        lte->SetPathlossModelAttribute("ReferenceLoss",
                                       DoubleValue(LteRadio::LOSS_AT_ONE_METER_DB));
        lte->SetPathlossModelAttribute("Exponent", DoubleValue(LteRadio::LOSS_EXPONENT));
        lte->SetEnbDeviceAttribute("DlBandwidth", UintegerValue(m_resourceBlocks));
        lte->SetEnbDeviceAttribute("UlBandwidth", UintegerValue(m_resourceBlocks));
        Simulator::ScheduleDestroy([lte, core] {
            lte->Dispose();
            core->Dispose();
        });

        InternetStackHelper().Install(stations);
        const auto cells = lte->InstallEnbDevice(baseStation);
        auto cell = DynamicCast<LteEnbNetDevice>(cells.Get(0));
        cell->GetPhy()->SetTxPower(LteRadio::BASE_STATION_DBM);
        cell->GetPhy()->SetNoiseFigure(LteRadio::BASE_STATION_NOISE_DB);
        cell->GetRrc()->SetAttribute("SrsPeriodicity",
                                     UintegerValue(GetSoundingPeriod(stations.GetN())));
        const auto devices = lte->InstallUeDevice(stations);
        core->AssignUeIpv4Address(devices);
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            auto phy = DynamicCast<LteUeNetDevice>(devices.Get(i))->GetPhy();
            phy->SetTxPower(LteRadio::DEVICE_DBM);
            phy->SetNoiseFigure(LteRadio::DEVICE_NOISE_DB);
            CountBlocks(builder, phy, "UlPhyTransmission", names[i] + " -> air");
        }
        builder.AssignStreams([&](int64_t first) { return lte->AssignStreams(devices, first); });
        lte->Attach(devices, cell);
        CountBlocks(builder, cell->GetPhy(), "DlPhyTransmission", GetTransmitter() + " -> air");
        builder.AssignStreams([&](int64_t first) { return lte->AssignStreams(cells, first); });
        builder.AssignStreams([&](int64_t first) { return core->AssignStreams(first); });
        return {core->GetPgwNode(),
                core->GetUeDefaultGatewayAddress(),
                Ipv4Mask("255.0.0.0"),
                ATTACHED + ATTACHED_EACH * static_cast<int64_t>(stations.GetN())};
    }

  private:
    uint32_t m_resourceBlocks; //!< each way, of 180 kHz
};

NS_OBJECT_ENSURE_REGISTERED(LteLink);

} // namespace ns3::edgepipe
