# SPDX-License-Identifier: BSD-3-Clause
# coll_scale.awk - prints the lines of suite_coll_scale.sh as a table for each collective and size:
# eyot beside bound and model (coll_model.awk) over the number of units, the ratios, and the growth:
# the exponent x of p^x between the least and the largest number, and of virtual times also the time
# that a doubling adds.
$1 == "value" {
  split($2, part, "@")
  if (!($3 in rows)) { order[++n_metrics] = $3; unit[$3] = $4 }
  key = $3 SUBSEP part[2]
  if (!(key in known)) { known[key] = 1; units[$3, ++rows[$3]] = part[2] + 0 }
  value[key, part[1]] = $5
}
function shown(x) { return x == "" ? "" : sprintf("%.4g", x) }
function over(a, b) { return a == "" || b + 0 == 0 ? "" : sprintf("%.2f", a / b) }
function growth(m, first, last, a, b) {
  first = units[m, 1]; last = units[m, rows[m]]
  a = value[m, first, "eyot"]; b = value[m, last, "eyot"]
  if (rows[m] < 2 || last <= first || a <= 0 || b <= 0) return
  printf "\nGrowth from %d to %d units: p^%.2f", first, last, log(b / a) / log(last / first)
  if (unit[m] == "us") printf ", %.3g us a doubling", (b - a) / (log(last / first) / log(2))
  print "."
}
END {
  for (i = 1; i <= n_metrics; i++) {
    m = order[i]
    name = m
    gsub(/_/, " ", name)
    printf "\n### %s (%s)\n\n", name, unit[m]
    print "| units | eyot | bound | model | eyot / bound | eyot / model |\n|---|---|---|---|---|---|"
    for (r = 1; r <= rows[m]; r++) {
      u = units[m, r]
      e = value[m, u, "eyot"]; b = value[m, u, "bound"]; o = value[m, u, "model"]
      printf "| %d | %s | %s | %s | %s | %s |\n", u, shown(e), shown(b), shown(o), over(e, b), over(e, o)
    }
    growth(m)
  }
}
