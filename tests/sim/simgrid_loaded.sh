#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# simgrid_loaded.sh SOURCE_DIR BUILD_DIR - SimGrid is loaded for platform files and --engine simgrid, and for nothing else:
# runs that do not use it neither wait for its library nor need eyot-simgrid.so, and the others say what is wrong with it.
# Without SIMGRID=1 (sanitizers) the runs on SimGrid's executor are left out.
set -u
source=$1 build=$2
. "$source/tests/support/refuse.sh"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
run="$build/bin/eyotrun --fabric sim -n 2"
program=$build/examples/hello
file=$source/tests/sim/platform.xml

# loads NAME yes|no OPTION...: whether the loader has read SimGrid's library, as it says itself.
loads() {
  name=$1 want=$2
  shift 2
  # shellcheck disable=SC2086 # words of the command are words
  LD_DEBUG=files LD_DEBUG_OUTPUT="$dir/debug" $run "$@" "$program" >"$dir/out" 2>&1 || { echo "$name: ended with $?: $(head -c 600 "$dir/out")"; bad=1; }
  cat "$dir"/debug.* >"$dir/debug"
  rm -f "$dir"/debug.*
  grep -q 'eyot-fabric-sim\.so' "$dir/debug" || { echo "$name: the loader says nothing of the sim fabric"; bad=1; }
  got=no
  ! grep -q 'libsimgrid\.so' "$dir/debug" || got=yes
  if [ $got = "$want" ]; then echo "$name: ok"; else
    echo "$name: SimGrid loaded: $got, expected $want"
    bad=1
  fi
}
loads "the default" no
loads "a preset with keys" no --platform xe6:gap=50
loads "a preset with --network booked" no --network booked
loads "a platform file" yes --platform "$file"
loads "a platform file with keys" yes --platform "$file:overhead=250"
[ -z "${SIMGRID:-}" ] || loads "--engine simgrid" yes --engine simgrid

mkdir "$dir/none" "$dir/cut" "$dir/other"
for folder in none cut other; do cp "$build/lib/eyot/eyot-fabric-sim.so" "$dir/$folder"; done
head -c 20000 "$build/lib/eyot/eyot-simgrid.so" >"$dir/cut/eyot-simgrid.so"
cp "$(ldd "$build/lib/eyot/eyot-fabric-sim.so" | awk '/libm\.so/ { print $3 }')" "$dir/other/eyot-simgrid.so"
export EYOT_FABRIC_DIR="$dir/none"
# shellcheck disable=SC2086 # as above
runs "a run without the module" "greeted by unit 0" $run "$program"
# shellcheck disable=SC2086 # as above
refused "a platform file without the module" "cannot load SimGrid's part of the sim fabric: .*none/eyot-simgrid.so.*No such file.*; install eyot with it" \
  $run --platform "$file" "$program"
# shellcheck disable=SC2086 # as above
refused "--engine simgrid without the module" "cannot load SimGrid's part of the sim fabric" $run --engine simgrid "$program"
EYOT_FABRIC_DIR="$dir/cut"
# shellcheck disable=SC2086 # as above
refused "a truncated module" "cut/eyot-simgrid.so is incomplete: .*install eyot again" $run --platform "$file" "$program"
EYOT_FABRIC_DIR="$dir/other"
# shellcheck disable=SC2086 # as above
refused "another library" "eyot-simgrid.so is not of this version of the sim fabric; install libeyot and its modules together" \
  $run --platform "$file" "$program"
exit $bad
