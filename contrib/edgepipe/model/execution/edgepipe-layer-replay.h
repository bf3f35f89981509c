/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LAYER_REPLAY_H
#define EDGEPIPE_LAYER_REPLAY_H

#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/random-variable-stream.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Recorded passes through a network's layers, whose times the tasks of a device take instead of
 * their profile's. Aggregated to a node.
 *
 * Each micro-batch, frame or update takes the times of one recorded pass in all of its layers, so a
 * device that slows down does so in all of them.
 */
class LayerReplay : public Typed<LayerReplay, Object>
{
  public:
    /** Seconds of a layer, forward and backward. */
    using LayerTimes = std::array<double, 2>;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    LayerReplay();

    /**
     * Reads the recording (doc/reference/formats.rst, "Recording of passes").
     *
     * @param model name of the model; empty: not known
     * @param layers names of the model's layers, in its order
     * @param batch samples of a pass; 0: any, but the file says how many
     * @param profile seconds of each layer by the device's profile, for GetStretch
     * @param kind of the simulated passes: those recorded must be in training or evaluation mode
     * @throws InputError naming the line, what was found and what was expected
     */
    void Read(const std::string& model,
              const std::vector<std::string>& layers,
              uint32_t batch,
              std::vector<LayerTimes> profile,
              PassKind kind);

    /** Which passes through layers a task is. */
    enum Direction
    {
        FORWARD,
        BACKWARD,
        BOTH
    };

    /**
     * @param pass number of the micro-batch, frame or update, from 0
     * @param layers whether the task executes each layer of the model
     * @param direction of the pass
     * @return its recorded time over that by the profile
     * @throws InputError if one of the layers is not recorded
     */
    double GetStretch(uint64_t pass, const std::vector<bool>& layers, Direction direction);

    /**
     * @param pass number of the update, from 0
     * @return seconds of its recorded pass through all layers, both ways
     * @throws InputError if a layer is not recorded
     */
    double GetPassSeconds(uint64_t pass)
    {
        return Add(m_passes[Choose(pass)], std::vector<bool>(m_layers.size(), true), BOTH);
    }

    /** @return samples of a recorded pass */
    uint32_t GetBatch() const
    {
        return m_batch;
    }

    /**
     * @param stream number of the first random stream to use
     * @return how many are used
     */
    int64_t AssignStreams(int64_t stream);

  private:
    /**
     * @param pass number of a task's pass
     * @return index of the recorded one
     */
    std::size_t Choose(uint64_t pass);
    /**
     * @param times by layer
     * @param layers whether to add each
     * @param direction of the pass
     * @return their sum, s
     * @throws InputError if one of the layers is not recorded
     */
    double Add(const std::vector<LayerTimes>& times,
               const std::vector<bool>& layers,
               Direction direction) const;

    std::string m_file;                //!< the recording
    std::string m_order;               //!< loop, hold or blocks
    uint32_t m_blockPasses;            //!< length of a block
    uint32_t m_batch{0};               //!< samples of a pass
    std::vector<std::string> m_layers; //!< of the model
    std::vector<bool> m_isRecorded;    //!< by layer
    std::vector<LayerTimes> m_profile; //!< by layer
    /// By recorded pass and layer
    std::vector<std::vector<LayerTimes>> m_passes;
    std::vector<std::size_t> m_blocks;  //!< first pass of each block drawn so far
    Ptr<UniformRandomVariable> m_draws; //!< of blocks
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LAYER_REPLAY_H */
