#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# litmus_page.sh PROGRAM PAGE [--write] - the tables of docs/openshmem-litmus.md, between its comments `litmus: NAME` and `litmus: end`, are those that the tests (PROGRAM --list), litmus.tsv and
# litmus_seen.tsv make; --write makes them so.
program=$1 page=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$program" --list >"$work/list" || exit 2
# shellcheck disable=SC2016
awk -F '\t' '
  function add(list, o) { return list == "" ? o : list " " o }
  # "all the same" or "label: this; label: that"
  function sets(labels, values, n,   i, k, same, out, by) {
    same = 1
    for (i = 2; i <= n; i++) if (values[i] != values[1]) same = 0
    if (same) return values[1]
    for (i = 1; i <= n; i++) {
      if (values[i] == "done") continue
      by = labels[i]
      for (k = i + 1; k <= n; k++) if (values[k] == values[i]) { by = by ", " labels[k]; values[k] = "done" }
      out = (out == "" ? "" : out "; ") by ": " values[i]
    }
    return out
  }
  FILENAME ~ /litmus.tsv$/ {
    if (/^#/) next
    if (!at["test"]) { for (i = 1; i <= NF; i++) at[$i] = i; next }
    t = $at["test"]; o = $at["outcome"]; text = $at["text"]
    section[t] = $at["section"]
    by_text[t, text] = add(by_text[t, text], o)
    none = 1
    for (m = split("strict rdma tso", model, " "); m > 0; m--)
      if ($at[model[m]] == "yes") { shows[t, m] = add(shows[t, m], o); none = 0 }
    if (text == "open") open[++n_open] = "| `" t "` | " o " | " $at["section"] " | " (none ? "no" : "yes") " | " $at["note"] " |"
    if (text == "allowed" && none) never[++n_never] = "| `" t "` | " o " | " $at["section"] " | " $at["note"] " |"
    next
  }
  FILENAME ~ /litmus_seen.tsv$/ {
    if (/^#/) next
    if (!n_runs) { n_runs = NF - 2; for (i = 3; i <= NF; i++) label[i - 2] = $i; next }
    for (i = 3; i <= NF; i++) if ($i > 0) seen[$1, i - 2] = add(seen[$1, i - 2], $2)
    next
  }
  {
    code = $4
    for (i = 5; i <= NF; i++) code = code "<br>" ($i == "" ? "-" : $i)
    gsub(/;/, "; ", code)
    for (m = 1; m <= 3; m++) value[m] = shows[$1, m]
    models = sets(model, value, 3)
    n = 0
    for (i = 1; i <= n_runs; i++) if (seen[$1, i] != "") { n++; names[n] = label[i]; ran[n] = seen[$1, i] }
    runs = n ? sets(names, ran, n) : ""
    undecided = by_text[$1, "open"] (by_text[$1, "undefined"] == "" ? "" : by_text[$1, "undefined"] " (undefined)")
    row[++n_rows] = "| `" $1 "` | " code " | " $3 " | " by_text[$1, "forbidden"] " | " by_text[$1, "allowed"] " | " undecided " | " section[$1] " | " models " | " runs " |"
  }
  END {
    print "| test | program, a line a PE | shows | forbidden | allowed | open | section | models | runs |\n|---|---|---|---|---|---|---|---|---|" > tests
    for (i = 1; i <= n_rows; i++) print row[i] > tests
    print "| test | outcome | section | eyot shows it | what is open |\n|---|---|---|---|---|" > opens
    for (i = 1; i <= n_open; i++) print open[i] > opens
    print "| test | outcome | section | why |\n|---|---|---|---|" > nevers
    for (i = 1; i <= n_never; i++) print never[i] > nevers
  }' tests="$work/tests" opens="$work/open" nevers="$work/never" "$here/litmus.tsv" "$here/litmus_seen.tsv" "$work/list"
sed -i 's/  *|/ |/g' "$work/tests" "$work/open" "$work/never"
awk -v dir="$work" '
  /^<!-- litmus: end -->$/ { skip = 0 }
  !skip { print }
  /^<!-- litmus: (tests|open|never) -->$/ { while ((getline line < (dir "/" $3)) > 0) print line; skip = 1 }' "$page" >"$work/page"
if [ "$3" = --write ]; then
  cp "$work/page" "$page"
else
  diff "$page" "$work/page" || { echo "litmus_page: the tables of $page differ: sh tests/openshmem/litmus_page.sh $program $page --write" >&2; exit 1; }
fi
