// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-layer-replay.h"

namespace
{

const std::string HEAD =
    "# batch: 4\n# model: net\niteration,layer,forwardSeconds,backwardSeconds\n";
const std::string CORRECT = HEAD + "0,conv,0.1,0.3\n0,fc,0.2,0.2\n"
                                   "1,fc,0.4,0.1\n1,conv,0.1,0.6\n"
                                   "5,conv,0.3,0.9\n5,fc,0.6,0.6\n";

const std::vector<LayerReplay::LayerTimes> PROFILE{LayerReplay::LayerTimes{0, 0},
                                                   LayerReplay::LayerTimes{0.1, 0.3},
                                                   LayerReplay::LayerTimes{0.2, 0.2}};

/** Replays of a recording by a device whose profile has 0.1 and 0.3 s for conv, 0.2 s for fc. */
class LayerReplayTest : public testing::Test
{
  protected:
    Ptr<LayerReplay> Read(const std::string& text,
                          const std::string& order = "loop",
                          uint32_t batch = 4,
                          PassKind kind = PassKind::TRAINING)
    {
        const auto replay =
            CreateObjectWithAttributes<LayerReplay>("File",
                                                    StringValue(m_folder.Write("p.csv", text)),
                                                    "Order",
                                                    StringValue(order),
                                                    "BlockPasses",
                                                    UintegerValue(2));
        replay->AssignStreams(7);
        replay->Read("net", {"in", "conv", "fc"}, batch, PROFILE, kind);
        return replay;
    }

    void Refuse(const std::string& text, const std::string& message)
    {
        ExpectError([&] { Read(text); }, message);
    }

    TemporaryFolder m_folder; //!< of the recording
};

const std::vector<bool> CONV{false, true, false};
const std::vector<bool> ALL{false, true, true};

} // namespace

TEST_F(LayerReplayTest, GivesTheRecordedTimeOverThatOfTheProfile)
{
    const auto replay = Read(CORRECT);
    EXPECT_DOUBLE_EQ(replay->GetStretch(0, ALL, LayerReplay::BOTH), 1);
    EXPECT_DOUBLE_EQ(replay->GetStretch(1, CONV, LayerReplay::FORWARD), 1);
    EXPECT_DOUBLE_EQ(replay->GetStretch(1, CONV, LayerReplay::BACKWARD), 2);
    EXPECT_DOUBLE_EQ(replay->GetStretch(1, ALL, LayerReplay::FORWARD), 0.5 / 0.3);
    EXPECT_DOUBLE_EQ(replay->GetStretch(2, ALL, LayerReplay::BOTH), 3);
}

TEST_F(LayerReplayTest, StartsOverOrHoldsTheLastPass)
{
    EXPECT_DOUBLE_EQ(Read(CORRECT)->GetStretch(5, ALL, LayerReplay::BOTH), 3);
    EXPECT_DOUBLE_EQ(Read(CORRECT)->GetStretch(6, ALL, LayerReplay::BOTH), 1);
    EXPECT_DOUBLE_EQ(Read(CORRECT, "hold")->GetStretch(6, ALL, LayerReplay::BOTH), 3);
}

TEST_F(LayerReplayTest, DrawsBlocksOfConsecutivePasses)
{
    const auto replay = Read(CORRECT, "blocks");
    std::set<std::pair<double, double>> pairs;
    for (uint64_t pass = 0; pass < 200; pass += 2)
    {
        pairs.emplace(replay->GetStretch(pass, CONV, LayerReplay::BACKWARD),
                      replay->GetStretch(pass + 1, CONV, LayerReplay::BACKWARD));
    }
    EXPECT_EQ(pairs, (std::set<std::pair<double, double>>{{1, 2}, {2, 0.9 / 0.3}}));
    EXPECT_EQ(replay->GetStretch(0, CONV, LayerReplay::BACKWARD),
              Read(CORRECT, "blocks")->GetStretch(0, CONV, LayerReplay::BACKWARD));
}

TEST_F(LayerReplayTest, TrainsByTrainingModeAndInfersByEvaluationMode)
{
    const std::string forward = HEAD + "0,conv,0.1,0\n";
    const auto read = [this](const std::string& text, PassKind kind) {
        return m_folder.MessageOf([&] { Read(text, "loop", 4, kind); });
    };
    EXPECT_NO_THROW(Read(forward, "loop", 4, PassKind::INFERENCE));
    EXPECT_NO_THROW(Read("# mode: training\n" + forward));
    EXPECT_EQ(read(forward, PassKind::TRAINING),
              "p.csv: found no backward pass, expected passes in training mode");
    EXPECT_EQ(read(CORRECT, PassKind::INFERENCE),
              "p.csv: found backward passes, which are made in training mode, expected passes in "
              "evaluation mode");
    EXPECT_EQ(read("# mode: training\n" + forward, PassKind::INFERENCE),
              "p.csv: line 1: mode: found \"training\", expected evaluation");
    EXPECT_EQ(read("# mode: evaluation\n" + CORRECT, PassKind::TRAINING),
              "p.csv: line 1: mode: found \"evaluation\", expected training");
}

TEST_F(LayerReplayTest, RefusesWhatIsNoRecordingOfTheModel)
{
    Refuse("# batch: 8\n" + CORRECT.substr(11), "line 1: batch: found \"8\", expected 4");
    Refuse("# model: vgg16\n" + CORRECT, "line 1: model: found \"vgg16\", expected net");
    Refuse("layer,forwardSeconds\n", "line 1: columns: found \"layer,forwardSeconds\"");
    Refuse(HEAD, "found no row, expected at least an iteration");
    Refuse(HEAD + "0,conv,1\n", "line 4: found 3 fields, expected 4");
    Refuse(HEAD + "0,pool,1,1\n", "line 4: layer: found \"pool\"");
    Refuse(HEAD + "0,conv,1,1\n0,conv,1,1\n", "line 5: layer: found \"conv\"");
    Refuse(HEAD + "1,conv,1,1\n0,conv,1,1\n", "line 5: iteration: found \"0\"");
    Refuse(HEAD + "0,conv,-1,1\n", "line 4: forwardSeconds: found \"-1\"");
    Refuse(HEAD + "0,conv,1,1\n1,fc,1,1\n", "found other layers than in the first");
    ExpectError([this] { Read(CORRECT, "random"); }, "LayerReplay::Order: found \"random\"");
    ExpectError([this] { Read(HEAD + "0,conv,1,1\n")->GetStretch(0, ALL, LayerReplay::FORWARD); },
                "layer \"fc\" is missing");
}

TEST_F(LayerReplayTest, ADeviceMeasuresItsShareByTheProfile)
{
    const auto device = CreateObject<ComputeDevice>();
    device->Run(1, 0.5, Callback<void>(), 0, false, 4);
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), Seconds(2));
    EXPECT_DOUBLE_EQ(device->GetMeasuredShare(), 0.25);
}
