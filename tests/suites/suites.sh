#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suites.sh BUILD_DIR DIR [OPTIONS] - builds and runs the public OpenSHMEM suites below DIR with the eyot of BUILD_DIR, and prints one table.
#
# See usage below and docs/openshmem-suites.md. Exit code 0: all that is not in known.tsv has passed; 1: something failed; 2: wrong usage.
set -u
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'END_OF_USAGE'
usage: ./dev suites DIR [OPTIONS]

Builds the public OpenSHMEM test suites that it finds in DIR (a folder for each repository, by its
name: tests-sos, shmemvv, tests-cray, tests-mellanox, tests-uh, Kernels, ISx, RMARaceBench; own, for
files of yours) with eyot-oshcc, runs them on both fabrics, and prints one table.

options:
  --sim N,...      numbers of simulated PEs [2,8]; 0: none
  --mpi N,...      numbers of PEs over MPI [2,4]; 0: none
  --chaos N        PEs of runs under schedules that MPI allows [4]; 0: none
  --seeds N        schedules of each program under --chaos [15]
  --races N        PEs of runs with --races [4]; 0: none
  --check N        PEs of runs of eyotcheck [2]; 0: none
  --runs N         random runs of each program under eyotcheck [200]
  --limit SECONDS  limit of each run [60]
  --suite REGEX    only these suites
  --program REGEX  only these programs
  --known FILE     failures that are the programs' own [tests/suites/known.tsv]
  --work DIR       where programs, logs and results stay [BUILD/suites]
  --again          builds and runs also what has a result there
  --keep           keeps the logs of runs that passed
  -j N             runs so many at once [number of processors]
END_OF_USAGE
}

fail() { echo "suites: $*" >&2; exit 2; }

[ $# -ge 1 ] || { usage >&2; exit 2; }
case ${2:-} in -h | --help) usage; exit 0 ;; esac
build=$(cd "$1" 2>/dev/null && pwd) || fail "no folder $1"
shift
case ${1:-} in
  '') usage >&2; exit 2 ;;
  -h | --help) usage; exit 0 ;;
  -*) fail "expected the folder of the suites first, not '$1'" ;;
esac
dir=$(cd "$1" 2>/dev/null && pwd) || fail "no folder $1"
shift
sim=2,8 mpi=2,4 chaos=4 seeds=15 races=4 check=2 runs=200 limit=60 suite=. program=. known=$here/known.tsv work=$build/suites again='' keep='' jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    --again) again=1 ;;
    --keep) keep=1 ;;
    -h | --help) usage; exit 0 ;;
    --sim | --mpi | --chaos | --seeds | --races | --check | --runs | --limit | -j | --suite | --program | --known | --work)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in
        --sim | --mpi) case $2 in '' | *[!0-9,]*) fail "$1 $2: expected numbers of PEs, as 2,8" ;; esac ;;
        --suite | --program | --known | --work) ;;
        *) case $2 in '' | *[!0-9]*) fail "$1 $2: expected a number" ;; esac ;;
      esac
      name=${1#-}
      case ${name#-} in j) jobs=$2 ;; *) eval "${name#-}=\$2" ;; esac
      shift
      ;;
    *) fail "unknown option '$1'; see --help" ;;
  esac
  shift
done
[ -r "$known" ] || fail "cannot read $known"
for tool in eyot-oshcc eyot-oshc++ eyotrun eyotcheck; do
  [ -x "$build/bin/$tool" ] || fail "$build/bin/$tool is missing: build eyot first (./dev build)"
done
mkdir -p "$work/results" "$work/logs" || exit 2
work=$(cd "$work" && pwd)

sh "$here/programs.sh" "$dir" >"$work/all.tsv" || exit 2
awk -F'\t' -v s="$suite" -v p="$program" '$1 ~ s && $2 ~ p' "$work/all.tsv" >"$work/new.tsv"
[ -s "$work/new.tsv" ] || fail "no program in $dir is selected"
# Results count lines of the list: another list begins anew.
cmp -s "$work/new.tsv" "$work/programs.tsv" 2>/dev/null || again=1
mv "$work/new.tsv" "$work/programs.tsv"
[ -z "$again" ] || rm -rf "$work/results" "$work/logs" "$work/bin"
mkdir -p "$work/results" "$work/logs"

# The columns of the table.
list=build
for n in $(echo "$sim" | tr ',' ' '); do [ "$n" -eq 0 ] || list="$list sim.$n"; done
[ "$chaos" -eq 0 ] || list="$list chaos.$chaos"
[ "$races" -eq 0 ] || list="$list races.$races"
[ "$check" -eq 0 ] || list="$list check.$check"
for n in $(echo "$mpi" | tr ',' ' '); do [ "$n" -eq 0 ] || list="$list mpi.$n"; done

export SUITES_INCLUDE="$here/include" SUITES_DIR="$dir" SUITES_BIN="$build/bin" SUITES_LIMIT="$limit" SUITES_SEEDS="$seeds" SUITES_RUNS="$runs" SUITES_LIST="$list" SUITES_KEEP="$keep"
for run in $list; do
  # What is to be run: not what is not supported, has no executable, or has a result. Programs over MPI occupy several processors.
  at_once=$jobs
  case $run in mpi.*) at_once=$(((jobs + 1) / 2)) ;; esac
  awk -f "$here/known.awk" -v run="$run" -v want=todo "$known" "$work/programs.tsv" | while read -r line; do
    [ "$run" = build ] || grep -q '	passed	' "$work/results/$line.build" 2>/dev/null || continue
    [ -f "$work/results/$line.$run" ] || echo "$line"
  done | xargs -P "$at_once" -I LINE sh "$here/one.sh" "$work" LINE "$run"
  echo "suites: $run: $(date +%T)" >&2
done

# The last run of a line of the list has its result in a file of its own: one table of them.
find "$work/results" -type f -name '*.*' -exec cat {} + >"$work/results.tsv"
awk -f "$here/known.awk" -f "$here/table.awk" -v want=table -v columns="$list" -v logs="$work/logs" "$known" "$work/programs.tsv" "$work/results.tsv"
