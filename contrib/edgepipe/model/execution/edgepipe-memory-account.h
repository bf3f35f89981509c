/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MEMORY_ACCOUNT_H
#define EDGEPIPE_MEMORY_ACCOUNT_H

#include "edgepipe-memory-ledger.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * One application's part of a device's memory, which it gives back whole in the end, whatever it
 * was doing: once the account is closed, what is still under way counts for nothing.
 */
class MemoryAccount
{
  public:
    /** @param ledger of the device */
    explicit MemoryAccount(Ptr<MemoryLedger> ledger);

    /**
     * Take memory.
     *
     * @param bytes how much
     * @return whether it fitted; anything does once the account is closed
     */
    bool Reserve(uint64_t bytes);

    /**
     * Give memory back.
     *
     * @param bytes how much, at most what is held until the account is closed
     */
    void Release(uint64_t bytes);

    /** Give all of it back, for good. */
    void Close();

    /** @return bytes of the device that nobody has, "N of M are free" */
    std::string DescribeFree() const;

    /** @return the device's memory */
    Ptr<MemoryLedger> GetLedger() const;

  private:
    Ptr<MemoryLedger> m_ledger; //!< of the device
    uint64_t m_held{0};         //!< bytes
    bool m_isClosed{false};     //!< whether all has been given back
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MEMORY_ACCOUNT_H */
