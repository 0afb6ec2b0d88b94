#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# output.sh EYOTRUN PROGRAM - output that cannot be written is told by eyotrun alone, with code 2 and without an end of the run, on both
# fabrics; a file, a pipe and a file with standard error get all of it. PROGRAM is tests/programs/prints.c.
set -u
eyotrun=$1 program=$2 bad=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# lost NAME CODE REASON: what the command has said.
lost() {
  [ "$2" -eq 2 ] && [ "$(cat said)" = "eyotrun: cannot write the output: $3" ] || { echo "$1: code $2, expected 2 and the reason '$3' alone, got: $(head -c 600 said)"; bad=1; }
}
# whole NAME CODE FILE: 20,000 lines; a launcher may mix those of two units.
whole() {
  [ "$2" -eq 0 ] && [ "$(wc -c <"$3")" -eq 397780 ] || { echo "$1: code $2, $(wc -c <"$3") bytes of 397780"; bad=1; }
}
for fabric in sim mpi; do
  run="$eyotrun --fabric $fabric -n 2 $program"
  [ $fabric = sim ] && reason="a part of it is lost" || reason="No space left on device"
  if [ -w /dev/full ]; then
    $run 100 >/dev/full 2>said
    lost "$fabric, no space" $? "$reason"
  fi
  [ $fabric = sim ] || reason="standard output is closed"
  $run 100 >&- 2>said
  lost "$fabric, closed" $? "$reason"
  $run 0 >&- 2>said
  code=$?
  [ $code -eq 0 ] && [ ! -s said ] || { echo "$fabric, closed, and nothing printed: code $code, expected 0 and no word, got: $(cat said)"; bad=1; }
  $run 10000 >lines 2>said
  whole "$fabric, a file" $? lines
  $run 10000 >lines 2>&1
  whole "$fabric, a file with standard error" $? lines
  { $run 10000; echo $? >code; } | cat >lines
  whole "$fabric, a pipe" "$(cat code)" lines
  $run 10000 >lines 2>&-
  whole "$fabric, no standard error" $? lines
  $run 10000 >lines <&-
  whole "$fabric, no standard input" $? lines
done
[ $bad -eq 0 ] && echo "output: ok"
exit $bad
