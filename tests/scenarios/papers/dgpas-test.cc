/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-method.h"
#include "papers/published-dgpas.h"

#include "ns3/edgepipe-input-error.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace ns3::edgepipe;

namespace
{

const std::string FILE_NAME = EDGEPIPE_ROOT "/traces/published/dgpas.json";

/**
 * @param from replaced in the shipped file
 * @param to by this
 * @return what reading it says
 */
std::string
ReadChanged(const std::string& from, const std::string& to)
{
    std::ifstream shipped(FILE_NAME);
    std::stringstream text;
    text << shipped.rdbuf();
    std::string content = text.str();
    const auto at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    content.replace(at, from.size(), to);
    const auto path = std::filesystem::temp_directory_path() /
                      ("dgpas-test-" + std::to_string(::getpid()) + ".json");
    std::ofstream(path) << content;
    std::string message;
    try
    {
        ReadPublishedDgpas(path.string());
    }
    catch (const InputError& error)
    {
        message = error.what();
    }
    std::filesystem::remove(path);
    return message;
}

} // namespace

TEST(EdgepipeDgpas, ReadsTheShippedFile)
{
    const PublishedDgpas published = ReadPublishedDgpas(FILE_NAME);
    EXPECT_EQ(published.models.size(), 5U);
    EXPECT_EQ(published.methods.size(), 9U);
}

TEST(EdgepipeDgpas, RefusesFilesThatAreNot)
{
    for (const auto& [from, to, words] :
         std::vector<std::array<std::string, 3>>{{"5.45]", "5.45, 1]", "a figure per model, 5"},
                                                 {"\"dgpas\"", "\"best\"", "dgpas, planner or"},
                                                 {"\"dgpas\"", "\"planner\"", "one method of kind"},
                                                 {"4.73", "-1", "methods[0].seconds[0]"},
                                                 {"\"source\"", "\"sauce\"", "source"}})
    {
        const std::string message = ReadChanged(from, to);
        EXPECT_NE(message.find(words), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST(EdgepipeDgpas, EveryPlannerIsAMethodOnce)
{
    std::set<std::string> names;
    for (const DgpasMethod& method : GetDgpasMethods(EDGEPIPE_ROOT "/traces"))
    {
        EXPECT_TRUE(names.insert(method.name).second) << method.name;
    }
    for (const char* name :
         {"grdqn-faithful", "grdqn-improved", "exact", "dp", "ga", "pso", "even"})
    {
        EXPECT_EQ(names.count(name), 1U) << name;
    }
}
