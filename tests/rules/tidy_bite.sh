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
  printf '%s\n' "$output" | grep -Eq -- "$2" || { echo "tidy_bite: $1: no line matches '$2': $output"; exit 1; }
  bites=$((bites + 1))
}
# plant WHAT FILE PATTERN SED: the file, changed by the script of sed, is refused; afterwards it is as it was.
plant() {
  cp "$tree/$2" "$work/before" || { echo "tidy_bite: there is no $2"; exit 1; }
  sed "$4" "$work/before" >"$tree/$2"
  cmp -s "$work/before" "$tree/$2" && { echo "tidy_bite: $1: nothing was planted in $2"; exit 1; }
  refused "$1" "$2:?.*$3"
  cp "$work/before" "$tree/$2"
}
long=$(printf '%090d' 0)
body=$(printf '  x++;\\n%.0s' $(seq 70))
many=$(printf 'int eyoti_%s;\\n' $(seq 500) | sed 's/\\n$//' | tr -d '\n')

sh "$here/tidy.sh" "$tree" || { echo "tidy_bite: the tree as it is is refused"; exit 1; }
plant "a long line" src/rma/rma.h columns "\$s|\$|\n/* 0123456789 $long */|"
plant "a long file" src/rma/rma.h '(file)' "\$s|\$|\n$many|"
plant "a long function" src/sync/locks/mcs.c '(function)' "\$s|\$|\nstatic int grow(int x,\n                int y) {\n$body  return x + y;\n}|"
plant "no tag" src/rma/rma.h 'line 1 is not' 1d
plant "a tag with other words on its line" tests/support/oracle.h 'line 1 is not' '1s|BSD-3-Clause \*/|BSD-3-Clause oracle */|'
plant "a tag as a C++ comment" tools/tool.c 'line 1 is not' '1s|.*|// SPDX-License-Identifier: BSD-3-Clause|'
plant "two tags" bench/bench.h 'stands 2 times' '1p'
plant "no opening comment" examples/hello.c 'no comment on line 2' '1s|$|\nint x;|'
plant "a long opening comment" include/eyot/mem.h 'lines of opening comment' '2s|/\*|/*\n *\n *\n *\n *\n *\n *\n *\n *\n *\n *\n *\n * |'
plant "a second struct of a tag" src/rma/rma.h 'is also a tag of' '$s|$|\nstruct sim_world {\n  int x;\n};|'
plant "a second enum of a tag" src/rma/rma.h 'is also a tag of' '$s|$|\nenum fab_detect { EYOTI_X };|'
plant "a retired word" src/rma/rma.h 'crowd is a retired word' '$s|$|\nint eyoti_crowd_count;|'
plant "the plural of a retired word" tools/tool.c 'bell is a retired word' '$s|$|\nint eyoti_bells;|'
plant "a retired word in a public name" include/eyot/mem.h 'errand is a retired word' '$s|$|\nint eyot_errand(void);|'
plant "a word retired in one folder" src/sync/pscw/pscw.h 'place is a retired word' '$s|$|\nint eyoti_place;|'
plant "an issue's number in a header" include/eyot/mem.h 'by its number' '$s|$|\n/* see issue 12 */|'
plant "an issue's number in a page" docs/sync.md 'by its number' '$s|$|\nSee issue #12.|'
plant "a seed's number" docs/sync.md 'by its number' '$s|$|\nAs in seed 001a.|'
plant "an exception that is not needed" tests/rules/tidy-known.txt 'not needed any more: columns src/rma/rma.h' '$s|$|\ncolumns src/rma/rma.h|'
plant "no table of retired words" docs/glossary.md 'retired words' 's|^## Retired words|## Words|' 
mv "$tree/src/fabric_sim" "$work/away"
refused "a missing folder" 'looked at [0-9]* (files|functions|names|tags) only'
mv "$work/away" "$tree/src/fabric_sim"

# Words in comments and in text are not names, and nor are parts of words.
cp "$tree/src/rma/rma.h" "$work/before"
printf '/* The bell of the crowd\n   and its errand. */\nstatic const char *eyoti_mailing = "mail \\" desk"; // aim\n' >>"$tree/src/rma/rma.h"
sh "$here/tidy.sh" "$tree" >"$work/log" || { echo "tidy_bite: a word in a comment or a text is refused: $(cat "$work/log")"; exit 1; }
cp "$work/before" "$tree/src/rma/rma.h"

sh "$here/format.sh" "$tree" >"$work/log" 2>&1
code=$?
if [ $code -eq 77 ]; then
  echo "tidy_bite: format.sh left out: $(cat "$work/log")"
else
  [ $code -eq 0 ] || { echo "tidy_bite: format.sh refuses the tree as it is: $(cat "$work/log")"; exit 1; }
  printf 'int   eyoti_x ;\n' >>"$tree/src/rma/rma.h"
  sh "$here/format.sh" "$tree" >"$work/log" 2>&1 && { echo "tidy_bite: format.sh does not notice blanks"; exit 1; }
  grep -q 'src/rma/rma.h' "$work/log" || { echo "tidy_bite: format.sh does not name the file"; exit 1; }
  bites=$((bites + 1))
fi
echo "tidy_bite: ok, $bites bites"
