/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MEMORY_LEDGER_H
#define EDGEPIPE_MEMORY_LEDGER_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/traced-value.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Keeps account of a device's memory and refuses what does not fit.
 */
class MemoryLedger : public Typed<MemoryLedger, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Take memory.
     *
     * @param bytes how much
     * @return whether it fitted; if not, nothing was taken
     */
    bool Reserve(uint64_t bytes);

    /**
     * Give memory back.
     *
     * @param bytes how much, at most what is in use
     */
    void Release(uint64_t bytes);

    /** @return bytes in all */
    uint64_t GetCapacity() const
    {
        return m_capacity;
    }

    /** @return bytes in use */
    uint64_t GetInUse() const
    {
        return m_inUse;
    }

    /** @return the most bytes that were ever in use */
    uint64_t GetPeak() const
    {
        return m_peak;
    }

  private:
    uint64_t m_capacity;              //!< bytes in all
    uint64_t m_peak{0};               //!< the most bytes ever in use
    TracedValue<uint64_t> m_inUse{0}; //!< bytes in use; fires at every change
};

/**
 * One application's part of a device's memory. Closing the account gives all of it back; anything
 * reserved or released afterwards, by work still in progress, is ignored.
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
     * @return whether it fitted; always true once the account is closed
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

    /** @return free bytes of the device, as "N of M are free" */
    std::string DescribeFree() const;

    /** @return the device's memory */
    Ptr<MemoryLedger> GetLedger() const
    {
        return m_ledger;
    }

  private:
    Ptr<MemoryLedger> m_ledger; //!< of the device
    uint64_t m_held{0};         //!< bytes
    bool m_isClosed{false};     //!< whether all has been given back
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MEMORY_LEDGER_H */
