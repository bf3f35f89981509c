// SPDX-License-Identifier: GPL-2.0-only

// What most tests include, and what they share.

#ifndef EDGEPIPE_TEST_H
#define EDGEPIPE_TEST_H

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-module.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-phy-state.h" // its IDLE, outside of ns3, must come before ns3's own

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

/// @return what the InputError says that it throws, one line; empty if it throws none
inline std::string
ErrorOf(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const InputError& error)
    {
        const std::string message = error.what();
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        return message;
    }
    return "";
}

/// Expect that the InputError that it throws says this, among others.
inline void
ExpectError(const std::function<void()>& action, const std::string& part)
{
    const std::string message = ErrorOf(action);
    EXPECT_TRUE(!message.empty() && message.find(part) != std::string::npos) << message;
}

/** A folder that exists as long as this object. */
class TemporaryFolder
{
  public:
    TemporaryFolder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "edgepipe-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
        {
            throw std::runtime_error("no temporary folder");
        }
        m_path = pattern;
    }

    ~TemporaryFolder()
    {
        std::error_code error;
        std::filesystem::remove_all(m_path, error);
    }

    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /** @return the folder */
    std::string GetPath() const
    {
        return m_path.string();
    }

    /// @param name file name inside the folder, perhaps with folders of its own
    /// @return the path of the file
    std::string Write(const std::string& name, const std::string& text) const
    {
        std::filesystem::path file = m_path / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file.string();
    }

    /// @return as ErrorOf, with this folder taken out; "no error" if there is none
    template <typename Action>
    std::string MessageOf(Action action) const
    {
        const std::string message = ErrorOf(action);
        return message.empty() ? "no error" : Replace(message, m_path.string() + "/", "");
    }

    /// @param to what to put in its place, everywhere
    /// @return the new text
    static std::string Replace(std::string text, const std::string& from, const std::string& to)
    {
        std::size_t at = 0;
        while ((at = text.find(from, at)) != std::string::npos)
        {
            text.replace(at, from.size(), to);
            at += to.size();
        }
        return text;
    }

  private:
    std::filesystem::path m_path; //!< the folder
};

/** Leaves no simulation, defaults or run number of a test to the next. */
class TestCleaner : public testing::EmptyTestEventListener
{
    void OnTestEnd(const testing::TestInfo& /* info */) override
    {
        Simulator::Destroy();
        Config::Reset();
        RngSeedManager::SetRun(1);
    }
};

/// There is one in every test program.
inline const bool g_isCleaned = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new TestCleaner);
    return true;
}();

/** A suite whose tests run once at flow level and once at packet level. */
class BothFidelities : public testing::TestWithParam<const char*>
{
};

/** Instantiates a suite of BothFidelities. */
#define INSTANTIATE_BOTH_FIDELITIES(suite)                                                         \
    INSTANTIATE_TEST_SUITE_P(Fidelity,                                                             \
                             suite,                                                                \
                             testing::Values("flow", "packet"),                                    \
                             [](const auto& info) { return std::string(info.param); })

/// As INSTANTIATE_BOTH_FIDELITIES, of a suite about decisions: packets are for `./ns3 test --long`.
#define INSTANTIATE_PACKETS_LONG(suite)                                                            \
    const auto suite##Name = [](const auto& info) { return std::string(info.param); };             \
    INSTANTIATE_TEST_SUITE_P(Fidelity, suite, testing::Values("flow"), suite##Name);               \
    INSTANTIATE_TEST_SUITE_P(Long, suite, testing::Values("packet"), suite##Name)

#endif /* EDGEPIPE_TEST_H */
