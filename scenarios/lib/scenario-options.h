/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SCENARIO_OPTIONS_H
#define EDGEPIPE_SCENARIO_OPTIONS_H

#include "runs/attribute-defaults.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-quantities.h"
#include "ns3/edgepipe-ranges.h"

#include <cmath>
#include <functional>
#include <list>
#include <map>
#include <type_traits>

namespace ns3::edgepipe
{

/** Thrown to end a dry run that has found no mistake. */
struct DryRunEnd
{
};

/**
 * @ingroup edgepipe
 *
 * The options of a scenario: ns-3's CommandLine for help and for ns-3's own arguments, plus error
 * messages of one line that name the option, what was found and what was expected.
 */
class ScenarioOptions
{
  public:
    /** An option. */
    struct Option
    {
        /** @param text what it does, with its unit */
        void Help(const std::string& text)
        {
            help = text + choices;
        }

        std::string name;            //!< without the dashes
        std::string help;            //!< what it does
        std::string value;           //!< as typed
        std::string byDefault;       //!< default value
        std::function<void()> apply; //!< hands the value to a target; may be empty
        std::string choices;         //!< names of strategies, appended to the help
        bool isOwnDefault{false};    //!< whether the scenario, not an attribute, sets its default
        std::function<void(AttributeDefaults&)> set{}; //!< sets attributes; may be empty
    };

    /**
     * @param name of the scenario
     * @param usage what it does, for the help
     */
    ScenarioOptions(std::string name, std::string usage)
        : m_name(std::move(name)),
          m_usage(std::move(usage))
    {
    }

    /**
     * Declare an option whose value is stored in a variable, see Apply.
     *
     * @tparam T std::string, std::vector<std::string> (different names, separated by commas), bool,
     * Time, double, uint32_t or uint64_t
     * @param declaration name and default, such as "frames=100"
     * @param target set to the value; must outlive this object
     * @param limits of a number: smallest and largest value allowed; of a Time: the smallest, if
     * not 0; of a std::string: the values allowed, if not any; of a list: the names allowed, as a
     * std::vector, if not any; of a bool: the words for false and for true, if not these
     * @return the option, to be given its Help
     */
    template <typename T, typename... Limits>
    Option& Bind(const std::string& declaration, T& target, Limits... limits);

    /**
     * Declare an option.
     *
     * @param declaration name and default
     * @param apply reads the value; throws InputError if it makes no sense; may be empty
     * @return the option, to be given its Help
     */
    Option& Bind(const std::string& declaration, std::function<void()> apply = {});

    /**
     * Declare an option that names a strategy, see FindByName.
     *
     * @tparam Strategy an abstract Object subclass with GetName
     * @param declaration name and default
     * @param target set to the value
     * @return the option, to be given its Help, to which the known names are appended
     */
    template <typename Strategy>
    Option& BindName(const std::string& declaration, std::string& target);

    /**
     * Declare an option that names strategies to compare, or is "all".
     *
     * @tparam Strategy an abstract Object subclass with GetName
     * @param declaration name and default
     * @param target set to the names
     * @return the option, with a Help that lists the known names
     */
    template <typename Strategy>
    Option& BindNames(const std::string& declaration, std::vector<std::string>& target);

    /**
     * Declare an option that sets attributes of simulated objects, see SetAttributes: the help, the
     * range and, unless the declaration has one, the default are the first attribute's.
     *
     * @param declaration name, or name and default, such as "updates=2400"
     * @param attributes of edgepipe, such as DataParallelWorker::Iterations; unsigned integers,
     *        numbers, times, booleans or texts
     * @return the option, whose Help may be replaced
     */
    Option& BindAttribute(const std::string& declaration, std::vector<std::string> attributes);

    /**
     * Set the attributes of objects made from now on by the options that BindAttribute declared.
     *
     * @param defaults set to the values of options that are changed or have a default of the
     *        scenario's own
     */
    void SetAttributes(AttributeDefaults& defaults) const;

    /** Declare the option "out", the folder for the results. */
    void AddOut()
    {
        Bind("out=results/" + m_name).Help("folder for the results");
    }

    /**
     * Change the default of a declared option; Apply stores it in the option's target.
     *
     * @param name of the option
     * @param value default, as a user would type it
     * @return the option
     */
    Option& SetDefault(const std::string& name, const std::string& value)
    {
        Set(name, value);
        Option& option = *Find(name);
        option.byDefault = value;
        option.isOwnDefault = true;
        return option;
    }

    /**
     * Give an option a value, as a user would.
     *
     * @param name of an option
     * @param value it gets
     */
    void Set(const std::string& name, const std::string& value);

    /**
     * Refuse the former name of an option with a message that names the current one.
     *
     * @param old name
     * @param now text to type instead, such as "--load=server:FILE"
     */
    void Rename(const std::string& old, const std::string& now);

