// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_PIPELINE_WORKLOAD_H
#define EDGEPIPE_PIPELINE_WORKLOAD_H

#include "measured-run.h"

/**
 * Pipelines side by side, for any simulator: what flow-benchmark runs in each.
 *
 * Device d is stage d % stages of pipeline d / stages. All devices hang on one switch without
 * limits, each by a link up and a link down. A stage does its tasks strictly in order; before a
 * task it waits for the tensor of its neighbour, after it it sends one to the other neighbour and
 * goes on at once. There is no barrier between iterations: a stage begins the next one when it
 * has done its part of the last.
 */
struct PipelineWorkload
{
    uint32_t pipelines{1};             //!< side by side, >= 1
    uint32_t stages{8};                //!< of each, >= 2
    uint32_t microBatches{8};          //!< of each iteration, >= 1
    uint32_t iterations{1};            //!< >= 1
    std::string schedule{"gpipe"};     //!< name of a PipelineSchedule
    double forwardFlops{1e7};          //!< work of a forward task, FLOP
    double backwardFlops{2e7};         //!< work of a backward task, FLOP
    double messageBytes{1e6};          //!< each tensor, bytes
    double linkBytesPerSecond{1.25e8}; //!< of every link, bytes/s
    double linkLatencySeconds{20e-6};  //!< of every link, seconds

    uint32_t GetDevices() const;

    /** @return number of tensors sent from a device to another */
    uint64_t GetTransfers() const;

    /// @return its speed, FLOP/s; they differ a little, so that few events coincide
    static double GetSpeed(uint32_t device);

    /** @return by stage: its tasks in one iteration, in order; whether each is a backward pass */
    std::vector<std::vector<bool>> GetTasks() const;
};

/** How far a stage has come. */
class StageProgress
{
  public:
    /// @param tasks by stage, of the workload; must outlive this object
    StageProgress(const PipelineWorkload& workload,
                  const std::vector<std::vector<bool>>& tasks,
                  uint32_t device);

    /** @return whether all tasks of all iterations are done */
    bool IsDone() const;

    /** @return whether the next task is a backward pass; there must be one */
    bool IsBackward() const;

    /** @return whether the next task needs a tensor of a neighbour; there must be one */
    bool NeedsInput() const;

    /** @return whether a next task exists and its input is there */
    bool IsReady() const;

    /// A tensor has come from a neighbour.
    /// @param isGradient whether from the next stage, else from the previous
    void NoticeArrival(bool isGradient);

    /// The next task, which is ready, is done.
    /// @param [out] receiver device that the result must be sent to
    /// @return whether it must be sent at all
    bool Finish(uint32_t& receiver);

  private:
    uint32_t m_device;                //!< the device
    bool m_isFirst;                   //!< whether this is the first stage
    bool m_isLast;                    //!< whether this is the last stage
    const std::vector<bool>& m_tasks; //!< of an iteration, whether backward
    uint32_t m_iterationsLeft;        //!< the present one included
    std::size_t m_next{0};            //!< index of the next task
    uint64_t m_arrivals[2]{0, 0};     //!< activations and gradients that wait for their task
};

#endif /* EDGEPIPE_PIPELINE_WORKLOAD_H */
