#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# no_value.sh BUILD_DIR - each option of the tools that needs a value says so, by its name and with code 2, if it is the last word.
set -u
bin=$1/bin bad=0 n=0

# asks OPTION COMMAND...
asks() {
  option=$1
  shift
  out=$("$@" 2>&1 </dev/null)
  code=$?
  n=$((n + 1))
  [ $code -eq 2 ] && echo "$out" | grep -q -- "this option needs a value: $option\( \|;\)" ||
    { echo "$*: code $code, expected 2 and 'this option needs a value: $option', got: $out"; bad=1; }
}
for tool in eyotrun eyotcheck eyot-calibrate; do
  [ -x "$bin/$tool" ] || continue # a build without MPI
  # rows of the help that have a word in capitals, or a list of hosts, after the option
  for option in $("$bin/$tool" --help | sed -n 's/^ *\(-n, \)\{0,1\}\(--[a-z-]*\) [A-Z].*/\2/p'); do
    asks "$option" "$bin/$tool" "$option"
  done
done
asks -n "$bin/eyotrun" -n
asks --platform "$bin/eyot-info" --platform
asks --coll "$bin/eyot-info" --coll
for option in --bytes --units --per-node --neighbors --platform --machine; do
  asks $option "$bin/eyot-info" --coll allreduce $option
  asks $option "$bin/eyot-info" --coll allreduce --shared --units 8 $option
done
[ $n -ge 100 ] || { echo "$n options were found in the help, expected 100 or more"; bad=1; }
out=$("$bin/eyot-info" --coll barrier 2>&1) && { echo "eyot-info --coll without --units is not refused"; bad=1; }
echo "$out" | grep -q -- "--coll: expected --units N, as in" || { echo "eyot-info --coll without --units: $out"; bad=1; }
[ $bad -eq 0 ] && echo "no_value: ok, $n options"
exit $bad
