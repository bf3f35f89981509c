// SPDX-License-Identifier: GPL-2.0-only

// Recordings as people publish them, and directions that are no capacity.

#include "test.h"

#include <regex>

namespace
{

/// Mbit/s of ten seconds, 5.5 in the mean.
const std::vector<double> RATES{8, 4, 0.5, 12, 6, 3, 0, 9, 10, 2.5};

/** Writes files and reads them. */
class TraceColumnsTest : public testing::Test
{
  protected:
    /// @return a line for each second, made by a function of its number from 0 on and its Mbit/s
    static std::string List(const std::function<std::string(std::size_t, double)>& write)
    {
        std::string text;
        for (std::size_t i = 0; i < RATES.size(); ++i)
        {
            text += write(i, RATES[i]);
        }
        return text;
    }

    /// @return options with named columns
    static TraceOptions Columns(const std::string& columns, const std::string& order = "strict")
    {
        TraceOptions options;
        options.columns = columns;
        options.order = order;
        return options;
    }

    /// @return what is said about a file that is refused
    std::string Say(const std::string& text,
                    const TraceOptions& options,
                    TraceDirection direction = TraceDirection::UP,
                    const std::string& suffix = "")
    {
        const std::string path = m_folder.Write("trace", text) + suffix;
        return m_folder.MessageOf([&] { CheckTrace(path, direction, options); });
    }

    /// Check that a file has 5.5 Mbit/s over 10 s, second by second.
    void ExpectTen(const std::string& text, const TraceOptions& options, const std::string& what)
    {
        const std::string path = m_folder.Write("trace", text);
        for (const auto direction : {TraceDirection::UP, TraceDirection::DOWN})
        {
            const TraceSummary summary = CheckTrace(path, direction, options);
            EXPECT_DOUBLE_EQ(summary.durationSeconds, 10) << what;
            EXPECT_NEAR(summary.meanBitsPerSecond, 5.5e6, 1e-3) << what;
            const auto source = OpenRateTrace(path, direction, options);
            TraceStep step;
            for (std::size_t i = 0; i < RATES.size() && source->Next(step); ++i)
            {
                EXPECT_EQ(step.time, Seconds(i)) << what;
                EXPECT_NEAR(step.value, RATES[i] * 1e6, 1e-3) << what;
            }
        }
    }

    /// @return shares of a device and when each begins, s
    std::vector<std::pair<double, double>> PlayLoad(const std::string& text,
                                                    const TraceOptions& options,
                                                    const std::string& suffix)
    {
        const auto source = OpenLoadTrace(m_folder.Write("load", text) + suffix, options);
        std::vector<std::pair<double, double>> shares;
        for (TraceStep step; shares.size() < 4 && source->Next(step);)
        {
            shares.emplace_back(step.time.GetSeconds(), std::round(1e6 * step.value) / 1e6);
        }
        return shares;
    }

    TemporaryFolder m_folder; //!< for the files
};

/// @return a number as text
std::string
Print(double value)
{
    std::ostringstream text;
    text << std::setprecision(15) << value;
    return text.str();
}

/// @return a G-NetTrack row of a second, kbit/s
std::string
Gnettrack(std::size_t second, double down, double up, const std::string& state = "D")
{
    const std::string digits = std::to_string(100 + second).substr(1);
    return "2024.05.06_10.00." + digits + "," + Print(down) + "," + Print(up) + "," + state + "\n";
}

const std::string GNETTRACK = "Timestamp,DL_bitrate,UL_bitrate,State\n";

} // namespace

TEST_F(TraceColumnsTest, KnowsPublishedFormatsByTheirContent)
{
    ExpectTen(List([](auto, double rate) { return Print(rate) + ",Mbits/sec\n"; }), {}, "mets");
    ExpectTen(List([](auto, double rate) { return Print(rate) + ",Mbits/sec,,\n"; }), {}, "mets");
    ExpectTen(List([](auto, double rate) { return Print(1e3 * rate) + " Kbits/sec\n"; }),
              {},
              "mets, blanks");
    for (const std::string start : {"1700000001", "1700000001000"})
    {
        ExpectTen(List([&](std::size_t i, double rate) {
                      return start + " " + std::to_string(1000 * (i + 1)) + " 59.8 10.7 " +
                             Print(rate * 125000) + " 1000\n";
                  }),
                  {},
                  "log");
    }
    const auto sabre = [](std::size_t i, double rate) {
        return std::string(i ? "," : "") +
               "{\"duration_ms\": 1000, \"bandwidth_kbps\": " + Print(1e3 * rate) +
               ", \"latency_ms\": " + std::to_string(40 + i) + "}";
    };
    const std::string text = "[" + List(sabre) + "]";
    ExpectTen(text, {}, "sabre");
    EXPECT_EQ(CheckTrace(m_folder.Write("trace", text), TraceDirection::UP, {}).notes,
              std::vector<std::string>{"delay one way 20 to 24.5 ms"});
}

