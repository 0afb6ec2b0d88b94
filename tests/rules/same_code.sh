#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same_code.sh [--inlined] OLD_TREE OLD_BUILD NEW_TREE NEW_BUILD [RENAMES.tsv] - do two commits define the same
# code and data? For moves and renamings: compiles src/ and tools/ of both trees to assembly and compares
# functions and data objects as sets over the whole project, so that it does not matter in which file one
# stands. File names, line numbers and white space in strings do not count.
#
# Each translation unit is compiled by its command in compile_commands.json (gcc), without debug information and
# link-time optimization. Nothing is inlined and no function is optimized by what another one does: else a split
# file would change its functions. --inlined compiles with -O2 as it is: for changes that neither split nor merge
# files. SAME_CODE_JOBS: compilers at a time (2).
# RENAMES.tsv (docs/renames.tsv): kind, old, new, tab-separated. Kind `file` is skipped; the rest replaces whole
# words. `old` may be PATH:NAME, as in src/sync/lock.c:release, for a name of one file of OLD_TREE. In symbols
# the old tree's names must become the new ones; in strings (__func__, the text of assertions) old and new name
# count as one word. Names of C++ functions, which the compiler mangles, are not renamed.
# Memory orders that x86 compiles alike are compared by their number in the sources.
set -u
mode=apart
[ "${1:-}" = --inlined ] && { mode=inlined; shift; }
[ $# -ge 4 ] || { echo "usage: same_code.sh [--inlined] OLD_TREE OLD_BUILD NEW_TREE NEW_BUILD [RENAMES.tsv]" >&2; exit 2; }
old_tree=$(cd "$1" && pwd) && old_build=$(cd "$2" && pwd) && new_tree=$(cd "$3" && pwd) && new_build=$(cd "$4" && pwd) || exit 2
renames=${5:-/dev/null}
[ -r "$renames" ] || { echo "same_code: cannot read $renames" >&2; exit 2; }
SHOWN=5 DIFF_LINES=12 UNITS_LEAST=${SAME_CODE_UNITS_LEAST:-100}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
launcher=$(command -v ccache || true)

flags='-w -S -g0 -fno-lto -fno-pic -fno-pie -fno-asynchronous-unwind-tables -fno-ident -fno-reorder-blocks-and-partition -fno-jump-tables'
flags="$flags -fno-tree-switch-conversion -fno-stack-protector -frandom-seed=0 -D__FILE__='\"f\"' -Wno-builtin-macro-redefined"
if [ $mode = inlined ]; then
  flags="$flags -O2"
else
  flags="$flags -O1 -fno-inline -fno-ipa-pure-const -fno-ipa-reference -fno-ipa-profile -fno-ipa-modref -fno-ipa-ra -fno-ipa-sra"
  flags="$flags -fno-ipa-cp -fno-ipa-icf -fno-ipa-vrp -fno-ipa-bit-cp -fno-ipa-stack-alignment -fno-partial-inlining"
fi

# commands TREE BUILD DIR: one shell command a line, each of which writes DIR/N.s; DIR/units lists
# N and the file it comes from.
commands() {
  [ -f "$2/compile_commands.json" ] || { echo "same_code: no compile_commands.json in $2" >&2; exit 2; }
  awk -v tree="$1/" -v dir="$3" -v more="$flags" -v launcher="$launcher" -v q="'" '
    /"directory":/ { sub(/^ *"directory": "/, ""); sub(/",?$/, ""); at = $0 }
    /"command":/ { sub(/^ *"command": "/, ""); sub(/",?$/, ""); gsub(/\\"/, "\""); gsub(/\\\\/, "\\"); command = $0 }
    /"file":/ {
      sub(/^ *"file": "/, ""); sub(/",?$/, ""); file = $0
      if (index(file, tree) != 1) next
      name = substr(file, length(tree) + 1)
      if (name !~ /^(src|tools)\// || command ~ / -o tests\// || name in seen) next
      seen[name] = 1
      gsub(/ (-flto[^ ]*|-f(no-)?fat-lto-objects|-g[0-9]*|-O[0-9sg]|--coverage|-Werror|-fPIC|-fPIE|-fsanitize=[^ ]*)/, " ", command)
      gsub(/ (-flto[^ ]*|-f(no-)?fat-lto-objects|-g[0-9]*|-O[0-9sg]|--coverage|-Werror|-fPIC|-fPIE|-fsanitize=[^ ]*) /, " ", command)
      sub(/ -o [^ ]+/, " -o " dir "/" ++n ".s", command)
      sub(/^[^ ]*ccache /, "", command)
      # Templates name things by __LINE__: in C++ it is 0 after the system headers only.
      line = file ~ /\.c$/ ? "-D__LINE__=0" : "-include " dir "/" n ".h"
      sub(/ -c /, " " more " " line " -c ", command)
      first = file ~ /\.c$/ ? "" : "{ grep " q "^#include <" q " " file "; echo " q "#define __LINE__ 0" q "; } >" dir "/" n ".h && "
      print "cd " q at q " && " first launcher " " command " || { echo " q "same_code: " file " does not compile" q "; exit 255; }"
      print n "\t" name > (dir "/units")
    }' "$2/compile_commands.json"
}

compile() {
  mkdir "$work/$3" || exit 2
  commands "$1" "$2" "$work/$3" >"$work/$3.commands" || exit 2
  units=$(wc -l <"$work/$3.commands")
  [ "$units" -ge "$UNITS_LEAST" ] || { echo "same_code: $units translation units in $2, expected at least $UNITS_LEAST" >&2; exit 2; }
  tr '\n' '\0' <"$work/$3.commands" | xargs -0 -n 1 -P "${SAME_CODE_JOBS:-2}" sh -c >"$work/$3.log" 2>&1 || {
    tail -n 20 "$work/$3.log" >&2
    exit 2
  }
}

# One line a function or data object: name, file, and its lines, separated by \034. Labels and
# constants without a name of their own are
# replaced: a label by its number in the function, a constant by what it is.
cat >"$work/dump.awk" <<'END'
BEGIN {
  FS = "\t"
  WORD = "[.A-Za-z_][A-Za-z0-9_.]*"
  while ((getline line < renames) > 0) {
    if (line ~ /^#/ || split(line, part, "\t") < 3 || part[1] == "file" || part[1] == "kind") continue
    symbols = part[1] != "field" && part[1] != "test" && part[1] != "program" # a field is no symbol
    from = part[2]; to = part[3]
    if ((colon = index(from, ":")) > 0) { if (symbols) only[substr(from, 1, colon - 1), substr(from, colon + 1)] = to; from = substr(from, colon + 1) }
    else if (symbols) everywhere[from] = to
    a = class(from); b = class(to)
    if (a != b) above[a] = b
  }
  close(renames)
}
function class(word) { while (word in above) word = above[word]; return word }
# The text of a string: without blanks, each word as its class.
function text(s,   out, word, before) {
  gsub(/\\t/, " ", s)
  while (match(s, /[A-Za-z_][A-Za-z0-9_]*/)) {
    word = substr(s, RSTART, RLENGTH)
    # The n of \n begins no word.
    if (RSTART > 1 && substr(s, RSTART - 1, 1) == "\\" && (RSTART < 3 || substr(s, RSTART - 2, 1) != "\\")) {
      before = substr(s, 1, RSTART); s = substr(s, RSTART + 1)
    } else {
      before = substr(s, 1, RSTART - 1) class(word); s = substr(s, RSTART + RLENGTH)
    }
    out = out before
  }
  out = out s
  gsub(/ /, "", out)
  return out
}
# A symbol: without the compiler's number, and as the new tree calls it.
function symbol(s) {
  sub(/(\.(part|constprop|isra|cold|lto_priv))*(\.[0-9]+)+$/, "", s)
  if (old && (file, s) in only) return only[file, s]
  if (old && s in everywhere) return everywhere[s]
  return s
}
function nameless(s) { return s ~ /^\.LC[0-9]/ || s ~ /^(__func__|__PRETTY_FUNCTION__|__FUNCTION__|C|CSWTCH)\.[0-9]/ }
# The operands of a line, resolved. depth: constants refer to constants.
function resolve(s, depth,   out, word, before) {
  while (match(s, WORD)) {
    word = substr(s, RSTART, RLENGTH); before = RSTART > 1 ? substr(s, RSTART - 1, 1) : ""
    out = out substr(s, 1, RSTART - 1); s = substr(s, RSTART + RLENGTH)
    if (before == "%" || before == "@" || before ~ /[0-9]/) out = out word
    else if (nameless(word)) out = out "{" (depth < 8 ? lines_of(word, depth + 1) : "...") "}"
    else if (word ~ /^\.L/) {
      if (!(word in label)) label[word] = ++n_labels
      out = out ".L" label[word]
    } else out = out symbol(word)
  }
  return out s
}
function lines_of(name, depth,   i, out, line, tab, directive, rest) {
  for (i = 1; i <= count[name]; i++) {
    line = body[name, i]
    if (line ~ /^\.L/) { sub(/:$/, "", line); out = out resolve(line, depth) ":\034"; continue }
    tab = index(line, "\t")
    directive = tab ? substr(line, 1, tab - 1) : line; rest = tab ? substr(line, tab + 1) : ""
    if (directive == "text") out = out "text " text(rest) "\034"
    else out = out directive " " resolve(rest, depth) "\034"
  }
  return out
}
# .ascii and .string, joined: where the compiler cuts a long string depends on its length.
function add_text(s, ends) {
  s = substr(s, 2, length(s) - 2) (ends ? "\\000" : "")
  if (open_text) body[at, count[at]] = body[at, count[at]] s
  else body[at, ++count[at]] = "text\t" s
  open_text = 1
}
/^#/ { next }
/^[^\t #][^ \t]*:/ {
  name = $0; sub(/:.*/, "", name)
  open_text = 0
  if (name ~ /^\.L/ && name !~ /^\.LC[0-9]/) {
    if (name ~ /^\.L(FB|FE|VL|text|cold|hot)/) next
    if (at != "") body[at, ++count[at]] = $0
    next
  }
  at = name
  order[++n_names] = name; count[name] = 0
  next
}
/^\t\.(file|ident|globl|hidden|local|type|size|align|p2align|weak|text|data|bss|section|cfi_[a-z_]*)(\t| |$)/ {
  # Alignment and the end of a section say nothing of their own; what kind of section a constant of a name is in does.
  if ($2 == ".section") { where = $3; sub(/,.*/, "", where) } else if ($2 ~ /^\.(text|data|bss)$/) where = $2
  next
}
/^\t\.comm\t/ { split($3, part, ","); order[++n_names] = part[1]; body[part[1], 1] = "comm\t" part[2]; count[part[1]] = 1; next }
/^\t\.(ascii|string)\t/ { s = $0; sub(/^\t\.(ascii|string)\t/, "", s); if (at != "") add_text(s, $2 == ".string"); if ($2 == ".string") open_text = 0; next }
/^\t/ {
  open_text = 0
  if (at == "") next
  line = substr($0, 2)
  sub(/[ \t]+$/, "", line)
  if (line == "") next
  body[at, ++count[at]] = line
}
END {
  for (i = 1; i <= n_names; i++) {
    if (nameless(order[i])) continue
    split("", label); n_labels = 0
    printf "%s\t%s\t%s\n", symbol(order[i]), file, lines_of(order[i], 0)
  }
}
END

dump() {
  while IFS='	' read -r n name; do
    awk -v file="$name" -v old="$2" -v renames="$renames" -f "$work/dump.awk" "$work/$1/$n.s" || exit 2
  done <"$work/$1/units" >"$work/$1.dump"
  [ -s "$work/$1.dump" ] || { echo "same_code: nothing was compiled" >&2; exit 2; }
}

orders() {
  find "$1/src" "$1/tools" "$1/include" -name '*.[ch]*' -exec cat {} + |
    awk '{ while (match($0, /__ATOMIC_[A-Z_]+|memory_order_[a-z_]+/)) { n[substr($0, RSTART, RLENGTH)]++; $0 = substr($0, RSTART + RLENGTH) } }
      END { for (k in n) print k, n[k] }' | sort
}
orders "$old_tree" >"$work/old.orders"
orders "$new_tree" >"$work/new.orders"

compile "$old_tree" "$old_build" old
compile "$new_tree" "$new_build" new
dump old 1
dump new 0

awk -F '\t' -v shown=$SHOWN -v most=$DIFF_LINES -v objects="$(wc -l <"$work/new/units")" '
  FNR == 1 { side++ }
  { key = $1 FS $3; if (!((side, key) in have)) { have[side, key] = $2; list[side, ++n[side]] = key } }
  function differing(s,   i, other, name, key) {
    other = 3 - s
    for (i = 1; i <= n[s]; i++) {
      key = list[s, i]
      if ((other, key) in have) continue
      name = key; sub(/\t.*/, "", name)
      if (!(name in bad)) { bad[name] = 1; bads[++n_bad] = name }
      left[s, name] = left[s, name] (left[s, name] == "" ? "" : FS) key
    }
  }
  function show(name,   a, p, r, x, y, i, k, n_x, n_y, lines) {
    if (left[1, name] == "" || left[2, name] == "") {
      k = left[1, name] != "" ? 1 : 2
      a = left[k, name]; split(a, x, FS)
      print "  " name ": only in the " (k == 1 ? "old" : "new") " tree, " have[k, x[1] FS x[2]]
      return
    }
    split(left[1, name], p, FS); split(left[2, name], r, FS)
    print "  " name ": " have[1, p[1] FS p[2]] " -> " have[2, r[1] FS r[2]]
    n_x = split(p[2], x, "\034"); n_y = split(r[2], y, "\034")
    for (i = 1; i <= (n_x > n_y ? n_x : n_y) && lines < most; i++)
      if (x[i] != y[i]) { printf "    %d: %s  |  %s\n", i, substr(x[i], 1, 90), substr(y[i], 1, 90); lines++ }
  }
  END {
    differing(1); differing(2)
    printf "same_code: objects=%d functions=%d differ=%d\n", objects, n[2], n_bad
    for (j = 1; j <= n_bad && j <= shown; j++) show(bads[j])
    if (n_bad > shown) print "  and " n_bad - shown " more"
    exit n_bad > 0
  }' "$work/old.dump" "$work/new.dump"
code=$?
cmp -s "$work/old.orders" "$work/new.orders" || { echo "same_code: other memory orders in the sources:"; diff "$work/old.orders" "$work/new.orders"; code=1; }
exit $code
