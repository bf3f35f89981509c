// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

TEST(MemoryLedger, RefusesWhatDoesNotFitAndTakesNothingOfIt)
{
    auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(100));
    EXPECT_TRUE(ledger->Reserve(60));
    EXPECT_FALSE(ledger->Reserve(41));
    EXPECT_EQ(ledger->GetInUse(), 60U);
    EXPECT_TRUE(ledger->Reserve(40));
    EXPECT_FALSE(ledger->Reserve(1));
    EXPECT_TRUE(ledger->Reserve(0));
    EXPECT_FALSE(ledger->Reserve(UINT64_MAX)) << "no overflow";
    ledger->Release(100);
    EXPECT_EQ(ledger->GetInUse(), 0U);
    EXPECT_EQ(ledger->GetCapacity(), 100U);
}

TEST(MemoryLedger, RemembersThePeak)
{
    auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(100));
    EXPECT_EQ(ledger->GetPeak(), 0U);
    ledger->Reserve(30);
    ledger->Reserve(40);
    ledger->Release(50);
    ledger->Reserve(10);
    ledger->Reserve(71); // refused
    EXPECT_EQ(ledger->GetPeak(), 70U);
}

TEST(MemoryLedger, HasRoomWithoutLimitByDefault)
{
    auto ledger = CreateObject<MemoryLedger>();
    EXPECT_TRUE(ledger->Reserve(UINT64_MAX));
    EXPECT_FALSE(ledger->Reserve(1));
}

TEST(MemoryLedger, ItsTraceTellsEveryChangeAndNoRefusal)
{
    auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(100));
    std::vector<std::pair<uint64_t, uint64_t>> changes;
    Connect(ledger, "InUse", [&changes](uint64_t before, uint64_t after) {
        changes.push_back({before, after});
    });
    ledger->Reserve(30);
    ledger->Reserve(90);
    ledger->Reserve(70);
    ledger->Release(100);
    EXPECT_EQ(changes, (std::vector<std::pair<uint64_t, uint64_t>>{{0, 30}, {30, 100}, {100, 0}}));
}
