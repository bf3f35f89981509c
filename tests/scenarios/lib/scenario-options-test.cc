// SPDX-License-Identifier: GPL-2.0-only

#include "lib/scenario-options.h"
#include "test.h"

namespace
{

/** Options of every type. */
class ScenarioOptionsTest : public ::testing::Test
{
  protected:
    ScenarioOptionsTest()
    {
        m_options.Bind("text=a=b", m_text).Help("some text");
        m_options.Bind("choice=on", m_choice, "on", "off", "both").Help("which");
        m_options.Bind("list=x,y", m_list).Help("names");
        m_options.Bind("switch=true", m_switch).Help("whether");
        m_options.Bind("time=60s", m_time, MilliSeconds(1)).Help("how long");
        m_options.Bind("short=60s", m_short, MicroSeconds(100)).Help("how long");
        m_options.Bind("shorter=60s", m_shorter, MicroSeconds(1)).Help("how long");
        m_options.Bind("above=60s", m_above, NanoSeconds(1)).Help("how long");
        m_options.Bind("share=0.5", m_share, 0, 1).Help("a share");
        m_options.Bind("count=3", m_count, 1, 100).Help("how many");
        m_options.BindName<PipelineSchedule>("schedule=gpipe", m_schedule).Help("which: ");
        m_options.BindNames<PipelineSchedule>("schedules=all", m_schedules);
    }

    /// @return why the value is refused; empty if it is not
    std::string Set(const std::string& name, const std::string& value)
    {
        ScenarioOptions& options = m_options;
        const std::string before = options.GetString(name);
        options.SetDefault(name, value);
        std::string refusal;
        try
        {
            options.Apply();
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        options.SetDefault(name, before);
        return refusal;
    }

    ScenarioOptions m_options{"test", ""}; //!< the options
    std::string m_text;                    //!< any
    std::string m_choice;                  //!< one of three
    std::vector<std::string> m_list;       //!< names
    bool m_switch{false};                  //!< true or false
    Time m_time;                           //!< 1 ms or more
    Time m_short;                          //!< 0.1 ms or more
    Time m_shorter;                        //!< 1 us or more
    Time m_above;                          //!< above 0
    double m_share{0};                     //!< 0 to 1
    uint64_t m_count{0};                   //!< 1 to 100
    std::string m_schedule;                //!< a name
    std::vector<std::string> m_schedules;  //!< names
};

TEST_F(ScenarioOptionsTest, ATimeInAnotherUnitIsTheDefaultToo)
{
    for (const auto& [text, isChanged] :
         {std::pair("1min", false), {"60000ms", false}, {"61s", true}})
    {
        m_options.Set("time", text);
        EXPECT_EQ(m_options.IsChanged("time"), isChanged) << text;
        EXPECT_TRUE(
            Contains(m_options.GetAll(),
                     std::pair(std::string("time"), std::string(isChanged ? text : "60s"))));
    }
}

TEST_F(ScenarioOptionsTest, TargetsGetTheDefaults)
{
    m_options.Apply();
    EXPECT_EQ(m_text, "a=b");
    EXPECT_EQ(m_choice, "on");
    EXPECT_EQ(m_list, (std::vector<std::string>{"x", "y"}));
    EXPECT_TRUE(m_switch);
    EXPECT_EQ(m_time, Seconds(60));
    EXPECT_EQ(m_share, 0.5);
    EXPECT_EQ(m_count, 3);
    EXPECT_EQ(m_schedule, "gpipe");
    EXPECT_GT(m_schedules.size(), 1);
}

TEST_F(ScenarioOptionsTest, ValuesAreRefusedInWords)
{
    EXPECT_EQ(Set("choice", "x"), "--choice: found \"x\", expected on, off or both");
    EXPECT_EQ(Set("list", "x,x"),
              "--list: found \"x,x\", expected different names, separated by commas");
    EXPECT_EQ(Set("switch", "x"), "--switch: found \"x\", expected true or false");
    EXPECT_EQ(Set("time", "1us"), "--time: found \"1us\", expected a time of 1ms or more");
    EXPECT_EQ(Set("short", "0"), "--short: found \"0\", expected a time of 0.1ms or more");
    EXPECT_EQ(Set("shorter", "0"), "--shorter: found \"0\", expected a time of 1us or more");
    EXPECT_EQ(Set("above", "0"), "--above: found \"0\", expected a time above 0");
    EXPECT_EQ(Set("share", "1.5"), "--share: found \"1.5\", expected a number from 0 to 1");
    EXPECT_EQ(Set("count", "0"), "--count: found \"0\", expected a whole number from 1 to 100");
    EXPECT_NE(Set("schedule", "x").find("--schedule: found \"x\", expected one of: "),
              std::string::npos);
    EXPECT_NE(Set("schedules", "gpipe,x").find("--schedules: found \"x\""), std::string::npos);
}

} // namespace
