// SPDX-License-Identifier: GPL-2.0-only

#ifndef RECORDING_BYTES_H
#define RECORDING_BYTES_H

#include "test.h"

/** What a recording says, read in the simplest way and by nothing of ours. */
class RecordingBytes
{
  public:
    /// @param path a recording in a folder named after its format: mahimahi, pensieve or gnettrack
    /// @param isUp whether the uplink is asked for, where the file has both
    RecordingBytes(const std::string& path, bool isUp);

    /** @return bytes in each whole second up to the last line */
    const std::vector<double>& GetSeconds() const;

    /** @return whether it has instants at which packets may cross */
    bool IsMahimahi() const;

    /** @return packets that may cross at time 0 */
    uint32_t GetAtOnce() const;

    std::vector<double> times; //!< of values, s; none of mahimahi
    std::vector<double> rates; //!< until then, bit/s

  private:
    /** Cut rates, each of the time since the one before, into seconds. */
    void Cut();

    std::vector<double> m_seconds; //!< bytes in each
    bool m_isMahimahi{false};      //!< whether it has opportunities
    uint32_t m_atOnce{0};          //!< opportunities at time 0
};

#endif /* RECORDING_BYTES_H */
