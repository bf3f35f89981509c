// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

namespace
{

/// @return a device file
std::string
MakeDevice(const std::string& name)
{
    std::string figures;
    for (std::size_t i = 0; i < OPERATOR_FIGURES; ++i)
    {
        figures += std::string(i ? ", " : "") + '"' + GetOperatorFigureNames()[i] +
                   "\": " + std::to_string(i + 1);
    }
    const std::string stack =
        R"({"version": "1", "source": "s", "processor": "gpu", "fusesActivations": true,
            "weightBytes": 2, "tensorCoreGain": 1.5,
            "spread": {"inference": 0.1, "training": 0.2}, "figures": {)" +
        figures + "}}";
    return R"({"format": "edgepipe-device 2", "name": ")" + name + R"(", "description": "d",
        "peakFlopPerSecond": {"value": 153.6e9, "source": "s"},
        "memoryBytes": {"value": 8589934592, "source": "s"},
        "usableMemoryBytes": {"value": 6000000000, "source": "s"},
        "memoryBandwidthBytesPerSecond": {"value": 17e9, "source": "s"},
        "idleWatts": {"value": 3.3, "source": "s"}, "loadWatts": {"value": 9, "source": "s"},
        "stack": {"inference": "fast", "training": "slow"},
        "stacks": {"slow": )" +
           stack + R"(, "fast": )" + TemporaryFolder::Replace(stack, "1.5", "3") + "}}";
}

const std::string CLUSTER =
    R"({"format": "edgepipe-cluster 1", "name": "lab", "source": "this test",
  "devices": [{"type": "nano", "count": 2}, {"type": "pi", "name": "p", "memoryBytes": 1000},
              {"type": "nano", "name": "spare"}],
  "network": {"link": "lan", "bandwidth": "1Gbps", "delay": "20us"}})";

TEST(EdgepipeDeviceSpec, ReadsEveryFigure)
{
    TemporaryFolder folder;
    DeviceSpec spec = ReadDeviceSpec(folder.Write("pi.json", MakeDevice("pi")));
    EXPECT_EQ(spec.name, "pi");
    EXPECT_EQ(spec.peakFlopPerSecond, 153.6e9);
    EXPECT_EQ(spec.memoryBytes, 8589934592u);
    EXPECT_EQ(spec.usableMemoryBytes, 6000000000u);
    EXPECT_EQ(spec.memoryBandwidthBytesPerSecond, 17e9);
    EXPECT_EQ(spec.idleWatts, 3.3);
    EXPECT_EQ(spec.loadWatts, 9);
    const StackSpec& slow = spec.GetStack(PassKind::TRAINING);
    EXPECT_EQ(slow.processor, "gpu");
    EXPECT_TRUE(slow.fusesActivations);
    EXPECT_EQ(slow.weightBytes, 2);
    EXPECT_EQ(slow.tensorCoreGain, 1.5);
    EXPECT_EQ(slow.inferenceSpread, 0.1);
    EXPECT_EQ(slow.trainingSpread, 0.2);
    EXPECT_EQ(slow.figures[CONVOLUTION_3X3], 1);
    EXPECT_EQ(slow.figures[CACHE_BYTES], OPERATOR_FIGURES);
    EXPECT_EQ(spec.GetStack(PassKind::INFERENCE).tensorCoreGain, 3);
}

TEST(EdgepipeDeviceSpec, AStackIsChosenByName)
{
    TemporaryFolder folder;
    const std::string file = folder.Write("devices/pi.json", MakeDevice("pi"));
    const DeviceSpec spec = ReadDeviceSpec(file, "slow");
    EXPECT_EQ(spec.name, "pi@slow");
    EXPECT_EQ(spec.GetStack(PassKind::INFERENCE).tensorCoreGain, 1.5);
    EXPECT_EQ(
        folder.MessageOf([&file] { ReadDeviceSpec(file, "slower"); }),
        R"(devices/pi.json: stacks: found none that is called "slower", expected fast or slow)");
    const std::string cluster =
        folder.Write("clusters/lab.json",
                     R"({"format": "edgepipe-cluster 1", "name": "lab", "source": "s",
            "devices": [{"type": "pi@slow"}, {"type": "pi", "name": "q"}], "network": {"link": "lan"}})");
    const Cluster lab = ReadCluster(cluster, folder.GetPath());
    EXPECT_EQ(lab.devices[0].type, "pi@slow");
    EXPECT_EQ(lab.devices[1].type, "pi");
    EXPECT_EQ(lab.specs.size(), 2u);
    // The stack that runs everything anyway makes no type of its own, which would lack profiles.
    folder.Write("devices/pi.json",
                 TemporaryFolder::Replace(MakeDevice("pi"),
                                          R"("inference": "fast")",
                                          R"("inference": "slow")"));
    const Cluster same = ReadCluster(cluster, folder.GetPath());
    EXPECT_EQ(same.devices[0].type, "pi");
    EXPECT_EQ(same.specs.size(), 1u);
}

