/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-cases.h"

namespace ns3
{
namespace edgepipe
{

const std::vector<FidelityCase>&
GetFidelityCases()
{
    static const std::vector<FidelityCase> cases{
        // A switched LAN: an uplink and a downlink for each device.
        {"model=mnist_cnn cluster=pi-lab planner=even link=lan bandwidth=1Gbps "
         "micro-batch-size=16",
         true},
        {"model=mnist_cnn cluster=pi-lab planner=even link=lan bandwidth=10Mbps "
         "micro-batch-size=4"},
        {"model=mnist_cnn cluster=dgpas-testbed planner=even link=lan bandwidth=100Mbps "
         "micro-batch-size=16 schedule=1f1b",
         true},
        {"model=mnist_cnn cluster=dgpas-testbed planner=exact link=lan bandwidth=100Mbps "
         "delay=5ms micro-batch-size=32"},
        {"model=alexnet cluster=dgpas-testbed planner=even link=lan bandwidth=1Gbps "
         "micro-batch-size=2"},
        {"model=alexnet cluster=dgpas-testbed planner=even link=lan bandwidth=100Mbps "
         "micro-batch-size=2 schedule=1f1b"},
        {"model=alexnet cluster=dgpas-testbed planner=dp link=lan bandwidth=100Mbps "
         "micro-batch-size=2"},
        {"model=alexnet cluster=dgpas-testbed planner=exact link=lan bandwidth=1Gbps "
         "micro-batch-size=8"},
        {"model=alexnet cluster=pi-lab planner=even link=lan bandwidth=20Mbps "
         "micro-batch-size=1 schedule=1f1b"},
        {"model=alexnet cluster=xeon-lab planner=even link=lan bandwidth=1Gbps delay=1ms "
         "micro-batch-size=8 schedule=1f1b"},
        {"model=alexnet cluster=xeon-lab planner=even link=lan bandwidth=1Gbps delay=10ms "
         "micro-batch-size=8"},
        {"model=alexnet cluster=xeon-lab planner=even link=lan bandwidth=100Mbps delay=25ms "
         "micro-batch-size=1"},
        {"model=alexnet cluster=pi-lab planner=even link=lan "
         "bandwidth=0s:100Mbps,0.5s:20Mbps micro-batch-size=2",
         true},
        {"model=alexnet cluster=pi-lab planner=even link=lan "
         "bandwidth=0s:20Mbps,1s:100Mbps,2s:50Mbps micro-batch-size=2 schedule=1f1b"},
        {"model=alexnet cluster=pi-lab planner=even link=lan bandwidth=100Mbps mtu=9000 "
         "micro-batch-size=4 schedule=1f1b"},
        {"model=mobilenet_v2 cluster=pi-lab planner=even link=lan bandwidth=100Mbps "
         "micro-batch-size=1"},
        {"model=mobilenet_v2 cluster=pi-lab planner=dp link=lan bandwidth=300Mbps "
         "micro-batch-size=4 schedule=1f1b"},
        {"model=mobilenet_v2 cluster=dgpas-testbed planner=dp link=lan bandwidth=1Gbps "
         "micro-batch-size=1 micro-batches=16 schedule=1f1b"},
        {"model=resnet18 cluster=xeon-lab planner=dp link=lan bandwidth=50Mbps "
         "micro-batch-size=1 micro-batches=4 iterations=3"},
        {"model=resnet18 cluster=dgpas-testbed planner=even link=lan bandwidth=200Mbps "
         "micro-batch-size=1 schedule=1f1b"},
        {"model=googlenet cluster=pi-lab planner=even link=lan bandwidth=100Mbps delay=2ms "
         "micro-batch-size=1 schedule=1f1b"},
        {"model=atari_cnn cluster=dgpas-testbed planner=even link=lan bandwidth=10Mbps "
         "micro-batch-size=1 schedule=1f1b",
         true},
        {"model=atari_cnn cluster=pi-lab planner=even link=lan bandwidth=1Gbps delay=20ms "
         "micro-batch-size=8 micro-batches=16 iterations=2"},
        {"model=tiny_yolo cluster=xeon-lab planner=exact link=lan bandwidth=1Gbps "
         "micro-batch-size=2 schedule=1f1b"},

        // A chain of wires: what is sent past a device shares its wires with what it sends.
        {"model=mnist_cnn cluster=edge-pair planner=even link=p2p bandwidth=10Mbps "
         "micro-batch-size=8",
         true},
        {"model=mnist_cnn cluster=edge-pair planner=even link=p2p bandwidth=100Mbps delay=30ms "
         "micro-batch-size=16 schedule=1f1b"},
        {"model=mnist_cnn cluster=dgpas-testbed planner=even link=p2p bandwidth=50Mbps "
         "micro-batch-size=8",
         true},
        {"model=mnist_cnn cluster=dgpas-testbed planner=dp link=p2p bandwidth=50Mbps "
         "micro-batch-size=32 schedule=1f1b"},
        {"model=alexnet cluster=edge-pair planner=even link=p2p micro-batch-size=4"},
        {"model=alexnet cluster=edge-pair planner=even link=p2p bandwidth=20Mbps delay=50ms "
         "micro-batch-size=2 schedule=1f1b"},
        {"model=alexnet cluster=edge-pair planner=dp link=p2p "
         "bandwidth=0s:100Mbps,0.5s:20Mbps micro-batch-size=4",
         true},
        {"model=alexnet cluster=edge-pair planner=even link=p2p "
         "bandwidth=0s:10Mbps,2s:100Mbps delay=20ms micro-batch-size=4 schedule=1f1b"},
        {"model=alexnet cluster=pi-lab planner=even link=p2p bandwidth=100Mbps delay=5ms "
         "micro-batch-size=2 schedule=1f1b"},
        {"model=alexnet cluster=dgpas-testbed planner=exact link=p2p bandwidth=100Mbps "
         "micro-batch-size=4"},
        {"model=alexnet cluster=dgpas-testbed planner=exact link=p2p bandwidth=200Mbps "
         "delay=1ms micro-batch-size=4 micro-batches=16 schedule=1f1b"},
        {"model=mobilenet_v2 cluster=dgpas-testbed planner=exact link=p2p bandwidth=100Mbps "
         "micro-batch-size=2 schedule=1f1b"},
        {"model=mobilenet_v2 cluster=pi-lab planner=even link=p2p bandwidth=30Mbps delay=10ms "
         "micro-batch-size=1 micro-batches=4"},
        {"model=resnet18 cluster=dgpas-testbed planner=exact link=p2p bandwidth=50Mbps "
         "micro-batch-size=1"},
        {"model=resnet18 cluster=dgpas-testbed planner=exact link=p2p "
         "bandwidth=0s:300Mbps,0.7s:100Mbps,1.4s:300Mbps micro-batch-size=2 schedule=1f1b"},
        {"model=resnet18 cluster=pi-lab planner=dp link=p2p bandwidth=1Gbps delay=3ms "
         "micro-batch-size=4"},
        {"model=googlenet cluster=dgpas-testbed planner=exact link=p2p bandwidth=100Mbps "
         "micro-batch-size=1 schedule=1f1b"},
        {"model=regnet_x_200mf cluster=pi-lab planner=even link=p2p bandwidth=100Mbps "
         "micro-batch-size=2 iterations=2 schedule=1f1b"},
        {"model=atari_cnn cluster=dgpas-testbed planner=even link=p2p bandwidth=10Mbps "
         "delay=15ms micro-batch-size=4"},
        {"model=darknet19 cluster=xeon-lab planner=dp link=p2p bandwidth=100Mbps mtu=9000 "
         "micro-batch-size=1"},

        // Wi-Fi: one cell, every transfer crosses the air twice.
        {"model=mnist_cnn cluster=pi-lab planner=even link=wifi wifi-standard=ac "
         "micro-batch-size=8",
         true},
        {"model=mnist_cnn cluster=edge-pair planner=even link=wifi wifi-standard=n "
         "micro-batch-size=16"},
        {"model=mnist_cnn cluster=pi-lab planner=even link=wifi wifi-standard=n wifi-width=20 "
         "distance=20 micro-batch-size=4 schedule=1f1b"},
        {"model=mnist_cnn cluster=dgpas-testbed planner=even link=wifi wifi-standard=ac "
         "micro-batch-size=4"},
        {"model=mnist_cnn cluster=dgpas-testbed planner=even link=wifi wifi-standard=ax "
         "micro-batch-size=4 schedule=1f1b"},
        {"model=mnist_cnn cluster=pi-lab planner=even link=wifi wifi-standard=ac "
         "wifi-rate-control=minstrel micro-batch-size=8 schedule=1f1b"},
        {"model=mnist_cnn cluster=pi-lab planner=even link=wifi wifi-standard=ax wifi-width=20 "
         "wifi-band=2.4 distance=10 micro-batch-size=4"},
        {"model=atari_cnn cluster=pi-lab planner=even link=wifi wifi-standard=n wifi-width=40 "
         "micro-batch-size=4"},
        {"model=atari_cnn cluster=pi-lab planner=even link=wifi wifi-standard=ax wifi-width=160 "
         "micro-batch-size=4 schedule=1f1b"},
        {"model=alexnet cluster=dgpas-testbed planner=even link=wifi wifi-standard=ac "
         "wifi-width=40 micro-batch-size=1"},
        {"model=mnist_cnn cluster=edge-pair planner=even link=wifi wifi-standard=ac distance=20 "
         "micro-batch-size=16 schedule=1f1b"},
        {"model=mnist_cnn cluster=edge-pair planner=even link=wifi wifi-standard=ax wifi-band=6 "
         "wifi-width=160 micro-batch-size=32 schedule=1f1b"},
        {"model=mnist_cnn cluster=edge-pair planner=even link=wifi wifi-standard=n wifi-band=2.4 "
         "wifi-width=20 distance=30 micro-batch-size=8"},
        {"model=alexnet cluster=pi-lab planner=even link=wifi wifi-standard=ac "
         "micro-batch-size=1 schedule=1f1b"},
        {"model=alexnet cluster=pi-lab planner=dp link=wifi wifi-standard=ax distance=15 "
         "micro-batch-size=1"},
        {"model=alexnet cluster=xeon-lab planner=even link=wifi wifi-standard=n "
         "wifi-rate-control=minstrel distance=10 micro-batch-size=1"},
        {"model=alexnet cluster=xeon-lab planner=even link=wifi wifi-standard=ax "
         "wifi-rate-control=minstrel micro-batch-size=1 schedule=1f1b"},
        {"model=mnist_cnn cluster=pi-lab planner=even link=wifi wifi-standard=ax "
         "wifi-rate-control=minstrel distance=20 micro-batch-size=8"},
        {"model=atari_cnn cluster=xeon-lab planner=even link=wifi wifi-standard=n wifi-width=40 "
         "distance=40 micro-batch-size=4 schedule=1f1b"},
        {"model=mobilenet_v2 cluster=pi-lab planner=exact link=wifi wifi-standard=ac "
         "micro-batch-size=1"},
        {"model=resnet18 cluster=pi-lab planner=exact link=wifi wifi-standard=ac wifi-width=40 "
         "micro-batch-size=1 schedule=1f1b"},
        {"model=googlenet cluster=xeon-lab planner=dp link=wifi wifi-standard=ac wifi-width=20 "
         "micro-batch-size=1 micro-batches=4"},
    };
    return cases;
}

} // namespace edgepipe
} // namespace ns3