TEST_F(TraceColumnsTest, LeavesOutWhatIperf3OmittedAndKnowsItsDirection)
{
    const auto interval = [](double rate, bool isOmitted, const std::string& name = "sum") {
        return "\"" + name + "\": {\"seconds\": 1.0, \"bits_per_second\": " + Print(1e6 * rate) +
               ", \"omitted\": " + (isOmitted ? "true" : "false") + ", \"sender\": true}";
    };
    const auto write = [&](const std::string& test,
                           const std::string& more,
                           const std::string& end = "") {
        return "{\"start\": {\"test_start\": {\"protocol\": \"TCP\"" + test +
               "}}, \"intervals\": [{" + interval(50, true) + "}, {" + interval(50, true) + "}" +
               List([&](auto, double rate) { return ", {" + interval(rate, false) + more + "}"; }) +
               "]" + end + "}";
    };
    ExpectTen(write("", ""), {}, "iperf3");
    // One long line.
    const auto look = [this](const std::string& text, TraceDirection direction) {
        return CheckTrace(m_folder.Write("trace", text), direction, {});
    };
    const auto isDown = TraceDirection::DOWN;
    const auto isUp = TraceDirection::UP;
    EXPECT_EQ(look(write("", ""), isUp).notes,
              (std::vector<std::string>{
                  "2 omitted intervals left out",
                  "rates are TCP's payload, some 3.5 % less than a link's IP bytes"}));
    EXPECT_EQ(look(write("", ""), isDown).direction, isUp);
    EXPECT_EQ(look(write("", ""), isDown).saturated, std::set<TraceDirection>{isUp});
    EXPECT_EQ(look(write(", \"reverse\": 1", ""), isUp).direction, isDown);
    const std::string both =
        write(", \"bidir\": 1", ", " + interval(20, false, "sum_bidir_reverse"));
    EXPECT_NEAR(look(both, isUp).meanBitsPerSecond, 5.5e6, 1e-3);
    EXPECT_NEAR(look(both, isDown).meanBitsPerSecond, 20e6, 1e-3);
    EXPECT_NE(Say(write(", \"target_bitrate\": 5000000", ""), {})
                  .find("found a test limited to 5 Mbit/s (iperf3 -b)"),
              std::string::npos);
    // Some versions have it elsewhere.
    EXPECT_NE(Say(std::regex_replace(write("", ""),
                                     std::regex("\"test_start\""),
                                     "\"target_bitrate\": 5000000, \"test_start\""),
                  {})
                  .find("found a test limited to 5 Mbit/s (iperf3 -b)"),
              std::string::npos);
    // Datagrams fill a path that drops some of them.
    const auto drop = [&](const std::string& percent) {
        const std::string test = write(R"(, "target_bitrate": 3000000000, "reverse": 1)", "", "");
        return Say(std::regex_replace(std::regex_replace(test, std::regex("TCP"), "UDP"),
                                      std::regex("\"sender\": true"),
                                      "\"sender\": false, \"lost_percent\": " + percent),
                   {},
                   isDown);
    };
    EXPECT_EQ(drop("40"), "no error");
    EXPECT_NE(drop("0.2").find("found a test by UDP, whose sender sets the rate"),
              std::string::npos);
    // A short test ends when the sender's buffer has all of it.
    const auto receive = [&](const std::string& fields) {
        return Say(write("", "", ", \"end\": {\"sum_received\": {" + fields + "}}"), {});
    };
    EXPECT_EQ(receive("\"bytes\": 6.5e6"), "no error"); // of 10 s of 5.5 Mbit/s in the mean
    EXPECT_NE(receive("\"bytes\": 4e6").find("found 6.875 MB written and 4 MB received"),
              std::string::npos);
    EXPECT_NE(receive("\"bytes\": 0"), "no error");
    EXPECT_EQ(receive("\"seconds\": 10, \"bits_per_second\": 5.5e6"), "no error");
    EXPECT_NE(receive("\"seconds\": 10, \"bits_per_second\": 3.2e6").find("and 4 MB received"),
              std::string::npos);
    EXPECT_EQ(receive(""), "no error");
    EXPECT_EQ(Say("{\"start\": {}, \"error\": \"unable to connect\", \"intervals\": []}", {}),
              "trace: error: iperf3 failed: \"unable to connect\"");
}

