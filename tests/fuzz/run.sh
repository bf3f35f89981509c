#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Run every fuzz target, one after the other: tests/fuzz/run.sh SECONDS BUILD_FOLDER
# What is found stays in BUILD_FOLDER/corpus-FORMAT, a crash in BUILD_FOLDER/FORMAT-crash-*.
set -euo pipefail
seconds=$1
build=$(cd "$2" && pwd)
seeds=$(cd "$(dirname "$0")/seeds" && pwd)
for format in mahimahi pensieve gnettrack csv load auto columns; do
  mkdir -p "$build/corpus-$format"
  "$build/fuzz-$format" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -max_len=20000 -print_final_stats=1 -artifact_prefix="$build/$format-" \
    "$build/corpus-$format" "$seeds/$format" >"$build/$format.log" 2>&1 \
    || { echo "$format: failed, see $build/$format.log" >&2; exit 1; }
  echo "$format: $(grep stat::number_of_executed_units "$build/$format.log" | tr -s ' ')"
done
