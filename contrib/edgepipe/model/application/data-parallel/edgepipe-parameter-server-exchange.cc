/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-gradient-exchange.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::edgepipe
{

/**
 * Exchange through the first worker: all gradients go to it, it alone updates the weights, and
 * sends them back.
 */
class ParameterServerExchange : public Named<ParameterServerExchange, GradientExchange>
{
  public:
    static constexpr const char* NAME = "parameter-server";

    bool TakesBuckets() const override
    {
        return false;
    }

    double GetUploadSeconds() const override
    {
        return m_upload.GetSeconds();
    }

    std::optional<uint32_t> FindReceiver() const override
    {
        return IsFirst() ? std::nullopt : GradientExchange::FindReceiver();
    }

    double FindOwnSeconds(double uplinkBitsPerSecond, double downlinkBitsPerSecond) const override
    {
        return 8.0 * static_cast<double>(GetBytes()) *
               (1 / uplinkBitsPerSecond + 1 / downlinkBitsPerSecond);
    }

  private:
    std::vector<uint32_t> GetNeighbours() const override
    {
        if (GetRank() > 0)
        {
            return {0};
        }
        std::vector<uint32_t> others;
        for (uint32_t rank = 1; rank < GetWorkers(); ++rank)
        {
            others.push_back(rank);
        }
        return others;
    }

    void DoBegin() override
    {
        if (GetRank() == 0)
        {
            m_hasArrived.resize(GetWorkers());
            m_hasArrived[0] = true;
            Advance();
            return;
        }
        m_uploadStart = Simulator::Now();
        Send(0,
             {DataParallelTag::GRADIENTS, GetIteration()},
             GetBytes(),
             Callback<void>([self = Ptr<ParameterServerExchange>(this)] {
                 self->m_upload = Simulator::Now() - self->m_uploadStart;
             }));
    }

    void DoReceive(const Message& message, const DataParallelTag& tag) override
    {
        if (tag.kind == DataParallelTag::WEIGHTS)
        {
            m_version = tag.version;
            Finish();
            return;
        }
        m_hasArrived.resize(GetWorkers());
        m_hasArrived[GetSender(message)] = true;
        Advance();
    }

    void DoNotifyUpdated() override
    {
        m_hasArrived.assign(GetWorkers(), false);
        for (uint32_t rank = 1; rank < GetWorkers(); ++rank)
        {
            Send(rank, {DataParallelTag::WEIGHTS, GetIteration(), 0, m_version}, GetBytes());
        }
        Finish();
    }

    std::string DoDescribeWait() const override
    {
        const std::string iteration = " of iteration " + std::to_string(GetIteration());
        if (GetRank() > 0)
        {
            return "waits for weights" + iteration + ", from worker 0";
        }
        std::vector<uint32_t> missing;
        for (uint32_t place = 0; place < m_hasArrived.size(); ++place)
        {
            if (!m_hasArrived[place])
            {
                missing.push_back(GetWorker(place));
            }
        }
        return "waits for gradients" + iteration + ", from workers " + JoinWords(missing);
    }

    /** At the first worker: update if all gradients have arrived. */
    void Advance()
    {
        if (std::find(m_hasArrived.begin(), m_hasArrived.end(), false) == m_hasArrived.end())
        {
            FinishBucket();
        }
    }

    std::vector<bool> m_hasArrived; //!< at the first worker: arrived gradients, by place
    Time m_uploadStart;             //!< when this worker's gradients were last sent
    Time m_upload;                  //!< how long that took
};

NS_OBJECT_ENSURE_REGISTERED(ParameterServerExchange);

} // namespace ns3::edgepipe
