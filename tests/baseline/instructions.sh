#!/bin/sh
# instructions.sh BUILD_DIR [--write | --judge] [--quick] - executed instructions, counted by
# valgrind, beside those of instructions.tsv:
# of the simulator's runs, and of single calls (what N more of them cost, divided by N). --judge
# fails where there are more than 1 % more.
# --write makes this build the baseline. --quick leaves out runs of 1,000 units and more, which
# take minutes.
# SPDX-License-Identifier: BSD-3-Clause
#
# Counts are repeatable to some parts in ten thousand: no clock and no other process comes in. Over
# MPI, two units: what unit 0 executes in
# its calls on mapped memory, while the other one waits; and what all must call, by one unit.
# eyotcheck is not among them, as its snapshots cannot keep a stack of valgrind; unit tests of its
# strategies and detectors stand for it.
set -u
LIMIT=1.01
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?instructions.sh BUILD_DIR [--write | --judge] [--quick]}" && pwd) || exit 2
shift
write=0 judge=0 quick=0
for option; do
  case $option in
    --write) write=1 ;;
    --judge) judge=1 ;;
    --quick) quick=1 ;;
    *) echo "instructions: unknown option $option" >&2; exit 2 ;;
  esac
done
command -v valgrind >/dev/null || { echo "instructions: valgrind is not installed" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 2
clean() { env -i PATH="$PATH" HOME="$work" LC_ALL=C EYOT_ERRORS=return "$@"; }
clean "$build/bin/eyotcc" -O2 -o calls "$here/instructions.c" || exit 2
count="valgrind -q --tool=cachegrind --cache-sim=no --cachegrind-out-file=$work/count.%p"
inside="valgrind -q --tool=callgrind --toggle-collect=repeat --callgrind-out-file=$work/count.%p"

# total COMMAND...: instructions of that process, of those that valgrind runs, that executes most.
total() {
  rm -f count.*
  clean "$@" >said 2>&1 </dev/null || { echo "instructions: failed: $*" >&2; tail -n 5 said >&2; exit 1; }
  cat count.* | awk '/^summary:/ { n++; if ($2 > most) most = $2 } END { if (n == 0) exit 1; printf "%.0f\n", most }' || { echo "instructions: nothing counted: $*" >&2; exit 1; }
}
run() { # NAME UNITS OPTIONS PROGRAM ARGUMENTS
  n=$(total $count "$build/bin/eyotrun" --fabric sim -n "$2" --log silent $3 "$build/$4" $5) || exit 1
  printf '%s\t%s\n' "$1" "$n" | tee -a new
}
call() { # FABRIC UNITS CALL N
  case $1 in
    sim) before=$count after= ;;
    mpi) before= after=$inside ;;
  esac
  few=$(total $before "$build/bin/eyotrun" --fabric $1 -n $2 $after "$work/calls" $3 $4) || exit 1
  many=$(total $before "$build/bin/eyotrun" --fabric $1 -n $2 $after "$work/calls" $3 $(($4 * 3))) || exit 1
  printf '%s.%s.n%s\t%s\n' $3 $1 $2 "$(echo "$few $many $4" | awk '{ printf "%.1f", ($2 - $1) / (2 * $3) }')" | tee -a new
}

: >new
unit() { # NAME
  n=$(total $count "$build/tests/unit/$1") || exit 1
  printf '%s\t%s\n' "$1" "$n" | tee -a new
}

for name in put get put_nbi fetch_add flush barrier allreduce mcs hier rw epoch tas ticket; do
  case $name in barrier | allreduce) mpi_units=1 ;; *) mpi_units=2 ;; esac
  [ ! -e "$build/lib/eyot/eyot-fabric-mpi.so" ] || call mpi $mpi_units $name 2000
  call sim 2 $name 500
done
for name in test_chk_race_random test_chk_guided test_chk_pct; do unit $name; done
# Under valgrind address space is short, so heaps are small.
run heat3d.n64 64 '--platform xc40 --heap-size 1M --heap-max 4M' examples/heat3d '--block 4 --steps 4'
run barrier.chaos.n64 64 '--order chaos --platform xc40 --heap-size 1M --heap-max 4M' tests/bin/barrier 'halves 2'
if [ $quick -eq 0 ]; then
  run heat3d.n1024 1024 '--platform xc40 --heap-size 1M --heap-max 4M' examples/heat3d '--block 4 --steps 2'
  run barrier.n4096 4096 '--platform xc40 --heap-size 64K --heap-max 1M' tests/bin/barrier 'all 1'
fi

if [ $write -eq 1 ]; then
  { echo '# Instructions of the baseline: see instructions.sh. name, count'; cat new; } >"$here/instructions.tsv"
  exit 0
fi
awk -F '\t' -v limit=$LIMIT -v judge=$judge '
  /^#/ { next }
  FNR == NR { was[$1] = $2; next }
  { rows++
    if (!($1 in was)) { print "instructions: " $1 " has no baseline"; missing++; next }
    ratio = was[$1] > 0 ? $2 / was[$1] : 1
    if (ratio > most) most = ratio
    note = ratio > limit ? "  <-- more" : ""
    if (note != "") over++
    printf "%-22s %14s -> %14s  %.4f%s\n", $1, was[$1], $2, ratio, note }
  END { printf "instructions: rows=%d most=%.4f over=%d\n", rows, most, over
        exit rows == 0 || judge && (over > 0 || missing > 0) }' "$here/instructions.tsv" new
