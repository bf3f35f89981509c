// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include <unistd.h>

namespace fs = std::filesystem;

namespace
{

/** Has an empty folder of its own for each test. */
class ResultsFolderTest : public testing::Test
{
  protected:
    /// Write one file.
    static void Write(ResultsFolder& folder, const std::string& name, const std::string& text)
    {
        folder.Write(name, [&text](std::ostream& os) { os << text; });
    }

    /// @return its content
    static std::string Read(const fs::path& path)
    {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

    /// @return the names in it
    static std::set<std::string> List(const fs::path& path)
    {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(path))
        {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    const TemporaryFolder m_folder;                 //!< for all of them
    const fs::path m_base = m_folder.GetPath();     //!< its path
    const fs::path m_out = m_base / "deep" / "out"; //!< does not exist yet
};

using Names = std::set<std::string>;

} // namespace

TEST_F(ResultsFolderTest, LeavesNoFolderBehindWithoutACommit)
{
    const std::string path = m_out;
    {
        ResultsFolder folder(path, "--out");
        Write(folder, "one.csv", "1");
        EXPECT_TRUE(fs::exists(path));
    }
    EXPECT_FALSE(fs::exists(fs::path(path).parent_path()));
    {
        ResultsFolder folder(path, "--out");
        Write(folder, "one.csv", "1");
        folder.CommitWhole();
    }
    EXPECT_EQ(Read(path + "/one.csv"), "1");
    ResultsFolder again(path, "--out");
    Write(again, "two.csv", "2");
    again.Check("");
}

TEST_F(ResultsFolderTest, FilesAppearTogetherAndReplaceWhatWasThere)
{
    fs::create_directories(m_out);
    std::ofstream(m_out / "a.csv") << "old";
    std::ofstream(m_out / "other") << "kept";
    ResultsFolder folder(m_out.string());
    folder.Check("a.csv");
    Write(folder, "a.csv", "new");
    Write(folder, "b.json", "{}");
    EXPECT_EQ(Read(m_out / "a.csv"), "old");
    EXPECT_FALSE(fs::exists(m_out / "b.json"));
    folder.Commit();
    EXPECT_EQ(Read(m_out / "a.csv"), "new");
    EXPECT_EQ(Read(m_out / "b.json"), "{}");
    EXPECT_EQ(List(m_out), (Names{"a.csv", "b.json", "other"}));
    EXPECT_EQ(folder.GetPath("a.csv"), (m_out / "a.csv").string());
}

TEST_F(ResultsFolderTest, AnotherRunDropsWhatItDoesNotRewriteAndNothingElse)
{
    fs::create_directories(m_out / "kept-folder");
    std::ofstream(m_base / "outside") << "kept";
    {
        ResultsFolder folder(m_out.string());
        Write(folder, "a.csv", "1");
        Write(folder, "b.csv", "1");
        folder.CommitWhole();
    }
    EXPECT_EQ(Read(m_out / ResultsFolder::LIST), "a.csv\nb.csv\n");
    std::ofstream(m_out / "notes.txt") << "kept";
    std::ofstream(m_out / "a.png") << "of the first run";
    std::ofstream(m_out / ResultsFolder::LIST, std::ios::app)
        << "a.png\n../outside\nkept-folder\n.\n\n/etc/hostname\n";
    {
        ResultsFolder folder(m_out.string());
        Write(folder, "a.csv", "2");
        folder.CommitWhole();
    }
    EXPECT_EQ(List(m_out), (Names{ResultsFolder::LIST, "a.csv", "kept-folder", "notes.txt"}));
    EXPECT_EQ(Read(m_base / "outside"), "kept");
    EXPECT_EQ(Read(m_out / "a.csv"), "2");
}

TEST_F(ResultsFolderTest, AWholeRunNeedsAFolderThatIsNewOrEmptyOrOfARun)
{
    const auto check = [this] { ResultsFolder(m_out.string()).Check(); };
    EXPECT_NO_THROW(check());
    fs::create_directories(m_out);
    EXPECT_NO_THROW(check());
    // Of a run that was cut off before and while files got their names, and of a whole one.
    std::ofstream(m_out / "b.csv.tmp") << "half";
    std::ofstream(m_out / "checkpoint.grdqn.tmp-1-2") << "half";
    EXPECT_NO_THROW(check());
    std::ofstream(m_out / "b.csv") << "1";
    EXPECT_EQ(ErrorOf(check),
              "--out: \"" + m_out.string() +
                  "\" holds \"b.csv\", which no run wrote there, expected a folder that is "
                  "new, empty, or has a run's results");
    std::ofstream(m_out / (ResultsFolder::LIST + std::string(".tmp"))) << "b.csv\n";
    EXPECT_NO_THROW(check());
    fs::rename(m_out / (ResultsFolder::LIST + std::string(".tmp")), m_out / ResultsFolder::LIST);
    EXPECT_NO_THROW(check());
}

TEST_F(ResultsFolderTest, CheckingMakesNothing)
{
    ResultsFolder folder(m_out.string());
    folder.Check();
    EXPECT_EQ(List(m_base), Names{});
}

TEST_F(ResultsFolderTest, NothingStaysWhenTheWorkFails)
{
    try
    {
        ResultsFolder folder(m_out.string());
        Write(folder, "a.csv", "1");
        folder.Write("b.json", [](std::ostream& os) {
            os << "half";
            throw std::runtime_error("the work failed");
        });
        FAIL() << "the exception was swallowed";
    }
    catch (const std::runtime_error&)
    {
    }
    EXPECT_EQ(List(m_base), Names{});
}

TEST_F(ResultsFolderTest, NothingAppearsWhenOneFileCannotGetItsName)
{
    fs::create_directories(m_out / "b.json" / "occupied");
    std::ofstream(m_out / "a.csv") << "old";
    const auto writeBoth = [this] {
        ResultsFolder folder(m_out.string());
        Write(folder, "a.csv", "new");
        Write(folder, "b.json", "new");
        folder.Commit();
    };
    EXPECT_THROW(writeBoth(), InputError);
    EXPECT_EQ(Read(m_out / "a.csv"), "old");
    EXPECT_EQ(List(m_out), (Names{"a.csv", "b.json"}));
}

TEST_F(ResultsFolderTest, ALinkThatLeadsNowhereIsLeftAlone)
{
    const fs::path link = m_base / "link";
    for (const char* target : {"nowhere", "link"})
    {
        fs::remove(link);
        fs::create_symlink(target, link);
        EXPECT_THROW(ResultsFolder(link.string()).Check(), InputError);
        EXPECT_TRUE(fs::is_symlink(link)) << target;
    }
    fs::remove(link);
    fs::create_directories(m_out);
    fs::create_directory_symlink(m_out, link);
    EXPECT_NO_THROW(ResultsFolder(link.string()).Check());
}

TEST_F(ResultsFolderTest, AFileInTheWayIsRefusedBeforeAnyWork)
{
    std::ofstream(m_base / "file") << "x";
    fs::permissions(m_base / "file", fs::perms::owner_all);
    for (const fs::path& path : {m_base / "file", m_base / "file" / "out"})
    {
        SCOPED_TRACE(path);
        ResultsFolder folder(path.string());
        EXPECT_THROW(folder.Check(), InputError);
        EXPECT_THROW(Write(folder, "a.csv", "1"), InputError);
    }
    EXPECT_THROW(ResultsFolder("").Check(), InputError);
    EXPECT_EQ(Read(m_base / "file"), "x");
}

TEST_F(ResultsFolderTest, WhatIsNoFileIsNotReplaced)
{
    fs::create_symlink("/dev/null", m_base / "out.csv");
    fs::create_directory(m_base / "folder");
    const ResultsFolder folder(m_base.string());
    EXPECT_THROW(folder.Check("out.csv"), InputError);
    EXPECT_THROW(folder.Check("folder"), InputError);
    EXPECT_NO_THROW(folder.Check("other.csv"));
    EXPECT_EQ(List(m_base), (Names{"folder", "out.csv"}));
}

TEST_F(ResultsFolderTest, ADiskThatIsFullIsReported)
{
    if (!fs::exists("/dev/full"))
    {
        GTEST_SKIP() << "this system has no /dev/full";
    }
    const std::string reason = "No space left on device";
    fs::create_symlink("/dev/full", m_base / "a.csv.tmp");
    ResultsFolder folder(m_base.string());
    ExpectError([&folder] { Write(folder, "a.csv", "1"); }, reason);
    // More than a stream holds back until it is closed.
    ExpectError([&folder] { folder.Write("a.csv", std::string(1 << 20, 'x')); }, reason);
    fs::create_symlink("/dev/full", m_base / ".edgepipe-check.tmp");
    ExpectError([&folder] { folder.Check(); }, reason);
}