TEST_F(TraceColumnsTest, ReadsNamedColumns)
{
    const auto table = [](const std::string& header, const auto& write) {
        return header + List(write);
    };
    ExpectTen(table("time,down\n",
                    [](std::size_t i, double rate) {
                        return Print(1000.0 * i) + "," + Print(1e3 * rate) + "\n";
                    }),
              Columns("time:ms,down:kbps"),
              "by place");
    ExpectTen(table("run,seq,Throughput (x)\n",
                    [](std::size_t i, double rate) {
                        return "1," + Print(i + 1) + "," + Print(rate) + "\n";
                    }),
              Columns("time=seq:s,down=Throughput (x):Mbps"),
              "by name");
    ExpectTen(table("",
                    [](std::size_t i, double rate) {
                        return "x;" + Print(1e6 * i) + ";" + Print(1e6 * rate / 12000) + "\n";
                    }),
              Columns("rate=3:packets,time=2:us"),
              "by number");
    ExpectTen(table("dtime\tbytes_sec\n",
                    [](std::size_t i, double rate) {
                        return "\"2016-06-01 00:00:0" + Print(i) + ".000 CDT\"\t" +
                               Print(125e3 * rate) + "\n";
                    }),
              Columns("time=dtime:date,down=bytes_sec:Bps"),
              "dates");
    ExpectTen(table("# a comment\na, b\n",
                    [](std::size_t, double rate) { return "1, " + Print(125 * rate) + "\n"; }),
              Columns("interval=a:s,up=b:kB"),
              "intervals");
}

TEST_F(TraceColumnsTest, EndsOrBeginsIntervalsAsTold)
{
    const std::string text = "t,x\n0,1\n10,2\n11,4\n";
    const auto mean = [&](const std::string& columns) {
        const auto summary =
            CheckTrace(m_folder.Write("trace", text), TraceDirection::UP, Columns(columns));
        return std::pair(summary.durationSeconds,
                         std::round(summary.durationSeconds * summary.meanBitsPerSecond) / 1e6);
    };
    // The first row lasts as long as the second, or the last as long as the one before it.
    EXPECT_EQ(mean("time=t:s,rate=x:Mbps"), std::pair(21.0, 10 * 1 + 10 * 2 + 1 * 4.0));
    EXPECT_EQ(mean("start=t:s,rate=x:Mbps"), std::pair(12.0, 10 * 1 + 1 * 2 + 1 * 4.0));
}

TEST_F(TraceColumnsTest, LeavesOutIdleRowsAndOtherDevicesAndSaysSo)
{
    const std::string rows = GNETTRACK + Gnettrack(0, 4000, 900) + Gnettrack(1, 4000, 900) +
                             Gnettrack(2, 0, 0, "I") + Gnettrack(5, 0, 0, "I") +
                             Gnettrack(6, 8000, 900) + Gnettrack(6, 0, 0, "I");
    const auto summary = CheckTrace(m_folder.Write("trace", rows), TraceDirection::DOWN, {});
    EXPECT_DOUBLE_EQ(summary.durationSeconds, 3);
    EXPECT_DOUBLE_EQ(summary.meanBitsPerSecond, 16e6 / 3);
    EXPECT_EQ(summary.notes,
              (std::vector<std::string>{"a log of what was sent, capacity only if nothing paused",
                                        "3 rows in which nothing was sent left out"}));

    const std::string two = "a,0,1\nb,0,5\na,1,3\nb,1,\nb,2,5\n";
    const auto columns = Columns("device,time:s,rate:Mbps");
    EXPECT_EQ(Say(two, columns),
              "trace: line 2: found rows of \"a\" and \"b\", expected one, as by FILE#a");
    const auto of = [&](const std::string& device) {
        return CheckTrace(m_folder.Write("trace", two) + "#" + device, TraceDirection::UP, columns);
    };
    EXPECT_DOUBLE_EQ(of("a").meanBitsPerSecond, 2e6);
    EXPECT_DOUBLE_EQ(of("b").meanBitsPerSecond, 5e6);
    EXPECT_EQ(of("b").notes, std::vector<std::string>{"1 row without a value left out"});
    EXPECT_EQ(Say(two, columns, TraceDirection::UP, "#c"),
              "trace: found no values, expected at least one");
}

