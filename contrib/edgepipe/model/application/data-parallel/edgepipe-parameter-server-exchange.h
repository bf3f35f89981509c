/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PARAMETER_SERVER_EXCHANGE_H
#define EDGEPIPE_PARAMETER_SERVER_EXCHANGE_H

#include "ns3/edgepipe-gradient-exchange.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Exchange through the first worker: all gradients go to it, it alone updates the weights, and
 * sends them back.
 */
class ParameterServerExchange : public GradientExchange
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    double GetUploadSeconds() const override;
    std::optional<uint32_t> FindReceiver() const override;
    double FindOwnSeconds(double uplinkBitsPerSecond, double downlinkBitsPerSecond) const override;

  private:
    std::vector<uint32_t> GetNeighbours() const override;
    void DoBegin(uint32_t version) override;
    void DoReceive(const Message& message, const DataParallelTag& tag) override;
    void DoNotifyUpdated() override;
    std::string DoDescribeWait() const override;

    /** At the first worker: update if all gradients are there. */
    void Advance();

    std::vector<bool> m_hasArrived; //!< at the first worker: whose gradients are there, by rank
    uint32_t m_version{0};          //!< at the first worker: of the next iteration
    Time m_uploadStart;             //!< when this worker's gradients were last sent
    Time m_upload;                  //!< how long that took
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PARAMETER_SERVER_EXCHANGE_H */
