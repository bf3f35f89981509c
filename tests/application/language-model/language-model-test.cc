// SPDX-License-Identifier: GPL-2.0-only

#include "lib/workload.h"
#include "test.h"

#include "ns3/edgepipe-ranges.h"
#include "ns3/node-list.h"

namespace
{

/** A run of the workload. */
class LanguageModelRun : public testing::Test
{
  protected:
    /// Run a case of a made-up device. @return its outcome
    const CaseOutcome& Run(std::vector<std::pair<std::string, std::string>> options,
                           const std::string& device = "",
                           const std::string& more = "")
    {
        const std::string speeds =
            R"({"bytesPerSecond": 1e9}, "head": {"bytesPerSecond": 1e8},
                "attention": {"flopPerSecond": 1e10})";
        const std::string file = m_folder.Write("device.json",
                                                R"({"format":
            "edgepipe-language-device 1", "name": "board", "software": "none", "source": "here",
            "memoryBytes": 16e9, )" + more + R"("decode": {"block": )" +
                                                    (device.empty() ? speeds : device) + "}}");
        options.emplace_back("device", file);
        options.emplace_back("timeline", "false");
        if (std::none_of(options.begin(), options.end(), [](auto& one) {
                return one.first == "link";
            }))
        {
            options.emplace_back("link", "lan");
        }
        m_workload = std::make_unique<ConfiguredWorkload>("llm-inference", options);
        return (*m_workload)->Simulate(0, (*m_workload)->GetNetwork(), m_progress);
    }

    /// @return a figure of the last run, by its column
    double Get(const std::string& column) const
    {
        const Figures figures = (*m_workload)->GetFigures();
        const auto found = std::find(figures.names.begin(), figures.names.end(), column);
        return figures.numbers.front().at(found - figures.names.begin());
    }

    /// @return a model of 8 layers whose block has 12e6 weights, and its head as many
    std::string MakeModel() const
    {
        return m_folder.Write("m.json", R"({"format": "edgepipe-language-model 1", "name": "m",
            "source": "here", "width": 1000, "hidden": 4000, "layers": 8, "heads": 10,
            "headSize": 100, "vocabulary": 12000, "isGated": false})");
    }

    /// @return options of windows that wait for wires of a delay, and of an answer's tokens
    std::vector<std::pair<std::string, std::string>> MakeWindows(const std::string& delay,
                                                                 uint32_t drafts,
                                                                 uint32_t depth,
                                                                 uint32_t tokens) const
    {
        const std::string draft = m_folder.Write("d.json", R"({"format":
            "edgepipe-language-model 1", "name": "d", "source": "here", "width": 500,
            "hidden": 2000, "layers": 2, "heads": 5, "headSize": 100, "vocabulary": 12000,
            "isGated": false})");
        return {{"model", MakeModel()},
                {"draft", draft},
                {"draft-tokens", std::to_string(drafts)},
                {"draft-depth", std::to_string(depth)},
                {"exchange", "speculation"},
                {"devices", "2"},
                {"weights", "int8"},
                {"bandwidth", "1Gbps"},
                {"delay", delay},
                {"prompt", "1"},
                {"output", std::to_string(tokens)}};
    }

    /// Run them on a device that reads weights only. @return seconds from the first token on
    double RunWindows(std::vector<std::pair<std::string, std::string>> options,
                      const std::string& right = "",
                      const std::string& more = "")
    {
        if (!right.empty())
        {
            options.emplace_back("acceptance-file", m_folder.Write("right.txt", right));
        }
        EXPECT_TRUE(Run(options,
                        R"({"bytesPerSecond": 1e9}, "head": {"bytesPerSecond": 1e9},
            "attention": {"flopPerSecond": 1e15})",
                        more)
                        .isFinished);
        return Get("tokenSeconds") * (Get("outputTokens") - 1);
    }

    /// Run it event by event, and with laps skipped; expect the same figures. @return their events
    std::pair<uint64_t, uint64_t> RunBoth(
        const std::vector<std::pair<std::string, std::string>>& options,
        const std::string& device = "",
        const std::string& more = "")
    {
        std::vector<std::vector<double>> figures;
        std::vector<uint64_t> events;
        for (const bool skips : {false, true})
        {
            Config::SetDefault("ns3::edgepipe::LanguageModelServer::SkipLaps", BooleanValue(skips));
            const auto& outcome = Run(options, device, more);
            EXPECT_TRUE(outcome.isFinished);
            // Those of columns with words are no numbers.
            figures.push_back(Filter((*m_workload)->GetFigures().numbers.front(),
                                     [](double figure) { return !std::isnan(figure); }));
            figures.back().push_back(outcome.end.GetSeconds());
            figures.back().push_back(outcome.bytesMoved);
            for (const auto& link : outcome.links)
            {
                figures.back().push_back(link.bytes);
            }
            events.push_back(outcome.events);
        }
        EXPECT_EQ(figures.front().size(), figures.back().size());
        for (std::size_t i = 0; i < figures.front().size(); ++i)
        {
            EXPECT_NEAR(figures.back()[i], figures.front()[i], 1e-9 * figures.front()[i]) << i;
        }
        return {events.front(), events.back()};
    }

    TemporaryFolder m_folder;                       //!< for inputs
    std::function<void(double)> m_progress;         //!< called after a pass
    std::unique_ptr<ConfiguredWorkload> m_workload; //!< the last one
    static constexpr double BLOCK = 0.012;          //!< seconds of a layer, int8
    static constexpr double HEAD = 0.12;            //!< seconds of the head
    static constexpr double DRAFT = 0.012;          //!< seconds of a token of MakeWindows' draft
    static constexpr double VERIFY = 9 * BLOCK;     //!< seconds in which its windows are verified
    /// Bytes on a wire of a byte of payload.
    static constexpr double OVERHEAD = 1538.0 / 1448;
};

} // namespace

