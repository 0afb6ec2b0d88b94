#!/bin/sh
# limits.sh SOURCE_DIR BUILD_DIR - docs/limits.md has the table of eyot-info --limits, line by line, and no other rows.
set -u
source=$1 build=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
"$build/bin/eyot-info" --limits >"$dir/table" || exit 1
while IFS= read -r line; do
  grep -qxF -- "$line" "$source/docs/limits.md" || { echo "docs/limits.md does not have: $line"; bad=1; }
done <"$dir/table"
rows=$(grep -c '^|' "$dir/table")
[ "$rows" -gt 20 ] || { echo "eyot-info --limits prints $rows rows, expected more than 20"; bad=1; }
[ "$(grep -c '^|' "$source/docs/limits.md")" -eq "$rows" ] || { echo "docs/limits.md has rows that eyot-info does not print"; bad=1; }
exit $bad
