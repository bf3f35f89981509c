/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MESSAGE_DESCRIPTION_H
#define EDGEPIPE_MESSAGE_DESCRIPTION_H

#include "ns3/edgepipe-tensor-transport.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * @param message of any workload
 * @return what it is, in words, such as "activations of micro-batch 3, iteration 0"; its tag, where
 *         no workload uses the port
 */
std::string DescribeMessage(const Message& message);

/**
 * Have messages of a workload of one's own described.
 *
 * @param port of its jobs that no other workload uses, below TensorSocket::PORTS_PER_JOB
 * @param describe says what a tag is, in words
 */
void AddMessageDescription(uint16_t port, std::string (*describe)(uint64_t tag));

/**
 * @param message of any workload
 * @return whether it belongs to those that keep coming whether or not work gets on: probes, and
 *         the pings, metrics and shares of data-parallel training
 */
bool KeepsComing(const Message& message);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MESSAGE_DESCRIPTION_H */
