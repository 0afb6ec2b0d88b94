#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reports.sh BIN_DIR PROGRAM sim|mpi|check - the reports of reports.c speak the language of OpenSHMEM: PEs, shmem_ calls, the program's lines, names of static
# objects, allocations by line.
bin=$1 program=$2 fabric=$3
source=$(dirname "$0")/reports.c
bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
line() { grep -n "/\* $1 here \*/" "$source" | cut -d: -f1; }

# report WAY CODE OPTIONS...: runs it; its output is left in $output.
report() {
  way=$1 code=$2
  shift 2
  if [ "$fabric" = check ]; then
    output=$(timeout 60 "$bin/eyotcheck" -n 3 --runs 100 --save "$work/run" "$@" "$program" "$way" 2>&1 </dev/null)
  else
    output=$(timeout 60 "$bin/eyotrun" --fabric "$fabric" -n 3 "$@" "$program" "$way" 2>&1 </dev/null)
  fi
  got=$?
  case " $code " in *" $got "*) ;; *) wrong "exit code $got, expected $code" ;; esac
  words=$(printf '%s\n' "$output" | grep -v '^  #[0-9]' | grep -E '(^|[^A-Za-z_-])([Uu]nits?|eyot_[a-z_]+|EYOT_TEAM_ALL)([^A-Za-z_=-]|$)|not allocated|segment [0-9]') && wrong "it speaks of eyot: $words"
}
wrong() { echo "$way: $1: $output"; bad=1; }
says() { printf '%s\n' "$output" | grep -Eq -- "$1" || wrong "expected '$1'"; }

races=
[ "$fabric" = sim ] && races=--races
[ "$fabric" = check ] && races='--detect race'
if [ "$fabric" != mpi ]; then
  put() { echo "PE [01] in shmem_long_p \(reports\.c:$(line "$1") \($1\)\), PE [01] in shmem_long_p \(reports\.c:$(line "$1") \($1\)\): the put of 8 bytes by PE [01] .* meet at PE 2, "; }
  report race_static '1 4 7' $races
  says "$(put race_static)offset 16 of static \"grid\" \(32 bytes, reports\.c\) \(8 bytes\): when PE [01] posted"
  report race_heap '1 4 7' $races
  says "$(put race_heap)offset 24 of the memory \(64 bytes, shmem_malloc at reports\.c:$(line heap) \(main\)\) \(8 bytes\)"
  report race_local '1 4 7' $races
  says "$(put race_local)static \"counter\" \(8 bytes, reports\.c\)"
fi
limit=
[ "$fabric" = mpi ] && limit='--watchdog 0.5'
report wait '1 3' $limit
says "deadlock"
says "PE 1.* in shmem_long_wait_until, .* at global \"shared_flag\" \(8 bytes\) to be == 1; it is 0.*; called at reports\.c:$(line wait) \(waits\)"
says "PE 0.* in shmem_barrier_all, .* a control word of SHMEM_TEAM_WORLD"
if [ "$fabric" != check ]; then
  report early '1 120'
  says "PE 1.*(exit with code 0 before|has left the run without) shmem_finalize.*; its last operation.* shmem_"
  report crash '139 134 1'
  says 'PE 1'
fi
exit $bad