TEST_F(LanguageModelRun, OneDeviceTakesTheTimesOfItsOperations)
{
    const auto& outcome = Run({{"model", MakeModel()},
                               {"exchange", "pipeline"},
                               {"devices", "1"},
                               {"weights", "int8"},
                               {"context", "1000"},
                               {"prompt", "1"},
                               {"output", "3"}});
    EXPECT_TRUE(outcome.isFinished);
    // Two passes decode, at contexts of 1001 and 1002 tokens and their own.
    const double attention = 8 * 4 * 1000 * 1002.5 / 1e10;
    EXPECT_NEAR(outcome.seconds, 8 * BLOCK + HEAD + attention, 1e-8);
    EXPECT_NEAR(Get("rootComputeSeconds"), outcome.seconds, 1e-8);
    EXPECT_NEAR(Get("firstTokenSeconds"), 8 * BLOCK + HEAD + 8 * 4 * 1000 * 1001 / 1e10, 1e-8);
    EXPECT_EQ(Get("outputTokens"), 3);
}

TEST_F(LanguageModelRun, WeightsThatDoNotFitAreReadFromDisk)
{
    const std::vector<std::pair<std::string, std::string>> options{{"model", MakeModel()},
                                                                   {"exchange", "pipeline"},
                                                                   {"devices", "1"},
                                                                   {"weights", "int8"},
                                                                   {"memory-margin", "0.995"},
                                                                   {"prompt", "1"},
                                                                   {"output", "3"}};
    const double attention = 8 * 4 * 1000 * 2.5 / 1e10;
    // Of 120e6 bytes of layers, head and embedding 80e6 less a block of keys and values are kept;
    // a pass reads the same share of its 108e6.
    const double share = 1 - (80e6 - 16 * 8 * 4000) / 120e6;
    const double pass = 8 * BLOCK + HEAD + attention;
    ExpectError([&] { Run(options); }, "weights of 120000000 bytes do not fit");
    EXPECT_TRUE(Run(options, "", R"("diskBytesPerSecond": 1e9, )").isFinished);
    EXPECT_NEAR(Get("tokenSeconds"), pass + share * 108e6 / 1e9, 1e-8);
    EXPECT_TRUE(
        Run(options, "", R"("diskBytesPerSecond": 1e8, "isDiskHidden": true, )").isFinished);
    // A layer computes for 12 ms and is read for less or more, the head for 120.
    EXPECT_NEAR(Get("tokenSeconds"), 8 * share * 12e6 / 1e8 + HEAD + attention, 1e-8);
    EXPECT_GT(share * 12e6 / 1e8, BLOCK);
}