    /**
     * Refuse values other than the defaults where another option is off, see Apply.
     *
     * @param names of the options that only work beside the other one
     * @param other name of that option
     * @param on a value that puts them to use, for the message
     * @param off the value that makes them useless; empty: off, false, none, 0 or nothing
     */
    void Need(std::vector<std::string> names,
              std::string other,
              std::string on,
              std::string off = "")
    {
        m_needs.push_back({std::move(names), std::move(other), std::move(on), std::move(off)});
    }

    /**
     * Read the command line, and Apply it. Prints the help and exits if asked to.
     *
     * @param argc number of arguments
     * @param argv the arguments
     * @throws InputError for an unknown option or a value ns-3 refuses
     */
    void Parse(int argc, char* argv[]);

    /**
     * End the program, with exit status 0, if the command line has --dry-run. To be called when
     * every option and file is read and nothing is simulated or written yet.
     */
    void EndDryRun() const
    {
        if (m_isDryRun)
        {
            throw DryRunEnd();
        }
    }

    /**
     * @param declare declares options that libraries bring, once they are loaded
     */
    void OnLibrary(std::function<void()> declare)
    {
        m_onLibrary = std::move(declare);
    }

    /** @return whether the command line has --dry-run */
    bool IsDryRun() const
    {
        return m_isDryRun;
    }

    /**
     * Store every value in the target that it was declared with.
     *
     * @throws InputError for the first invalid value, or one without effect, see Need
     */
    void Apply();

    /** @return name of the scenario */
    const std::string& GetName() const
    {
        return m_name;
    }

    /**
     * @param name of an option
     * @return its value
     */
    const std::string& GetString(const std::string& name) const;

    /**
     * @param name of an option
     * @return whether there is such an option
     */
    bool Has(const std::string& name) const
    {
        return Find(name) != nullptr;
    }

    /**
     * @param name of an option
     * @return whether it was declared and its value differs from its default; typing the default,
     *         a time in any unit, counts as leaving the option out
     */
    bool IsChanged(const std::string& name) const;

    /**
     * @param name of an option
     * @return its comma-separated values
     * @throws InputError if it is empty, or a value is empty or given twice
     */
    std::vector<std::string> GetList(const std::string& name) const;

    /**
     * Store an option's value in a target, see Bind.
     *
     * @param name of the option
     * @param target set to the value; a bool is true, false, 1, 0, on or off; a Time is 0 or more
     *        with a unit, such as 20us or 1.5s
     * @throws InputError if it is not allowed
     */
    void Read(const std::string& name,
              std::vector<std::string>& target,
              const std::vector<std::string>& known = {}) const;
    /** @copydoc Read */
    void Read(const std::string& name, bool& target) const;
    /** @copydoc Read */
    void Read(const std::string& name, bool& target, const char* no, const char* yes) const;
    /** @copydoc Read */
    void Read(const std::string& name, Time& target, const Time& least = Time()) const;
    /** @copydoc Read */
    void Read(const std::string& name, double& target, double lowest, double highest) const;
    /** @copydoc Read */
    template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    void Read(const std::string& name, T& target, uint64_t lowest, uint64_t highest) const;
    /** @copydoc Read */
    template <typename... Choices>
    void Read(const std::string& name, std::string& target, Choices... choices) const;

    /**
     * @param name of an option that sets attributes
     * @param checker of the first of them
     * @return its value as ns-3 reads it
     * @throws InputError if the attribute cannot take it
     */
    std::string ReadAttribute(const std::string& name, const AttributeChecker& checker) const;

    /**
     * @tparam T as for Bind
     * @param name of an option whose range is known to be kept
     * @return its value
     */
    template <typename T>
    T Get(const std::string& name) const
    {
        T value{};
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
        {
            using Limits = std::numeric_limits<T>;
            Read(name, value, Limits::lowest(), Limits::max());
        }
        else
        {
            Read(name, value);
        }
        return value;
    }

    /**
     * @param name of an option
     * @return its value, such as 5.85Mbps or 1Gbps, in bit/s
     * @throws InputError if it is not a data rate above 0 with its unit
     */
    double GetBitsPerSecond(const std::string& name) const;

    /**
     * @return every option and its value, the default as it is declared, in the order of
     * declaration
     */
    std::vector<std::pair<std::string, std::string>> GetAll() const
    {
        return Map(m_options, [this](const Option& option) {
            return std::pair(option.name, IsChanged(option.name) ? option.value : option.byDefault);
        });
    }

    /**
     * Refuse an option's value.
     *
     * @param name of an option
     * @param expected what it should be
     * @throws InputError always
     */
    [[noreturn]] void Refuse(const std::string& name, const std::string& expected) const
    {
        throw InputError("--" + name + ": found \"" + GetString(name) + "\", expected " + expected);
    }

