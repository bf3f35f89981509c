// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/// @return a device file
std::string
MakeDevice(const std::string& name)
{
    std::string efficiency = R"({"convolution": {"value": 0.5, "source": "s"},
        "groupedConvolution": {"value": 0.3, "source": "s"},
        "depthwiseConvolution": {"value": 0.03, "source": "s"},
        "linear": {"value": 0.22, "source": "s"}})";
    return R"({"format": "edgepipe-device 1", "name": ")" + name + R"(", "description": "d",
        "peakFlopPerSecond": {"value": 153.6e9, "source": "s"},
        "memoryBytes": {"value": 8589934592, "source": "s"},
        "memoryBandwidthBytesPerSecond": {"value": 17e9, "source": "s"},
        "idleWatts": {"value": 3.3, "source": "s"}, "loadWatts": {"value": 9, "source": "s"},
        "layerOverheadSeconds": {"value": 5e-5, "source": "s"},
        "efficiency": {"inference": )" +
           efficiency + R"(, "training": )" + TemporaryFolder::Replace(efficiency, "0.5", "0.4") +
           "}}";
}

const std::string CLUSTER =
    R"({"format": "edgepipe-cluster 1", "name": "lab", "source": "this test",
  "devices": [{"type": "nano", "count": 2}, {"type": "pi", "name": "p", "memoryBytes": 1000},
              {"type": "nano", "name": "spare"}],
  "network": {"link": "lan", "bandwidthBitsPerSecond": 1000000000, "delaySeconds": 0.00002}})";

TEST(EdgepipeDeviceSpec, ReadsEveryFigure)
{
    TemporaryFolder folder;
    DeviceSpec spec = ReadDeviceSpec(folder.Write("pi.json", MakeDevice("pi")));
    EXPECT_EQ(spec.name, "pi");
    EXPECT_EQ(spec.peakFlopPerSecond, 153.6e9);
    EXPECT_EQ(spec.memoryBytes, 8589934592u);
    EXPECT_EQ(spec.memoryBandwidthBytesPerSecond, 17e9);
    EXPECT_EQ(spec.idleWatts, 3.3);
    EXPECT_EQ(spec.loadWatts, 9);
    EXPECT_EQ(spec.layerOverheadSeconds, 5e-5);
    EXPECT_EQ(spec.inference.convolution, 0.5);
    EXPECT_EQ(spec.training.convolution, 0.4);
    EXPECT_EQ(spec.training.groupedConvolution, 0.3);
    EXPECT_EQ(spec.training.depthwiseConvolution, 0.03);
    EXPECT_EQ(spec.training.linear, 0.22);
}

TEST(EdgepipeCluster, ExpandsDevicesAndFindsTheirTypes)
{
    TemporaryFolder folder;
    // One type lies beside the cluster file, the other in the traces folder.
    folder.Write("mine/devices/nano.json", MakeDevice("nano"));
    folder.Write("traces/devices/pi.json", MakeDevice("pi"));
    Cluster cluster =
        ReadCluster(folder.Write("mine/clusters/lab.json", CLUSTER), folder.GetPath() + "/traces");
    EXPECT_EQ(cluster.name, "lab");
    EXPECT_EQ(cluster.link, "lan");
    EXPECT_EQ(cluster.bandwidthBitsPerSecond, 1e9);
    EXPECT_EQ(cluster.delaySeconds, 2e-5);
    std::string names;
    for (const ClusterDevice& device : cluster.devices)
    {
        EXPECT_EQ(cluster.specs.at(device.spec).name, device.type);
        names += device.name + " ";
    }
    EXPECT_EQ(names, "nano-0 nano-1 p-0 spare-0 ");
    EXPECT_EQ(cluster.specs.size(), 2u);
    EXPECT_EQ(cluster.devices[1].memoryBytes, 8589934592u);
    EXPECT_EQ(cluster.devices[2].memoryBytes, 1000u);
}

TEST(EdgepipeCluster, ReadsNetworksOfDevices)
{
    TemporaryFolder folder;
    folder.Write("traces/devices/pi.json", MakeDevice("pi"));
    folder.Write("traces/bandwidth/drive.csv", "seconds,bitsPerSecond\n");
    const Cluster cluster = ReadCluster(folder.Write("mine/clusters/lab.json",
                                                     R"({
  "format": "edgepipe-cluster 1", "name": "lab", "source": "this test", "devices": [
    {"type": "pi", "network": {"link": "trace", "trace": "drive.csv", "traceOffsetSeconds": 30,
                               "traceScale": 2}},
    {"type": "pi", "name": "phone", "count": 2, "network": {"link": "lte", "cell": "north",
      "distanceMeters": 80, "mobility": "away", "speedMetersPerSecond": 0, "delaySeconds": 0}},
    {"type": "pi", "name": "desk"}],
  "network": {"link": "lan", "bandwidthBitsPerSecond": 1e9}})"),
                                        folder.GetPath() + "/traces");
    ClusterNetwork car;
    car.link = "trace";
    car.trace = folder.GetPath() + "/traces/bandwidth/drive.csv";
    car.traceOffsetSeconds = 30;
    car.traceScale = 2;
    EXPECT_TRUE(*cluster.devices.at(0).network == car);
    const ClusterNetwork& phone = *cluster.devices.at(1).network;
    EXPECT_EQ(phone.cell, "north");
    EXPECT_EQ(phone.distanceMeters, 80);
    EXPECT_EQ(phone.mobility, "away");
    EXPECT_EQ(phone.speedMetersPerSecond, 0);
    EXPECT_EQ(phone.delaySeconds, 0);
    EXPECT_EQ(phone.bandwidthBitsPerSecond, 0);
    EXPECT_TRUE(phone == *cluster.devices.at(2).network);
    EXPECT_FALSE(phone == car);
    EXPECT_EQ(cluster.devices.at(3).network, nullptr);
}

} // namespace
