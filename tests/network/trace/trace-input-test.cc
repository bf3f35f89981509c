// SPDX-License-Identifier: GPL-2.0-only

// Broken and hostile recordings: one line says what is wrong, in little memory.

#include "test.h"

#include <limits>
#include <sys/stat.h>

namespace
{

/** A recording that is refused. */
struct BrokenTrace
{
    const char* format;  //!< name, or load
    std::string text;    //!< the recording
    std::string message; //!< what is said about it
};

/** Writes recordings and checks them. */
class TraceInputTest : public testing::Test
{
  protected:
    /// @return what is said about it
    std::string MessageAbout(const std::string& format,
                             const std::string& text,
                             TraceOptions options = {})
    {
        const std::string path = m_folder.Write("trace", text);
        options.format = format == "load" ? "auto" : format;
        return m_folder.MessageOf([&] {
            if (format == "load")
            {
                OpenLoadTrace(path, options);
            }
            else
            {
                CheckTrace(path, TraceDirection::UP, options);
            }
        });
    }

    TemporaryFolder m_folder; //!< for the recordings
};

const std::string CSV = "seconds,bitsPerSecond\n";
const std::string LOAD = "seconds,share\n";
const std::string GNET = "Timestamp,DL_bitrate,UL_bitrate\n";

} // namespace