TEST_F(TraceColumnsTest, SaysWhereNothingWasRecordedForLong)
{
    // Two runs of six seconds in one file, an hour apart.
    std::string text = "t,x\n";
    for (const int begin : {0, 3600})
    {
        for (int i = 0; i < 6; ++i)
        {
            text += std::to_string(begin + i) + ",8\n";
        }
    }
    const auto notes = [&](const std::string& columns) {
        return CheckTrace(m_folder.Write("trace", text), TraceDirection::UP, Columns(columns))
            .notes;
    };
    const auto gap = [](const std::string& beside) {
        return std::vector<std::string>{"1 gap of 3595 s between rows, filled with the row " +
                                        beside +
                                        " it (every:TIME in place of times leaves gaps out)"};
    };
    EXPECT_EQ(notes("time=t:s,rate=x:Mbps"), gap("after"));
    EXPECT_EQ(notes("start=t:s,rate=x:Mbps"), gap("before"));
    EXPECT_EQ(notes("rate=x:Mbps,every:1s"), std::vector<std::string>());
}

TEST_F(TraceColumnsTest, TakesDifferencesOfACounterAndRefusesOneThatIsNotSaidToBe)
{
    double sum = 90e6;
    const std::string text = "time,received\n0,90000000\n" + List([&](std::size_t i, double rate) {
                                 sum += 125e3 * rate;
                                 return Print(i + 1) + "," + Print(sum) + "\n";
                             });
    ExpectTen(text, Columns("time=time:s,down=received:counter"), "counter");
    EXPECT_EQ(Say(text, Columns("time=time:s,down=received:bytes")),
              "trace: found amounts that never fall, as those of a counter, expected amounts of "
              "single intervals, or the unit counter (bytes so far)");
    EXPECT_EQ(Say(text + "11,5\n", Columns("time=time:s,down=received:counter")),
              "trace: found a counter that falls, expected one that never begins again");
    EXPECT_EQ(Say(text, Columns("down=received:counter,every:1s")),
              "trace-columns: found \"down=received:counter,every:1s\", expected time beside a "
              "counter");
}

TEST_F(TraceColumnsTest, SortsOrDropsRowsThatGoBackWhenTold)
{
    const std::string text = GNETTRACK + Gnettrack(8, 1000, 900) + Gnettrack(9, 2000, 900) +
                             Gnettrack(10, 3000, 900) + Gnettrack(9, 4000, 900) +
                             Gnettrack(11, 5000, 900);
    EXPECT_EQ(Say(text, {}),
              "trace: line 5: found a time 1 s before that of the line above, expected times that "
              "never go back, or --trace-order=sort, or =drop to leave out such lines");
    const auto mean = [&](const std::string& order) {
        const auto summary =
            CheckTrace(m_folder.Write("trace", text), TraceDirection::DOWN, Columns("", order));
        EXPECT_EQ(summary.notes.size(), 2U);
        return summary.meanBitsPerSecond;
    };
    EXPECT_DOUBLE_EQ(mean("drop"), (1e6 + 2e6 + 3e6 + 5e6) / 4);
    EXPECT_DOUBLE_EQ(mean("sort"), (1e6 + 3e6 + 3e6 + 5e6) / 4);
    EXPECT_EQ(Say(text, Columns("", "back")),
              "trace-order: found \"back\", expected strict, sort or drop");
}

