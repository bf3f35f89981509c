/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-lte.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/edgepipe-lte-capacity.h"
#include "ns3/edgepipe-radio-link.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/lte-common.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Buffer of a bearer, bytes: two of PacketTransport's windows with their headers. By ns-3's
/// default, 10 kB, every burst of TCP loses packets.
constexpr uint32_t BEARER_BUFFER = 2200000;

/// When stations have attached at the latest: the first few after 20 ms, one more every 1.7 ms, as
/// measured with up to 100. A handshake that begins earlier would be repeated a second later.
const Time ATTACHED = MilliSeconds(50);
/// Further time for each station.
const Time ATTACHED_EACH = MilliSeconds(2);

/**
 * Set a default of ns-3, unless the user has, or this ns-3 does not know it.
 *
 * @param type name of the type
 * @param name of its attribute
 * @param value new default
 */
void
SetDefault(const std::string& type, const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (TypeId::LookupByName(type).LookupAttributeByName(name, &info) &&
        info.initialValue->SerializeToString(info.checker) ==
            info.originalInitialValue->SerializeToString(info.checker))
    {
        Config::SetDefault(type + "::" + name, value);
    }
}

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
 * Have bytes counted that a physical layer sends.
 *
 * @param links gets the counter
 * @param phy the physical layer
 * @param trace its trace source
 * @param name of the transmitter
 */
void
CountBlocks(std::vector<std::shared_ptr<LinkCounter>>& links,
            Ptr<Object> phy,
            const std::string& trace,
            const std::string& name)
{
    auto counter = std::make_shared<LinkCounter>();
    counter->name = name;
    links.push_back(counter);
    phy->TraceConnectWithoutContext(
        trace,
        Callback<void, PhyTransmissionStatParameters>(
            [counter](PhyTransmissionStatParameters block) { counter->bytes += block.m_size; }));
}

} // namespace

std::vector<Ipv4Address>
PacketLte::Join(const std::set<uint32_t>& active)
{
    m_network.capacity = MakeRadioCapacity(m_options, m_names, m_network.devices);
    SetDefault("ns3::LteRlcUm", "MaxTxBufferSize", UintegerValue(BEARER_BUFFER));
    // Newer ns-3 drops what has waited for 300 ms, less than a full buffer takes at the cell's
    // edge.
    SetDefault("ns3::LteRlcUm", "EnablePdcpDiscarding", BooleanValue(false));
    // There is one cell: a device that loses it comes back to it, or stays out of range.
    SetDefault("ns3::LteUePhy", "EnableRlfDetection", BooleanValue(false));
    const NodeContainer baseStation(1);
    Place(active, baseStation.Get(0));
    const NodeContainer stations = GetStations();

    m_core = CreateObject<PointToPointEpcHelper>();
    m_lte = CreateObject<LteHelper>();
    m_lte->SetEpcHelper(m_core);
    m_lte->SetSchedulerType("ns3::RrFfMacScheduler");
    m_lte->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
    m_lte->SetPathlossModelAttribute("ReferenceLoss", DoubleValue(LteRadio::LOSS_AT_ONE_METER_DB));
    m_lte->SetPathlossModelAttribute("Exponent", DoubleValue(LteRadio::LOSS_EXPONENT));
    m_lte->SetEnbDeviceAttribute("DlBandwidth", UintegerValue(m_options.lteResourceBlocks));
    m_lte->SetEnbDeviceAttribute("UlBandwidth", UintegerValue(m_options.lteResourceBlocks));
    Simulator::ScheduleDestroy([lte = m_lte, core = m_core] {
        lte->Dispose();
        core->Dispose();
    });

    InternetStackHelper stack;
    stack.Install(NodeContainer(m_network.devices, m_competitors));
    const auto cells = m_lte->InstallEnbDevice(baseStation);
    m_cell = cells.Get(0);
    auto cell = DynamicCast<LteEnbNetDevice>(m_cell);
    cell->GetPhy()->SetTxPower(LteRadio::BASE_STATION_DBM);
    cell->GetPhy()->SetNoiseFigure(LteRadio::BASE_STATION_NOISE_DB);
    cell->GetRrc()->SetAttribute("SrsPeriodicity",
                                 UintegerValue(GetSoundingPeriod(stations.GetN())));
    m_attached = ATTACHED + ATTACHED_EACH * static_cast<int64_t>(stations.GetN());
    const auto addresses = Attach(stations);
    CountBlocks(m_network.links, cell->GetPhy(), "DlPhyTransmission", "base station -> air");
    m_stream += m_lte->AssignStreams(cells, m_stream);
    m_stream += m_core->AssignStreams(m_stream);

    stack.AssignStreams(stations, m_stream);
    return Finish(addresses, m_core->GetPgwNode(), "gateway", m_core->GetUeDefaultGatewayAddress());
}

std::vector<Ipv4Address>
PacketLte::Attach(const NodeContainer& nodes)
{
    const auto names = GetStationNames();
    const auto devices = m_lte->InstallUeDevice(nodes);
    const auto interfaces = m_core->AssignUeIpv4Address(devices);
    std::vector<Ipv4Address> addresses;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        auto device = DynamicCast<LteUeNetDevice>(devices.Get(i));
        device->GetPhy()->SetTxPower(LteRadio::DEVICE_DBM);
        device->GetPhy()->SetNoiseFigure(LteRadio::DEVICE_NOISE_DB);
        CountBlocks(m_network.links, device->GetPhy(), "UlPhyTransmission", names[i] + " -> air");
        addresses.push_back(interfaces.GetAddress(i));
    }
    m_stream += m_lte->AssignStreams(devices, m_stream);
    m_lte->Attach(devices, m_cell);
    return addresses;
}

} // namespace edgepipe
} // namespace ns3