TEST_F(TraceInputTest, SaysInOneLineWhatIsWrong)
{
    const std::string nul = std::string("1\n2") + '\0' + "3\n";
    // What is found, and what is expected instead.
    const std::string INTEGER = ", expected an integer from 0 to 1000000000000";
    const std::string MEGABITS = ", expected a number from 0 to 1e+06";
    const std::string SECONDS = ", expected a number from 0 to 4e+09";
    const std::string DATE = ", expected a time from 1970 to 2095 as YYYY.MM.DD_hh.mm.ss";
    const std::string BACK =
        " s before that of the line above, expected times that never go back, or "
        "--trace-order=sort, or =drop to leave out such lines";
    const std::string LENGTH = ", expected 0.001 to 1e9 s";
    const std::string ONE = ", expected at least one";
    const std::string SHARE = ", expected a number from 0 to 1";
    const std::string BITS = ", expected a number from 0 to 1e+12";
    const std::string MOVES = ", expected one: nothing would ever move";
    const std::string TEXT = ", expected text";
    const std::string TIMES =
        ", expected rows of two times or more: a value lasts from one to another";
    const BrokenTrace traces[] = {
        {"auto", "", "found an empty file" + TEXT},
        {"auto", " \n\r\n\n", "found no recording, only blanks or comments"},
        {"auto", "# only a comment\n", "found no recording, only blanks or comments"},
        {"auto",
         "hello\n",
         "line 1: format: found \"hello\", expected a recording that edgepipe knows (see File "
         "formats), or --trace-columns, such as --trace-columns=time=NAME:s,down=NAME:Mbps"},
        {"auto", nul, "line 2: found a NUL byte" + TEXT},
        {"auto",
         std::string("\xff\xfe"
                     "1\0\n\0",
                     6),
         "line 1: found a NUL byte" + TEXT},
        {"mahimahi", "1\n-2\n", "line 2: milliseconds: found \"-2\"" + INTEGER},
        {"mahimahi", "1000000000001\n", "line 1: milliseconds: found \"1000000000001\"" + INTEGER},
        {"mahimahi", "-0\n", "line 1: milliseconds: found \"-0\"" + INTEGER},
        {"mahimahi", "0.0 4.03\n", "line 1: milliseconds: found \"0.0 4.03\"" + INTEGER},
        {"mahimahi", "5\n\n4\n", "line 3: found a time 0.001" + BACK},
        {"mahimahi", "0\n0\n", "found a recording of 0 s" + LENGTH},
        {"mahimahi", "\n", "found no opportunities" + ONE},
        {"pensieve",
         "0 1\n1\n",
         "line 2: columns: found \"1\", expected seconds and Mbit/s, separated by blanks"},
        {"pensieve", "0 1\n-1 1\n", "line 2: seconds: found \"-1\"" + SECONDS},
        {"pensieve", "0 1e999\n", "line 1: Mbit/s: found \"1e999\"" + MEGABITS},
        {"pensieve", "0 nan\n", "line 1: Mbit/s: found \"nan\"" + MEGABITS},
        {"pensieve", "0 1 2\n", "line 1: Mbit/s: found \"1 2\"" + MEGABITS},
        {"pensieve", "0 0x10\n", "line 1: Mbit/s: found \"0x10\"" + MEGABITS},
        {"pensieve", "2 1\n1 1\n", "line 2: found a time 1" + BACK},
        {"pensieve", "0 1\n0.0000004 1\n", "found a recording of 4e-07 s" + LENGTH},
        {"pensieve", "0 1\n4e9 1\n", "found a recording of 4e+09 s" + LENGTH},
        {"pensieve", "0 1\n", "found 1 row" + TIMES},
        {"pensieve", "0 1\n0 2\n", "found 2 rows of one time" + TIMES},
        {"pensieve", "0 0\n1 1e-9\n", "found no value of at least 1" + MOVES},
        {"pensieve", "\n", "found no values" + ONE},
        {"csv", "0,1\n", "line 1: header: found \"0,1\", expected \"seconds,bitsPerSecond\""},
        {"csv",
         LOAD + "0,1\n",
         "line 1: header: found \"seconds,share\", expected \"seconds,bitsPerSecond\""},
        {"csv", CSV, "found no values" + ONE},
        {"csv", CSV + "7,1e6\n", "found 1 row" + TIMES},
        {"csv", CSV + "7,1e6\n7,2e6\n7,3e6\n", "found 3 rows of one time" + TIMES},
        {"csv", CSV + "0,5\n1,5,6\n", "line 3: bitsPerSecond: found \"5,6\"" + BITS},
        {"csv",
         CSV + "0,5\n1\n",
         "line 3: columns: found \"1\", expected seconds and bitsPerSecond"},
        {"csv", CSV + "0,5Mbps\n", "line 2: bitsPerSecond: found \"5Mbps\"" + BITS},
        {"gnettrack",
         "Timestamp,DL_bitrate\n",
         "line 1: header: found \"Timestamp,DL_bitrate\", expected a column UL_bitrate"},
        {"gnettrack", "\n", "line 1: header: found \"\", expected a column Timestamp"},
        {"gnettrack", GNET, "found no values" + ONE},
        {"gnettrack", GNET + "2019.12.14_10.16.30,1,-\n", "found no values" + ONE},
        {"gnettrack",
         GNET + "2019.12.14_10.16.30,1\n",
         "line 2: found 2 columns, expected 3 as in the header"},
        {"gnettrack",
         GNET + "2019.12.14_10.16.30,1,x\n",
         "line 2: UL_bitrate: found \"x\", expected a number from 0 to 1e+09"},
        {"gnettrack",
         GNET + "2019.12.14 10.16,1,1\n",
         "line 2: Timestamp: found \"2019.12.14 10.16\"" + DATE},
        {"gnettrack",
         GNET + "2019.02.29_10.16.30,1,1\n",
         "line 2: Timestamp: found \"2019.02.29_10.16.30\"" + DATE},
        {"gnettrack",
         GNET + "2019.13.01_10.16.30,1,1\n",
         "line 2: Timestamp: found \"2019.13.01_10.16.30\"" + DATE},
        {"gnettrack",
         GNET + "2096.12.14_10.16.30,1,1\n",
         "line 2: Timestamp: found \"2096.12.14_10.16.30\"" + DATE},
        {"gnettrack",
         GNET + "1970.01.01_00.00.00,1,1\n2095.12.14_10.16.30,1,1\n",
         "found a recording of 3.9747e+09 s" + LENGTH},
        {"gnettrack",
         GNET + "2019.12.14_10.16.30,1,1\n2019.12.14_10.16.29,1,1\n",
         "line 3: found a time 1" + BACK},
        {"load",
         CSV + "0,1\n",
         "line 1: header: found \"seconds,bitsPerSecond\", expected \"seconds,share\", or "
         "--load-columns"},
        {"gnettrack", GNET + "2019.12.14_10.16.30,1,1\n", "found 1 row" + TIMES},
        {"load", LOAD + "0,0.5\n", "found 1 row" + TIMES},
        {"load", LOAD + "0,1.01\n", "line 2: share: found \"1.01\"" + SHARE},
        {"load", LOAD + "0,0\n1,0\n", "found no value of at least 1e-06" + MOVES},
    };
    for (const BrokenTrace& trace : traces)
    {
        EXPECT_EQ(MessageAbout(trace.format, trace.text), "trace: " + trace.message)
            << trace.format << ": " << trace.text;
    }
}

TEST_F(TraceInputTest, QuotesOnlyTheBeginningOfALongField)
{
    EXPECT_EQ(MessageAbout("mahimahi", std::string(8000, 'x')),
              "trace: line 1: milliseconds: found \"" + std::string(60, 'x') +
                  "...\", expected an integer from 0 to 1000000000000");
    const std::string bytes = MessageAbout("mahimahi", "\xc3\x28\x1b[31m\xff\n");
    EXPECT_NE(bytes.find("milliseconds: found"), std::string::npos) << bytes;
    EXPECT_EQ(bytes.find('\x1b'), std::string::npos) << bytes;
}

