# SPDX-License-Identifier: BSD-3-Clause
# fidelity.awk - turns published figures and lines `fidelity TABLE ROW OURS` into Markdown tables:
#   awk -f fidelity.awk fidelity/*.tsv FILE_OF_LINES
# A .tsv file has columns that a tab separates:
#   TABLE  *    TITLE
#   TABLE  ROW  PUBLISHED  UNIT  KIND  BOUND  SOURCE  REASON
# ROW: a name, or NAME@NUMBER for one number of units; a measured row NAME@NUMBER that is not there
#   takes the row NAME.
# PUBLISHED: a number; A..B for a range, either end of which may be missing; - if the figure is
#   missing in the source, which then only says what REASON says.
# KIND: calibrated (the platform's prices are made from it) or predicted.
# BOUND: the deviation that is allowed, in percent: N for -N to N, or A..B; - for none.
# Variables: check=1 prints only rows beyond their bounds, and the exit code is 1 if there is one;
# csv=FILE also writes a CSV file; only=TABLE prints one table, without its title.
BEGIN { FS = "\t" }
function complain(text) {
  print "fidelity.awk: " FILENAME ":" FNR ": " text > "/dev/stderr"
  bad = 1
}
/^#/ || NF == 0 { next }
FILENAME ~ /\.tsv$/ {
  if ($2 == "*" && NF == 3) { title[$1] = $3; if (!($1 in known)) tables[++table_count] = $1; known[$1] = 1; next }
  if (NF != 8) complain("expected 8 columns, found " NF)
  else if (!($1 in known)) complain("the table " $1 " has no title")
  else if (($1, $2) in published) complain("the row " $1 " " $2 " is there twice")
  else if ($5 != "calibrated" && $5 != "predicted") complain("kind " $5 ", expected calibrated or predicted")
  else {
    place[$1, $2] = ++places
    published[$1, $2] = $3; unit[$1, $2] = $4; kind[$1, $2] = $5; bound[$1, $2] = $6; source[$1, $2] = $7; reason[$1, $2] = $8
  }
  next
}
/^fidelity / {
  n = split($0, word, " ")
  if (n != 4 || word[4] !~ /^[0-9.]+(e[-+]?[0-9]+)?$/) { complain("expected `fidelity TABLE ROW OURS`, found: " $0); next }
  measured(word[2], word[3], word[4])
}
function measured(table, row, ours, key) {
  key = table SUBSEP row
  if (!(key in published)) { sub(/@.*/, "", key) }
  if (!(key in published)) { complain("no published row for " table " " row); return }
  if ((table, row) in taken) { complain("measured twice: " table " " row); return }
  taken[table, row] = ours
  rows[table, ++row_count[table]] = row
  of[table, row] = key
}
# The end of a range that A..B means, or of the number N itself.
function low_end(text) { return text ~ /\.\./ ? (text ~ /^\.\./ ? -1e300 : text + 0) : text + 0 }
function high_end(text, part) {
  if (text !~ /\.\./) return text + 0
  sub(/^.*\.\./, "", text)
  return text == "" ? 1e300 : text + 0
}
# In percent of the published figure, or of the nearer end of its range; 0 within it.
function deviation(ours, text, low, high) {
  low = low_end(text); high = high_end(text)
  return ours < low ? (ours / low - 1) * 100 : ours > high ? (ours / high - 1) * 100 : 0
}
function within(percent, text, low, high) {
  if (text == "-") return 1
  low = text ~ /\.\./ ? low_end(text) : -text; high = high_end(text)
  return percent >= low - 1e-9 && percent <= high + 1e-9
}
function rank(table, row) { return place[of[table, row]] }
# By their place in the .tsv file; those of one place as measured.
function sort_rows(table, i, j, row) {
  for (i = 2; i <= row_count[table]; i++) {
    row = rows[table, i]
    for (j = i - 1; j >= 1 && rank(table, rows[table, j]) > rank(table, row); j--) rows[table, j + 1] = rows[table, j]
    rows[table, j + 1] = row
  }
}
function shown(number) { return number >= 1000 ? sprintf("%.0f", number) : sprintf("%.4g", number) }
function print_row(table, row, key, ours, text, percent) {
  key = of[table, row]; ours = taken[table, row]; text = published[key]
  percent = text == "-" ? "" : deviation(ours, text)
  if (percent != "" && !within(percent, bound[key])) {
    printf "fidelity.awk: %s %s: %s %s beside the published %s: %+.1f %%, allowed %s\n", table, row, shown(ours), unit[key], text, percent, bound[key] > "/dev/stderr"
    beyond = 1
  }
  if (csv != "") printf "%s,%s,%s,%s,%s,%s,%s\n", table, row, text, ours, unit[key], percent, kind[key] > csv
  if (check) return
  sub(/\.\./, " to ", text); sub(/^ to /, "at most ", text); if (text ~ / to $/) { sub(/ to $/, "", text); text = "at least " text }
  name = row; sub(/@1$/, ", 1 unit", name); sub(/@[0-9]+$/, "& units", name); sub(/@/, ", ", name); gsub(/_/, " ", name)
  printf "| %s | %s | %s | %s | %s | %s | %s |\n", name, unit[key], text, shown(ours), percent == "" ? "" : sprintf("%+.0f %%", percent), kind[key], reason[key] (source[key] == "" ? "" : (reason[key] == "" ? "" : " ") "(" source[key] ")")
}
END {
  if (bad) exit 2
  if (csv != "") print "table,row,published,ours,unit,deviation_percent,kind" > csv
  for (t = 1; t <= table_count; t++) {
    table = tables[t]
    if (!row_count[table] || (only != "" && only != table)) continue
    sort_rows(table)
    if (!check && only == "") printf "%s### %s\n\n", printed++ ? "\n" : "", title[table]
    if (!check) print "| row | unit | published | ours, virtual | deviation | kind | reason (source) |\n|---|---|---|---|---|---|---|"
    for (i = 1; i <= row_count[table]; i++) print_row(table, rows[table, i])
  }
  exit beyond && check ? 1 : 0
}
