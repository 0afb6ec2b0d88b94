#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# litmus.sh EYOTCHECK PROGRAM MODEL [PATTERN] - every litmus test of OpenSHMEM whose name matches: exploration under the model reaches the outcomes that litmus.tsv has for it, and no other;
# and none that the text of OpenSHMEM forbids. All schedules are searched.
check=$1 program=$2 model=$3 pattern=${4:-.}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$program" --list | grep -E "^[^	]*($pattern)" >"$work/tests" || { echo "litmus: nothing matches '$pattern'"; exit 2; }
while read -r name pes rest; do
  echo "== $name"
  "$check" --detect deadlock -n "$pes" --units-per-node 1 --order "$model" --strategy exhaustive --save "$work/run" "$program" "$name" 2>&1 </dev/null || echo "== failed"
done <"$work/tests" >"$work/log"

# One pass: the table, then what was said of each test.
awk -v model="$model" '
  function complain(text) { print "litmus: " name " (" model "): " text; bad++ }
  function finish(   i, o) {
    if (name == "") return
    tests++
    if (failed) complain("eyotcheck failed:\n" said)
    if (!all) complain("not all was explored:\n" said)
    if (rows[name] == 0) complain("litmus.tsv does not have this test")
    for (i = 1; i <= rows[name]; i++) {
      o = outcome[name, i]
      if (o in seen && text[name, o] == "forbidden") complain("outcome " o " was not expected: the text of OpenSHMEM forbids it")
      if (o in seen && shown[name, o] != "yes") complain("outcome " o " was not expected: litmus.tsv has it as not reached")
      if (!(o in seen) && shown[name, o] == "yes") complain("outcome " o " was expected, and not reached")
      delete seen[o]
    }
    for (o in seen) complain("outcome " o " was not expected: litmus.tsv does not have it")
  }
  FNR == NR {
    if (/^#/) next
    n = split($0, field, "\t")
    if (!at["test"]) { for (i = 1; i <= n; i++) at[field[i]] = i; next }
    t = field[at["test"]]; o = field[at["outcome"]]
    outcome[t, ++rows[t]] = o
    text[t, o] = field[at["text"]]
    shown[t, o] = field[at[model]]
    next
  }
  /^== failed/ { failed = 1; next }
  /^== / { finish(); name = $2; failed = all = 0; said = ""; split("", seen); next }
  { said = said $0 "\n" }
  /^exhaustive: all [0-9]+ interleavings explored/ { all = 1 }
  /^ +[0-9]+  [0-9?]+$/ { seen[$2] = 1 }
  END { finish(); print "litmus: " tests " tests under " model ", " bad + 0 " differences"; exit bad > 0 }' "$here/litmus.tsv" "$work/log"
