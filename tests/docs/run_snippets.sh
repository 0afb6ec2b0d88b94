#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run_snippets.sh BUILD_DIR PAGE.md... - executes what the documentation shows, so that it stays true.
#
# A line `<!-- snippet: KIND [ARGUMENT] -->` marks the fenced block that follows it:
#   file NAME       the block is written to NAME
#   run             the block is a shell script; it must succeed
#   fails           the block is a shell script; it must not succeed
#   expect REGEX    the output of the last run must have a line that matches the extended REGEX; needs no block
#   compile         the block is C: it must compile without warnings behind `#include <eyot/eyot.h>`
# All snippets of a page run in order in one temporary directory, with BUILD_DIR/bin in front of the PATH and
# BUILD_DIR/examples in EXAMPLES. A page without any snippet is a failure.
set -u
[ $# -ge 2 ] || { echo "usage: run_snippets.sh BUILD_DIR PAGE.md..." >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
shift
include=$(cd "$(dirname "$0")/../../include" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/snippets.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
PATH=$build/bin:$PATH
EXAMPLES=$build/examples
export PATH EXAMPLES

# extract PAGE DIR: one file a snippet, DIR/NNN.KIND, its argument in DIR/NNN.arg, its line in DIR/NNN.line.
extract() {
  awk -v dir="$2" '
    /^<!-- snippet: .* -->$/ {
      if (pending != "") { printf "%s:%d: no block follows this marker\n", FILENAME, marker; bad = 1 }
      text = $0; sub(/^<!-- snippet: /, "", text); sub(/ -->$/, "", text)
      kind = text; sub(/ .*/, "", kind); arg = substr(text, length(kind) + 2)
      if (kind !~ /^(file|run|fails|expect|compile)$/) { printf "%s:%d: unknown kind %s\n", FILENAME, NR, kind; bad = 1; next }
      base = sprintf("%s/%03d", dir, ++n)
      print arg > (base ".arg"); print NR > (base ".line"); close(base ".arg"); close(base ".line")
      if (kind == "expect") { printf "" > (base ".expect"); close(base ".expect") } else { pending = base "." kind; marker = NR }
      next }
    /^```/ && inside { inside = 0; if (out != "") close(out); out = ""; next }
    /^```/ { inside = 1; if (pending != "") { out = pending; pending = ""; printf "" > out }; next }
    inside && out != "" { print > out }
    END { if (pending != "") { printf "%s:%d: no block follows this marker\n", FILENAME, marker; bad = 1 }
          if (n == 0) { printf "%s: no snippet\n", FILENAME; bad = 1 }
          exit bad }' "$1"
}

failures=0
fail() { # PAGE LINE TEXT
  echo "$1:$2: $3" >&2
  failures=$((failures + 1))
}

# one PAGE SNIPPET: runs one extracted snippet in the current directory.
one() {
  page=$1 base=${2%.*} kind=${2##*.}
  arg=$(cat "$base.arg") line=$(cat "$base.line")
  case $kind in
    file) cp "$2" "$arg" ;;
    run | fails)
      sh -eu "$2" >"$output" 2>&1 </dev/null
      code=$?
      sed 's/^/    /' "$output"
      if [ "$kind" = run ] && [ $code -ne 0 ]; then fail "$page" "$line" "exit code $code"; fi
      if [ "$kind" = fails ] && [ $code -eq 0 ]; then fail "$page" "$line" "succeeded, but the page says that it fails"; fi
      ;;
    expect) grep -Eq -- "$arg" "$output" || fail "$page" "$line" "the output of the run before has no line matching: $arg" ;;
    compile)
      { echo '#include <eyot/eyot.h>'; cat "$2"; } >snippet.c
      "${CC:-cc}" -std=gnu17 -Wall -Wextra -Werror -I"$include" -c snippet.c -o snippet.o || fail "$page" "$line" "does not compile"
      ;;
  esac
}

for page in "$@"; do
  parts=$work/$(basename "$page").parts
  output=$parts/output
  mkdir -p "$parts" "$parts.dir"
  extract "$page" "$parts" || { failures=$((failures + 1)); continue; }
  : >"$output"
  page=$(cd "$(dirname "$page")" && pwd)/$(basename "$page")
  cd "$parts.dir" || exit 2
  n=0
  for snippet in "$parts"/*.file "$parts"/*.run "$parts"/*.fails "$parts"/*.expect "$parts"/*.compile; do [ -e "$snippet" ] && echo "$snippet"; done | sort >"$parts/list"
  while read -r snippet; do
    one "$page" "$snippet"
    n=$((n + 1))
  done <"$parts/list"
  cd "$work" || exit 2
  echo "$page: $n snippets"
done
[ $failures -eq 0 ] || { echo "run_snippets.sh: $failures failures" >&2; exit 1; }
