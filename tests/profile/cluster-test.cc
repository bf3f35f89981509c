// SPDX-License-Identifier: GPL-2.0-only

#include "input-test-support.h"

#include "ns3/edgepipe-cluster.h"

#include <string>
#include <vector>

using namespace ns3::edgepipe;

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

TEST(EdgepipeDeviceSpec, RefusesBrokenFiles)
{
    const std::vector<BrokenInput> cases = {
        {"a figure without a source",
         R"("loadWatts": {"value": 9, "source": "s"})",
         R"("loadWatts": {"value": 9})",
         R"(d.json: loadWatts: key "source" is missing)"},
        {"an empty source",
         R"("value": 9, "source": "s")",
         R"("value": 9, "source": "")",
         R"(d.json: loadWatts.source: found "", expected a name (not empty, no control characters))"},
        {"no speed",
         "153.6e9",
         "0",
         "d.json: peakFlopPerSecond.value: found 0, expected a number above 0"},
        {"half a byte",
         "8589934592",
         "0.5",
         "d.json: memoryBytes.value: found 0.5, expected a positive integer"},
        {"a class of operators missing",
         R"("linear": {"value": 0.22, "source": "s"})",
         R"("linears": {"value": 0.22, "source": "s"})",
         R"(d.json: efficiency.inference: unknown key "linears", expected one of convolution, )"
         R"(groupedConvolution, depthwiseConvolution, linear)"},
    };
    TemporaryFolder folder;
    EXPECT_EQ(folder.MessageOf([&] {
        ReadDeviceSpec(folder.Write("e.json", R"({"format": "edgepipe-device 1", "name": "e",
            "description": "d", "memoryBytes": {"value": 1, "source": "s"},
            "idleWatts": {"value": 1, "source": "s"}, "loadWatts": {"value": 1, "source": "s"},
            "efficiency": {"training": {"convolution": {"value": 1, "source": "s"},
            "groupedConvolution": {"value": 1, "source": "s"},
            "linear": {"value": 1, "source": "s"}}}})"));
    }),
              "e.json: missing peakFlopPerSecond, memoryBandwidthBytesPerSecond, "
              "layerOverheadSeconds, efficiency.inference, "
              "efficiency.training.depthwiseConvolution; traces/capture/device_figures.py "
              "measures and writes a whole file");
    for (const BrokenInput& broken : cases)
    {
        std::string text = TemporaryFolder::Replace(MakeDevice("d"), broken.from, broken.to);
        ASSERT_NE(text, MakeDevice("d")) << broken.description;
        std::string file = folder.Write("d.json", text);
        EXPECT_EQ(folder.MessageOf([&] { ReadDeviceSpec(file); }), broken.message)
            << broken.description;
    }
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

TEST(EdgepipeCluster, RefusesBrokenFiles)
{
    const std::vector<BrokenInput> cases = {
        {"an unknown device",
         R"("type": "pi")",
         R"("type": "pie")",
         R"(clusters/c.json: devices[1].type: found "pie", expected a device type, that is a file )"
         R"(devices/pie.json)"},
        {"a path for a type",
         R"("type": "pi")",
         R"("type": "../pi")",
         R"(clusters/c.json: devices[1].type: found "../pi", expected a name without slashes)"},
        {"a count in words",
         R"("count": 2)",
         R"("count": "two")",
         R"(clusters/c.json: devices[0].count: found "two", expected a positive integer)"},
        {"a count without end",
         R"("count": 2)",
         R"("count": 1e12)",
         R"(clusters/c.json: devices[0].count: found 1000000000000.0, expected a positive integer, )"
         R"(at most 100000)"},
        {"a name twice",
         R"("name": "spare")",
         R"("name": "p")",
         R"(clusters/c.json: devices[2]: device name "p-0" is used twice; give this entry another )"
         R"("name")"},
        {"a recording that is not there",
         R"("name": "spare")",
         R"("name": "spare", "network": {"link": "trace", "trace": "x.csv"})",
         R"(clusters/c.json: devices[2].network.trace: found "x.csv", expected a recording, that )"
         R"(is a file such as bandwidth/x.csv)"},
        {"a network of another unit",
         R"("name": "spare")",
         R"("name": "spare", "network": {"link": "lan", "mbps": 3})",
         R"(clusters/c.json: devices[2].network: unknown key "mbps", expected one of link, cell, )"
         R"(bandwidthBitsPerSecond, downlinkBitsPerSecond, delaySeconds, trace, downlinkTrace, )"
         R"(traceOffsetSeconds, traceScale, distanceMeters, mobility, speedMetersPerSecond)"},
        {"a negative bandwidth",
         "1000000000",
         "-1",
         "clusters/c.json: network.bandwidthBitsPerSecond: found -1, expected a number above 0"},
        {"a negative delay",
         "0.00002",
         "-0.5",
         "clusters/c.json: network.delaySeconds: found -0.5, expected a number of at least 0"},
        {"no memory",
         R"("memoryBytes": 1000)",
         R"("memoryBytes": 0)",
         "clusters/c.json: devices[1].memoryBytes: found 0, expected a positive integer"},
        {"no network",
         R"("network")",
         R"("net")",
         R"(clusters/c.json: unknown key "net", expected one of format, name, source, devices, )"
         R"(network)"},
        {"a device file of another name",
         R"("type": "pi")",
         R"("type": "alias")",
         R"(devices/alias.json: name: found "pi", expected "alias" as the file is called)"},
    };
    TemporaryFolder folder;
    folder.Write("devices/nano.json", MakeDevice("nano"));
    folder.Write("devices/pi.json", MakeDevice("pi"));
    folder.Write("devices/alias.json", MakeDevice("pi"));
    for (const BrokenInput& broken : cases)
    {
        std::string text = TemporaryFolder::Replace(CLUSTER, broken.from, broken.to);
        ASSERT_NE(text, CLUSTER) << broken.description;
        std::string file = folder.Write("clusters/c.json", text);
        EXPECT_EQ(folder.MessageOf([&] { ReadCluster(file, folder.GetPath()); }), broken.message)
            << broken.description;
    }
}

} // namespace
