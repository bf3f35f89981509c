#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/in-tree.sh [NS3_TREE]
# Proves that the module builds in an ns-3 source tree, that its TestSuite passes under the tree's
# own test.py, and that a scenario runs there. Without NS3_TREE it gets Debian's source of ns-3
# into build/ns-3-source first and builds the few modules that edgepipe needs (some 15 minutes on
# one core; needs root or sudo, for apt-get update on a private list of package sources). Not part
# of CI.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
tree=${1:-}

get_source() {
    local work=$root/build/ns-3-source sudo=() lists options
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    mkdir -p "$work/lists/partial"
    lists=$work/sources.list.d
    rm -rf "$lists" && mkdir "$lists"
    # This machine's own package sources, as sources of source packages.
    find /etc/apt/sources.list.d -name 'debian*.sources' -exec cp {} "$lists" \;
    find "$lists" -name '*.sources' -exec sed -i 's/^Types:.*/Types: deb-src/' {} +
    find /etc/apt -name '*.list' -exec sed -n 's/^deb \(.*debian.*\)/deb-src \1/p' {} + \
        >"$lists/debian.list"
    options=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$lists"
        -o Dir::State::Lists="$work/lists")
    "${sudo[@]}" apt-get install --yes --no-install-recommends dpkg-dev xz-utils >&2
    "${sudo[@]}" apt-get "${options[@]}" update >&2
    (cd "$work" && apt-get "${options[@]}" --only-source source ns3 >&2)
    dirname "$(find "$work" -maxdepth 3 -path '*/ns-3*/VERSION')"
}

[ -n "$tree" ] || tree=$(get_source)
export NS3_ROOT=$tree
unset USER # ns-3's script refuses to run when it reads root

./ns3 test
for scenario in ${SCENARIOS:-quickstart}; do
    ./ns3 run "$scenario"
done
echo "edgepipe builds, passes and runs in $NS3_ROOT"
