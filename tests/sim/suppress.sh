#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suppress.sh BIN_DIR - races that are meant: files of suppressions and eyot_check_racy, in eyotrun --races and in eyotcheck, and in the file of a run.
set -u
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
wrong() {
  echo "suppress: $*"
  bad=1
}
cp "$here/../programs/seqlock.c" . && "$bin/eyotcc" -g -O1 --instrument=accesses seqlock.c -o seqlock || exit 1

# run EXPECTED_CODE ARGUMENTS...: both tools; the output is in `said`.
timed() {
  want=$1
  shift
  "$bin/eyotrun" --fabric sim -n 2 --races "$@" >said 2>&1
  got=$?
  [ "$got" = "$want" ] || wrong "eyotrun $*: exit code $got, expected $want: $(cat said)"
}
explored() {
  want=$1
  shift
  "$bin/eyotcheck" -n 2 --runs 20 --detect race --save found.run "$@" >said 2>&1
  got=$?
  [ "$got" = "$want" ] || wrong "eyotcheck $*: exit code $got, expected $want: $(cat said)"
}
says() { grep -Eq -- "$1" said || wrong "expected '$1': $(cat said)"; }

timed 1 ./seqlock plain
says '^eyot: [1-9][0-9]* races? found$'
explored 1 ./seqlock plain
says 'race: unit'
timed 0 ./seqlock marked
says '^eyot: 0 races found$'
explored 0 ./seqlock marked

# By function, by line, by file; two patterns; comments; what was not used.
printf 'read_values write_values # both\n\nnowhere.c:3\n' >two
timed 0 --suppress two ./seqlock plain
says '^eyot: 0 races found; [1-9][0-9]* hidden by suppressions$'
says "two:3: the suppression 'nowhere.c:3' has hidden no race"
if grep -q 'two:1:' said; then wrong "a line that was used is said to be unused: $(cat said)"; fi
explored 0 --suppress two ./seqlock plain
says "two:3: the suppression 'nowhere.c:3' has hidden no race"
echo 'seqlock.*' >file
timed 0 --suppress file ./seqlock plain
EYOT_RACE_SUPPRESSIONS=file explored 0 ./seqlock plain
echo "seqlock.c:$(grep -n 'eyot_put(' seqlock.c | head -1 | cut -d: -f1)" >line
timed 0 --suppress line ./seqlock plain
echo 'write_values write_values' >neither
timed 1 --suppress neither ./seqlock plain
says "neither:1: the suppression 'write_values write_values' has hidden no race"
explored 1 --suppress neither ./seqlock plain

# The file of a failing run has the option, and the command line wins.
"$bin/eyotcheck" --replay found.run >said 2>&1
[ $? = 1 ] || wrong "the run is not repeated: $(cat said)"
grep -q 'neither' found.run || wrong "found.run has no suppressions: $(cat found.run)"
"$bin/eyotcheck" --replay found.run --suppress two >said 2>&1
[ $? != 1 ] || wrong "the suppression of the command line is ignored: $(cat said)"

"$bin/eyotrun" --fabric sim -n 2 --suppress two ./seqlock plain >said 2>&1
grep -q 'suppress. has no effect without --races' said || wrong "suppressions without --races: $(cat said)"

# Files that are wrong.
timed 2 --suppress missing ./seqlock plain
says 'EYOT_RACE_SUPPRESSIONS: cannot read missing'
timed 2 --suppress . ./seqlock plain
says 'EYOT_RACE_SUPPRESSIONS: cannot read [.]: Is a directory'
echo 'a b c' >three
explored 2 --suppress three ./seqlock plain
says 'three:1: a line has one pattern, or two'
exit $bad
