#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/in-tree.sh [NS3_TREE]
# Proves the ways into an ns-3 source tree: a clone of this repository in contrib/, which builds and
# passes its TestSuite under the tree's own test.py; then the module and the scenarios linked into
# the tree by the launcher, where examples are run too, and a scenario. Without NS3_TREE it gets
# Debian's source of ns-3 into build/ns-3-source first and builds the few modules that edgepipe needs
# (some 15 minutes on one core; needs root or sudo, for apt-get update on a private list of package
# sources). A test of its own for `./ns3 test --long`.
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
unset USER # ns-3's script refuses to run when it reads root

way=$tree/contrib/edgepipe
[ ! -L "$way" ] || rm "$way"
if [ -e "$way" ]; then
    echo "$way is in the way" >&2
    exit 2
fi
# The other way in has left headers that lead to its own.
rm -f "$tree"/build/include/ns3/edgepipe*
trap 'rm -rf "$way"' EXIT
git clone --quiet "$root" "$way"
(
    cd "$tree"
    # csma, since the TCP tests in the tree's test-runner use it and do not say so.
    ./ns3 configure --build-profile=release -G Ninja --enable-modules="edgepipe;csma" \
        --enable-examples --enable-tests --filter-module-examples-and-tests=edgepipe
    ./ns3 build -j "$(nproc)"
    ./test.py --no-build -s edgepipe
    # test.py looks for examples one folder higher.
    for example in build/contrib/edgepipe/contrib/edgepipe/examples/*; do
        echo "$example"
        "$example" >/dev/null
    done
)
rm -rf "$way"
trap - EXIT

export NS3_ROOT=$tree
./ns3 test
(cd "$tree" && ./test.py --no-build) # all that the filter left: ours, with the examples
for scenario in ${SCENARIOS:-quickstart}; do
    ./ns3 run "$scenario"
done
echo "edgepipe builds, passes and runs in $NS3_ROOT"
