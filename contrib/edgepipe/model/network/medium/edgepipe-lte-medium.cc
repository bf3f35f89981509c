/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-loss-check.h"

#include "ns3/edgepipe-flow-cell.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/edgepipe-lte-capacity.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-spectrum-phy.h"
#include "ns3/lte-spectrum-value-helper.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/spectrum-channel.h"
#include "ns3/spectrum-propagation-loss-model.h"
#include "ns3/spectrum-signal-parameters.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param device an LTE device
 * @return where it is
 */
Ptr<MobilityModel>
FindLtePosition(Ptr<NetDevice> device)
{
    auto position = device->GetNode()->GetObject<MobilityModel>();
    Require(bool(position),
            "node " + std::to_string(device->GetNode()->GetId()) +
                ": found no position with its LTE device, expected a MobilityModel");
    return position;
}

/**
 * @param channel up or down
 * @param from a sender's device
 * @param to a receiver's device
 * @param carrier its number, EARFCN
 * @param resourceBlocks of the carrier
 * @return the path loss, dB
 */
double
FindLteLoss(Ptr<SpectrumChannel> channel,
            Ptr<NetDevice> from,
            Ptr<NetDevice> to,
            uint32_t carrier,
            uint16_t resourceBlocks)
{
    const auto here = FindLtePosition(from);
    const auto there = FindLtePosition(to);
    double loss = 0;
    if (auto model = channel->GetPropagationLossModel())
    {
        CheckLossModel(from, model);
        loss -= model->CalcRxPower(0, here, there);
    }
    if (auto model = channel->GetSpectrumPropagationLossModel())
    {
        auto signal = Create<SpectrumSignalParameters>();
        signal->psd = Create<SpectrumValue>(
            LteSpectrumValueHelper::GetSpectrumModel(carrier, resourceBlocks));
        *signal->psd = 1;
        const auto received = model->CalcRxPowerSpectralDensity(signal, here, there);
        loss -= 10 * std::log10(Sum(*received) / Sum(*signal->psd));
    }
    return loss;
}

/**
 * @param lost path loss, dB
 * @param missing loss by differences from LteRadio's powers and noise figures, dB
 * @return the distance at which LteCapacity would lose as much, m
 */
double
GetLteDistance(double lost, double missing)
{
    return std::pow(10,
                    (lost + missing - LteRadio::LOSS_AT_ONE_METER_DB) /
                        (10 * LteRadio::LOSS_EXPONENT));
}

/**
 * @param station a device
 * @return the base station that serves it
 * @throws InputError if none does yet
 */
Ptr<LteEnbNetDevice>
FindBaseStation(Ptr<LteUeNetDevice> station)
{
    // 0 before it has chosen a cell.
    const uint16_t cell = station->GetRrc()->GetCellId();
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNDevices(); ++i)
        {
            auto device = DynamicCast<LteEnbNetDevice>((*node)->GetDevice(i));
            if (cell > 0 && device && device->HasCellId(cell))
            {
                return device;
            }
        }
    }
    throw InputError("node " + std::to_string(station->GetNode()->GetId()) +
                     ": found its LTE device attached to no base station, expected the first "
                     "message after it is, or TransportHelper::DeclareCapacity");
}

/**
 * @param station a device
 * @param cell its base station
 * @return its equivalent distances, up and down, m
 */
FlowCell::Distances
FindLteDistances(Ptr<LteUeNetDevice> station, Ptr<LteEnbNetDevice> cell)
{
    auto base = cell->GetPhy();
    auto phy = station->GetPhy();
    const double up = FindLteLoss(phy->GetUplinkSpectrumPhy()->GetChannel(),
                                  station,
                                  cell,
                                  cell->GetUlEarfcn(),
                                  cell->GetUlBandwidth());
    const double down = FindLteLoss(base->GetDownlinkSpectrumPhy()->GetChannel(),
                                    cell,
                                    station,
                                    cell->GetDlEarfcn(),
                                    cell->GetDlBandwidth());
    return {GetLteDistance(up,
                           LteRadio::DEVICE_DBM - phy->GetTxPower() + base->GetNoiseFigure() -
                               LteRadio::BASE_STATION_NOISE_DB),
            GetLteDistance(down,
                           LteRadio::BASE_STATION_DBM - base->GetTxPower() + phy->GetNoiseFigure() -
                               LteRadio::DEVICE_NOISE_DB)};
}

} // namespace

/**
 * @ingroup edgepipe
 *
 * The air between an LTE base station and its devices, by LteCapacity. A hop is from a device to
 * the gateway of the core network, or back, or both: what lies between takes no time and no
 * capacity.
 *
 * LteCapacity assumes the powers and the path loss of LteRadio; a device is taken to be at the
 * distance where that loss equals the one by its channel's loss model and powers.
 */
class LteMedium : public Typed<LteMedium, FlowMedium>
{
  public:
    Ptr<Object> FindKey(const FlowHop& hop) const override
    {
        for (const auto& end : {hop.from, hop.to})
        {
            if (auto station = DynamicCast<LteUeNetDevice>(end))
            {
                return FindBaseStation(station);
            }
        }
        return nullptr;
    }

    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override
    {
        if (!m_cell)
        {
            m_base = DynamicCast<LteEnbNetDevice>(FindKey(hop));
            Require(m_base->GetDlBandwidth() == m_base->GetUlBandwidth(),

                    "node " + std::to_string(m_base->GetNode()->GetId()) + ": found " +
                        std::to_string(m_base->GetUlBandwidth()) + " resource blocks up and " +
                        std::to_string(m_base->GetDlBandwidth()) +
                        " down, expected as many each way");
            m_cell = std::make_unique<FlowCell>(
                settings.network,
                std::make_shared<LteCapacity>(m_base->GetDlBandwidth(),
                                              static_cast<uint32_t>(settings.packetBytes)));
        }
        // Devices share a subnet, so a hop may have one at either end.
        for (const auto& [end, direction] :
             {std::pair(hop.from, RadioDirection::UP), std::pair(hop.to, RadioDirection::DOWN)})
        {
            auto station = DynamicCast<LteUeNetDevice>(end);
            if (!station)
            {
                continue;
            }
            Require(FindBaseStation(station) == m_base,

                    "node " + std::to_string(hop.from->GetNode()->GetId()) +
                        ": found a route to a device of another cell, expected one by way of "
                        "the gateway");
            if (std::find(m_stations.begin(), m_stations.end(), station) == m_stations.end())
            {
                m_stations.push_back(station);
                m_cell->SetDistances(station, FindLteDistances(station, m_base));
                m_cell->Settle();
            }
            m_cell->AddHop(station, direction, route);
        }
    }

    void Update(const FlowMediumSettings& /* settings */) override
    {
        for (const auto& station : m_stations)
        {
            m_cell->SetDistances(station, FindLteDistances(station, m_base));
        }
        m_cell->Settle();
    }

  private:
    Ptr<LteEnbNetDevice> m_base;                 //!< the base station
    std::unique_ptr<FlowCell> m_cell;            //!< the air, each way
    std::vector<Ptr<LteUeNetDevice>> m_stations; //!< that routes cross
};

NS_OBJECT_ENSURE_REGISTERED(LteMedium);

} // namespace ns3::edgepipe
