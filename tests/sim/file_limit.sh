#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# file_limit.sh BIN PROGRAMS [explored] - where the system's limit of a file's size (ulimit -f) is reached, what a run writes is reported as
# what cannot be written; no tool is ended by the signal. tests/programs/file_limit.c sets the limit. (campaign.sh has the journal.) explored:
# also under eyotcheck, which needs memory that a sanitizer does not give back.
bin=$1 programs=$2 explored=${3:-} bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# What a build for coverage writes at the end would be beyond the limit too: it has no place to write to.
GCOV_PREFIX=/dev/null
export GCOV_PREFIX
# limited NAME CODE COMMAND...
limited() {
  name=$1 want=$2
  shift 2
  output=$("$@" 2>&1)
  code=$?
  case $output in
    *"annot write $name"*"File too large"*) said=true ;;
    *) said=false ;;
  esac
  [ $code -eq "$want" ] && $said && return
  echo "file_limit: $name: exit code $code, expected $want and a message: $output"
  bad=1
}
sim="$bin/eyotrun --fabric sim -n 2"
limited 'the output, or another file' 2 sh -c 'exec "$@" >printed' sh $sim "$programs/file_limit" prints
limited csv 2 $sim --stats-csv csv "$programs/file_limit" end
limited dot 3 $sim --deadlock-dot dot "$programs/file_limit" stuck
limited 'copy 0 of the program' 2 sh -c 'ulimit -f 0; exec "$@"' sh $sim "$programs/file_limit" end
# What a program prints in runs of many seeds; and under eyotcheck, whose files are of a run that failed.
limited 'the output, or another file' 2 $sim --seeds 2 "$programs/file_limit" prints
[ "$explored" = explored ] || exit $bad
check="$bin/eyotcheck -n 2 --runs 1 --no-shrink"
limited found.run 2 $check --save found.run "$programs/file_limit" fails
limited 'the picture run.svg' 2 $check --save /dev/null --svg run.svg "$programs/file_limit" fails
limited 'the picture run.mmd' 2 $check --save /dev/null --mermaid run.mmd "$programs/file_limit" fails
limited 'the output' 2 sh -c 'exec "$@" >printed' sh $check "$programs/file_limit" prints
exit $bad
