#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mistakes.sh COMPILER 'LAUNCHER %n' RUNS - runs the wrong programs of docs/openshmem-mistakes.md on any OpenSHMEM
# and counts the runs in which each of them notices that it is wrong. %n stands for the number of PEs.
# What counts is the line that a program prints, not the exit code: some implementations fail at the end of a right run.
set -u
[ $# -eq 3 ] || { echo "usage: mistakes.sh COMPILER 'LAUNCHER %n' RUNS" >&2; exit 2; }
compiler=$1 launcher=$2 runs=$3
sources=$(cd "$(dirname "$0")/../../examples/openshmem" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/mistakes.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT INT TERM

# count PROGRAM [ARGUMENT]: PE counts 2 and 4.
count() {
  for n in 2 4; do
    wrong=0 right=0 other=0 i=0
    while [ $i -lt "$runs" ]; do
      # The launcher is words.
      timeout -k 1 60 $(echo "$launcher" | sed "s/%n/$n/g") "$work/$1" ${2:-} </dev/null >"$work/out" 2>&1
      if grep -q "^$1: PE " "$work/out"; then wrong=$((wrong + 1)); elif grep -q "^$1: " "$work/out"; then right=$((right + 1)); else other=$((other + 1)); fi
      i=$((i + 1))
    done
    printf '%-14s %-7s %d PEs: %d wrong, %d right, %d neither, of %d runs\n' "$1" "${2:-}" "$n" "$wrong" "$right" "$other" "$runs"
  done
}

for program in pipeline fence_get early_flag small_collect; do
  "$compiler" -std=gnu17 -O2 -o "$work/$program" "$sources/$program.c" 2>"$work/out" || { cat "$work/out" >&2; exit 1; }
done
count pipeline
count pipeline slow
count pipeline mended
count fence_get
count early_flag
count small_collect
count small_collect mended
