/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-input-error.h"

#include <cstdlib>
#include <exception>
#include <iostream>

namespace ns3::edgepipe
{

namespace
{

std::terminate_handler g_nextHandler; //!< previous handler

/** Ends a program as scenarios do on an uncaught InputError: with its message and status 2. */
[[noreturn]] void
EndWithLine()
{
    if (const auto error = std::current_exception())
    {
        try
        {
            std::rethrow_exception(error);
        }
        catch (const InputError& mistake)
        {
            std::cout.flush();
            std::cerr << "edgepipe: " << mistake.what() << std::endl;
            std::_Exit(2);
        }
        catch (...)
        {
        }
    }
    g_nextHandler();
    std::abort();
}

/** Replaces the handler when the library is loaded. */
const bool IS_INSTALLED = [] {
    g_nextHandler = std::set_terminate(EndWithLine);
    return true;
}();

} // namespace

} // namespace ns3::edgepipe
