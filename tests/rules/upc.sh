#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# upc.sh SOURCE_DIR [HEADER...] - each function and macro upc_* of eyot/upc/*.h has a docstring that cites its section of UPC 1.3, or one of
# three numbers and more that contains it; headers for translators (upcr_preinclude) cite theirs, or one that contains it, at the top. Each
# section that UPC's headers and src/interfaces/upc cite exists. upc_sections.txt lists the sections and their functions. A docstring is the comment
# before the declarations, without an empty line between. HEADER: files to look at instead, for the test of this test.
set -u
cd "${1:?upc.sh SOURCE_DIR [HEADER...]}" || exit 2
shift
LEAST=100 # functions and macros; fewer are a sign that nothing was read
LC_ALL=C
export LC_ALL
if [ $# -eq 0 ]; then
  whole=1
  # shellcheck disable=SC2046 # names without spaces
  set -- $(find include/eyot-upc/eyot include/eyot-upc/upcr_preinclude -name '*.h' | sort)
  cited=$(find include/eyot-upc src/interfaces/upc -name '*.[ch]' | sort)
else
  whole=0 cited=$*
fi

# shellcheck disable=SC2086
awk -v whole=$whole -v least=$LEAST '
  function say(text) { print "upc: " FILENAME ":" FNR ": " text; bad = 1 }
  # Does the text cite the section, or one that contains it, of at least `most` numbers?
  function cites(text, section, most,    n, i, part, word) {
    if (text !~ /UPC/) return 0
    n = split(text, word, /[^0-9B.]+/)
    for (i = 1; i <= n; i++) {
      sub(/\.$/, "", word[i])
      if (word[i] == section) return 1
      if (split(word[i], part, ".") >= most && index(section, word[i] ".") == 1) return 1
    }
    return 0
  }
  function check(name) {
    if (name == "upc_local_alloc") return # of UPC 1.1
    seen++
    declared[name] = 1
    if (!(name in section)) say(name " stands in no section of tests/rules/upc_sections.txt")
    else if (FILENAME ~ /upcr_preinclude/) {
      if (!cites(top, section[name], 2)) say("the opening comment does not cite UPC " section[name] ", of " name)
    } else if (doc == "") say(name " has no docstring")
    else if (!cites(doc, section[name], 3)) say("the docstring of " name " does not cite UPC " section[name])
  }
  FILENAME == "tests/rules/upc_sections.txt" {
    if ($0 ~ /^#/) next
    exists[$1] = 1
    for (i = 2; i <= NF; i++) section[$i] = $1
    next
  }
  FNR == 1 { doc = top = ""; comment = comments = 0 }
  /^ *\/\*/ && !comment { comment = 1; comments++; text = "" }
  comment {
    text = text " " $0
    if ($0 !~ /\*\//) next
    comment = 0
    doc = text
    if (comments == 2) top = text # the first is the licence
    next
  }
  /^$/ { doc = "" }
  /^#define upc_[a-z]/ || /^(extern |EYOTI_INLINE )?[a-z].*[ *]upc_[a-z_A-Z#]*\(/ || /^  (extern )?void upc_all_[a-z_]*##T\(/ {
    line = $0
    sub(/\(.*/, "", line)
    sub(/.*[ *]/, "", line)
    sub(/##T/, "", line)
    if (line ~ /^upc_/ && line !~ /_t$/) check(line)
  }
  END {
    if (whole) {
      for (name in section) if (!(name in declared)) { print "upc: tests/rules/upc_sections.txt: no header declares " name; bad = 1 }
      if (seen < least) { print "upc: looked at " seen " functions only, expected at least " least; bad = 1 }
    }
    if (!bad && whole) print "upc: " seen " functions"
    exit bad
  }' tests/rules/upc_sections.txt "$@"
bad=$?

# Numbers of the form 7.2.4 or B.3, from a comment that names UPC.
# shellcheck disable=SC2086
awk '
  FILENAME == "tests/rules/upc_sections.txt" { if ($0 !~ /^#/) exists[$1] = 1; next }
  /\/\*/ { comment = 1; names = 0 }
  comment {
    if (/UPC/) names = 1
    n = split($0, word, /[^0-9A-Za-z.]+/)
    for (i = 1; names && i <= n; i++) {
      sub(/\.$/, "", word[i])
      if (word[i] !~ /^([5-9]|[AB])(\.[0-9]+)+$/) continue
      cited++
      if (!(word[i] in exists)) { print "upc: " FILENAME ":" FNR ": UPC 1.3 has no section " word[i]; bad = 1 }
    }
  }
  /\*\// { comment = 0 }
  END { if (cited == 0) { print "upc: no section is cited"; bad = 1 } if (!bad) print "upc: ok, " cited " citations"; exit bad }
' tests/rules/upc_sections.txt $cited || bad=1
exit $bad
