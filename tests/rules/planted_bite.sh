#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# planted_bite.sh ROOT - planted.py complains of each mistake that a text of a planted fault can have, and of nothing else.
set -eu
root=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/mutants" "$work/tests/baseline" "$work/src"
printf 'one\ntwo\ntwo\n' >"$work/src/a.c"
echo sim.one >"$work/tests/baseline/ctest.txt"

# mutant FILE FAULT ORIGINAL REPLACEMENT NAMED: the only one.
mutant() {
  printf 'file: %s\nfault: %s\n== original\n%s\n== replacement\n%s\n== named\n%s\n' "$@" >"$work/tests/mutants/a.mutant"
}
# says TEXT: the complaint. No text: none.
says() {
  code=0
  python3 "$root/tests/rules/planted.py" "$work" 1 >"$work/out" || code=$?
  [ $code -eq "$([ -z "$1" ] && echo 0 || echo 1)" ] && grep -q "${1:-0 complaints}" "$work/out" && return
  echo "planted_bite: expected code and '$1', got $code and:"
  cat "$work/out"
  exit 1
}
mutant src/a.c 'it is.' one 1 '1 sim.one'
says ''
mutant src/b.c 'it is.' one 1 '1 sim.one'
says "there is no file 'src/b.c'"
mutant src/a.c 'it is.' three 1 '1 sim.one'
says 'its original text occurs 0 times in src/a.c'
mutant src/a.c 'it is.' two 1 '1 sim.one'
says 'its original text occurs 2 times'
mutant src/a.c 'it is.' one one '1 sim.one'
says 'original and replacement are the same'
mutant src/a.c 'it is.' one 1 '1 sim.two'
says "'1 sim.two' is not RUNS NAME of a test"
mutant src/a.c 'it is.' one 1 ''
says 'is not RUNS NAME\|no tests'
rm "$work/tests/mutants/a.mutant"
says 'expected at least 1 faults'
echo "planted_bite: ok"
