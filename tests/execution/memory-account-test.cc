// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

TEST(MemoryAccount, GivesBackWhatItHasAndNothingOfOthers)
{
    const auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(100));
    MemoryAccount one(ledger);
    MemoryAccount other(ledger);
    EXPECT_TRUE(one.Reserve(50));
    EXPECT_TRUE(other.Reserve(30));
    EXPECT_FALSE(one.Reserve(30));
    EXPECT_EQ(one.DescribeFree(), "20 of 100 are free");
    one.Release(10);
    one.Close();
    EXPECT_EQ(ledger->GetInUse(), 30U);
}

TEST(MemoryAccount, CountsNothingOnceItIsClosed)
{
    const auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(100));
    MemoryAccount account(ledger);
    EXPECT_TRUE(account.Reserve(50));
    account.Close();
    account.Release(50);
    EXPECT_TRUE(account.Reserve(200));
    EXPECT_EQ(ledger->GetInUse(), 0U);
    account.Close();
    EXPECT_EQ(ledger->GetInUse(), 0U);
}