TEST(EdgepipeDeviceSpec, ATypeIsNamedWithItsStack)
{
    TemporaryFolder folder;
    const std::string file = folder.Write("devices/pi.json", MakeDevice("pi"));
    const auto find = [&](const std::string& type) {
        return FindDeviceSpec("--device", type, folder.GetPath()).name;
    };
    EXPECT_EQ(find("pi"), "pi");
    EXPECT_EQ(find("pi@slow"), "pi@slow");
    EXPECT_EQ(find(file + "@fast"), "pi@fast");
    std::filesystem::create_directory(folder.GetPath() + "/me@home");
    std::filesystem::copy(file, folder.GetPath() + "/me@home/pi.json");
    EXPECT_EQ(find(folder.GetPath() + "/me@home/pi.json"), "pi");
    EXPECT_EQ(
        folder.MessageOf([&] { find("pi@slower"); }),
        R"(devices/pi.json: stacks: found none that is called "slower", expected fast or slow)");
    EXPECT_EQ(folder.MessageOf([&] { find("pi@"); }),
              R"(--device: found "pi@", expected a stack's name after the @)");
}

TEST(EdgepipeDeviceSpec, AStackMaySayItsKindAndPrecision)
{
    TemporaryFolder folder;
    const auto read = [&folder](const std::string& more) {
        const std::string text =
            TemporaryFolder::Replace(MakeDevice("pi"), R"("slow": {)", R"("slow": {)" + more);
        return ReadDeviceSpec(folder.Write("pi.json", text)).stacks.at("slow").Describe();
    };
    EXPECT_EQ(read(""), "");
    EXPECT_EQ(read(R"("precision": "int8", )"), "int8");
    EXPECT_EQ(read(R"("kind": "engine", "precision": "fp16", )"), "engine, fp16");
    EXPECT_NE(
        folder.MessageOf([&] { read(R"("kind": "fast", )"); }).find("eager, compiled or engine"),
        std::string::npos);
}

TEST(EdgepipeDeviceSpec, WithoutStacksNothingIsEstimated)
{
    DeviceSpec spec{};
    spec.name = "bare";
    EXPECT_EQ(
        ErrorOf([&spec] { spec.GetStack(PassKind::TRAINING); }),
        R"(device type "bare": found no stack to estimate costs with, expected a profile of the )"
        R"(model, or "stacks" in its file)");
}

TEST(EdgepipeDeviceSpec, AnEngineDoesNotTrain)
{
    DeviceSpec spec{};
    spec.name = "board";
    spec.stacks["fast"].kind = "engine";
    spec.trainingStack = spec.inferenceStack = "fast";
    EXPECT_EQ(spec.GetStack(PassKind::INFERENCE).kind, "engine");
    EXPECT_EQ(
        ErrorOf([&spec] { spec.GetStack(PassKind::TRAINING); }),
        R"(device type "board": found stack fast, an engine for inference, expected one that )"
        "trains: it has none");
    spec.stacks["slow"].kind = "eager";
    EXPECT_NE(ErrorOf([&spec] { spec.GetStack(PassKind::TRAINING); }).find("that trains: slow"),
              std::string::npos);
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
    EXPECT_EQ(cluster.network.link, "lan");
    const std::map<std::string, std::string> words{{"bandwidth", "1Gbps"}, {"delay", "20us"}};
    EXPECT_EQ(cluster.network.options, words);
    std::string names;
    for (const ClusterDevice& device : cluster.devices)
    {
        EXPECT_EQ(cluster.specs.at(device.spec).name, device.type);
        names += device.name + " ";
    }
    EXPECT_EQ(names, "nano-0 nano-1 p-0 spare-0 ");
    EXPECT_EQ(cluster.specs.size(), 2u);
    EXPECT_EQ(cluster.devices[1].memoryBytes, 6000000000u);
    EXPECT_EQ(cluster.devices[2].memoryBytes, 1000u);
    const std::string file =
        folder.Write("mine/clusters/lab.json", TemporaryFolder::Replace(CLUSTER, "spare", "a..b"));
    ExpectError([&] { ReadCluster(file, folder.GetPath() + "/traces"); },
                "devices[2].name: found \"a..b\", expected a name without \"..\"");
}

TEST(EdgepipeCluster, ReadsNetworksOfDevices)
{
    TemporaryFolder folder;
    folder.Write("traces/devices/pi.json", MakeDevice("pi"));
    const std::string drive = folder.Write("mine/clusters/drive.csv", "seconds,bitsPerSecond\n");
    const Cluster cluster = ReadCluster(folder.Write("mine/clusters/lab.json",
                                                     R"({
  "format": "edgepipe-cluster 1", "name": "lab", "source": "this test", "devices": [
    {"type": "pi", "network": {"link": "trace", "trace": "drive.csv", "trace-down": "lte-up",
                               "trace-scale": 2.5}},
    {"type": "pi", "name": "phone", "count": 2, "network": {"link": "lte", "cell": "north",
      "distance": 80, "mobility": "away"}},
    {"type": "pi", "name": "desk"}],
  "network": {"link": "lan"}})"),
                                        folder.GetPath() + "/traces");
    const ClusterNetwork& car = *cluster.devices.at(0).network;
    // A recording beside the file, and one that scenarios look for.
    EXPECT_TRUE((car == ClusterNetwork{
                            "trace",
                            "",
                            {{"trace", drive}, {"trace-down", "lte-up"}, {"trace-scale", "2.5"}}}));
    EXPECT_NE(car.place.find("lab.json: devices[0].network"), std::string::npos);
    const ClusterNetwork& phone = *cluster.devices.at(1).network;
    EXPECT_TRUE(
        (phone == ClusterNetwork{"lte", "north", {{"distance", "80"}, {"mobility", "away"}}}));
    EXPECT_TRUE(phone == *cluster.devices.at(2).network);
    EXPECT_EQ(cluster.devices.at(3).network, nullptr);
}

} // namespace