TEST_F(LanguageModelRun, AllGatherOnASwitchTakesTheTimeOfItsWires)
{
    // Each of n nodes sends n - 1 messages at once, and gets as many: (n - 1) B / C and two wires.
    const std::string file = m_folder.Write("gather.json", R"({"format": "edgepipe-exchange 1",
        "name": "gather", "source": "here", "split": "tensors", "messages": "int8", "pass": [
        {"send": "1", "from": "root", "to": "workers"}, {"wait": "workers"},
        {"repeat": "10", "do": [
        {"send": "1000*d*q", "from": "all", "to": "others"}, {"wait": "all"}]}]})");
    Config::SetDefault("ns3::edgepipe::FlowTransport::StartUp", BooleanValue(false));
    for (const uint32_t nodes : {2, 5})
    {
        const auto& outcome = Run({{"model", MakeModel()},
                                   {"exchange", file},
                                   {"devices", std::to_string(nodes)},
                                   {"bandwidth", "1Gbps"},
                                   {"delay", "100us"},
                                   {"prompt", "1"},
                                   {"output", "2"}});
        // Both directions carry data, and so an acknowledgement of 52 bytes for every two packets.
        const double bytes = 1e6 * (1538 + 52 / 2) / 1448;
        const double seconds = 10 * ((nodes - 1) * 8 * bytes / 1e9 + 2e-4) + 2e-4;
        EXPECT_NEAR(outcome.seconds, seconds, 0.01 * seconds) << nodes;
    }
}

TEST_F(LanguageModelRun, ARingTakesItsLatencyAndStreamsItsSlowestNode)
{
    Config::SetDefault("ns3::edgepipe::FlowTransport::StartUp", BooleanValue(false));
    const double hop = 8e3 * 4 * OVERHEAD / 1e9 + 2e-4 + 2 * 1e-3;
    const std::string host = R"("messageSeconds": 1e-3, )";
    const std::string speeds = R"({"bytesPerSecond": 1e9}, "head": {"bytesPerSecond": 1e9},
        "attention": {"flopPerSecond": 1e15})";
    const std::vector<std::pair<std::string, std::string>> options{{"model", MakeModel()},
                                                                   {"devices", "4"},
                                                                   {"weights", "int8"},
                                                                   {"bandwidth", "1Gbps"},
                                                                   {"delay", "100us"},
                                                                   {"prompt", "1"},
                                                                   {"output", "40"}};
    const auto with = [&](const std::string& exchange, const std::string& users) {
        auto all = options;
        all.emplace_back("exchange", exchange);
        all.emplace_back("users", users);
        all.emplace_back("requests", users);
        return all;
    };
    // A round of small messages goes before the activations; no byte of these waits for it.
    const auto& ring = Run(with("prima-ring", "1"), speeds, host);
    const double latency = 8 * BLOCK + BLOCK + 4 * hop + 1e-3;
    EXPECT_NEAR(ring.seconds, latency, 0.01 * latency);
    // Streams keep the last node busy, which computes the head and handles messages.
    const auto& streams = Run(with("edgeshard", "4"), speeds, host);
    EXPECT_TRUE(streams.isFinished);
    const double period = 3 * BLOCK + 2e-3;
    EXPECT_NEAR(1 / streams.perSecond, period, 0.03 * period);
    // With bubbles, a round takes one latency and three periods.
    const double alone = 8 * BLOCK + BLOCK + 3 * hop + 2e-4 + 2e-3;
    const auto& rounds = Run(with("edgeshard-bubbles", "4"), speeds, host);
    EXPECT_NEAR(4 / rounds.perSecond, alone + 3 * period, 0.03 * (alone + 3 * period));
}

