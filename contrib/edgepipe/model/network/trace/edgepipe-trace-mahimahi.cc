/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-rows.h"

#include <charconv>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * The format of mm-link, R. Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP",
 * USENIX ATC 2015, https://github.com/ravinet/mahimahi, src/frontend/link_queue.cc.
 */
class MahimahiRows : public TraceRows
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
        constexpr int64_t most = 1'000'000'000'000;
        int64_t milliseconds = 0;
        const char* end = line.data() + line.size();
        const auto [stop, error] = std::from_chars(line.data(), end, milliseconds);
        if (error != std::errc() || stop != end || line[0] == '-' || milliseconds > most)
        {
            GetLines().FailField("milliseconds",
                                 line,
                                 "an integer from 0 to " + std::to_string(most));
        }
        row = {milliseconds * 1'000'000, 0};
        return true;
    }
};

} // namespace

std::unique_ptr<TraceRows>
MakeMahimahiRows(const std::string& path)
{
    return std::make_unique<MahimahiRows>(path);
}

} // namespace edgepipe
} // namespace ns3
