/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_VERSION_H
#define EDGEPIPE_VERSION_H

/// Version of edgepipe, as run.json records it.
#define EDGEPIPE_VERSION "0.1.0"

// The build says which ns-3 it found.
#ifndef EDGEPIPE_NS3_VERSION
#define EDGEPIPE_NS3_VERSION "unknown"
#endif

#endif /* EDGEPIPE_VERSION_H */