    /**
     * @param name of an option
     * @param isGood whether its value is valid
     * @param expected what it should be
     * @throws InputError if it is not valid
     */
    void Expect(const std::string& name, bool isGood, const std::string& expected) const
    {
        if (!isGood)
        {
            Refuse(name, expected);
        }
    }

  private:
    /** Options that only work beside another one, see Need. */
    struct Needed
    {
        std::vector<std::string> names; //!< of the options
        std::string other;              //!< the one they need
        std::string on;                 //!< a value of it that puts them to use
        std::string off;                //!< the value that makes them useless; empty: see Need
    };

    /**
     * @param name of an option
     * @return the option, or null
     */
    const Option* Find(const std::string& name) const;

    /** @copydoc Find(const std::string&) const */
    Option* Find(const std::string& name);

    /**
     * @param name of an option that does not exist
     * @throws InputError always, which suggests the most similar name
     */
    [[noreturn]] void RefuseName(const std::string& name) const;

    std::string m_name;                           //!< of the scenario
    std::string m_usage;                          //!< what it does
    bool m_isDryRun{false};                       //!< whether to look for mistakes only
    std::function<void()> m_onLibrary;            //!< declares options of libraries; may be empty
    std::list<Option> m_options;                  //!< in the order of declaration
    std::vector<Needed> m_needs;                  //!< in the order of declaration
    std::map<std::string, std::string> m_renamed; //!< text to type instead, by former name
};

/**
 * @param attribute one that an option sets
 * @return its default as users type it, such as 1.5s
 */
std::string FormatDefault(const TypeId::AttributeInformation& attribute);

/**
 * @param attribute one that an option sets
 * @return its help as an option's: from a small letter on, without a full stop
 */
std::string FormatHelp(const TypeId::AttributeInformation& attribute);

/**
 * Run a scenario's main; mistakes of the user become one line on standard error. With --serve=N as
 * the only argument, runs cases of a campaign, N at once, see run-scenario.cc.
 *
 * @param name of the scenario
 * @param argc number of arguments
 * @param argv the arguments
 * @param body does the work with the arguments and returns the exit status
 * @return the exit status; 2 for a mistake of the user, 1 for an internal error
 */
int RunScenario(const std::string& name,
                int argc,
                char* argv[],
                const std::function<int(int argc, char* argv[])>& body);

/*************************************************************************************************
 * Implementation of the templates declared above.
 *************************************************************************************************/

template <typename T, typename... Limits>
ScenarioOptions::Option&
ScenarioOptions::Bind(const std::string& declaration, T& target, Limits... limits)
{
    const std::string name = declaration.substr(0, declaration.find('='));
    return Bind(declaration, [=, &target] { Read(name, target, limits...); });
}

template <typename T, std::enable_if_t<std::is_integral_v<T>, int>>
void
ScenarioOptions::Read(const std::string& name, T& target, uint64_t lowest, uint64_t highest) const
{
    double value = 0;
    Expect(name,
           ParseNumber(GetString(name), value) && value == std::floor(value) && value >= lowest &&
               value <= highest,
           "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest));
    target = static_cast<T>(value);
}

template <typename... Choices>
void
ScenarioOptions::Read(const std::string& name, std::string& target, Choices... choices) const
{
    target = GetString(name);
    if (sizeof...(choices) > 0 && ((target != choices) && ...))
    {
        Refuse(name, JoinWords(std::vector<std::string>{choices...}, ", ", " or "));
    }
}

template <typename Strategy>
ScenarioOptions::Option&
ScenarioOptions::BindName(const std::string& declaration, std::string& target)
{
    const std::string name = declaration.substr(0, declaration.find('='));
    Option& option = Bind(declaration, [=, &target] {
        target = GetString(name);
        FindByName<Strategy>("--" + name, target);
    });
    option.choices = JoinNames<Strategy>();
    return option;
}

template <typename Strategy>
ScenarioOptions::Option&
ScenarioOptions::BindNames(const std::string& declaration, std::vector<std::string>& target)
{
    const std::string name = declaration.substr(0, declaration.find('='));
    Option& option = Bind(declaration, [=, &target] {
        const auto all = GetNames<Strategy>();
        Expect(name,
               !GetString(name).empty(),
               "several of " + JoinNames<Strategy>() + ", separated by commas, or all");
        target = GetString(name) == "all" ? std::vector<std::string>(all.begin(), all.end())
                                          : GetList(name);
        for (const auto& one : target)
        {
            FindByName<Strategy>("--" + name, one);
        }
    });
    option.Help(JoinNames<Strategy>() + ", several separated by commas, or all");
    return option;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SCENARIO_OPTIONS_H */