TEST_F(TraceColumnsTest, RefusesAcknowledgementsAsCapacity)
{
    const auto write = [](double share, double noise) {
        std::string text = GNETTRACK;
        for (std::size_t i = 0; i < 60; ++i)
        {
            const double wave = 20e3 + 1e3 * (i * 7 % 13);
            text += Gnettrack(i, wave, share * (noise > 0 ? 20e3 + noise * (i * 5 % 17) : wave));
        }
        return text;
    };
    const auto up = TraceDirection::UP;
    const auto down = TraceDirection::DOWN;
    EXPECT_EQ(Say(write(0.003, 0), {}),
              "trace: uplink: found a mean of 0.078 Mbit/s, 0.3% of the other direction's and in "
              "step with it (correlation 1): acknowledgements of its data, no capacity; a "
              "recording of a saturated uplink is needed, by --trace=FILE, with this one as "
              "--trace-down, or --trace-unsaturated=true");
    EXPECT_EQ(Say(write(0.003, 0), {}, down), "no error");
    TraceOptions asked;
    asked.isUnsaturated = true;
    EXPECT_EQ(Say(write(0.003, 0), asked), "no error");
    // An upload: the downlink acknowledges.
    EXPECT_NE(Say(write(40, 0), {}, down).find("downlink: found a mean of"), std::string::npos);
    EXPECT_EQ(Say(write(40, 0), {}, up), "no error");
    // On its own, but few for a log of what was sent; as much as an uplink may have.
    EXPECT_NE(Say(write(0.03, 3e3), {}), "no error");
    EXPECT_EQ(Say(write(0.11, 0), {}), "no error");
    // What cannot be compared is no capacity either, unless there is nothing to compare.
    const std::string next = "2024.05.06_10.00.01,-,60,D\n";
    EXPECT_EQ(Say(GNETTRACK + "2024.05.06_10.00.00,x,60,D\n" + next, {}),
              "trace: line 2: DL_bitrate: found \"x\", expected a number from 0 to 1e+09");
    for (const char* other : {"-", "60"})
    {
        const std::string row = std::string("2024.05.06_10.00.00,") + other + ",60,D\n";
        EXPECT_EQ(Say(GNETTRACK + row + next, {}), "no error") << other;
    }
}

TEST_F(TraceColumnsTest, RefusesAVideoThatPausesAsCapacity)
{
    // As published logs of Netflix have it: a burst of a second or two, then nothing.
    const auto say = [this](std::size_t burst) {
        std::string text = GNETTRACK;
        for (std::size_t i = 0; i < 60; ++i)
        {
            const double rate = i % 10 < burst ? 20e3 : 1;
            text += Gnettrack(i, rate, 0.5 * rate);
        }
        return Say(text, {}, TraceDirection::DOWN);
    };
    EXPECT_EQ(say(2),
              "trace: downlink: found next to nothing in 80% of the time: applications that pause, "
              "no capacity; a recording of a saturated downlink is needed, by --trace-down=FILE, "
              "or --trace-unsaturated=true");
    EXPECT_EQ(say(6), "no error");
    // So does one that has only this direction.
    std::string one = "Timestamp,DL_bitrate\n";
    for (int i = 0; i < 60; ++i)
    {
        one += "2024.05.06_10.00." + std::to_string(i / 10) + std::to_string(i % 10) +
               (i % 10 < 2 ? ",20000\n" : ",1\n");
    }
    EXPECT_NE(Say(one, {}, TraceDirection::DOWN).find("80% of the time"), std::string::npos);
}

TEST_F(TraceColumnsTest, ComparesTheTwoFilesOfOneRecording)
{
    const auto write = [this](const std::string& name, double factor, const std::string& header) {
        std::string text = header + "seconds,bitsPerSecond\n";
        for (std::size_t i = 0; i < 30; ++i)
        {
            text += Print(i) + "," + Print(factor * (1e6 + 1e5 * (i * 7 % 13))) + "\n";
        }
        return m_folder.Write(name, text);
    };
    const auto say = [this](const std::string& path, TraceDirection direction) {
        return m_folder.MessageOf([&] { CheckTrace(path, direction, {}); });
    };
    const std::string down = write("a.down.csv", 1, "");
    const std::string up = write("a.up.csv", 0.02, "");
    EXPECT_NE(say(up, TraceDirection::UP).find("2% of the other direction's"), std::string::npos);
    EXPECT_EQ(say(down, TraceDirection::DOWN), "no error");
    // What the file says counts more than what it looks like.
    write("a.up.csv", 0.02, "# direction: up\n# saturated: both\n");
    EXPECT_EQ(say(up, TraceDirection::UP), "no error");
    write("a.up.csv", 0.5, "# direction: up\n# saturated: down\n");
    EXPECT_NE(say(up, TraceDirection::UP).find("not saturated (# saturated: down)"),
              std::string::npos);
    write("a.up.csv", 0.5, "# saturated: left\n");
    EXPECT_EQ(say(up, TraceDirection::UP),
              "a.up.csv: line 1: saturated: found \"left\", expected up, down, both or none");
}

