// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-json-table.h"

namespace
{

/** An entry of a list. */
struct Entry
{
    std::string name;                //!< unique
    std::vector<std::size_t> inputs; //!< earlier ones
    double seconds;                  //!< 0 or more
};

/** What is read and written. */
struct Document
{
    uint32_t count{1};                   //!< above 0
    std::vector<uint64_t> bytes;         //!< 0 or more
    std::vector<Entry> entries;          //!< any number
    std::map<std::string, Entry> byName; //!< seconds alone count
    double rate{0};                      //!< above 0
    double scale{1};                     //!< above 0, may be missing
    bool isOn{true};                     //!< may be missing
};

void
ValidateDocument(const Document& document)
{
    if (document.count == 9)
    {
        throw InputError("nine is too many");
    }
}

void
ListDocument(JsonTable& table, Document& document)
{
    table.Kind("test");
    table.Count("count", document.count);
    table.Integers("bytes", document.bytes);
    JsonNames names;
    table.Elements("entries", document.entries, [&](JsonTable& entry, Entry& value) {
        entry.Name("name", value.name);
        entry.Inputs("inputs", value.inputs, names);
        entry.Number("seconds", value.seconds);
        entry.Unique("name", value.name, names, "entry");
    });
    table.Members("byName", document.byName, [](JsonTable& entry, Entry& value) {
        entry.Number("seconds", value.seconds);
    });
    table.Check("byName", !document.byName.empty(), "found none, expected one");
    table.Positive("rate", document.rate);
    table.Positive("scale", document.scale, true);
    table.Value("isOn", document.isOn, &JsonField::GetBoolean, true);
    table.Check(ValidateDocument, document);
}

const std::string TEXT = R"({"problem": "test", "formatVersion": 1, "count": 2,
  "bytes": [1,2],
  "entries": [
    {"name":"a","inputs":[],"seconds":0.5},
    {"name":"b","inputs":["a"],"seconds":0.0}],
  "byName": {
    "x": {"seconds":1.0}},
  "rate": 3.5, "scale": 2.0, "isOn": false}
)";

Document
ReadDocument(const std::string& text)
{
    Document document;
    JsonTable::Read(ParseJsonText(text, "f"),
                    [&](JsonTable& table) { ListDocument(table, document); });
    return document;
}

std::string
WriteDocument(Document document)
{
    return JsonTable::Write([&](JsonTable& table) { ListDocument(table, document); });
}

TEST(EdgepipeJsonTable, ReadsWhatItWrites)
{
    const Document read = ReadDocument(TEXT);
    EXPECT_EQ(read.count, 2U);
    EXPECT_EQ(read.bytes, (std::vector<uint64_t>{1, 2}));
    ASSERT_EQ(read.entries.size(), 2U);
    EXPECT_EQ(read.entries[1].inputs, std::vector<std::size_t>{0});
    EXPECT_EQ(read.entries[0].seconds, 0.5);
    EXPECT_EQ(read.byName.at("x").seconds, 1);
    EXPECT_EQ(read.rate, 3.5);
    EXPECT_EQ(read.scale, 2);
    EXPECT_FALSE(read.isOn);
    EXPECT_EQ(WriteDocument(read), TEXT);
    EXPECT_EQ(WriteDocument(Document()),
              "{\"problem\": \"test\", \"formatVersion\": 1, \"count\": 1,\n  \"bytes\": [],\n  "
              "\"entries\": [],\n"
              "  \"byName\": {},\n  \"rate\": 0.0, \"scale\": 1.0, \"isOn\": true}\n");
    const Document bare =
        ReadDocument(TemporaryFolder::Replace(TEXT, R"(, "scale": 2.0, "isOn": false)", ""));
    EXPECT_EQ(bare.scale, 1);
    EXPECT_EQ(ReadDocument(TemporaryFolder::Replace(TEXT, R"("formatVersion": 1, )", "")).count,
              2U);
    EXPECT_TRUE(bare.isOn);
}

TEST(EdgepipeJsonTable, RefusesInTheWordsOfAField)
{
    const std::vector<std::vector<std::string>> cases = {
        {R"("count": 2)", R"("count": 0)", "f: count: found 0, expected a positive integer"},
        {R"("formatVersion": 1)", R"("formatVersion": 2)", "f: formatVersion: found 2, expected 1"},
        {R"("formatVersion": 1)",
         R"("formatVersion": "1")",
         R"(f: formatVersion: found "1", expected a number)"},
        {R"("test")", R"("best")", R"(f: problem: found "best", expected "test")"},
        {R"("rate")",
         R"("rat")",
         R"(f: unknown key "rat", expected one of problem, formatVersion, count, bytes, )"
         "entries, byName, rate, scale, isOn"},
        {R"("rate": 3.5, )", "", R"(f: key "rate" is missing)"},
        {R"("inputs":["a"])",
         R"("inputs":["b"])",
         R"(f: entries[1].inputs[0]: found "b", expected the name of a layer that stands before )"
         "this one"},
        {R"("name":"b")",
         R"("name":"a")",
         R"(f: entries[1].name: found "a", expected a name that no other entry has)"},
        {R"("seconds":0.5)",
         R"("seconds":-0.5)",
         "f: entries[0].seconds: found -0.5, expected a number of at least 0"},
        {R"("seconds":0.5)",
         R"("seconds":0.5,"x":1)",
         R"(f: entries[0]: unknown key "x", expected one of name, inputs, seconds)"},
        {R"("x": {"seconds":1.0})", "", "f: byName: found none, expected one"},
        {R"("count": 2)", R"("count": 9)", "f: nine is too many"},
    };
    for (const auto& one : cases)
    {
        const std::string text = TemporaryFolder::Replace(TEXT, one[0], one[1]);
        EXPECT_EQ(ErrorOf([&] { ReadDocument(text); }), one[2]);
    }
}

} // namespace