TEST_F(TraceInputTest, RefusesLinesOfMoreThanEightKilobytes)
{
    const std::string start = "seconds,bitsPerSecond\n0,1e6\n#";
    EXPECT_EQ(MessageAbout("csv", start + std::string(8191, 'x') + "\n1,1e6\n"), "no error");
    EXPECT_EQ(MessageAbout("csv", start + std::string(8192, 'x') + "\n1,1e6\n"),
              "trace: line 3: found a line longer than 8192 bytes, expected text");
    EXPECT_EQ(MessageAbout("csv", start + std::string(100000, 'x')),
              "trace: line 3: found a line longer than 8192 bytes, expected text");
}

TEST_F(TraceInputTest, RefusesMoreThanATerabitPerSecondOfOpportunities)
{
    std::string text;
    for (int i = 0; i < 83333; ++i)
    {
        text += "1\n";
    }
    EXPECT_EQ(MessageAbout("mahimahi", text), "no error");
    EXPECT_EQ(MessageAbout("mahimahi", text + "1\n"),
              "trace: line 83334: found more than 83333 opportunities in one millisecond, expected "
              "at most 1 Tbit/s");
    TraceOptions options;
    options.scale = 1.1;
    const std::string message = MessageAbout("mahimahi", text, options);
    EXPECT_EQ(message, "trace-scale: found 1.1, expected at most 1 with trace");
}

TEST_F(TraceInputTest, RefusesOptionsOutOfRange)
{
    const auto say = [this](const std::function<void(TraceOptions&)>& set) {
        TraceOptions options;
        set(options);
        const std::string format = options.format;
        return MessageAbout(format, "0 1\n1 2\n", options);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(say([](TraceOptions& o) { o.format = "tcpdump"; }),
              "trace-format: found \"tcpdump\", expected auto, mahimahi, pensieve, gnettrack, csv, "
              "log, mets, sabre, iperf3 or columns");
    EXPECT_EQ(say([](TraceOptions& o) { o.end = "again"; }),
              "trace-end: found \"again\", expected loop, hold or stop");
    EXPECT_EQ(say([](TraceOptions& o) { o.offset = Seconds(-1); }),
              "trace-offset: found -1 s, expected 0 to 1e9 s");
    EXPECT_EQ(say([](TraceOptions& o) { o.offset = Seconds(2e9); }),
              "trace-offset: found 2e+09 s, expected 0 to 1e9 s");
    EXPECT_EQ(say([](TraceOptions& o) { o.end = "stop", o.offset = Seconds(2); }),
              "trace-offset: found 2 s, expected less than the 1 s of trace");
    EXPECT_EQ(say([](TraceOptions& o) { o.scale = 0; }),
              "trace-scale: found 0, expected 0.001 to 1000");
    EXPECT_EQ(say([](TraceOptions& o) { o.scale = -1; }),
              "trace-scale: found -1, expected 0.001 to 1000");
    EXPECT_EQ(say([](TraceOptions& o) { o.scale = 1e300; }),
              "trace-scale: found 1e+300, expected 0.001 to 1000");
    EXPECT_EQ(say([nan](TraceOptions& o) { o.scale = nan; }),
              "trace-scale: found nan, expected 0.001 to 1000");
}

TEST_F(TraceInputTest, RefusesWhatIsNoPlainFile)
{
    const auto say = [this](const std::string& path) {
        return m_folder.MessageOf([&] { CheckTrace(path, TraceDirection::UP, {}); });
    };
    EXPECT_EQ(say(m_folder.GetPath() + "/none"), "none: cannot be read: No such file or directory");
    EXPECT_EQ(say(m_folder.GetPath() + "/."), ".: found a folder, expected a file");
    EXPECT_EQ(say("/dev/zero"), "/dev/zero: found a device or pipe, expected a plain file");
    const std::string pipe = m_folder.GetPath() + "/pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(say(pipe), "pipe: found a device or pipe, expected a plain file");
}

TEST_F(TraceInputTest, RefusesToOpenRatesAsOpportunitiesAndTheReverse)
{
    const std::string rates = m_folder.Write("rates", "0 1\n1 2\n");
    const std::string packets = m_folder.Write("packets", "1\n2\n");
    EXPECT_EQ(m_folder.MessageOf([&] { OpenOpportunityTrace(rates, {}); }),
              "rates: found rates, expected delivery opportunities (mahimahi)");
    EXPECT_EQ(m_folder.MessageOf([&] { OpenRateTrace(packets, TraceDirection::UP, {}); }),
              "packets: found delivery opportunities (mahimahi), expected rates");
    for (const Time& interval : {Seconds(0), Seconds(-1), Seconds(3601)})
    {
        EXPECT_NE(
            m_folder.MessageOf([&] { MakeRates(OpenOpportunityTrace(packets, {}), interval); })
                .find("expected more than 0 s and at most 3600 s"),
            std::string::npos);
    }
}
