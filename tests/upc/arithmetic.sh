#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# arithmetic.sh COMPILER [CYCLIC BLOCK] - counts the instructions (x86-64) of UPC's pointer
# arithmetic in arithmetic.c, because programs pay for them at every shared element. A pointer
# moved by one element: at most CYCLIC (8) instructions in a cyclic array, BLOCK (15) with blocks of
# a power of two, over all branches, without the loads and stores of the pointer and the return. A
# loop over the caller's own elements: as many in its innermost loop as on plain pointers. An access
# at a variable index: no store of half a word to the stack, after which the load of the whole word
# waits for all loads before.
set -u
compiler=${1:?arithmetic.sh COMPILER [CYCLIC BLOCK]} cyclic=${2:-8} block=${3:-15}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$compiler" -std=gnu17 -D_GNU_SOURCE -O2 -I"$root/include" -I"$root/include/eyot-upc" \
  -c "$here/arithmetic.c" -o "$work/arithmetic.o" || exit 2
objdump -d --no-show-raw-insn "$work/arithmetic.o" >"$work/code" || exit 2
awk -v cyclic="$cyclic" -v block="$block" '
function hex(text, i, n) {
  for (i = 1; i <= length(text); i++) n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
  return n
}
/^[0-9a-f]+ <.*>:$/ { f = substr($2, 2, length($2) - 3); next }
/^ *[0-9a-f]+:/ && !/nop|data16|xchg +%ax,%ax/ {
  place = hex(substr($1, 1, length($1) - 1))
  k = ++lines[f]
  at[f, k] = place
  if ($2 !~ /^ret/ && !($2 ~ /^mov/ && /\(%rdi\)/)) arithmetic[f]++
  if ($2 ~ /^mov[dl]?$/ && $3 ~ /^(\$|%e..,|%r[0-9]+d,|%xmm)/ && /,.*\(%r[sb]p\)$/) halves[f]++
  # A jump back ends a loop; the shortest one is the innermost.
  if ($2 ~ /^j/ && hex($3) < place) {
    for (i = k; i > 0 && at[f, i] >= hex($3); i--);
    if (!(f in loop) || k - i < loop[f]) loop[f] = k - i
  }
}
function limit(f, most) {
  printf "%s: %d instructions, at most %d\n", f, arithmetic[f], most
  if (!(f in arithmetic) || arithmetic[f] > most) bad = 1
}
function equal(a, b) {
  printf "%s: %d instructions in its loop, %s has %d\n", a, loop[a], b, loop[b]
  if (!(a in loop) || !(b in loop) || loop[a] > loop[b]) bad = 1
}
END {
  limit("add_cyclic", cyclic)
  limit("add_block", block)
  limit("add_indefinite", 1)
  printf "random_get: %d stores of half a word to the stack, at most 0\n", halves["random_get"]
  if (!("random_get" in lines) || halves["random_get"] > 0) bad = 1
  equal("loop_cyclic", "plain_cyclic")
  equal("loop_blocked", "plain_blocked")
  print bad ? "arithmetic: more instructions than the goals allow" : "arithmetic: within the goals"
  exit bad
}' "$work/code"
