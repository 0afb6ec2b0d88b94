#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shared_malloc.sh BUILD_DIR TESTS_DIR [mpi] - builds a C++ program with eyotcc --shared-malloc, runs it on the simulator, over MPI and
# alone, and a program that follows a pointer of another node.
set -u
build=$1 tests=$2 mpi=${3-}
bin=$build/bin
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export EYOT_FABRIC_DIR="$build/lib/eyot"
bad=0
fail() { echo "shared_malloc: $*"; bad=1; }
# passes COMMAND...: it ends well and prints ok.
passes() {
  "$@" >"$work/out" 2>&1 && grep -q '^ok$' "$work/out" || { fail "failed: $*"; tail -n 12 "$work/out"; }
}
"$bin/eyotcxx" --shared-malloc -g -O1 -I"$tests" "$tests/programs/shared_malloc.cpp" -pthread -o "$work/shared" || exit 1
for nodes in 1 2 4; do
  passes timeout 60 "$bin/eyotrun" --fabric sim -n 4 --units-per-node $nodes "$work/shared"
done
explores() {
  timeout 60 "$bin/eyotcheck" --strategy random --runs 20 --save "$work/run" "$@" >"$work/out" 2>&1 || { fail "fails: $*"; tail -n 12 "$work/out"; }
}
explores -n 2 "$work/shared"
passes timeout 60 "$work/shared" threads
if [ -n "$mpi" ]; then
  passes timeout 60 "$bin/eyotrun" --fabric mpi -n 3 "$work/shared" threads
  passes timeout 60 "$bin/eyotrun" --fabric mpi -n 4 --node-size 2 "$work/shared"
fi
"$bin/eyotcc" --instrument=accesses -g -O1 -I"$tests" -I"$tests/.." "$tests/programs/foreign.c" -o "$work/foreign" || exit 1
passes timeout 60 "$bin/eyotrun" --fabric sim -n 2 --units-per-node 2 "$work/foreign"
explores -n 2 --units-per-node 2 "$work/foreign"
timeout 60 "$bin/eyotcheck" -n 2 --units-per-node 1 --strategy random --runs 20 --save "$work/run" "$work/foreign" >"$work/out" 2>&1
code=$?
[ $code -eq 1 ] || fail "eyotcheck ended with code $code where unit 1 follows a pointer of another node, expected 1"
grep -q 'unit 1 follows 0x[0-9a-f]*, which is in the heap of unit 0 on another node' "$work/out" || { fail "the report names no units"; cat "$work/out"; }
grep -q 'foreign.c:1[0-9]' "$work/out" || { fail "the report names no line"; cat "$work/out"; }
exit $bad
