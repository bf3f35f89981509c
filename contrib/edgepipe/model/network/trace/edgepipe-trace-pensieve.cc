/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-rows.h"

#include <cmath>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** The format of H. Mao et al., "Neural Adaptive Video Streaming with Pensieve", SIGCOMM 2017. */
class PensieveRows : public TraceRows
{
  public:
    using TraceRows::TraceRows;

  private:
    bool DoNext(TraceRow& row) override
    {
        std::string_view line;
        if (!NextLine(line))
        {
            return false;
        }
        const std::size_t blank = line.find_first_of(" \t");
        if (blank == std::string_view::npos)
        {
            GetLines().FailField("columns", line, "seconds and Mbit/s, separated by blanks");
        }
        constexpr double megabit = 1e6;
        const double seconds =
            GetLines().ParseNumber("seconds", line.substr(0, blank), 0, MOST_SECONDS);
        const double rate = GetLines().ParseNumber("Mbit/s",
                                                   TrimBlanks(line.substr(blank)),
                                                   0,
                                                   MOST_BITS_PER_SECOND / megabit);
        row = {std::llround(1e9 * seconds), rate * megabit};
        return true;
    }
};

} // namespace

std::unique_ptr<TraceRows>
MakePensieveRows(const std::string& path)
{
    return std::make_unique<PensieveRows>(path);
}

} // namespace edgepipe
} // namespace ns3
