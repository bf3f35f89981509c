// SPDX-License-Identifier: GPL-2.0-only

// What most tests include, and what they share.

#ifndef EDGEPIPE_TEST_H
#define EDGEPIPE_TEST_H

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

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

    /// @return the message of the InputError it throws, with this folder taken out; a message must
    ///        be one line
    template <typename Action>
    std::string MessageOf(Action action) const
    {
        try
        {
            action();
        }
        catch (const ns3::edgepipe::InputError& error)
        {
            std::string message = error.what();
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
            return Replace(message, m_path.string() + "/", "");
        }
        return "no error";
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

/** A test that simulates, and leaves nothing of it to the next. */
class SimulationTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        ns3::Simulator::Destroy();
    }
};

#endif /* EDGEPIPE_TEST_H */
