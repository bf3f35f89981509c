// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/ampdu-subframe-header.h"
#include "ns3/edgepipe-wifi-data-loss.h"
#include "ns3/llc-snap-header.h"
#include "ns3/packet.h"
#include "ns3/wifi-mac-header.h"

namespace
{

/** @return whether a model that loses data frames at a rate just below 1 loses this one */
bool
IsLost(Ptr<Packet> frame)
{
    auto rate = CreateObject<RateErrorModel>();
    rate->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    rate->SetRate(1 - 1e-9);
    return CreateObject<WifiDataLoss>(rate)->IsCorrupt(frame);
}

/** @return what a data frame carries */
Ptr<Packet>
DataBody()
{
    auto body = Create<Packet>(1000);
    LlcSnapHeader snap;
    snap.SetType(0x0800);
    body->AddHeader(snap);
    return body;
}

/** @return the body with a header of this type in front */
Ptr<Packet>
Frame(WifiMacType type, Ptr<Packet> body)
{
    WifiMacHeader header;
    header.SetType(type);
    body->AddHeader(header);
    return body;
}

TEST(WifiDataLossTest, LosesDataHandedOverWithItsHeader)
{
    EXPECT_TRUE(IsLost(Frame(WIFI_MAC_DATA, DataBody())));
    EXPECT_TRUE(IsLost(Frame(WIFI_MAC_QOSDATA, DataBody())));
}

TEST(WifiDataLossTest, LosesAggregatedData)
{
    auto frame = Frame(WIFI_MAC_QOSDATA, DataBody());
    AmpduSubframeHeader delimiter;
    delimiter.SetLength(frame->GetSize());
    frame->AddHeader(delimiter);
    EXPECT_TRUE(IsLost(frame));
}

TEST(WifiDataLossTest, LosesDataHandedOverWithoutItsHeader)
{
    EXPECT_TRUE(IsLost(DataBody()));
}

TEST(WifiDataLossTest, SparesControlAndManagement)
{
    EXPECT_FALSE(IsLost(Frame(WIFI_MAC_CTL_ACK, Create<Packet>())));
    EXPECT_FALSE(IsLost(Frame(WIFI_MAC_MGT_ACTION, Create<Packet>(20))));
    EXPECT_FALSE(IsLost(Create<Packet>())) << "an acknowledgement without its header";
    // The body of a beacon begins with a time, whose first byte may be any: here that of data.
    const std::vector<uint8_t> beacon{0x08, 1, 0, 0, 0, 0, 0, 0, 100, 0};
    EXPECT_FALSE(IsLost(Create<Packet>(beacon.data(), beacon.size())));
}

} // namespace
