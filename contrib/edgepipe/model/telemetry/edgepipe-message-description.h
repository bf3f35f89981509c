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
 * @return its description, such as "activations of micro-batch 3, iteration 0", or its tag if no
 *         workload uses the port
 */
std::string DescribeMessage(const Message& message);

/**
 * Register the description of messages of another workload.
 *
 * @param port of its jobs that no other workload uses, below TensorSocket::PORTS_PER_JOB
 * @param describe returns the description of a tag
 */
void AddMessageDescription(uint16_t port, std::string (*describe)(uint64_t tag));

/**
 * @param message of any workload
 * @return whether it is sent even without progress: probes; pings, metrics and shares of
 *         data-parallel training; reports of pipeline workers
 */
bool KeepsComing(const Message& message);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MESSAGE_DESCRIPTION_H */
