// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-json-reader.h"

namespace
{

/// @param read reads something from the field "x" of it
/// @return the message of the error
template <typename Read>
std::string
MessageAbout(const std::string& text, Read read)
{
    return ErrorOf([&] { read(ParseJsonText(text, "f.json").GetField("x")); });
}

TEST(EdgepipeJsonReader, ReadsEveryKindOfValue)
{
    JsonField root = ParseJsonText(
        R"({"i": 8589934592, "e": 1.536e11, "n": -0.5, "s": "two words", "a": [1, 2], "o": {"k": 7}})",
        "f.json");
    EXPECT_EQ(root.GetField("i").GetInteger(), 8589934592u);
    EXPECT_EQ(root.GetField("e").GetInteger(), 153600000000u);
    EXPECT_EQ(root.GetField("n").GetNumber(), -0.5);
    EXPECT_EQ(root.GetField("s").GetName(), "two words");
    EXPECT_EQ(root.GetField("a").GetElements().at(1).GetInteger(), 2u);
    EXPECT_EQ(root.GetField("o").GetMembers().at(0).first, "k");
    EXPECT_FALSE(root.FindField("none"));
}

TEST(EdgepipeJsonReader, NamesThePlaceAndTheValueOfAWrongField)
{
    std::string message = ErrorOf([] {
        ParseJsonText(R"({"devices": [{"count": 1}, {"count": "two"}]})", "x.json")
            .GetField("devices")
            .GetElements()
            .at(1)
            .GetField("count")
            .GetInteger(1);
    });
    EXPECT_EQ(message, R"(x.json: devices[1].count: found "two", expected a positive integer)");
}

TEST(EdgepipeJsonReader, RefusesNumbersOutOfRange)
{
    auto integer = [](const JsonField& field) { field.GetInteger(1, 100); };
    EXPECT_EQ(MessageAbout(R"({"x": 0})", integer),
              "f.json: x: found 0, expected a positive integer");
    EXPECT_EQ(MessageAbout(R"({"x": -3})", integer),
              "f.json: x: found -3, expected a positive integer");
    EXPECT_EQ(MessageAbout(R"({"x": 1.5})", integer),
              "f.json: x: found 1.5, expected a positive integer, at most 100");
    EXPECT_EQ(MessageAbout(R"({"x": 101})", integer),
              "f.json: x: found 101, expected a positive integer, at most 100");
    EXPECT_EQ(MessageAbout(R"({"x": true})", integer),
              "f.json: x: found true, expected a positive integer");
    EXPECT_EQ(MessageAbout(R"({"x": 18446744073709551615})",
                           [](const JsonField& field) { field.GetInteger(); }),
              "f.json: x: found 18446744073709551615, expected an integer, 0 or more, at most "
              "9007199254740992");
    EXPECT_EQ(
        MessageAbout(R"({"x": 0})", [](const JsonField& field) { field.GetPositiveNumber(); }),
        "f.json: x: found 0, expected a number above 0");
    EXPECT_EQ(MessageAbout(R"({"x": -1e-9})", [](const JsonField& field) { field.GetNumber(0); }),
              "f.json: x: found -1e-09, expected a number of at least 0");
    EXPECT_EQ(MessageAbout(R"({"x": null})", [](const JsonField& field) { field.GetNumber(); }),
              "f.json: x: found null, expected a number");
}

TEST(EdgepipeJsonReader, RefusesValuesOfAnotherKind)
{
    EXPECT_EQ(MessageAbout(R"({"x": {}})", [](const JsonField& field) { field.GetElements(); }),
              "f.json: x: found an object, expected an array");
    EXPECT_EQ(MessageAbout(R"({"x": []})", [](const JsonField& field) { field.GetField("y"); }),
              "f.json: x: found an array, expected an object");
    EXPECT_EQ(MessageAbout(R"({"x": 3})", [](const JsonField& field) { field.GetString(); }),
              "f.json: x: found 3, expected a string");
    EXPECT_EQ(MessageAbout(R"({"x": "a\nb"})", [](const JsonField& field) { field.GetName(); }),
              R"(f.json: x: found "a\nb", expected a name (not empty, no control characters))");
    EXPECT_EQ(MessageAbout(R"({"x": "../a"})", [](const JsonField& field) { field.GetFileStem(); }),
              R"(f.json: x: found "../a", expected a name without slashes)");
}

TEST(EdgepipeJsonReader, RefusesUnknownMissingAndDoubleKeys)
{
    EXPECT_EQ(
        MessageAbout(R"({"x": {"b": 1}})", [](const JsonField& field) { field.CheckKeys({"a"}); }),
        R"(f.json: x: unknown key "b", expected one of a)");
    EXPECT_EQ(MessageAbout(R"({"x": {}})", [](const JsonField& field) { field.GetField("y"); }),
              R"(f.json: x: key "y" is missing)");
    EXPECT_EQ(MessageAbout(R"({"x": 1, "y": {"x": 2, "x": 3}})", [](const JsonField&) {}),
              R"(f.json: key "x" is given twice in one object)");
    EXPECT_EQ(MessageAbout(R"({"x": 1, "y": {"x": 2}})", [](const JsonField&) {}), "");
}

TEST(EdgepipeJsonReader, ALongListOfObjectsTakesTimeInProportion)
{
    // Half a million squared would take minutes.
    std::string text = "[{}";
    for (int i = 1; i < 500000; ++i)
    {
        text += ",{}";
    }
    EXPECT_EQ(ParseJsonText(text + "]", "answer").GetElements().size(), 500000U);
}

TEST(EdgepipeJsonReader, NamesLineAndColumnOfAParseError)
{
    auto nothing = [](const JsonField&) {};
    EXPECT_EQ(MessageAbout("{\n  \"a\": 1,\n  \"b\" 2\n}", nothing).substr(0, 36),
              "f.json: line 3, column 7: not JSON: ");
    EXPECT_EQ(MessageAbout("?", nothing).substr(0, 36), "f.json: line 1, column 1: not JSON: ");
    EXPECT_EQ(MessageAbout("", nothing).substr(0, 36), "f.json: line 1, column 1: not JSON: ");
    EXPECT_EQ(MessageAbout("{\"x\": \"" + std::string(5000, 'a') + "\n\"}", nothing),
              "f.json: line 1, column 5008: not JSON: syntax error while parsing value - invalid "
              "string: control character U+000A (LF) must be escaped to \\u000A or \\n");
    EXPECT_EQ(MessageAbout("{\"x\" \"y\"}", nothing),
              "f.json: line 1, column 8: not JSON: syntax error while parsing object separator - "
              "unexpected string literal; expected ':'");
    EXPECT_EQ(MessageAbout("{\"x\": 1e999}", nothing),
              "f.json: not JSON: number overflow parsing '1e999'");
}

TEST(EdgepipeJsonReader, SaysWhyAFileCannotBeRead)
{
    TemporaryFolder folder;
    EXPECT_EQ(folder.MessageOf([&] { ReadJsonFile(folder.GetPath() + "/none.json"); }),
              "none.json: cannot be read: No such file or directory");
    folder.Write("sub/file", "");
    EXPECT_EQ(folder.MessageOf([&] { ReadJsonFile(folder.GetPath() + "/sub"); }),
              "sub: cannot be read: Is a directory");
}

TEST(EdgepipeJsonReader, AFieldOutlivesItsFile)
{
    TemporaryFolder folder;
    JsonField field = [&] {
        return ReadJsonFile(folder.Write("f.json", R"({"x": {"y": "kept"}})")).GetField("x");
    }();
    EXPECT_EQ(field.GetField("y").GetString(), "kept");
}

} // namespace
