# SPDX-License-Identifier: BSD-3-Clause
# coll_modes.awk - turns lines `mode UNITS FUNCTION BYTES WAY US` into a table of collectives on
# global memory (eyot/coll_global.h) beside the plain function: WAY is plain, nosync, mysync or
# allsync. Medians, and ratios to the plain one round by round, as their median and, of several
# rounds, quartiles. UNITS: units, or UNITS/UNITS_OF_A_NODE.
$1 == "mode" && NF == 6 {
  row = $2 SUBSEP $3 SUBSEP $4
  if (!(row in known)) { known[row] = 1; order[++rows] = row }
  sample[row, $5, ++count[row, $5]] = $6 + 0
}
function sorted_median(n, i, j, v) {
  for (i = 2; i <= n; i++) {
    v = sorted[i]
    for (j = i - 1; j >= 1 && sorted[j] > v; j--) sorted[j + 1] = sorted[j]
    sorted[j + 1] = v
  }
  return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}
function median(row, way, i, n) {
  n = count[row, way]
  for (i = 1; i <= n; i++) sorted[i] = sample[row, way, i]
  return n == 0 ? "" : sprintf("%.4g", sorted_median(n))
}
function ratio(row, way, i, n, m) {
  n = count[row, way] < count[row, "plain"] ? count[row, way] : count[row, "plain"]
  if (n == 0) return ""
  for (i = 1; i <= n; i++) sorted[i] = sample[row, "plain", i] > 0 ? sample[row, way, i] / sample[row, "plain", i] : 0
  m = sorted_median(n)
  return n == 1 ? sprintf("%.2f", m) : sprintf("%.2f (%.2f to %.2f)", m, sorted[int((n + 3) / 4)], sorted[n + 1 - int((n + 3) / 4)])
}
function shape(s, part) { return split(s, part, "/") == 2 ? part[1] ", " part[2] " a node" : s }
END {
  n = split("nosync mysync allsync", way, " ")
  printf "\n### Collectives on global memory: the modes beside the plain function, us (less is better)\n\n"
  print "| function | units | bytes | plain | NOSYNC | MYSYNC | ALLSYNC | NOSYNC / plain | MYSYNC / plain | ALLSYNC / plain |"
  print "|---|---|---|---|---|---|---|---|---|---|"
  for (r = 1; r <= rows; r++) {
    split(order[r], part, SUBSEP)
    printf "| %s | %s | %s | %s ", part[2], shape(part[1]), part[3], median(order[r], "plain")
    for (k = 1; k <= n; k++) printf "| %s ", median(order[r], way[k])
    for (k = 1; k <= n; k++) printf "| %s ", ratio(order[r], way[k])
    print "|"
  }
}
