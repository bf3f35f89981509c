/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EXCHANGE_PATTERN_H
#define EDGEPIPE_EXCHANGE_PATTERN_H

#include "edgepipe-language-model.h"

#include "ns3/edgepipe-json-reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** One step of a node in a pass. */
struct ExchangeStep
{
    /// Kinds of steps.
    enum Kind : uint8_t
    {
        COMPUTE, //!< on the node's device
        SEND,    //!< one message
        WAIT     //!< for messages
    };

    Kind kind;                     //!< of the step
    LanguageOperation operation{}; //!< COMPUTE: kind of operation
    double layers{0};              //!< COMPUTE: layers it is repeated for
    double calls{1};               //!< COMPUTE: fixed times of a layer
    double weights{0};             //!< COMPUTE: of a block or head, in a layer
    double share{1};               //!< COMPUTE: of the work that is the node's
    double rows{0};                //!< COMPUTE: tokens of a head
    uint32_t peer{0};              //!< SEND: the receiver
    uint64_t bytes{0};             //!< SEND: payload
    /// WAIT: senders, and how many of their messages in this pass must have come.
    std::vector<std::pair<uint32_t, uint32_t>> awaited{};
    uint32_t laps{0};     //!< of a repeat that begin here or later; 0: no lap begins here
    uint32_t lapSteps{0}; //!< steps of such a lap, which are alike in all of them
};

/** What every node does in a pass, in order. */
using ExchangeProgram = std::vector<std::vector<ExchangeStep>>;

/** What the nodes hold. */
struct ExchangeShares
{
    /** @return how many nodes */
    std::size_t Count() const
    {
        return layers.size();
    }

    std::vector<uint32_t> layers; //!< by node; of a split by tensors: all
    std::vector<double> shares;   //!< by node, of every layer; of a split by layers: 1 or 0
};

/**
 * @ingroup edgepipe
 *
 * What a program that spreads a language model over nodes computes and sends, as data
 * (doc/reference/formats.rst, "Exchange pattern").
 *
 * A pattern is one sequence of steps over all nodes: compute, send, wait, and repeat. A node takes
 * its own steps in that order; at a wait it stops until all messages that earlier steps sent it
 * have come. So it states what is sent when, and nothing about time.
 */
class ExchangePattern
{
  public:
    /**
     * @param path the file
     * @throws InputError for an unreadable or malformed file
     */
    explicit ExchangePattern(const std::string& path);

    /** @return its name */
    const std::string& GetName() const
    {
        return m_name;
    }

    /** @return whether every layer is split over all nodes; otherwise each has layers of its own */
    bool IsTensorSplit() const
    {
        return m_isTensorSplit;
    }

    /** @return how many nodes, from the first on, have no layers */
    uint32_t GetClients() const
    {
        return m_clients;
    }

    /** @return whether a pass waits until those of all other streams are back */
    bool HasRounds() const
    {
        return m_hasRounds;
    }

    /** @return most tokens of a prompt in a pass; 0: any */
    uint32_t GetPromptTokens() const
    {
        return m_promptTokens;
    }

    /** @return name of the format of messages by default */
    const std::string& GetMessageFormat() const
    {
        return m_messageFormat;
    }

    /** @return values of parameters, by name, which may be changed */
    std::map<std::string, double>& GetParameters()
    {
        return m_parameters;
    }

    /**
     * @param model the model
     * @param nodes how many
     * @return passes that are under way at once
     * @throws InputError if the file's value is no whole number above 0
     */
    uint32_t CountStreams(const LanguageModel& model, uint32_t nodes) const;

    /**
     * Write down each node's steps.
     *
     * @param model the model
     * @param formats bytes of values
     * @param shares what nodes hold
     * @param tokens of the pass
     * @param rows tokens of it whose logits are needed
     * @return the steps, by node
     * @throws InputError if a step makes no sense, a message is not waited for, or a node begins
     *         before it hears of the pass
     */
    ExchangeProgram Compile(const LanguageModel& model,
                            const LanguageFormats& formats,
                            const ExchangeShares& shares,
                            uint32_t tokens,
                            uint32_t rows) const;

  private:
    /** A step of the file. */
    struct Line
    {
        JsonField field;                           //!< for messages
        std::string kind;                          //!< compute, send, wait or repeat
        std::map<std::string, std::string> values; //!< by key
        std::vector<Line> body;                    //!< of a repeat
    };

    class Writer;

    /**
     * @param field a list of steps
     * @return the steps
     */
    static std::vector<Line> ReadLines(const JsonField& field);

    std::string m_name;                         //!< for users
    bool m_isTensorSplit;                       //!< see IsTensorSplit
    uint32_t m_clients{0};                      //!< see GetClients
    bool m_hasRounds{false};                    //!< see HasRounds
    uint32_t m_promptTokens{0};                 //!< see GetPromptTokens
    std::string m_messageFormat;                //!< see GetMessageFormat
    std::string m_streams{"1"};                 //!< expression
    std::map<std::string, double> m_parameters; //!< by name
    std::vector<Line> m_lines;                  //!< of a pass
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_EXCHANGE_PATTERN_H */
