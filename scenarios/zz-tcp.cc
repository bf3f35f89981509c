/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-case.h"
#include "lib/scenario-options.h"

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/queue-item.h"
#include <set>
#include <iostream>
#include <cstdlib>
using namespace ns3::edgepipe;
using namespace ns3;
static std::set<void*> seen;
static void Cwnd(std::string c, uint32_t o, uint32_t n){ std::cerr<<"CW "<<Simulator::Now().GetSeconds()<<" "<<c<<" "<<o<<" "<<n<<"\n"; }
static void Ssth(std::string c, uint32_t o, uint32_t n){ std::cerr<<"SS "<<Simulator::Now().GetSeconds()<<" "<<c<<" "<<o<<" "<<n<<"\n"; }
static void Cong(std::string c, TcpSocketState::TcpCongState_t o, TcpSocketState::TcpCongState_t n){ std::cerr<<"ST "<<Simulator::Now().GetSeconds()<<" "<<c<<" "<<o<<" "<<n<<"\n"; }
static void Drop(std::string c, Ptr<const Packet> p){ std::cerr<<"DROP "<<Simulator::Now().GetSeconds()<<" "<<c<<"\n"; }
static void QDrop(std::string c, Ptr<const QueueDiscItem> p){ std::cerr<<"QDROP "<<Simulator::Now().GetSeconds()<<" "<<c<<"\n"; }
static void Poll()
{
  for (uint32_t i=0;i<NodeList::GetNNodes();++i){
    auto tcp=NodeList::GetNode(i)->GetObject<TcpL4Protocol>(); if(!tcp) continue;
    ObjectMapValue v; 
    tcp->GetAttribute("SocketList", v);
    for (auto it=v.Begin(); it!=v.End(); ++it){
      auto s=DynamicCast<TcpSocketBase>(it->second); if(!s||!seen.insert(PeekPointer(s)).second) continue;
      Address a; s->GetPeerName(a); std::ostringstream o; o<<i<<"->";
      if(InetSocketAddress::IsMatchingType(a)) o<<InetSocketAddress::ConvertFrom(a).GetIpv4()<<":"<<InetSocketAddress::ConvertFrom(a).GetPort();
      s->TraceConnect("CongestionWindow",o.str(),MakeCallback(&Cwnd));
      s->TraceConnect("SlowStartThreshold",o.str(),MakeCallback(&Ssth));
      s->TraceConnect("CongState",o.str(),MakeCallback(&Cong));
    }
  }
  Simulator::Schedule(MilliSeconds(2), &Poll);
}
static void Start(){
  Config::ConnectFailSafe("/NodeList/*/DeviceList/*/TxQueue/Drop", MakeCallback(&Drop));
  Config::ConnectFailSafe("/NodeList/*/$ns3::TrafficControlLayer/RootQueueDiscList/*/Drop", MakeCallback(&QDrop));
  Poll(); }


int main(int argc, char* argv[])
{
    return RunScenario("zz", [argc, argv] {
        auto one = FidelityCase::Make(argv[1], "");
        auto f = one->Run(one->GetNetwork("flow"), 1);
        if (argc > 2) Simulator::Schedule(MilliSeconds(1), &Start);
        auto p = one->Run(one->GetNetwork("packet"), 1);
        std::cout << "flow " << f.seconds << " packet " << p.seconds << " " << f.seconds/p.seconds-1 << std::endl;
        return 0;
    });
}
