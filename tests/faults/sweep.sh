#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sweep.sh BUILD_DIR OF EVERY COMMAND... - one unit of a job meets a failing allocation or system call while it starts, and then another, ...
#
# COMMAND starts the job: the launcher with its arguments and build/tests/bin/start_faults. OF: `eyot` (calls of eyot's own code) or `all` (those of MPI and the C library too).
# EVERY: one call of every so many fails (1: each), from call SWEEP_FIRST (1) on: the first, or with CAMPAIGN_SEED another one. A run must end well and compute right, or end with a non-zero code and eyot's reason;
# with OF=all another's reason (MPI's) will do. A run that takes more than SWEEP_SECONDS (30) hangs. SWEEP_RANK (1) is the launcher's number of the unit.
# OF=sim: calls of eyot's own in the whole of a simulated run; an allocation that fails is tolerated, or ends the run with "eyot: out of memory" and code 122;
# OF=simall: with those of SimGrid and the C library. SWEEP_WELL: the line that a good run prints.
# Exit code 1: a run hangs, ends with 0 without its result, or gives no reason.
set -u
build=$(cd "$1" && pwd) || exit 2
of=$2 every=$3
shift 3
seconds=${SWEEP_SECONDS:-30}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
well_line=${SWEEP_WELL:-^ok$} sim=
case $of in
  sim) sim=1 of=eyot ;;
  simall) sim=1 of=all ;;
esac
[ -z "$sim" ] || export FAIL_CALL_WHOLE=1
# memory WHAT: the failed call allocates.
memory() { case ${1#* } in malloc | calloc | realloc | reallocarray | posix_memalign | aligned_alloc | strdup | mmap) [ -n "$sim" ] ;; *) false ;; esac; }
export FAIL_CALL_RANK="${SWEEP_RANK:-1}" FAIL_CALL_OF="$of" FAIL_CALL_LOG="$dir/log"
# run AT COMMAND...
run() {
  at=$1
  shift
  rm -f "$dir/log"
  timeout -k 5 "$seconds" env FAIL_CALL_AT="$at" LD_PRELOAD="$build/tests/bin/fail_call.so" "$@" >"$dir/out" 2>&1 </dev/null
}

run 0 "$@" || { echo "sweep.sh: the run without a failing call ends with code $?"; cat "$dir/out"; exit 2; }
n=$(cat "$dir/log" 2>/dev/null || echo 0)
[ "$n" -gt 0 ] || { echo "sweep.sh: no call was counted"; exit 2; }
runs=0 well=0 ended=0 hung=0 mute=0 wrong=0
at=$((${SWEEP_FIRST:-1} + ${CAMPAIGN_SEED:-0} % every))
while [ "$at" -le "$n" ]; do
  since=$(date +%s)
  run "$at" "$@"
  code=$?
  [ $(($(date +%s) - since)) -lt "$seconds" ] || code=124
  what=$(cat "$dir/log" 2>/dev/null || echo "$at not reached")
  runs=$((runs + 1))
  if [ $code -eq 124 ]; then
    hung=$((hung + 1)) word=hangs
  elif [ $code -eq 0 ]; then
    if grep -q -- "$well_line" "$dir/out"; then well=$((well + 1)) word=; else wrong=$((wrong + 1)) word="ends with code 0 without its result"; fi
  elif [ -n "$sim" ] && [ $code -ge 128 ]; then
    wrong=$((wrong + 1)) word="ends by a signal, code $code"
  elif [ "$of" = eyot ] && memory "$what" && { [ $code -ne 122 ] || ! grep -q '^eyot: out of memory: ' "$dir/out"; }; then
    wrong=$((wrong + 1)) word="ends with code $code and does not say that memory is short"
  elif grep -q '^eyot' "$dir/out" || { [ "$of" = all ] && [ -s "$dir/out" ]; }; then
    ended=$((ended + 1)) word=
  else
    mute=$((mute + 1)) word="ends with code $code and no reason"
  fi
  [ -z "${SWEEP_VERBOSE:-}" ] || { echo "call $what: code $code"; sed 's/^/    /' "$dir/out" | head -n 8; }
  [ -z "$word" ] || { echo "call $what: the job $word"; sed 's/^/  /' "$dir/out" | head -n 8; }
  at=$((at + every))
done
echo "sweep.sh: $runs of $n calls ($of): $well tolerated, $ended ended with a reason, $hung hung, $mute without a reason, $wrong wrong"
[ $((hung + mute + wrong)) -eq 0 ]
