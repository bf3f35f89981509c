// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include <limits>

namespace
{

/** @return what reading it is refused with; "" when it is not */
template <typename T>
std::string
GetRefusal(const std::string& text)
{
    return ErrorOf([&] { ReadBody<T>(text); });
}

/// Every beginning of a body that ends within the fields every such message has, and the body with
/// something after it, is refused; the body itself comes back.
template <typename T>
void
ExpectStrict(const T& value, const std::string& text, std::size_t fields)
{
    EXPECT_EQ(WriteBody(value), text);
    EXPECT_EQ(WriteBody(ReadBody<T>(text)), text);
    std::size_t end = 0;
    for (std::size_t field = 0; field < fields; ++field)
    {
        const std::string cut = text.substr(0, end);
        EXPECT_NE(GetRefusal<T>(cut).find(": found the end, expected "), std::string::npos) << cut;
        EXPECT_NE(GetRefusal<T>(cut + (field ? " " : "") + "nonsense!"), "") << cut;
        end = text.find(' ', end + 1);
    }
    EXPECT_NE(GetRefusal<T>(text + " x"), "");
    EXPECT_NE(GetRefusal<T>(text + " "), "");
    EXPECT_NE(GetRefusal<T>(" " + text), "");
    EXPECT_NE(GetRefusal<T>(text + "\n"), "");
}

TEST(EdgepipeMessageBody, ComesBackAndIsRefusedWhenItIsCutShortOrLonger)
{
    ExpectStrict(DeviceReport{1.0 / 3, 1e9, 1e9}, "0.33333333333333331 1000000000", 2);
    ExpectStrict(NodeMetrics{1e12, 5, 0.25, {0.5, 0.125}}, "1000000000000 5 0.25 0.5 0.125", 3);
    ExpectStrict(ShareNotice{3, 64}, "3 64", 2);
    ExpectStrict(AssistanceRequest{true, 1.0 / 3, 7, 0, {{1, 2}, {3, 4}}},
                 "1 0.333333333 7 0 1 2 3 4",
                 4);
    ExpectStrict(AssistanceGrant{1, 2, false, 3, true}, "1 2 0 3 1", 5);
    ExpectStrict(AssistanceCopy{1, 2, 3, 4, 5}, "1 2 3 4 5", 5);
    ExpectStrict(MigrationOrder{4, 2, 100, {{7, 1, 50}, {8, 2, 60}}}, "4 2 100 7 1 50 8 2 60", 3);
    // What a device without a stage gets: no schedule.
    StageAssignment assignment;
    assignment.stages = 0;
    ExpectStrict(assignment, "0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 ", 16);
    assignment.stages = 1;
    assignment.schedule = "gpipe";
    assignment.forwardSeconds = 0.5;
    assignment.parameterBytes = std::numeric_limits<uint64_t>::max();
    assignment.optimizerStates = 2;
    assignment.memory = {7, 8};
    ExpectStrict(assignment, "0 1 1 0 0 0 0.5 0 0 0 0 18446744073709551615 0 2 7 8 gpipe", 16);
    StageAssignment grouped = assignment;
    grouped.group = {{5, 6}, {{1, 100}}, {}, {{6, 50}}, true, {}, {{6, 25}}, 7, {1.5, 2}};
    ExpectStrict(grouped,
                 "0 1 1 0 0 0 0.5 0 0 0 0 18446744073709551615 0 2 7 8 gpipe 0 0 0 0 0 "
                 "2 5 6 1 1 100 0 1 6 50 1 0 1 6 25 7 1.5 2",
                 16);
    assignment.samples = 4;
    assignment.sampleBytes = 9;
    assignment.slowestOther = {1, 2};
    assignment.atStages = {{3, 4}};
    ExpectStrict(assignment,
                 "0 1 1 0 0 0 0.5 0 0 0 0 18446744073709551615 0 2 7 8 gpipe 4 0 9 1 2 0 3 4",
                 16);
}

TEST(EdgepipeMessageBody, OfAReportHasTheDownlinkWhereItDiffers)
{
    DeviceReport report{0.5, 1e9, 2e8};
    EXPECT_EQ(WriteBody(report), "0.5 1000000000 200000000");
    EXPECT_EQ(ReadBody<DeviceReport>("0.5 1000000000 200000000").downlinkBitsPerSecond, 2e8);
    EXPECT_EQ(ReadBody<DeviceReport>("0.5 1000000000").downlinkBitsPerSecond, 1e9);
}

TEST(EdgepipeMessageBody, OfAReportHasTheBacklogWhereThereIsOne)
{
    DeviceReport report{0.5, 1e9, 1e9, 3};
    ExpectStrict(report, "0.5 1000000000 1000000000 3", 2);
    EXPECT_EQ(ReadBody<DeviceReport>(WriteBody(report)).backlog, 3);
    report.backlog = 0;
    EXPECT_EQ(WriteBody(report), "0.5 1000000000");
    EXPECT_EQ(ReadBody<DeviceReport>("0.5 1000000000 200000000").backlog, 0);
}

TEST(EdgepipeMessageBody, SaysWhatWasFoundAndExpected)
{
    EXPECT_EQ(GetRefusal<DeviceReport>(""),
              "device report: share: found the end, expected a number");
    EXPECT_EQ(GetRefusal<DeviceReport>("0.5 fast"),
              "device report: uplinkBitsPerSecond: found \"fast\", expected a number");
    EXPECT_EQ(GetRefusal<DeviceReport>("0.5 nan"),
              "device report: uplinkBitsPerSecond: found \"nan\", expected a number");
    EXPECT_EQ(GetRefusal<DeviceReport>("0.5 1 2 3 4"),
              "device report: found \"4\", expected its end");
    EXPECT_EQ(GetRefusal<ShareNotice>("4294967296 1"),
              "shares: version: found \"4294967296\", expected an integer from 0 to 4294967295");
    EXPECT_EQ(GetRefusal<ShareNotice>("-1 1"),
              "shares: version: found \"-1\", expected an integer from 0 to 4294967295");
    EXPECT_EQ(GetRefusal<ShareNotice>("1 99999999999999999999"),
              "shares: samples: found \"99999999999999999999\", expected an integer from 0 to "
              "18446744073709551615");
    EXPECT_EQ(GetRefusal<AssistanceGrant>("1 2 2 3 0"),
              "grant: backward: found \"2\", expected an integer from 0 to 1");
    // The second half of a pair is missing.
    EXPECT_EQ(GetRefusal<AssistanceRequest>("1 1 7 0 1 2 3"),
              "request for work: backward: found the end, expected a number");
    EXPECT_EQ(GetRefusal<MigrationOrder>("4 2 100 7 1"),
              "migration order: bytes: found the end, expected an integer from 0 to "
              "18446744073709551615");
    EXPECT_EQ(GetRefusal<StageAssignment>("0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0"),
              "stage assignment: schedule: found the end, expected a word");
    EXPECT_EQ(GetRefusal<StageAssignment>("0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 gp\nipe"),
              "stage assignment: schedule: found \"gp\\nipe\", expected a word");
    EXPECT_EQ(GetRefusal<DeviceReport>("0.5  1"),
              "device report: uplinkBitsPerSecond: found \"\", expected a number");
}

TEST(EdgepipeMessageBody, OfInferenceIsAsLongAsItsLayersAreMany)
{
    for (const std::size_t count : {1, 7, 8, 9, 300})
    {
        InferenceLayers layers{uint64_t{1} << 40, std::vector<bool>(count)};
        layers.isIncluded[count / 2] = true;
        const InferenceLayers again = InferenceLayers::FromBytes(layers.ToBytes());
        EXPECT_EQ(again.firstFrame, layers.firstFrame);
        EXPECT_EQ(again.isIncluded, layers.isIncluded);
    }
    const std::string bytes = InferenceLayers{3, std::vector<bool>(9, true)}.ToBytes();
    const auto refusal = [&](const std::string& text) {
        return ErrorOf([&] { InferenceLayers::FromBytes(text); });
    };
    EXPECT_EQ(refusal(bytes), "");
    EXPECT_EQ(refusal(bytes + '\0'), "set of layers: found 15 bytes, expected 14 for 9 layers");
    EXPECT_EQ(refusal(bytes.substr(0, 13)),
              "set of layers: found 13 bytes, expected 14 for 9 layers");
    EXPECT_EQ(refusal(bytes.substr(0, 11)),
              "set of layers: found 11 bytes, expected 12 for 0 layers");
}

TEST(EdgepipeMessageBody, NamesKinds)
{
    EXPECT_EQ((PipelineTag{PipelineTag::ASSIGNMENT}.GetKindName()), "assignment");
    EXPECT_EQ((PipelineTag{PipelineTag::LAYER_WEIGHTS}.GetKindName()), "layer-weights");
    EXPECT_EQ((PipelineTag{PipelineTag::MERGE}.GetKindName()), "merge");
    EXPECT_EQ(PipelineTag::Unpack(uint64_t{0xff} << 56).GetKindName(), "unknown");
    EXPECT_EQ((InferenceTag{InferenceTag::PLANNING}.GetKindName()), "planning");
}

TEST(EdgepipeMessageBody, DescribesTags)
{
    const auto describe = [](const auto& tag) {
        return std::decay_t<decltype(tag)>::Unpack(tag.Pack()).Describe();
    };
    const std::vector<std::pair<std::string, std::string>> cases{
        {describe(PipelineTag{PipelineTag::READY}), "ready"},
        {describe(PipelineTag{PipelineTag::UPDATE, 7}), "update, iteration 7"},
        {describe(PipelineTag{PipelineTag::GRANT, (1 << 24) - 1, UINT32_MAX}),
         "grant of micro-batch 4294967295, iteration 16777215"},
        {describe(PipelineTag{PipelineTag::LAYER_WEIGHTS, 2, 11}),
         "layer-weights of layer 11, iteration 2"},
        {describe(InferenceTag{InferenceTag::TENSOR, 4, 3}), "tensor of layer 3, frame 4"},
        {describe(InferenceTag{InferenceTag::TENSOR, 4, InferenceTag::INPUT}), "input, frame 4"},
        {describe(ActorTag{ActorTag::CUT, 1, 5}), "cut after layer 5"},
        {describe(ActorTag{ActorTag::CUT, 1, ActorTag::RELEASE}), "cut, none"},
        {describe(ActorTag{ActorTag::TRAJECTORY, UINT32_MAX, 20}),
         "trajectory of 20 steps, the oldest under version 4294967295"},
        {describe(DataParallelTag{DataParallelTag::GRADIENTS, 3, 4095, 9}),
         "gradients of iteration 3, step 4095"},
        {describe(DataParallelTag{DataParallelTag::SHARES, 0, 0, (1 << 17) - 1}),
         "shares, version 131071"},
    };
    for (const auto& [found, expected] : cases)
    {
        EXPECT_EQ(found, expected);
    }
}

} // namespace
