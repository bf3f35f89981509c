/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_PROBLEM_JSON_H
#define EDGEPIPE_LANGUAGE_PROBLEM_JSON_H

#include "edgepipe-language-problem.h"

#include "ns3/edgepipe-problem-json.h"

namespace ns3::edgepipe
{

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Language model problem and plan")
 * @throws InputError when reading a malformed problem or one ValidateLanguageProblem refuses
 */
void ListFields(JsonTable& table, LanguageProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, LanguagePlan& plan, const LanguageProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_PROBLEM_JSON_H */
