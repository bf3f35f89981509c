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
    ELEMENTWISE,            //!< tensors of layers, except those below
    POOLING,                //!< tensors of pooling
    BATCH_NORMALIZATION,    //!< tensors of batch normalization
    RESPONSE_NORMALIZATION, //!< tensors of local response normalization
    LINEAR_WEIGHTS,         //!< weights of linear layers
    // Backward over forward
    BACKWARD_CONVOLUTION,         //!< all but depthwise
    BACKWARD_DEPTHWISE,           //!< depthwise convolution
    BACKWARD_LINEAR,              //!< linear layers
    BACKWARD_ELEMENTWISE,         //!< other operators, except those below
    BACKWARD_POOLING,             //!< pooling
    BACKWARD_BATCH_NORMALIZATION, //!< batch normalization
    // Others
    LAYER_OVERHEAD_SECONDS, //!< of one operator call, seconds
    SATURATION_OUTPUTS,     //!< numbers in an output that gets half the rate
    CACHE_SPEEDUP,          //!< memory speedup for tensors that fit into caches
    CACHE_BYTES,            //!< bytes of a tensor that gets half of the gain
    OPERATOR_FIGURES        //!< how many figures there are
};

/** Software that runs networks on a device. */
struct StackSpec
{
    std::string version;    //!< for display
    std::string processor;  //!< gpu (launches overlap computation), arm or x86
    std::string family;     //!< stacks that are fitted apart from others; may be empty
    std::string kind;       //!< eager, compiled or engine; empty: unknown
    std::string precision;  //!< of its arithmetic, such as fp32; empty: unknown
    bool fusesActivations;  //!< activations and, in inference, batch norm cost nothing
    double weightBytes;     //!< bytes of a stored weight, > 0
    double tensorCoreGain;  //!< factor on the FLOP/s of all operators, >= 1
    double inferenceSpread; //!< standard deviation of ln(estimated / true), >= 0
    double trainingSpread;  //!< the same for training, both passes
    std::array<double, OPERATOR_FIGURES> figures; //!< by OperatorFigure

    /**
     * @param other some other
     * @return whether all but the version, the family, the kind and the precision is equal
     */
    bool operator==(const StackSpec& other) const;

    /** @return kind and precision, such as "eager, fp32"; empty where neither is known */
    std::string Describe() const;
};

/** @return the names of figures in device files, by OperatorFigure */
const std::array<const char*, OPERATOR_FIGURES>& GetOperatorFigureNames();

/** What a type of device can do. */
struct DeviceSpec
{
    std::string name;         //!< as clusters and profiles name the type
    std::string description;  //!< for display
    double peakFlopPerSecond; //!< FLOP/s, > 0
    uint64_t memoryBytes;     //!< bytes, > 0
    /// Bytes that training or inference can allocate, > 0: excludes the memory of the system and of
    /// the started framework.
    uint64_t usableMemoryBytes;
    double memoryBandwidthBytesPerSecond;    //!< bytes/s, > 0
    double idleWatts;                        //!< W, >= 0
    double loadWatts;                        //!< W, >= 0
    std::map<std::string, StackSpec> stacks; //!< by name; empty: costs only from profiles
    std::string inferenceStack;              //!< name of the stack for inference
    std::string trainingStack;               //!< name of the stack for training

    /**
     * @param kind of pass
     * @return the stack that runs it
     * @throws InputError if the device has none, or an engine for inference to train with
     */
    const StackSpec& GetStack(PassKind kind) const;

    /**
     * @param other some other
     * @return whether name and all figures are equal
     */
    bool operator==(const DeviceSpec& other) const;
};

/**
 * Add a type to a list of types, unless it is there. Results and costs identify types by name.
 *
 * @param types each once
 * @param spec the type
 * @return its index in the list
 * @throws InputError if a different type has that name
 */
std::size_t AddDeviceType(std::vector<DeviceSpec>& types, const DeviceSpec& spec);

/**
 * Reads a device file (doc/reference/formats.rst, "Device").
 *
 * @param path the device file
 * @param stack name of the stack for both inference and training, which makes the type's name
 *        NAME@STACK; empty: the stacks that the file selects, which leave the name as it is
 * @return the device
 * @throws InputError for an unreadable or malformed file, a figure without a source or out of
 *         range
 */
DeviceSpec ReadDeviceSpec(const std::string& path, const std::string& stack = "");

/**
 * Reads the device type that a user names.
 *
 * @param what the option, for messages, such as "--device"
 * @param type name of a device file in the traces folder or path of one, with @STACK for another
 *        stack than it selects (which may be one that it selects for both kinds of pass)
 * @param traces the traces folder
 * @return the device
 * @throws InputError if there is no such file, and as ReadDeviceSpec
 */
DeviceSpec FindDeviceSpec(const std::string& what,
                          const std::string& type,
                          const std::string& traces);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEVICE_SPEC_H */
