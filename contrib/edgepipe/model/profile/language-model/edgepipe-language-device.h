/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_DEVICE_H
#define EDGEPIPE_LANGUAGE_DEVICE_H

#include "edgepipe-language-model.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/** Speed of one kind of operation. */
struct OperationSpeed
{
    double fixedSeconds{0};   //!< of a layer, or of the head, s
    double bytesPerSecond{0}; //!< of weights or cache; 0: no limit
    double flopPerSecond{0};  //!< FLOP/s; 0: no limit

    /**
     * @param work of one device
     * @param calls parts of layers that it is made of, so many fixed times; may be a fraction
     * @return calls x fixed + max(bytes / rate, FLOP / rate), s
     */
    double GetSeconds(const LanguageWork& work, double calls) const;
};

/** Where a device keeps weights that its memory does not hold, and reads them for each pass. */
struct WeightDisk
{
    double bytesPerSecond{0}; //!< 0: none, all weights must fit into memory
    bool isHidden{false};     //!< whether it is read while the device computes

    /**
     * @param seconds that the device computes
     * @param bytes to be read for it
     * @return time of both, s
     */
    double Add(double seconds, double bytes) const
    {
        const double read = bytesPerSecond > 0 ? bytes / bytesPerSecond : 0;
        return isHidden ? std::max(seconds, read) : seconds + read;
    }
};

/** A device under one version of a program that runs language models. */
struct LanguageDevice
{
    /**
     * @param operation kind of operation
     * @param work of one device
     * @param calls see OperationSpeed::GetSeconds
     * @param isPrefill whether a prompt's tokens are computed
     * @return time on the idle device, s
     */
    double GetSeconds(LanguageOperation operation,
                      const LanguageWork& work,
                      double calls,
                      bool isPrefill) const
    {
        return (isPrefill ? prefill : decode)[operation].GetSeconds(work, calls);
    }

    /**
     * @param bytes of a message
     * @return time that its sender spends on it, and its receiver too, s
     */
    double GetMessageSeconds(double bytes) const
    {
        return messageSeconds + byteSeconds * bytes;
    }

    std::string name;         //!< as results name it
    std::string software;     //!< program and version that the figures are of
    uint64_t memoryBytes{0};  //!< for weights and cache, > 0
    WeightDisk disk;          //!< of weights beyond that
    double messageSeconds{0}; //!< of the host for a message, at either end, s
    double byteSeconds{0};    //!< of the host for a byte of it, at either end, s
    /// Threads beside the computation, which share out the connections; 0: messages take its time.
    uint32_t messageThreads{0};
    std::array<OperationSpeed, LANGUAGE_OPERATIONS> decode;  //!< of single tokens, by operation
    std::array<OperationSpeed, LANGUAGE_OPERATIONS> prefill; //!< of prompts, by operation
};

/**
 * Reads a device's speeds (doc/reference/formats.rst, "Speeds of a language device").
 *
 * @param path the file
 * @return the device
 * @throws InputError for an unreadable or malformed file
 */
LanguageDevice ReadLanguageDevice(const std::string& path);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_DEVICE_H */
