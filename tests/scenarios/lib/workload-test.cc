/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"
#include "test.h"

namespace
{

/** A workload that tells of no plans. */
class PlanlessWorkload : public Named<PlanlessWorkload, Workload>
{
  public:
    static constexpr char NAME[] = "planless";                        //!< to select it by
    static constexpr char TYPE[] = "ns3::edgepipe::PlanlessWorkload"; //!< name of its TypeId

    std::string GetUsage() const override
    {
        return "";
    }

    void Declare(ScenarioOptions& options) override
    {
        m_options = &options;
    }

    std::size_t CountDevices() const override
    {
        return 2;
    }

    const CaseOutcome& Simulate(std::size_t,
                                const NetworkOptions&,
                                const std::function<void(double)>&) override
    {
        return m_outcome;
    }

    void Print() const override
    {
    }

    std::string Write(ResultsFolder& folder) const override
    {
        Table results({"case"});
        results.AddRow({"first"});
        results.AddRow({"second"});
        WriteRun(folder, results, nlohmann::ordered_json::object());
        return "results.csv";
    }

  private:
    void Read() override
    {
    }

    CaseOutcome m_outcome; //!< of every case
};

} // namespace

TEST(Workload, WithoutPlansWritesItsResults)
{
    const TemporaryFolder place;
    ResultsFolder folder(place.GetPath() + "/results");
    folder.Check();
    folder.Hold();
    ScenarioOptions options("planless", "");
    const auto workload = CreateObject<PlanlessWorkload>();
    workload->Declare(options);
    EXPECT_EQ(workload->Write(folder), "results.csv");
    EXPECT_EQ(folder.ReadBack("results.csv").find("case,bandwidthBitsPerSecond,"), 0U);
    EXPECT_NE(folder.ReadBack("run.json").find("\"plans\": []"), std::string::npos);
}

TEST(Workload, TellsHowFarARunIs)
{
    using Values = std::vector<std::pair<std::string, std::string>>;
    for (const auto& [name, values] : std::vector<std::pair<std::string, Values>>{
             {"pipeline-training",
              {{"model", "mnist_cnn"}, {"cluster", "pi-lab"}, {"iterations", "5"}}},
             {"cooperative-inference", {{"model", "mnist_cnn"}, {"frames", "20"}}},
             {"actor-learner",
              {{"actors", "2"}, {"planner", "all-local"}, {"duration", "3s"}, {"warm-up", "1s"}}},
             {"data-parallel", {{"model", "mnist_cnn"}, {"updates", "20"}}}})
    {
        SCOPED_TRACE(name);
        Values all = values;
        all.emplace_back("link", "lan");
        std::vector<double> told;
        const ConfiguredWorkload made(name, all);
        made->Simulate(0, made->GetNetwork(), [&told](double share) { told.push_back(share); });
        ASSERT_GT(told.size(), 2U);
        for (std::size_t i = 1; i < told.size(); ++i)
        {
            EXPECT_LE(told[i - 1], told[i]);
        }
        EXPECT_GE(told.front(), 0);
        EXPECT_GT(told.back(), 0.5);
        EXPECT_LE(told.back(), 1);
    }
}