TEST_F(LanguageModelRun, RequestsThatArriveAtRandomWaitAsInAnMD1Queue)
{
    const double service = 8 * BLOCK + HEAD + 8 * 4 * 1000 / 1e10;
    constexpr double LOAD = 0.5;
    constexpr uint32_t RUNS = 10;
    double sum = 0;
    double squares = 0;
    for (uint32_t run = 1; run <= RUNS; ++run)
    {
        RngSeedManager::SetRun(run);
        EXPECT_TRUE(Run({{"model", MakeModel()},
                         {"exchange", "pipeline"},
                         {"devices", "1"},
                         {"weights", "int8"},
                         {"prompt", "1"},
                         {"output", "1"},
                         {"requests", "100000"},
                         {"rate", std::to_string(LOAD / service)}})
                        .isFinished);
        const double wait = Get("firstTokenSeconds") - service;
        sum += wait;
        squares += wait * wait;
    }
    // Pollaczek and Khinchine's mean; 2.26 is Student's for 95 % of ten runs.
    const double mean = sum / RUNS;
    const double half = 2.26 * std::sqrt((squares / RUNS - mean * mean) / (RUNS - 1));
    const double expected = LOAD * service / (2 * (1 - LOAD));
    EXPECT_LT(half, 0.01 * expected);
    EXPECT_NEAR(mean, expected, half);
}

TEST_F(LanguageModelRun, ThreadsHandleMessagesOfDifferentNodesAtOnce)
{
    const std::vector<std::pair<std::string, std::string>> options{
        {"model", MakeModel()},
        {"exchange", "distributed-llama-0.7"},
        {"devices", "5"},
        {"weights", "int8"},
        {"bandwidth", "100Gbps"},
        {"delay", "0us"},
        {"prompt", "1"},
        {"output", "3"}};
    const double compute = 8 * BLOCK / 5 + HEAD;
    // The root sends and reads four messages twice a layer, and its workers one of each.
    const auto& alone = Run(options, "", R"("messageSeconds": 1e-3, )");
    EXPECT_NEAR(alone.seconds, compute + 8 * 2 * 8e-3 + 4e-3, 0.002);
    const auto& threads = Run(options, "", R"("messageSeconds": 1e-3, "messageThreads": 4, )");
    EXPECT_NEAR(threads.seconds, compute + 8 * 2 * 4e-3 + 2e-3, 0.002);
}

TEST_F(LanguageModelRun, KeysAndValuesAndWeightsAreInMemory)
{
    const auto& outcome = Run({{"model", MakeModel()},
                               {"exchange", "pipeline"},
                               {"devices", "1"},
                               {"weights", "int8"},
                               {"cache", "f16"},
                               {"prompt", "100"},
                               {"output", "28"}});
    EXPECT_TRUE(outcome.isFinished);
    // Eight layers, head and embedding; 127 tokens in blocks of 16.
    const double weights = 8 * 12e6 + 2 * 12e6;
    const double cache = 128.0 * 8 * 2 * 1000 * 2;
    EXPECT_EQ((*m_workload)->GetPlans().front().steps.front().parts.front().memoryBytes,
              weights + cache);
    const auto refusal = [&](const std::string& context) {
        return ErrorOf([&] {
            Run({{"model", MakeModel()},
                 {"exchange", "pipeline"},
                 {"devices", "1"},
                 {"weights", "int8"},
                 {"context", context}});
        });
    };
    // 80 % of 16 GB less the weights hold 397,500 tokens of 32 kB.
    EXPECT_EQ(refusal("396200"), "");
    EXPECT_EQ(
        refusal("396300"),
        "uniform: keys and values of 396332 tokens do not fit: 24771 blocks of 16 tokens, there is "
        "room for 24765");
    EXPECT_EQ(ErrorOf([&] {
                  Run({{"model", "bloom-176b"}, {"exchange", "pipeline"}, {"devices", "2"}});
              }).substr(0, 30),
              "uniform: board-1: weights of 5");
}

TEST_F(LanguageModelRun, RequestsShareBlocksAndTheNewestIsComputedAgain)
{
    // Three requests begin with 2 blocks each; when each needs a third, 8 do not suffice.
    const auto& outcome = Run({{"model", MakeModel()},
                               {"exchange", "pipeline"},
                               {"devices", "1"},
                               {"weights", "int8"},
                               {"requests", "3"},
                               {"users", "3"},
                               {"sequences", "8"},
                               {"cache-blocks", "8"},
                               {"prompt", "30"},
                               {"output", "24"}});
    EXPECT_TRUE(outcome.isFinished);
    EXPECT_EQ(Get("outputTokens"), 72);
    // Two go on, then the third: a pass reads weights once for all its sequences.
    const double pass = 8 * BLOCK + HEAD;
    EXPECT_GT(outcome.end.GetSeconds(), 40 * pass);
    EXPECT_LT(outcome.end.GetSeconds(), 60 * pass);
}

