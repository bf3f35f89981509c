/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEVICE_SPEC_H
#define EDGEPIPE_DEVICE_SPEC_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** What a batch is computed for. */
enum class PassKind
{
    INFERENCE, //!< forward only
    TRAINING   //!< forward and backward
};

/** Figures of a software stack on a device, all above 0. */
enum OperatorFigure
{
    // Sustained over peak FLOP/s
    CONVOLUTION_3X3,       //!< of stride 1; above 1 where Winograd's algorithm saves operations
    CONVOLUTION_1X1,       //!< of any stride
    CONVOLUTION,           //!< any other
    GROUPED_CONVOLUTION,   //!< with 32 channels per group or more
    DEPTHWISE_CONVOLUTION, //!< one channel per group
    LINEAR,                //!< matrix product
    // Sustained over peak bytes/s of memory
    ELEMENTWISE,            //!< tensors of layers, but for those below
    POOLING,                //!< those of pooling
    BATCH_NORMALIZATION,    //!< those of batch normalization
    RESPONSE_NORMALIZATION, //!< those of local response normalization
    LINEAR_WEIGHTS,         //!< weights of linear layers
    // Backward over forward
    BACKWARD_CONVOLUTION,         //!< all but depthwise
    BACKWARD_DEPTHWISE,           //!< depthwise convolution
    BACKWARD_LINEAR,              //!< linear layers
    BACKWARD_ELEMENTWISE,         //!< other operators, but for those below
    BACKWARD_POOLING,             //!< pooling
    BACKWARD_BATCH_NORMALIZATION, //!< batch normalization
    // Others
    LAYER_OVERHEAD_SECONDS, //!< of one operator call, seconds
    SATURATION_OUTPUTS,     //!< numbers in an output that is computed at half the rate
    CACHE_SPEEDUP,          //!< of memory for tensors that fit into caches
    CACHE_BYTES,            //!< bytes of such a tensor
    OPERATOR_FIGURES        //!< how many figures there are
};

/** Software that runs networks on a device. */
struct StackSpec
{
    std::string version;    //!< for people
    std::string processor;  //!< gpu, whose launches run beside computation, arm or x86
    std::string family;     //!< of stacks whose figures tell nothing of others; may be empty
    bool fusesActivations;  //!< activations and, in inference, batch norm cost nothing
    double weightBytes;     //!< bytes of a stored weight, > 0
    double tensorCoreGain;  //!< on the FLOP/s of all operators, >= 1
    double inferenceSpread; //!< standard deviation of ln(estimated / true), >= 0
    double trainingSpread;  //!< the same, of both passes
    std::array<double, OPERATOR_FIGURES> figures; //!< by OperatorFigure

    /**
     * @param other some other
     * @return whether all but the version and the family is the same
     */
    bool operator==(const StackSpec& other) const;
};

/** @return the names of figures in device files, by OperatorFigure */
const std::array<const char*, OPERATOR_FIGURES>& GetOperatorFigureNames();

/** What a type of device can do. */
struct DeviceSpec
{
    std::string name;         //!< as clusters and profiles name the type
    std::string description;  //!< for people
    double peakFlopPerSecond; //!< FLOP/s, > 0
    uint64_t memoryBytes;     //!< bytes, > 0
    /// What training or inference can allocate of it, bytes, > 0: without the system's and what the
    /// framework takes when it starts.
    uint64_t usableMemoryBytes;
    double memoryBandwidthBytesPerSecond;    //!< bytes/s, > 0
    double idleWatts;                        //!< W, >= 0
    double loadWatts;                        //!< W, >= 0
    std::map<std::string, StackSpec> stacks; //!< by name; empty: costs come from profiles alone
    std::string inferenceStack;              //!< which of them runs inference
    std::string trainingStack;               //!< which of them trains

    /**
     * @param kind of pass
     * @return the stack that runs it
     * @throws InputError if the device has none
     */
    const StackSpec& GetStack(PassKind kind) const;

    /**
     * @param other some other
     * @return whether name and all figures are the same
     */
    bool operator==(const DeviceSpec& other) const;
};

/**
 * Add a type to a list of types, unless it is there; results and costs know types by their names.
 *
 * @param types each once
 * @param spec the type
 * @return its place in the list
 * @throws InputError if there is another type of that name
 */
std::size_t AddDeviceType(std::vector<DeviceSpec>& types, const DeviceSpec& spec);

/**
 * Reads a device file (doc/reference/formats.rst, "Device").
 *
 * @param path the device file
 * @param stack which of its stacks runs inference and trains; empty: those that the file says. The
 *        name of the type is then NAME@STACK.
 * @return the device
 * @throws InputError for an unreadable or malformed file, a figure without a source or out of
 *         range
 */
DeviceSpec ReadDeviceSpec(const std::string& path, const std::string& stack = "");

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEVICE_SPEC_H */
