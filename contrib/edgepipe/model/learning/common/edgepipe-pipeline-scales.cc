/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-scales.h"

#include <array>
#include <cmath>
#include <limits>

namespace ns3::edgepipe
{

PipelineScales::PipelineScales(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_fastestFirst(FindFastestFirst(costModel))
{
    const std::size_t last = costModel.GetProblem().layers.size() - 1;
    std::vector<double> seconds;
    for (std::size_t d = 0; d < m_fastestFirst.size(); ++d)
    {
        // A model may take no time at all.
        seconds.push_back(
            std::max(std::numeric_limits<double>::min(), costModel.StageSeconds(d, 0, last)));
        m_mostMemory =
            std::max<double>(m_mostMemory, costModel.GetProblem().devices[d].memoryBytes);
        m_mostRate =
            std::max(m_mostRate, std::min(costModel.GetUplink(d), costModel.GetDownlink(d)));
    }
    m_totalWork = seconds[m_fastestFirst.front()];
    for (double each : seconds)
    {
        // The ratio may underflow.
        m_speeds.push_back(std::max(std::numeric_limits<double>::min(), m_totalWork / each));
        m_totalSpeed += m_speeds.back();
    }
}

double
PipelineScales::GetWork(std::size_t firstLayer, std::size_t lastLayer) const
{
    return m_costModel.StageSeconds(m_fastestFirst.front(), firstLayer, lastLayer);
}

void
PipelineScales::DescribeDevice(std::size_t device, bool isTaken, std::vector<float>& figures) const
{
    const auto memory = static_cast<double>(m_costModel.GetProblem().devices[device].memoryBytes);
    const double rate = std::min(m_costModel.GetUplink(device), m_costModel.GetDownlink(device));
    figures.push_back(static_cast<float>(memory / m_mostMemory));
    figures.push_back(static_cast<float>(rate / m_mostRate));
    figures.push_back(static_cast<float>(m_speeds[device]));
    figures.push_back(isTaken ? 1 : 0);
}

std::vector<float>
PipelineScales::DescribeDevices(const std::vector<bool>& isTaken) const
{
    std::vector<float> figures;
    for (std::size_t d = 0; d < isTaken.size(); ++d)
    {
        DescribeDevice(d, isTaken[d], figures);
    }
    return figures;
}

std::vector<float>
PipelineScales::DescribeLayers() const
{
    const auto& layers = m_costModel.GetProblem().layers;
    std::vector<std::array<double, 4>> figures;
    std::array<double, 4> largest{};
    std::array<double, 4> totals{};
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        figures.push_back({GetWork(i, i),
                           static_cast<double>(layers[i].parameterBytes),
                           static_cast<double>(m_costModel.StageMemoryBytes(i, i)),
                           static_cast<double>(m_costModel.CutBytes(i))});
        for (std::size_t k = 0; k < 4; ++k)
        {
            largest[k] = std::max(largest[k], figures.back()[k]);
            totals[k] += figures.back()[k];
        }
    }
    std::vector<float> rows;
    for (const auto& figure : figures)
    {
        for (std::size_t k = 0; k < 4; ++k)
        {
            rows.push_back(largest[k] > 0 ? static_cast<float>(figure[k] / largest[k]) : 0);
        }
        for (std::size_t k = 0; k < 4; ++k)
        {
            // Work in microseconds, the rest in bytes.
            const double total = k == 0 ? totals[k] * 1e6 : totals[k];
            rows.push_back(static_cast<float>(std::log10(1 + total) / 10));
        }
    }
    return rows;
}

std::vector<std::size_t>
PipelineScales::NumberStates() const
{
    const std::vector<float> rows = DescribeLayers();
    std::map<std::vector<float>, std::size_t> numbers;
    std::vector<std::size_t> numbered;
    for (auto row = rows.begin(); row != rows.end(); row += LAYER_FIGURES)
    {
        const std::vector<float> figures(row, row + LAYER_FIGURES);
        numbered.push_back(numbers.emplace(figures, numbers.size()).first->second);
    }
    return numbered;
}

float
Share(double part, double whole)
{
    return whole > 0 ? static_cast<float>(std::min(4.0, part / whole)) : 0;
}

} // namespace ns3::edgepipe