TEST_F(LanguageModelRun, LevelsAgree)
{
    const auto expect = [&](std::vector<std::pair<std::string, std::string>> more,
                            double share,
                            const std::string& device = "",
                            double ratio = 1) {
        std::map<std::string, double> seconds;
        for (const char* fidelity : {"flow", "packet"})
        {
            auto options = more;
            options.insert(options.end(),
                           {{"model", MakeModel()},
                            {"weights", "int8"},
                            {"fidelity", fidelity},
                            {"prompt", "2"},
                            {"output", "4"}});
            seconds[fidelity] = Run(options, device).seconds;
        }
        EXPECT_NEAR(seconds["flow"] / seconds["packet"], ratio, share)
            << more[0].second << " " << more[1].second;
    };
    using Words = std::pair<std::string, std::string>;
    const Words gather("exchange", "distributed-llama-0.12");
    expect({{"devices", "4"}, gather, {"bandwidth", "100Mbps"}, {"delay", "50us"}}, 0.05);
    // A limit that the manual states: messages of a station, or to it, share turns on the air, and
    // flows take this of packets' time.
    expect({{"devices", "10"}, gather, {"link", "wifi"}}, 0.05, "", 0.8);
    // Short messages do not wait for acknowledgements on the uplink.
    expect({{"devices", "5"}, {"exchange", "pipeline"}, {"link", "lte"}, {"messages", "f32"}},
           0.02,
           R"({"bytesPerSecond": 1e12}, "head": {"bytesPerSecond": 1e12},
            "attention": {"flopPerSecond": 1e15})");
}

TEST_F(LanguageModelRun, ALinkThatStopsIsExplained)
{
    const auto& outcome = Run({{"model", MakeModel()},
                               {"exchange", "pipeline"},
                               {"devices", "2"},
                               {"cut", "board-2@20ms"},
                               {"stall-timeout", "5s"}});
    EXPECT_FALSE(outcome.isFinished);
    const auto& lines = outcome.diagnosis;
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](auto& line) {
        return line.find("waits for message 1 of ") != std::string::npos;
    })) << (lines.empty() ? "" : lines.front());
}

TEST_F(LanguageModelRun, LapsThatAreSkippedTakeTheTimesOfEventByEvent)
{
    std::mt19937 random(1);
    const auto draw = [&random](std::initializer_list<const char*> values) {
        return std::string(values.begin()[random() % values.size()]);
    };
    const auto folder = std::filesystem::path(std::getenv("EDGEPIPE_TRACES")) / "exchanges";
    std::set<std::string> exchanges;
    for (const auto& file : std::filesystem::directory_iterator(folder))
    {
        exchanges.insert(file.path().stem());
    }
    EXPECT_GE(exchanges.size(), 14);
    uint64_t all = 0;
    uint64_t rest = 0;
    for (const auto& exchange : exchanges)
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t heads = 4 << random() % 2;
            std::ostringstream model;
            model << R"({"format": "edgepipe-language-model 1", "name": "m", "source": "here",
                "width": )"
                  << 64 * heads * (1 + random() % 9) << R"(, "hidden": )"
                  << 32 * (random() % 400 + 1) << R"(, "layers": )" << 8 + random() % 9
                  << R"(, "heads": )" << heads << R"(, "vocabulary": )" << 100 + random() % 120000
                  << "}";
            const std::vector<std::pair<std::string, std::string>> options{
                {"model", m_folder.Write("drawn.json", model.str())},
                {"exchange", exchange},
                {"devices", draw({"2", "4"})},
                {"bandwidth", draw({"100Mbps", "1Gbps", "10Gbps"})},
                {"delay", draw({"0us", "20us", "200us", "1ms"})},
                {"prompt", draw({"1", "5", "40"})},
                {"output", draw({"2", "6"})},
                {"messages", draw({"q80", "f32"})}};
            std::string words = model.str();
            for (const auto& [name, value] : options)
            {
                words += " --" + name + "=" + value;
            }
            SCOPED_TRACE(words);
            const auto [events, left] =
                RunBoth(options,
                        "",
                        draw({"", R"("messageSeconds": 2e-4, "byteSeconds": 1e-9, )"}) +
                            draw({"", R"("messageThreads": 3, )"}));
            all += events;
            rest += left;
        }
    }
    EXPECT_LT(rest, 0.95 * all);
}

