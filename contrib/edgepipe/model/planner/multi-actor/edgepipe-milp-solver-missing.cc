/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-milp-solver.h"

#include "ns3/edgepipe-input-error.h"

namespace ns3::edgepipe
{

std::vector<bool>
MaximizeBinaryProgram(const BinaryProgram&, double, double)
{
    throw InputError("this build is without COIN-OR CBC; install it (Debian: coinor-libcbc-dev) "
                     "and configure with -DEDGEPIPE_CBC=ON");
}

} // namespace ns3::edgepipe
