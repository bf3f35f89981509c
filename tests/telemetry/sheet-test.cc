// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-sheet.h"

namespace
{

/** What a row is made from. */
struct Sample
{
    std::string name;             //!< some text
    uint64_t count;               //!< some whole number
    Time time;                    //!< some time
    std::optional<double> figure; //!< perhaps a number
};

/// @return it, as these tests show numbers
std::string
Show(double number)
{
    return "<" + Table::Rounded(number, 2) + ">";
}

std::string
ToCsv(const Table& table)
{
    std::ostringstream text;
    table.WriteCsv(text);
    return text.str();
}

TEST(SheetTest, AColumnIsShownWhereItHasAHeading)
{
    const std::vector<Sample> samples{{"a", 18446744073709551615U, MilliSeconds(1500), 0.125},
                                      {"b", 0, Time(), std::nullopt}};
    const auto sheet = MakeSheet<Sample>(
        {
            {"name", "who", [](auto& s) { return s.name; }},
            {"count", [](auto& s) { return s.count; }},
            {"seconds", "time (s)", [](auto& s) { return s.time; }, Show},
            {"figure", "figure", [](auto& s) { return s.figure; }, Show},
            {"", "large", [](auto& s) { return When(s.count > 0, "yes"); }, Show},
        },
        samples);
    EXPECT_EQ(ToCsv(sheet.GetFile()),
              "name,count,seconds,figure\na,18446744073709551615,1.5,0.125\nb,0,0,\n");
    EXPECT_EQ(ToCsv(sheet.GetShown()),
              "who,time (s),figure,large\na,<1.5>,<0.12>,yes\nb,<0>,-,-\n");
}

TEST(SheetTest, ASheetWithoutRowsHasItsHeadings)
{
    Sheet<std::string, int> sheet({
        {"name", [](auto& name, auto&) { return name; }},
        {"number", [](auto&, auto& number) { return number; }},
    });
    EXPECT_EQ(ToCsv(sheet.GetFile()), "name,number\n");
    sheet.AddEach(std::string("x"), std::vector<int>{-1, 2});
    EXPECT_EQ(ToCsv(sheet.GetFile()), "name,number\nx,-1\nx,2\n");
}

} // namespace
