// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "runs/attribute-defaults.h"
#include "runs/deployment.h"
#include "test.h"

#include <new>

TEST(Deployment, SaysThatNsCanNotGoOnAndLetsTheNextSimulationBegin)
{
    AttributeDefaults defaults;
    defaults.Set("StallMonitor::Timeout", TimeValue(Seconds(1)));
    NetworkOptions options;
    options.SetLink("lan");
    {
        Deployment deployment(options, {"a", "b"}, {0, 1});
        // What ns-3.37 throws over Wi-Fi, where an agreement that it copies is not there.
        Simulator::Schedule(Seconds(1), [] { throw std::bad_alloc(); });
        EXPECT_THROW(deployment.Run(), SimulatorError);
    }
    EXPECT_EQ(Simulator::Now(), Time());
    Deployment deployment(options, {"a", "b"}, {0, 1});
    Time end;
    Simulator::Schedule(Seconds(2), [&] {
        end = Simulator::Now();
        deployment.End();
    });
    deployment.Run();
    EXPECT_EQ(end, Seconds(2));
}
