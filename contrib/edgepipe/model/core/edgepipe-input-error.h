/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INPUT_ERROR_H
#define EDGEPIPE_INPUT_ERROR_H

#include <stdexcept>
#include <string>

namespace ns3::edgepipe
{

/**
 * Something the user gave (a file, an option, a plan) cannot be used.
 *
 * The message is one line that names the file, line or field, what was found there and what
 * was expected. Scenarios print it on standard error and exit with status 2, and so does a script
 * that does not catch it; nothing else in edgepipe throws on purpose.
 */
class InputError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;

    /**
     * @param option option or field at fault; callers may add dashes
     * @param found its value
     * @param expected values that it may have
     */
    InputError(const std::string& option, const std::string& found, const std::string& expected)
        : std::runtime_error(option + ": found " + found + ", expected " + expected),
          m_option(option)
    {
    }

    /**
     * @param option option or field at fault; callers may add dashes
     * @param cause what is wrong with its value
     */
    InputError(const std::string& option, const InputError& cause)
        : std::runtime_error(option + ": " + cause.what()),
          m_option(option)
    {
    }

    /** @return option or field at fault, which starts the message; empty: not given */
    const std::string& GetOption() const
    {
        return m_option;
    }

  private:
    std::string m_option; //!< option or field at fault
};

/**
 * @param isGood the condition
 * @param words arguments of the InputError thrown if it does not hold
 */
template <typename... Words>
void
Require(bool isGood, const Words&... words)
{
    if (!isGood)
    {
        throw InputError(words...);
    }
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INPUT_ERROR_H */
