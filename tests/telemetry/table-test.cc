// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include <cstring>
#include <limits>

TEST(Table, CsvQuotesWhatNeedsIt)
{
    Table table({"name", "seconds"});
    table.AddRow({"plain", "1"});
    table.AddRow({"a,b", "2"});
    table.AddRow({"say \"hi\"", ""});
    table.AddRow({"two\nlines", "3"});
    std::ostringstream os;
    table.WriteCsv(os);
    EXPECT_EQ(os.str(),
              "name,seconds\n"
              "plain,1\n"
              "\"a,b\",2\n"
              "\"say \"\"hi\"\"\",\n"
              "\"two\nlines\",3\n");
}

TEST(Table, PrintAlignsTheFirstColumnLeftAndTheOthersRight)
{
    Table table({"planner", "s", "bytes"});
    table.AddRow({"dp", "12.25", "7"});
    table.AddRow({"exhaustive", "3", "123456"});
    std::ostringstream os;
    table.Print(os);
    EXPECT_EQ(os.str(),
              "  planner         s   bytes\n"
              "  dp          12.25       7\n"
              "  exhaustive      3  123456\n");
}

TEST(Table, ExactNumbersComeBackAsTheyWere)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 10000; ++i)
    {
        const uint64_t bits = random();
        double value;
        static_assert(sizeof(bits) == sizeof(value));
        std::memcpy(&value, &bits, sizeof(value));
        if (std::isfinite(value))
        {
            const std::string text = Table::Exact(value);
            ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
        }
    }
    EXPECT_EQ(Table::Exact(0.1), "0.1");
    EXPECT_EQ(Table::Exact(0), "0");
    EXPECT_EQ(Table::Exact(12345), "12345");
    EXPECT_EQ(Table::Exact(-2.5), "-2.5");
}

TEST(Table, RoundedNumbersHaveAsManyDigitsAsAskedFor)
{
    EXPECT_EQ(Table::Rounded(3.14159265), "3.142");
    EXPECT_EQ(Table::Rounded(31.4159265), "31.42");
    EXPECT_EQ(Table::Rounded(0.000123456), "0.0001235");
    EXPECT_EQ(Table::Rounded(123456), "123456");
    EXPECT_EQ(Table::Rounded(-31.4159265, 3), "-31.4");
    EXPECT_EQ(Table::Rounded(0), "0");
    EXPECT_EQ(Table::Rounded(0.5, 3), "0.500");
    EXPECT_EQ(Table::Rounded(0.99999), "1.000");
}

TEST(Table, BytesArePrintedInPowersOfAThousand)
{
    EXPECT_EQ(Table::Bytes(0), "0 B");
    EXPECT_EQ(Table::Bytes(999), "999 B");
    EXPECT_EQ(Table::Bytes(1000), "1.000 kB");
    EXPECT_EQ(Table::Bytes(1234567), "1.235 MB");
    EXPECT_EQ(Table::Bytes(45000000000), "45.00 GB");
    EXPECT_EQ(Table::Bytes(1234567000000), "1235 GB");
}