TEST_F(LanguageModelRun, NothingComesBetweenLapsThatAreSkipped)
{
    const std::vector<std::pair<std::string, std::string>> options{
        {"model", MakeModel()},
        {"exchange", "distributed-llama-0.12"},
        {"devices", "2"},
        {"weights", "int8"},
        {"bandwidth", "1Gbps"},
        {"delay", "20us"},
        {"prompt", "1"},
        {"output", "6"}};
    const std::string host = R"("messageSeconds": 1e-3, )";
    const auto with = [&](const std::vector<std::pair<std::string, std::string>>& more) {
        auto all = options;
        all.insert(all.end(), more.begin(), more.end());
        return RunBoth(all, "", host);
    };
    std::vector<double> windows;
    m_progress = [&](double) {
        windows.push_back(
            TensorEndpoint::FindTransport(NodeList::GetNode(0))->GetWindowBytes(0, 1));
    };
    const auto [events, left] = with({});
    m_progress = {};
    ASSERT_EQ(windows.size(), 12);
    for (std::size_t i = 0; i < 6; ++i)
    {
        EXPECT_NEAR(windows[6 + i], windows[i], 1e-9 * windows[i]) << i;
    }
    EXPECT_LT(left, 0.6 * events);
    // Events at times that fall into laps: a link and a device that change, and requests.
    with({{"bandwidth", "0s:1Gbps,333ms:2Mbps,521ms:1Gbps"}});
    with({{"load", "board-2:0.5@347ms;1@613ms"}});
    with({{"cut", "board-2@100s"}});
    with({{"rate", "7"}, {"requests", "5"}, {"sequences", "3"}});
    with({{"users", "2"}, {"requests", "3"}});
    // Messages of others, and someone who follows all of them.
    uint64_t arrived = 0;
    uint32_t passes = 0;
    m_progress = [&](double) {
        const auto transport = TensorEndpoint::FindTransport(NodeList::GetNode(0));
        if (++passes % 6 == 3)
        {
            transport->Listen(1, TensorTransport::MONITOR_PORT - 1, [](const Message&) {});
            transport->Send({0, 1, TensorTransport::MONITOR_PORT - 1, 0, 20000000, "", true});
        }
    };
    with({});
    m_progress = [&](double) {
        if (++passes % 6 == 3)
        {
            Connect(TensorEndpoint::FindTransport(NodeList::GetNode(0)),
                    "TransferEnd",
                    [&](uint64_t, const Message&) { ++arrived; });
        }
    };
    for (const bool skips : {false, true})
    {
        Config::SetDefault("ns3::edgepipe::LanguageModelServer::SkipLaps", BooleanValue(skips));
        arrived = passes = 0;
        Run(options, "", host);
        // Three tokens: three messages, 2 x 8 layers of two, and the logits.
        EXPECT_EQ(arrived, 3 * (3 + 2 * 8 * 2 + 1)) << skips;
    }
}

TEST_F(LanguageModelRun, RepeatsWithAsManyLapsAreToldApart)
{
    const std::string lap = R"({"repeat": "2", "do": [{"compute": "block", "on": "root"},
        {"send": "d*q", "from": "root", "to": "workers"}]}, )";
    const std::string file = m_folder.Write("twice.json",
                                            R"({"format": "edgepipe-exchange 1", "name": "twice",
        "source": "here", "split": "tensors", "messages": "int8", "pass": [)" +
                                                lap + lap + R"({"wait": "workers"}]})");
    RunBoth({{"model", MakeModel()}, {"exchange", file}, {"devices", "2"}, {"output", "3"}});
}