TEST_F(TraceColumnsTest, ReadsTheLoadOfOneMachineOfMany)
{
    const std::string text = "m_1,0,20,80\nm_1,10,35,80\nm_2,0,99,80\nm_1,20,90,80\nm_1,30,55,80\n";
    const std::vector<std::pair<double, double>> shares{{0, 0.8},
                                                        {10, 0.65},
                                                        {20, 0.1},
                                                        {30, 0.45}};
    EXPECT_EQ(PlayLoad(text, Columns("device,time:s,busy:percent"), "#m_1"), shares);
    // As nvidia-smi writes it, with a header or without.
    const std::string signs = "2024/05/06 09:10:00.500, 20 %\n2024/05/06 09:10:01.500, 60 %\n";
    const std::vector<std::pair<double, double>> left{{0, 0.8}, {1, 0.4}, {2, 0.8}, {3, 0.4}};
    EXPECT_EQ(PlayLoad(signs, Columns("time:date,busy:percent"), ""), left);
    EXPECT_EQ(PlayLoad("timestamp, utilization.gpu [%]\n" + signs,
                       Columns("time=timestamp:date,busy=utilization.gpu [%]:percent"),
                       ""),
              left);
    const std::string free = "t,left\n0,0.8\n10,0.65\n20,0.1\n30,0.45\n";
    EXPECT_EQ(PlayLoad(free, Columns("start=t:s,free=left:share"), ""), shares);
    const auto say = [this](const std::string& lines, const std::string& columns) {
        const std::string path = m_folder.Write("load", lines);
        return m_folder.MessageOf([&] { OpenLoadTrace(path, Columns(columns)); });
    };
    // Per cent are no shares.
    EXPECT_EQ(say(text, "device=1,time=2:s,busy=3:share"),
              "load: line 1: busy: found \"20\", expected a number from 0 to 1");
    EXPECT_EQ(say(text, "device,time:s,busy"),
              "load-columns: found \"busy\", expected busy with its unit, percent or share");
}

TEST_F(TraceColumnsTest, SaysInOneLineWhatIsWrong)
{
    const std::string table = "t,x\n0,1\n1,2\n";
    const auto say = [&](const std::string& columns) { return Say(table, Columns(columns)); };
    EXPECT_EQ(say("time=t:s,down=y:Mbps"),
              "trace: line 1: header: found \"t,x\", expected a column y");
    EXPECT_EQ(say("down=x:Mbps"),
              "trace-columns: found \"down=x:Mbps\", expected time, start or interval, or "
              "every:TIME if rows have none");
    EXPECT_EQ(say("time=t:s"),
              "trace-columns: found \"time=t:s\", expected a column of down, up or both, or of "
              "rate");
    EXPECT_NE(say("time=t:s,down=x:mbps").find("expected down with a unit of Bps, Gbps"),
              std::string::npos);
    EXPECT_NE(say("when=t:s,down=x:Mbps").find("expected ROLE=COLUMN:UNIT or ROLE:UNIT"),
              std::string::npos);
    EXPECT_NE(say("time:s,rate:Mbps,every:1s").find("every:TIME if rows have none"),
              std::string::npos);
    EXPECT_EQ(say("every:2,rate=2:Mbps"),
              "trace-columns: found \"every:2\", expected every: and a time up to an hour, such as "
              "every:500ms");
    EXPECT_EQ(say("-,-,time:s,rate=1:Mbps"), "trace: line 2: found 2 columns, expected at least 3");
    EXPECT_EQ(Say("t,x\n0,1,9\n", Columns("time=t:s,rate=x:Mbps")),
              "trace: line 2: found 3 columns, expected 2 as in the header");
    EXPECT_EQ(Say("t,x\n0,y\n", Columns("time=t:s,rate=x:Mbps")),
              "trace: line 2: x: found \"y\", expected a number from 0 to 1e+06");
    EXPECT_EQ(Say("0,1,Mfoo\n", Columns("time:s,rate:text")),
              "trace: line 1: rate: found \"Mfoo\", expected a unit such as Mbits/sec");
    EXPECT_EQ(Say("0,1e15\n0.001,1e15\n", Columns("time:s,rate:bytes")),
              "trace: line 1: rate: found \"1e15\", expected a number from 0 to 4.5e+14");
    EXPECT_EQ(Say("[{\"duration_ms\": 1000}]", {}),
              "trace: [0]: key \"bandwidth_kbps\" is missing");
    TraceOptions options = Columns("time:s,rate:bps");
    options.format = "pensieve";
    EXPECT_EQ(Say(table, options),
              "trace-columns: found \"time:s,rate:bps\", expected none beside "
              "--trace-format=pensieve");
}
