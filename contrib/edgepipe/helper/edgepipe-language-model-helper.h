/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_MODEL_HELPER_H
#define EDGEPIPE_LANGUAGE_MODEL_HELPER_H

#include "edgepipe-job-helper.h"

#include "ns3/edgepipe-language-model-server.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Installs a language model that is spread over nodes: a LanguageModelNode on each, and a
 * LanguageModelServer on the first. All are edge devices (EdgeDeviceHelper) with a transport
 * (TransportHelper).
 *
 * Nothing is planned before the server's application starts.
 */
class LanguageModelHelper : public JobHelper<LanguagePlanner>
{
  public:
    /// Sets uplinks, downlinks and the delay of a problem.
    using CompleteProblem = std::function<void(LanguageProblem&)>;

    /**
     * @param model a file's path or a name in the folder `language-models` of the traces folder
     * @param exchange a file's path or a name in the folder `exchanges`
     * @param device a file's path or a name in the folder `language-devices`
     * @throws InputError for an unknown name or a malformed file
     */
    LanguageModelHelper(const std::string& model,
                        const std::string& exchange,
                        const std::string& device);

    /**
     * @param model the model
     * @param exchange what is sent when
     * @param devices speeds, in the order of the nodes passed to Install; one: of all
     */
    LanguageModelHelper(LanguageModel model,
                        ExchangePattern exchange,
                        std::vector<LanguageDevice> devices);

    /** @param formats bytes of values; by default f16, and messages as in the pattern */
    void SetFormats(const LanguageFormats& formats)
    {
        m_formats = formats;
    }

    /**
     * Speculate: the first node drafts tokens, which the model verifies.
     *
     * @param draft model of the first node
     * @param record whether drafts are right, see LanguageSpeculation; empty: drawn
     */
    void SetDraft(LanguageModel draft, std::vector<bool> record = {})
    {
        m_draft = std::move(draft);
        m_acceptances = std::move(record);
    }

    /** @param requests of the job, by arrival */
    void SetRequests(std::vector<LanguageRequest> requests)
    {
        m_requests = std::move(requests);
    }

    /** @param complete sets links of the problem, by default those of SetBandwidth */
    void SetLinks(CompleteProblem complete)
    {
        m_complete = std::move(complete);
    }

    /**
     * @param name of an attribute of LanguageModelServer
     * @param value its value
     */
    void SetServerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_server.Add(name, value);
    }

    /**
     * @param nodes that may hold a part of the model; requests arrive at the first
     * @return the server's application, then the nodes'
     * @throws InputError if a node is no edge device or has no transport, or no bandwidth is known
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;

  private:
    LanguageModel m_model;                   //!< the model
    ExchangePattern m_exchange;              //!< what is sent when
    std::vector<LanguageDevice> m_devices;   //!< speeds
    LanguageFormats m_formats;               //!< bytes of values
    std::optional<LanguageModel> m_draft;    //!< none: does not speculate
    std::vector<bool> m_acceptances;         //!< see SetDraft
    std::vector<LanguageRequest> m_requests; //!< of the job
    CompleteProblem m_complete;              //!< null: see SetLinks
    AttributeList m_server;                  //!< of the server
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_MODEL_HELPER_H */