TEST_F(LanguageModelRun, AWindowTakesItsDraftsTwoMessagesAndItsVerification)
{
    const auto expect = [&](double acceptance, uint32_t drafts, const std::string& fidelity) {
        auto options = MakeWindows("10ms", drafts, 1, 40000);
        options.emplace_back("acceptance", std::to_string(acceptance));
        options.emplace_back("fidelity", fidelity);
        const double seconds = RunWindows(options) / 39999;
        const double tokens = (1 - std::pow(acceptance, drafts + 1)) / (1 - acceptance);
        const double window = drafts * DRAFT + VERIFY + 2 * 0.02;
        EXPECT_NEAR(Get("windowTokens"), tokens, 0.01 * tokens) << acceptance;
        EXPECT_NEAR(seconds, window / tokens, 0.01 * window / tokens) << acceptance;
        EXPECT_EQ(Get("voidWindows"), 0);
    };
    expect(0.3, 2, "flow");
    expect(0.8, 4, "flow");
    expect(0.95, 8, "flow");
    expect(0.8, 4, "packet");
}

TEST_F(LanguageModelRun, ARecordOfDraftsIsCountedByHand)
{
    const std::string right = "1 1 0 1 1\n1 0 0 1\n";
    const double back = VERIFY + 2 * 0.1;
    for (const char* fidelity : {"flow", "packet"})
    {
        // Tokens 1 to 9 in windows that add 1 2 3, 4 5 6, 7, 8 and 9, of 2 2 2 1 0 drafts.
        auto options = MakeWindows("50ms", 2, 1, 10);
        options.emplace_back("fidelity", fidelity);
        EXPECT_NEAR(RunWindows(options, right), 7 * DRAFT + 5 * back, 1e-3);
        EXPECT_NEAR(Get("windowTokens"), 9.0 / 5, 1e-9);
        EXPECT_NEAR(Get("rootComputeSeconds"), 7 * DRAFT / 9, 1e-8);
        // The window after 1 2 3 is void, as token 3 was drafted wrong; the one after 4 5 6 waits
        // for the target, behind which it comes back.
        options[3].second = "2";
        EXPECT_NEAR(RunWindows(options, right), 5 * DRAFT + 4 * back + VERIFY, 1e-3);
        EXPECT_EQ(Get("voidWindows"), 1);
    }
}

namespace
{

/// @return ms until all tokens are known, by looking at every ms; a wrong draft of p reads -p
int
CountMilliseconds(const std::vector<bool>& right,
                  int drafts,
                  int depth,
                  int step,
                  int hop,
                  int work)
{
    struct Window
    {
        std::vector<int> text; //!< as the draft model had it
        int first;
        int back;
        int start; //!< how often drafting had begun
    };

    const int last = right.size();
    std::vector<int> text{0};
    std::deque<Window> sent;
    int first = 0;
    int starts = 0;
    int stepEnd = -1;
    int targetFree = 0;
    bool isWasted = false;
    const auto isTrue = [](const std::vector<int>& words, int end) {
        return std::all_of(words.begin(), words.begin() + end, [](int word) { return word >= 0; });
    };
    for (int now = 0;; ++now)
    {
        if (stepEnd == now)
        {
            const int token = text.size();
            if (!isWasted)
            {
                text.push_back(right[token - 1] ? token : -token);
            }
            stepEnd = -1;
            isWasted = false;
        }
        while (!sent.empty() && sent.front().back == now)
        {
            const Window window = sent.front();
            sent.pop_front();
            if (!isTrue(window.text, window.first + 1))
            {
                continue;
            }
            int known = window.first + 1;
            while (known < int(window.text.size()) && window.text[known] == known)
            {
                ++known;
            }
            if (known == last)
            {
                return now;
            }
            const int have = text.size();
            if (have > known ? text[known] < 0 : stepEnd >= 0 && !right[known - 1])
            {
                text.resize(known);
                std::iota(text.begin(), text.end(), 0);
                text.push_back(known);
                first = known;
                isWasted = stepEnd >= 0;
                ++starts;
            }
            else if (have == known && stepEnd < 0)
            {
                text.push_back(known);
            }
        }
        const auto isOpen = [&] {
            return first < last && std::count_if(sent.begin(), sent.end(), [&](auto& window) {
                                       return window.start == starts;
                                   }) < depth;
        };
        const auto getEnd = [&] { return first + 1 + std::min(drafts, last - first - 1); };
        while (isOpen() && int(text.size()) == getEnd())
        {
            const int begin = std::max(now + hop, targetFree);
            targetFree = begin + (isTrue(text, first + 1) ? work : 0);
            sent.push_back({text, first, targetFree + hop, starts});
            first = text.size();
        }
        if (stepEnd < 0 && isOpen())
        {
            stepEnd = now + step;
        }
    }
}

} // namespace

