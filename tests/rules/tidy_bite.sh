#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tidy_bite.sh SOURCE_DIR - the rules of tidy.sh and format.sh can fail: a copy of the tree with one violation of each
# kind is refused, and names it.
root=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bites=0
tree=$work/tree
mkdir "$tree" || exit 1
(cd "$root" && cp -rL --parents src include tests tools examples bench docs .clang-format "$tree") || exit 1

# refused WHAT PATTERN: tidy.sh refuses the tree in a line that matches.
refused() {
  output=$(sh "$here/tidy.sh" "$tree") && { echo "tidy_bite: $1 was not noticed"; exit 1; }
  named "$1" "$2"
}
# named WHAT PATTERN: $output has such a line.
named() {
  printf '%s\n' "$output" | grep -Eq -- "$2" || { echo "tidy_bite: $1: no line matches '$2': $output"; exit 1; }
  bites=$((bites + 1))
}
# plant WHAT FILE PATTERN SED: the file, changed by the script of sed, is to be refused. Files that are changed at the same time, one violation in each, are
# judged at once (judge), because each look at the whole tree takes a second.
tab=$(printf '\t')
plant() {
  [ ! -e "$work/before/$2" ] || judge
  mkdir -p "$work/before/$(dirname "$2")" && cp "$tree/$2" "$work/before/$2" || { echo "tidy_bite: there is no $2"; exit 1; }
  sed "$4" "$work/before/$2" >"$tree/$2"
  cmp -s "$work/before/$2" "$tree/$2" && { echo "tidy_bite: $1: nothing was planted in $2"; exit 1; }
  printf '%s\t%s\n' "$1" "$2:?.*$3" >>"$work/planted"
}
# judge: all that was planted is refused; afterwards the tree is as it was.
judge() {
  output=$(sh "$here/tidy.sh" "$tree") && { echo "tidy_bite: not noticed: $(cat "$work/planted")"; exit 1; }
  while IFS="$tab" read -r what pattern; do named "$what" "$pattern"; done <"$work/planted"
  cp -r "$work/before/." "$tree" && rm -rf "$work/before" "$work/planted" || exit 1
}
long=$(printf '%090d' 0)
body=$(printf '  x++;\\n%.0s' $(seq 70))
many=$(printf 'int eyoti_%s;\\n' $(seq 500) | sed 's/\\n$//' | tr -d '\n')

# Words in comments and in text are not names, and nor are parts of words.
cp "$tree/src/rma/rma.h" "$work/rma.h"
printf '/* The bell of the crowd\n   and its errand. */\nstatic const char *eyoti_mailing = "mail \\" desk"; // aim\n' >>"$tree/src/rma/rma.h"
sh "$here/tidy.sh" "$tree" || { echo "tidy_bite: the tree as it is, with words in a comment and a text, is refused"; exit 1; }
cp "$work/rma.h" "$tree/src/rma/rma.h"
plant "a long line" src/gmem/common.h columns "\$s|\$|\n/* 0123456789 $long */|"
plant "a long function" src/sync/locks/mcs.c '(function)' "\$s|\$|\nstatic int grow(int x,\n                int y) {\n$body  return x + y;\n}|"
plant "a tag with other words on its line" tests/support/oracle.h 'line 1 is not' '1s|BSD-3-Clause \*/|BSD-3-Clause oracle */|'
plant "a tag as a C++ comment" tools/tool.c 'line 1 is not' '1s|.*|// SPDX-License-Identifier: BSD-3-Clause|'
plant "two tags" bench/bench.h 'stands 2 times' '1p'
plant "no opening comment" examples/hello.c 'no comment on line 2' '1s|$|\nint x;|'
plant "a long opening comment" include/eyot/mem.h 'lines of opening comment' '2s|/\*|/*\n *\n *\n *\n *\n *\n *\n *\n *\n *\n *\n *\n * |'
plant "an issue's number in a page" docs/sync.md 'by its number' '$s|$|\nSee issue #12.|'
plant "a word retired in one folder" src/sync/pscw/pscw.h 'place is a retired word' '$s|$|\nint eyoti_place;|'
plant "a second struct of a tag" src/teams/teams.h 'is also a tag of' '$s|$|\nstruct sim_world {\n  int x;\n};|'
plant "a second enum of a tag" src/sync/watch.h 'is also a tag of' '$s|$|\nenum fab_detect { EYOTI_X };|'
plant "a retired word" src/gmem/gmem.h 'crowd is a retired word' '$s|$|\nint eyoti_crowd_count;|'
plant "a long file" src/coll/coll.h '(file)' "\$s|\$|\n$many|"
plant "the plural of a retired word" tools/result.c 'bell is a retired word' '$s|$|\nint eyoti_bells;|'
plant "a retired word in a public name" include/eyot/coll.h 'errand is a retired word' '$s|$|\nint eyot_errand(void);|'
plant "a seed's number" docs/fabrics.md 'by its number' '$s|$|\nAs in seed 001a.|'
plant "no tag" src/rma/rma.h 'line 1 is not' 1d
plant "an issue's number in a header" include/eyot/rma.h 'by its number' '$s|$|\n/* see issue 12 */|'
plant "an exception that is not needed" tests/rules/tidy-known.txt 'not needed any more: columns src/rma/rma.h' '$s|$|\ncolumns src/rma/rma.h|'
judge
plant "no table of retired words" docs/glossary.md 'retired words' 's|^## Retired words|## Words|' 
judge
mv "$tree/src/fabric_sim" "$work/away"
refused "a missing folder" 'looked at [0-9]* (files|functions|names|tags) only'
mv "$work/away" "$tree/src/fabric_sim"

# A few files: the rule takes ten times as long for all as those of tidy.sh.
small=$work/small
mkdir -p "$small/src" && cp -r "$tree/src/rma" "$small/src" && cp "$tree/.clang-format" "$small" && (cd "$small" && mkdir include tests tools examples bench) || exit 1
printf 'int   eyoti_x ;\n' >>"$small/src/rma/rma.h"
sh "$here/format.sh" "$small" 2 >"$work/log" 2>&1
code=$?
if [ $code -eq 77 ]; then
  echo "tidy_bite: format.sh left out: $(cat "$work/log")"
else
  [ $code -ne 0 ] || { echo "tidy_bite: format.sh does not notice blanks"; exit 1; }
  grep -q 'src/rma/rma.h' "$work/log" || { echo "tidy_bite: format.sh does not name the file: $(cat "$work/log")"; exit 1; }
  sh "$here/format.sh" "$small" >"$work/log" 2>&1 && { echo "tidy_bite: format.sh does not notice that hardly any files are there"; exit 1; }
  bites=$((bites + 2))
fi
echo "tidy_bite: ok, $bites bites"
