/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EXPRESSION_H
#define EDGEPIPE_EXPRESSION_H

#include <map>
#include <string>

namespace ns3::edgepipe
{

/**
 * Evaluate an arithmetic expression: numbers, names, + - * / % (remainder), brackets, and the
 * functions ceil(x), floor(x), min(x, y) and max(x, y).
 *
 * @param text such as 2 * d * h / n
 * @param names values of names
 * @return its value, finite
 * @throws InputError naming the text and what is wrong in it
 */
double EvaluateExpression(const std::string& text, const std::map<std::string, double>& names);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_EXPRESSION_H */
