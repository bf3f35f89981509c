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
     * @param option name of the option at fault, without dashes
     * @param found what it is
     * @param expected what it may be
     */
    InputError(const std::string& option, const std::string& found, const std::string& expected)
        : std::runtime_error(option + ": found " + found + ", expected " + expected),
          m_option(option)
    {
    }

    /** @return name of the option at fault, with which the message begins; empty if it is none */
    const std::string& GetOption() const
    {
        return m_option;
    }

  private:
    std::string m_option; //!< name of the option at fault
};

/**
 * @param isGood whether all is well
 * @param words what an InputError is made of if not
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
