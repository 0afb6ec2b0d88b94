# SPDX-License-Identifier: BSD-3-Clause
# steps.awk - turns lines `value SERIES@DISTANCE METRIC UNIT NUMBER`, in the order of distances,
# into a Markdown table for each metric, with one line for each run of distances over which no
# series changes by more than 1 in 200.
$1 == "value" && NF == 5 {
  split($2, part, "@")
  if (!($3 in n_series)) metric[++metrics] = $3
  if (!(($3, part[1]) in known)) { known[$3, part[1]] = 1; series[$3, ++n_series[$3]] = part[1] }
  if (!(($3, part[2]) in seen)) { seen[$3, part[2]] = 1; at[$3, ++n_at[$3]] = part[2] }
  unit[$3] = $4
  value[$3, part[1], part[2]] = $5
}
function spaced(s) { gsub(/_/, " ", s); return s }
# Distances number a and b of metric m are on one level.
function level(m, a, b, k, x, y) {
  for (k = 1; k <= n_series[m]; k++) {
    x = value[m, series[m, k], at[m, a]]
    y = value[m, series[m, k], at[m, b]]
    if (x - y > y / 200 || y - x > y / 200) return 0
  }
  return 1
}
function line(m, a, b, k) {
  printf a == b ? "| %s " : "| %s to %s ", at[m, a], at[m, b]
  for (k = 1; k <= n_series[m]; k++) printf "| %.4g ", value[m, series[m, k], at[m, a]]
  print "|"
}
END {
  for (i = 1; i <= metrics; i++) {
    m = metric[i]
    printf "\n### %s, %s (less is better)\n\n| distance (units) ", spaced(m), unit[m]
    dashes = "|---"
    for (k = 1; k <= n_series[m]; k++) { printf "| %s ", spaced(series[m, k]); dashes = dashes "|---" }
    print "|\n" dashes "|"
    first = 1
    for (j = 2; j <= n_at[m] + 1; j++)
      if (j > n_at[m] || !level(m, first, j)) { line(m, first, j - 1); first = j }
  }
}
