/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/**
 * @ingroup edgepipe-tests
 *
 * A task's end moves with the share of its device.
 */
class ComputeShareTestCase : public TestCase
{
  public:
    ComputeShareTestCase()
        : TestCase("A device's share may change while a task runs")
    {
    }

  private:
    void DoRun() override
    {
        auto device = CreateObject<ComputeDevice>();
        Time end;
        device->Run(0, 2, Callback<void>([&end] { end = Simulator::Now(); }));
        Simulator::Schedule(Seconds(1), &ComputeDevice::SetAvailableShare, device, 0.0);
        Simulator::Schedule(Seconds(3), &ComputeDevice::SetAvailableShare, device, 0.5);
        Simulator::Run();
        Simulator::Destroy();
        // 1 s of work by second 1, nothing until second 3, the other second of work at half speed.
        NS_TEST_EXPECT_MSG_EQ(end, Seconds(5), "the task ended at the wrong time");
    }
};

/**
 * @ingroup edgepipe-tests
 *
 * A ledger refuses what does not fit.
 */
class MemoryLedgerTestCase : public TestCase
{
  public:
    MemoryLedgerTestCase()
        : TestCase("A memory ledger refuses what does not fit")
    {
    }

  private:
    void DoRun() override
    {
        auto ledger = CreateObject<MemoryLedger>();
        ledger->SetAttribute("Capacity", UintegerValue(100));
        NS_TEST_EXPECT_MSG_EQ(ledger->Reserve(100), true, "all of it fits");
        NS_TEST_EXPECT_MSG_EQ(ledger->Reserve(1), false, "nothing more fits");
        ledger->Release(60);
        NS_TEST_EXPECT_MSG_EQ(ledger->GetInUse(), 40, "wrong balance");
        NS_TEST_EXPECT_MSG_EQ(ledger->GetPeak(), 100, "wrong peak");
    }
};

/**
 * @ingroup edgepipe-tests
 *
 * The test suite of module edgepipe.
 */
class EdgepipeTestSuite : public TestSuite
{
  public:
    EdgepipeTestSuite()
        : TestSuite("edgepipe", Type::UNIT)
    {
        AddTestCase(new ComputeShareTestCase);
        AddTestCase(new MemoryLedgerTestCase);
    }
};

EdgepipeTestSuite g_edgepipeTestSuite; //!< registers itself

} // namespace
