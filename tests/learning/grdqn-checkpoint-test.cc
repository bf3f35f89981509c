/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "planner/pipeline/random-pipeline-problem.h"
#include "profile/input-test-support.h"

#include "ns3/edgepipe-grdqn-checkpoint.h"

#include <sstream>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** @return some weights */
GrdqnCheckpoint
MakeCheckpoint()
{
    return {"faithful", 42, {{1, 2.5F, -3}, {0.125F}}};
}

/**
 * @param path of a file
 * @return its bytes
 */
std::string
ReadBytes(const std::string& path)
{
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
}

TEST(EdgepipeGrdqnCheckpoint, GivesBackWhatWasWrittenAndLeavesNoOtherFile)
{
    TemporaryFolder folder;
    const std::string path = folder.GetPath() + "/a";
    folder.Write("a", "what was there before");
    WriteGrdqnCheckpoint(path, MakeCheckpoint());
    const auto read = ReadGrdqnCheckpoint(path);
    EXPECT_EQ(read.variant, "faithful");
    EXPECT_EQ(read.key, 42U);
    EXPECT_EQ(read.weights, MakeCheckpoint().weights);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.GetPath()))
    {
        ++files;
    }
    EXPECT_EQ(files, 1U);
}

TEST(EdgepipeGrdqnCheckpoint, RefusesWhatIsCutShortOrChangedAnywhere)
{
    TemporaryFolder folder;
    const std::string path = folder.GetPath() + "/a";
    WriteGrdqnCheckpoint(path, MakeCheckpoint());
    const std::string bytes = ReadBytes(path);
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        const std::string kind = i < 17 ? "no checkpoint of planner grdqn" : "cut short or damaged";
        folder.Write("a", bytes.substr(0, i));
        EXPECT_NE(folder.MessageOf([&] { ReadGrdqnCheckpoint(path); }).find(kind),
                  std::string::npos)
            << i;
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        folder.Write("a", changed);
        EXPECT_NE(folder.MessageOf([&] { ReadGrdqnCheckpoint(path); }).find(kind),
                  std::string::npos)
            << i;
    }
    folder.Write("a", bytes + "x");
    EXPECT_NE(folder.MessageOf([&] { ReadGrdqnCheckpoint(path); }).find("cut short or damaged"),
              std::string::npos);
}

TEST(EdgepipeGrdqnCheckpoint, SaysWhatCannotBeReadOrWritten)
{
    TemporaryFolder folder;
    const std::string nothing = folder.GetPath() + "/b";
    EXPECT_EQ(folder.MessageOf([&] { ReadGrdqnCheckpoint(nothing); }),
              "checkpoint \"b\": there is no such file");
    EXPECT_NE(folder.MessageOf([&] { ReadGrdqnCheckpoint(folder.GetPath()); })
                  .find("there is no such file"),
              std::string::npos);
    EXPECT_EQ(folder.MessageOf([&] { WriteGrdqnCheckpoint(nothing + "/c/d", MakeCheckpoint()); }),
              "checkpoint \"b/c/d\": cannot be written");
}

TEST(EdgepipeGrdqnCheckpoint, KeyChangesWithWhateverTrainingDependsOn)
{
    GrdqnOptions options{};
    options.hiddenUnits = {4, 5};
    const PipelineProblem problem = MakeRandomProblem(3);
    const uint64_t key = HashGrdqnProblem(problem, "improved", options, 0);
    EXPECT_EQ(key, HashGrdqnProblem(problem, "improved", options, 0));
    EXPECT_NE(key, HashGrdqnProblem(problem, "faithful", options, 0));
    EXPECT_NE(key, HashGrdqnProblem(problem, "improved", options, 1));
    GrdqnOptions others = options;
    others.kappa = 2;
    EXPECT_NE(key, HashGrdqnProblem(problem, "improved", others, 0));
    PipelineProblem changed = problem;
    changed.bandwidthBitsPerSecond *= 1.0001;
    EXPECT_NE(key, HashGrdqnProblem(changed, "improved", options, 0));
    changed = problem;
    changed.costs[changed.devices[0].type].backwardSeconds.back() += 1e-9;
    EXPECT_NE(key, HashGrdqnProblem(changed, "improved", options, 0));
    changed = problem;
    ++changed.devices.back().memoryBytes;
    EXPECT_NE(key, HashGrdqnProblem(changed, "improved", options, 0));
    changed = problem;
    changed.layers[0].name = "another name";
    EXPECT_EQ(key, HashGrdqnProblem(changed, "improved", options, 0));
}

} // namespace