TEST_F(LanguageModelRun, WindowsInFlightTakeTheTimesOfABruteForce)
{
    std::mt19937 random(7);
    for (const uint32_t depth : {1, 2, 3})
    {
        for (const int wire : {1, 23, 60})
        {
            for (const uint32_t drafts : {1, 3})
            {
                const double share = depth == 3 ? 0.9 : 0.3 + 0.1 * (random() % 7);
                std::vector<bool> right(150);
                std::string words;
                for (std::size_t i = 0; i < right.size(); ++i)
                {
                    right[i] = random() % 1000 < 1000 * share;
                    words += right[i] ? "1 " : "0 ";
                }
                const double expected =
                    CountMilliseconds(right, drafts, depth, 12, 2 * wire, 108) / 1e3;
                for (const char* fidelity : {"flow", "packet"})
                {
                    auto options = MakeWindows(std::to_string(wire) + "ms", drafts, depth, 151);
                    options.emplace_back("fidelity", fidelity);
                    EXPECT_NEAR(RunWindows(options, words), expected, 1e-3 * expected)
                        << depth << " " << wire << " " << drafts << " " << fidelity;
                }
            }
        }
    }
}

TEST_F(LanguageModelRun, SpeculationTakesTheSameTimeWithLapsSkipped)
{
    for (const char* exchange :
         {"distributed-llama-0.12", "distributed-llama-0.7", "pipeline", "petals", "speculation"})
    {
        for (const uint32_t depth : {1, 3})
        {
            auto options = MakeWindows("20us", 3, depth, 40);
            options[4].second = exchange;
            options[9].second = "20";
            SCOPED_TRACE(exchange + std::to_string(depth));
            const auto [events, left] = RunBoth(options, "", R"("messageSeconds": 2e-4, )");
            const bool hasLaps = std::string(exchange).find("llama") != std::string::npos;
            // With more windows in flight, passes are seldom alone.
            EXPECT_TRUE(depth > 1 || (left < events) == hasLaps);
        }
    }
}

TEST_F(LanguageModelRun, TheFirstDeviceHoldsTheDraftModelAndNoEmbedding)
{
    auto options = MakeWindows("1ms", 4, 2, 16);
    RunWindows(options);
    // Blocks, head and embedding; 16 tokens in a block.
    const auto plans = (*m_workload)->GetPlans();
    EXPECT_EQ(plans.front().steps.front().parts.front().memoryBytes,
              8 * 12e6 + 2 * 12e6 + 16 * 8 * 2 * 1000 * 2);
    options[1].second = m_folder.Write("large.json", R"({"format": "edgepipe-language-model 1",
        "name": "large", "source": "here", "width": 20000, "hidden": 80000, "layers": 3,
        "heads": 200, "vocabulary": 12000, "isGated": false})");
    EXPECT_EQ(ErrorOf([&] { RunWindows(options); }).substr(0, 61),
              "uniform: board-1: weights of 14880000000 bytes do not fit: 16");
    // 80 % of 16 GB less 18 layers of weights hold 196,600 tokens of 64 kB.
    options[1].second = m_folder.Write("long.json", R"({"format": "edgepipe-language-model 1",
        "name": "long", "source": "here", "width": 1000, "hidden": 4000, "layers": 16,
        "heads": 10, "vocabulary": 12000, "isGated": false})");
    options[9].second = "500000";
    EXPECT_EQ(ErrorOf([&] { RunWindows(options); }),
              "uniform: keys and values of 500016 tokens do not fit: 31251 blocks of 16 tokens, "
              "there is room for 12289");
}
