/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_TABLE_H
#define EDGEPIPE_LANGUAGE_TABLE_H

#include "edgepipe-sheet.h"
#include "edgepipe-timeline.h"

#include "ns3/edgepipe-language-model-server.h"

#include <vector>

namespace ns3::edgepipe
{

/**
 * @param tag of a task or a message of a language model
 * @param port of the message; 0: a task
 * @return how it is shown
 */
TagLabel LabelLanguageTag(uint64_t tag, uint16_t port);

/** @return columns of a table of a language model's requests */
std::vector<Column<LanguageRequestRecord>> ListLanguageColumns();

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_TABLE_H */
