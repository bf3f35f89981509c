/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-outside-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-language-planner.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-problem-json.h"
#include "ns3/edgepipe-two-way-cut-planner.h"

#include <set>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

/// Prefix of the names of planners that ask a program.
const std::string EXEC = "exec:";
/// Prefix of the names of planners that read a file.
const std::string PLAN = "plan:";
/// Begin of the reason that a program ran to its end, as a file of Python without planner does.
const std::string DONE = "ended with status 0";
/// What its author may have left out.
const std::string HINT = "; in Python the line @planner before a function makes it answer";
/// Most characters of an answer shown in a message.
constexpr std::size_t SHOWN_ANSWER = 60;

/**
 * @param word prefix of the class name, such as Exec
 * @return its type ID, such as ns3::edgepipe::ExecPipelinePlanner for Base PipelinePlanner
 */
template <typename Base>
TypeId
MakeOutsideTypeId(const std::string& word)
{
    std::string name = Base::GetTypeId().GetName();
    name.insert(name.rfind(':') + 1, word);
    return TypeId(name).SetParent<Base>().SetGroupName("Edgepipe");
}

/**
 * @param path of a file
 * @return its plans, in order
 */
std::vector<JsonField>
ListPlans(const std::string& path)
{
    const std::string text = ReadTextFile(path);
    if (text.find("}\n{") == std::string::npos)
    {
        const JsonField root = ParseJsonText(text, path);
        return root.IsList() ? root.GetElements() : std::vector<JsonField>{root};
    }
    std::vector<JsonField> plans;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);)
    {
        ++number;
        if (line.find_first_not_of(" \t\r") != std::string::npos)
        {
            plans.push_back(ParseJsonText(line, path + ", line " + std::to_string(number)));
        }
    }
    return plans;
}

} // namespace

std::vector<std::pair<std::string, JsonField>>
ReadPlans(const std::string& path)
{
    const std::vector<JsonField> plans = ListPlans(path);
    if (plans.size() == 1)
    {
        return {{PLAN + path, plans.front()}};
    }
    std::vector<std::pair<std::string, JsonField>> named;
    std::set<std::string> names;
    for (const JsonField& plan : plans)
    {
        const JsonField name = plan.GetField("planner");
        name.Expect(names.insert(name.GetName()).second,
                    "a name that no other plan of the file has");
        named.emplace_back(PLAN + path + "#" + name.GetName(), plan);
    }
    Require(!named.empty(), path + ": found no plan, expected one or several");
    return named;
}

/**
 * Planner exec:COMMAND, which asks a program. COMMAND is the program and its arguments, split on
 * spaces.
 *
 * The program starts at the first decision and runs until this object is destroyed (ChildProcess).
 * It reads one problem per line from standard input, with the state of the run, and writes one plan
 * per line to standard output (doc/reference/problems.rst, "Programs that plan"). A program that
 * times out, ends, or answers with invalid JSON is not asked again. A plan that does not suit the
 * problem is refused, but the program keeps running.
 *
 * @tparam Base planner interface of the problem
 * @tparam Problem the problem
 * @tparam PlanType the plan
 * @tparam Aids further arguments of Base's DoPlan
 */
template <typename Base, typename Problem, typename PlanType, typename... Aids>
class ExecPlanner : public Base
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            Attributes(MakeOutsideTypeId<Base>("Exec").template AddConstructor<ExecPlanner>())
                .Add("Argument",
                     "Program and its arguments, split on spaces.",
                     {&ExecPlanner::m_command, ""})
                .Add("Timeout",
                     "Longest wait for an answer of the program, in wall-clock time.",
                     {&ExecPlanner::m_timeout, Seconds(60), MilliSeconds(1)});
        return tid;
    }

    std::string GetName() const override
    {
        return EXEC + (m_command.empty() ? "COMMAND" : m_command);
    }

    bool IsFromOutside() const override
    {
        return true;
    }

  private:
    PlanType DoPlan(const Problem& problem, const Aids&...) override
    {
        m_process.Start(m_command);
        std::string answer;
        try
        {
            answer =
                m_process.Ask(FormatRequest(problem, this->GetState()), m_timeout.GetSeconds());
        }
        catch (const InputError& error)
        {
            const std::string reason = error.what();
            throw InputError(reason + (reason.find(DONE) == 0 ? HINT : ""));
        }
        std::optional<JsonField> plan;
        try
        {
            plan = ParseJsonText(answer, "answer");
        }
        catch (const InputError& error)
        {
            const std::string reason = std::string(error.what()) + ", found " +
                                       QuoteForMessage(answer.substr(0, SHOWN_ANSWER)) +
                                       ", expected a plan in one line";
            m_process.End(reason); // its next line may still belong to this problem
            throw InputError(reason);
        }
        return ReadPlan<PlanType>(*plan, problem);
    }

    std::string m_command;  //!< program and arguments
    Time m_timeout;         //!< longest wait for an answer, wall-clock
    ChildProcess m_process; //!< the program
};

