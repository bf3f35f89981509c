// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-grdqn-checkpoint.h"

namespace
{

GrdqnCheckpoint
MakeCheckpoint()
{
    return {"faithful", 42, 1, {{1, 2.5F, -3}, {0.125F}}};
}

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
    EXPECT_EQ(read.devices, 1U);
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
        SCOPED_TRACE(i);
        const std::string kind = i < 17 ? "no checkpoint of planner grdqn" : "cut short or damaged";
        folder.Write("a", bytes.substr(0, i));
        ExpectError([&] { ReadGrdqnCheckpoint(path); }, kind);
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        folder.Write("a", changed);
        ExpectError([&] { ReadGrdqnCheckpoint(path); }, kind);
    }
    folder.Write("a", bytes + "x");
    ExpectError([&] { ReadGrdqnCheckpoint(path); }, "cut short or damaged");
}

TEST(EdgepipeGrdqnCheckpoint, RefusesWhatNoTrainingLeaves)
{
    TemporaryFolder folder;
    const std::string path = folder.GetPath() + "/a";
    GrdqnCheckpoint crowded = MakeCheckpoint();
    crowded.devices = 2; // GRDQN has fewer weights
    GrdqnCheckpoint empty;
    GrdqnCheckpoint infinite = MakeCheckpoint();
    infinite.weights[0][1] = INFINITY;
    for (const auto& wrong : {crowded, empty, infinite})
    {
        WriteGrdqnCheckpoint(path, wrong);
        ExpectError([&] { ReadGrdqnCheckpoint(path); }, "damaged");
    }
}

TEST(EdgepipeGrdqnCheckpoint, SaysWhatCannotBeReadOrWritten)
{
    TemporaryFolder folder;
    const std::string nothing = folder.GetPath() + "/b";
    EXPECT_EQ(folder.MessageOf([&] { ReadGrdqnCheckpoint(nothing); }),
              "checkpoint \"b\": there is no such file");
    ExpectError([&] { ReadGrdqnCheckpoint(folder.GetPath()); }, "there is no such file");
    EXPECT_EQ(folder.MessageOf([&] { WriteGrdqnCheckpoint(nothing + "/c/d", MakeCheckpoint()); }),
              "checkpoint \"b/c/d\": cannot be written: No such file or directory");
}

} // namespace
