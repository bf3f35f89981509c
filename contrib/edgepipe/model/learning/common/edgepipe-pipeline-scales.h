/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_SCALES_H
#define EDGEPIPE_PIPELINE_SCALES_H

#include "ns3/edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Scales that make the inputs and rewards of learning agents comparable across problems.
 *
 * A layer's work W is the forward and backward seconds it takes per micro-batch on the device
 * that runs the whole model fastest; a device's speed F is the seconds of that fastest device for
 * the whole model over its own. A device runs work W in about W / F seconds.
 */
class PipelineScales
{
  public:
    /// Figures per layer, see DescribeLayers.
    static constexpr std::size_t LAYER_FIGURES = 8;

    /** @param costModel the cost model of a valid problem; must outlive this object */
    explicit PipelineScales(const PipelineCostModel& costModel);

    /**
     * @param firstLayer first layer of a stage, inclusive
     * @param lastLayer last layer of the stage, inclusive
     * @return W of the stage, seconds per micro-batch
     */
    double GetWork(std::size_t firstLayer, std::size_t lastLayer) const;

    /** @return W of the model, seconds per micro-batch, above 0 */
    double GetTotalWork() const
    {
        return m_totalWork;
    }

    /**
     * @param device index of a device
     * @return F, above 0 to 1
     */
    double GetSpeed(std::size_t device) const
    {
        return m_speeds[device];
    }

    /** @return sum of F over the devices */
    double GetTotalSpeed() const
    {
        return m_totalSpeed;
    }

    /**
     * Appends a device's memory and its lesser rate, each relative to the largest of any device, F,
     * and 1 if it is taken, else 0.
     *
     * @param device index of a device
     * @param isTaken whether it holds a stage
     * @param figures appended to
     */
    void DescribeDevice(std::size_t device, bool isTaken, std::vector<float>& figures) const;

    /**
     * @param isTaken by device, whether it holds a stage
     * @return the figures of DescribeDevice for every device: input x of GRDQN's GRU (DGPAS eq. 1)
     */
    std::vector<float> DescribeDevices(const std::vector<bool>& isTaken) const;

    /**
     * @return LAYER_FIGURES per layer, the states of SDQN: work, parameters, memory and the bytes
     *         of a cut after the layer, each relative to the largest of any layer, and the
     *         logarithms of the model's totals, scaled to be near 1
     */
    std::vector<float> DescribeLayers() const;

    /**
     * @return by layer a number from 0, equal for layers with equal figures in DescribeLayers
     */
    std::vector<std::size_t> NumberStates() const;

    /** @return devices by speed, the fastest first */
    const std::vector<std::size_t>& GetFastestFirst() const
    {
        return m_fastestFirst;
    }

  private:
    const PipelineCostModel& m_costModel;    //!< the cost model
    std::vector<double> m_speeds;            //!< F by device
    double m_totalSpeed{0};                  //!< sum of F
    double m_totalWork;                      //!< W of the model
    double m_mostMemory{1};                  //!< largest of any device, bytes
    double m_mostRate{0};                    //!< largest lesser rate of any device, bit/s
    std::vector<std::size_t> m_fastestFirst; //!< devices by speed
};

/**
 * @param part a figure, 0 or more
 * @param whole another, 0 or more
 * @return part / whole, at most 4; 0 if whole is 0
 */
float Share(double part, double whole);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_SCALES_H */
