/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MEMORY_LEDGER_H
#define EDGEPIPE_MEMORY_LEDGER_H

#include "ns3/object.h"
#include "ns3/traced-value.h"

#include <cstdint>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Keeps account of a device's memory and refuses what does not fit.
 */
class MemoryLedger : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

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
    uint64_t GetCapacity() const;

    /** @return bytes in use */
    uint64_t GetInUse() const;

    /** @return the most bytes that were ever in use */
    uint64_t GetPeak() const;

  private:
    uint64_t m_capacity;              //!< bytes in all
    uint64_t m_peak{0};               //!< the most bytes ever in use
    TracedValue<uint64_t> m_inUse{0}; //!< bytes in use; fires at every change
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MEMORY_LEDGER_H */
