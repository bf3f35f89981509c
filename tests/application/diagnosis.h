// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_DIAGNOSIS_H
#define EDGEPIPE_DIAGNOSIS_H

#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

/// @return the diagnosis of a run as one text
template <typename Result>
std::string
ShowDiagnosis(const Result& result)
{
    std::string text;
    for (const auto& line : result.diagnosis)
    {
        text += line + '\n';
    }
    return text;
}

/// Expect that the diagnosis of a run has all that these regular expressions describe.
template <typename Result>
void
ExpectDiagnosis(const Result& result, const std::vector<std::string>& expected)
{
    const std::string text = ShowDiagnosis(result);
    for (const auto& one : expected)
    {
        EXPECT_TRUE(std::regex_search(text, std::regex(one))) << one << " is not in\n" << text;
    }
}

#endif /* EDGEPIPE_DIAGNOSIS_H */
