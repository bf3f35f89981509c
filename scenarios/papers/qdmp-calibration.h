/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_CALIBRATION_H
#define EDGEPIPE_QDMP_CALIBRATION_H

#include "papers/published-qdmp.h"
#include "papers/qdmp-anchors.h"

#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-layer-regression.h"
#include "ns3/edgepipe-two-way-cut-problem.h"

#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What the paper's tables leave open. */
struct QdmpAssumptions
{
    std::string device{"raspberry-pi-3b"}; //!< whose proportions of layer times the device has
    std::string server{"rtx-2080-ti"};     //!< the same of the server
    uint32_t tensorBytes{4};               //!< of an element on the way, >= 1; a frame's has 1
    double setUpShare{0}; //!< what running a layer alone adds to its time, of the model's median
                          //!< layer; 0: what it does on MEASURED_DEVICE
    std::string execution{"proportional"}; //!< anchored: as fast up to where qdmp cuts, and after,
                                           //!< as its own figures imply, see QdmpAnchor
    std::string belief{"alone"}; //!< of dads and neurosurgeon: alone (layers run alone, and a
                                 //!< regression on them), roofline or flop: what all layers take,
                                 //!< in proportion to these

    /** @return all of them, to compare */
    auto GetAll() const
    {
        return std::tie(device, server, tensorBytes, setUpShare, execution, belief);
    }

    /** @return whether both are the same */
    bool operator==(const QdmpAssumptions& other) const
    {
        return GetAll() == other.GetAll();
    }
};

/** A model between a device and a server as fast as the paper's. */
struct CalibratedModel
{
    DnnGraph graph;           //!< the model
    double deviceSeconds;     //!< T_e of all layers
    double serverSeconds;     //!< T_c of all layers
    double residualSeconds;   //!< largest difference of a printed cloud-only latency from ours
    double deviceFactor;      //!< calibrated over uncalibrated time
    double serverFactor;      //!< the same of the server
    TwoWayCutProblem problem; //!< over the first network; does not count the result
};

/**
 * @ingroup edgepipe
 *
 * Gives models the speeds of the paper's Raspberry Pi 3B and server, from the columns edge-only
 * and cloud-only of table 2 alone.
 *
 * T_e of all layers is the mean of the edge-only latencies. T_c of all layers is the mean over
 * networks of the cloud-only latency less the upload of the frame, a byte per element: the least
 * squares fit of what all those cells say. One factor each then scales the layers' times, whose
 * proportions are those of a device type: a profile, or the roofline of its figures.
 *
 * With anchored execution the layers' times in context are then scaled piece by piece, such that
 * the cells of QDMP's own column that do not contradict others come out as printed. That takes from
 * the column what is compared with it: it tests whether the paper agrees with itself, and predicts
 * nothing.
 *
 * Times alone are scaled by the same factor. Where a device type has no profile to say them, they
 * are those in context times the ratio of the two that was measured for the layer on
 * MEASURED_DEVICE. Predicted times are LayerRegression's.
 *
 * The way back of the result costs nothing, since the paper gives neither downlinks nor a share of
 * it in its latencies (section 3.2).
 */
class QdmpCalibration
{
  public:
    /// The device type with a profile of every model.
    static const std::string MEASURED_DEVICE;

    /**
     * @param traces the traces folder
     * @param assumptions what the tables leave open
     * @throws InputError if a device type is unknown, or a file malformed
     */
    QdmpCalibration(std::string traces, const QdmpAssumptions& assumptions);

    /**
     * @param model what the paper says of it
     * @param networks those of the paper
     * @return the model, calibrated
     * @throws InputError if a file is missing or malformed, or a column cannot be: a cloud-only
     *         latency below the upload of the frame
     */
    CalibratedModel Calibrate(const PublishedQdmpModel& model,
                              const std::vector<PublishedQdmpNetwork>& networks) const;

  private:
    /** One of the two sides. */
    struct Side
    {
        DeviceSpec spec;            //!< its device type
        LayerRegression regression; //!< that predicts its times
    };

    /** What layers cost on a side, by layer, seconds. */
    struct LayerTimes
    {
        std::vector<double> inContext; //!< as they run
        std::vector<double> isolated;  //!< alone
        std::vector<double> predicted; //!< by regression
        double factor;                 //!< calibrated over uncalibrated time
    };

    /**
     * @param type a device type
     * @return it as a side
     */
    Side ReadSide(const std::string& type) const;

    /**
     * @param side the side
     * @param graph the model
     * @param seconds of all layers, in context
     * @return what its layers cost there, not anchored
     */
    LayerTimes FindTimes(const Side& side, const DnnGraph& graph, double seconds) const;

    std::string m_traces;              //!< the traces folder
    QdmpAssumptions m_assumptions;     //!< what the tables leave open
    std::vector<QdmpAnchor> m_anchors; //!< of anchored execution; otherwise none
    Side m_device;                     //!< the device
    Side m_server;                     //!< the server
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_CALIBRATION_H */