/**
 * Planner plan:FILE, or plan:FILE#NAME if the file holds several plans, which reads a ready plan.
 *
 * See ReadPlans for the file. The plan is the same for every problem.
 *
 * @tparam Base planner interface of the problem
 * @tparam Problem the problem
 * @tparam PlanType the plan
 * @tparam Aids further arguments of Base's DoPlan
 */
template <typename Base, typename Problem, typename PlanType, typename... Aids>
class FilePlanner : public Base
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            Attributes(MakeOutsideTypeId<Base>("File").template AddConstructor<FilePlanner>())
                .Add("Argument",
                     "File with the plan; if it holds several, followed by # and the plan's name.",
                     {&FilePlanner::m_file, ""});
        return tid;
    }

    std::string GetName() const override
    {
        return PLAN + (m_file.empty() ? "FILE" : m_file);
    }

    bool IsFromOutside() const override
    {
        return true;
    }

    /// @return whether the plan has a stage on a group, see PipelinePlanner::UsesGroups
    bool UsesGroups() const
    {
        return HasGroups(Load());
    }

  private:
    PlanType DoPlan(const Problem& problem, const Aids&...) override
    {
        return ReadPlan<PlanType>(Load(), problem);
    }

    /** @return the plan */
    const JsonField& Load() const
    {
        if (!m_plan)
        {
            std::vector<std::string> names;
            for (const auto& [name, plan] : ReadPlans(m_file.substr(0, m_file.rfind('#'))))
            {
                if (name == GetName())
                {
                    m_plan = plan;
                }
                names.push_back(name);
            }
            Require(m_plan.has_value(), "no such plan, expected one of: " + JoinWords(names));
        }
        return *m_plan;
    }

    std::string m_file;                      //!< path, optionally with #NAME of the plan
    mutable std::optional<JsonField> m_plan; //!< the plan; empty before it is needed
};

using ExecPipelinePlanner =
    ExecPlanner<PipelinePlanner, PipelineProblem, PipelinePlan, PipelineCostModel>;
using FilePipelinePlanner =
    FilePlanner<PipelinePlanner, PipelineProblem, PipelinePlan, PipelineCostModel>;
using ExecTwoWayCutPlanner = ExecPlanner<TwoWayCutPlanner, TwoWayCutProblem, TwoWayCutPlan>;
using FileTwoWayCutPlanner = FilePlanner<TwoWayCutPlanner, TwoWayCutProblem, TwoWayCutPlan>;
using ExecMultiActorPlanner = ExecPlanner<MultiActorPlanner, MultiActorProblem, MultiActorPlan>;
using FileMultiActorPlanner = FilePlanner<MultiActorPlanner, MultiActorProblem, MultiActorPlan>;
using ExecBatchSharesPlanner = ExecPlanner<BatchSharesPlanner, BatchSharesProblem, BatchSharesPlan>;
using FileBatchSharesPlanner = FilePlanner<BatchSharesPlanner, BatchSharesProblem, BatchSharesPlan>;
using ExecLanguagePlanner = ExecPlanner<LanguagePlanner, LanguageProblem, LanguagePlan>;
using FileLanguagePlanner = FilePlanner<LanguagePlanner, LanguageProblem, LanguagePlan>;

NS_OBJECT_ENSURE_REGISTERED(ExecPipelinePlanner);
NS_OBJECT_ENSURE_REGISTERED(ExecTwoWayCutPlanner);
NS_OBJECT_ENSURE_REGISTERED(ExecMultiActorPlanner);
NS_OBJECT_ENSURE_REGISTERED(ExecBatchSharesPlanner);
NS_OBJECT_ENSURE_REGISTERED(ExecLanguagePlanner);
NS_OBJECT_ENSURE_REGISTERED(FilePipelinePlanner);
NS_OBJECT_ENSURE_REGISTERED(FileTwoWayCutPlanner);
NS_OBJECT_ENSURE_REGISTERED(FileMultiActorPlanner);
NS_OBJECT_ENSURE_REGISTERED(FileBatchSharesPlanner);
NS_OBJECT_ENSURE_REGISTERED(FileLanguagePlanner);

} // namespace ns3::edgepipe
