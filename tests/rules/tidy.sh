#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tidy.sh SOURCE_DIR [--shrink] - every C and C++ file is tidy: at most 100 columns, 500 lines, and 70 lines in a
# function; the SPDX tag alone on line 1 and nowhere else; then a comment of at most 12 lines that says what the file
# is; no two types of src with one tag; no retired word (docs/glossary.md) in a name of src, include or tools. In
# include and docs, no number of a seed or an issue that a reader cannot look up.
#
# tests/rules/tidy-known.txt lists what was there when the rules were made. It must shrink: an entry that is not
# needed any more is an error, which --shrink removes. Fails, too, when it looks at less than expected: a rule that
# looks at nothing proves nothing.
LC_ALL=C
export LC_ALL
root=$1
here=$(cd "$(dirname "$0")" && pwd)
known=${EYOT_TIDY_KNOWN:-$root/tests/rules/tidy-known.txt}
FILES_LEAST=1500 LINES_LEAST=190000 FUNCTIONS_LEAST=12500 COMMENTS_LEAST=1000 NAMES_LEAST=14500 TAGS_LEAST=750
WORDS_LEAST=15 PAGES_LEAST=50
# Words that stay in another sense than the retired one, refused in one folder only. A place is also a location.
IN_FOLDER="place:src/sync/pscw/"
# Names whose word has its plain sense: the remaining ones; and a public name.
PLAIN="rest eyot_heap_room"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "tidy: $*"; bad=1; }

# The first column of the table of retired words: "crowd, crowded", "room (capacity)".
awk -F'|' '/^## /{ on = ($0 == "## Retired words") } on && /^\| [a-z]/ && $2 !~ /retired/ {
    gsub(/\([^)]*\)/, "", $2); gsub(/,/, " ", $2); print $2 }' "$root/docs/glossary.md" | tr -s ' ' '\n' | grep . >"$work/words"
[ "$(wc -l <"$work/words")" -ge $WORDS_LEAST ] || say "docs/glossary.md has $(wc -l <"$work/words") retired words; expected $WORDS_LEAST"
retired=
for word in $(cat "$work/words"); do
  for limited in $IN_FOLDER; do [ "${limited%%:*}" = "$word" ] && word=$limited; done
  retired="$retired $word"
done

cd "$root" || exit 1
find src include tests tools examples bench \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' \) | sort >"$work/files"
xargs cat <"$work/files" >/dev/null || exit 1
# One awk for all files: tags must be unique among all.
awk -v root= -v retired="$retired" -v plain="$PLAIN" -f "$here/tidy.awk" $(cat "$work/files") >"$work/all" || exit 1
grep '^counts ' "$work/all" >"$work/counts"
grep -v '^counts ' "$work/all" >"$work/found"

# Numbers that only this project's makers could look up. Those of another project stand after its name, owner/name.
find include docs \( -name '*.h' -o -name '*.md' \) | sort >"$work/pages"
xargs grep -nE '[Ss]eed 00|[Ii]ssues? #?[0-9]' <"$work/pages" | grep -vE '[a-z]+/[a-z0-9-]+,? issues? #?[0-9]' |
  awk -F: '{ print "number", $1, "line " $2 " names an issue or a seed by its number" }' >>"$work/found"

# An entry: KIND FILE, or word FILE NAME; a violation: KIND FILE TEXT.
awk -v known="$known" '
  function key() { return $1 " " $2 ($1 == "word" ? " " $3 : "") }
  FILENAME == known { if (NF > 0 && !/^#/) { allowed[key()] = 1 } next }
  key() in allowed { used[key()] = 1; next }
  { kind = $1; file = $2; $1 = $2 = ""; sub(/^ */, ""); print file ": " $0 " (" kind ")" }
  END { for (k in allowed) if (!(k in used)) print "tests/rules/tidy-known.txt: remove the entry, it is not needed any more: " k }
' "$known" "$work/found" >"$work/left" || exit 1
if [ "${2:-}" = --shrink ]; then
  sed -n 's/.*not needed any more: //p' "$work/left" >"$work/drop"
  grep -vxF -f "$work/drop" "$known" >"$work/known" && cat "$work/known" >"$known"
  echo "tidy: $(wc -l <"$work/drop") entries removed from $known"
  exit
fi
[ -s "$work/left" ] && { sort "$work/left"; say "$(wc -l <"$work/left") violations"; }

least() { [ "$2" -ge "$3" ] || say "looked at $2 $1 only; expected at least $3"; }
read -r _ files lines functions comments names tags longest <"$work/counts" || say "nothing was counted"
least files "$files" $FILES_LEAST
least lines "$lines" $LINES_LEAST
least functions "$functions" $FUNCTIONS_LEAST
least "opening comments" "$comments" $COMMENTS_LEAST
least names "$names" $NAMES_LEAST
least tags "$tags" $TAGS_LEAST
least pages "$(wc -l <"$work/pages")" $PAGES_LEAST
[ $bad -eq 0 ] && echo "tidy: ok, $files files, $lines lines, $functions functions (the longest has $longest lines), $names names, $tags tags, $(grep -c '^[a-z]' "$known") known exceptions"
exit $bad
