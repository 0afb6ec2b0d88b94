# SPDX-License-Identifier: BSD-3-Clause
# scale.awk - turns the lines of suite_scale.sh into a table for each metric, units by phases, with
# the growth: the exponent x of p^x (least squares of logarithms), and of memory the bytes that one
# more unit takes (least squares, KiB). And of its lines `strict PATTERN K SECONDS OPERATIONS`.
$1 == "value" {
  cut = match($3, /_[a-z]+$/)
  phase = substr($3, 1, cut - 1); metric = substr($3, cut + 1)
  if (!(phase in known)) { known[phase] = 1; phases[++n_phases] = phase }
  if (!($2 in row)) { row[$2] = 1; rows[++n_rows] = $2 }
  value[$2, phase, metric] = $5
  unit[metric] = $4
}
$1 == "strict" { if (!($2 in ways)) ways[$2] = ++n_ways; way[ways[$2]] = $2; of[$3, $2] = 1e9 * $4 / $5; if (!($3 in deep)) { deep[$3] = 1; depth[++n_depths] = $3 } }
# fit(PHASE, METRIC, KIND, LOGS): the slope over the cases whose name ends in KIND.
function fit(phase, metric, kind, logs, i, n, x, y, sx, sy, sxx, sxy, name) {
  n = sx = sy = sxx = sxy = 0
  for (i = 1; i <= n_rows; i++) {
    name = rows[i]
    if (kind != "" ? name !~ kind "$" : name !~ /^[0-9]+$/) continue
    if (!((name, phase, metric) in value)) continue
    x = name + 0; y = value[name, phase, metric]
    if (logs && y <= 0) continue
    if (logs) { x = log(x); y = log(y) }
    n++; sx += x; sy += y; sxx += x * x; sxy += x * y
  }
  return n < 2 ? "" : (n * sxy - sx * sy) / (n * sxx - sx * sx)
}
function print_head(title, first, names, n, j) {
  printf "\n### %s\n\n| %s |", title, first
  for (j = 1; j <= n; j++) printf " %s |", names[j]
  printf "\n|---|"
  for (j = 1; j <= n; j++) printf "---|"
  print ""
}
function print_metric(metric, title, i, j, v) {
  print_head(title " (" unit[metric] ")", "units", phases, n_phases)
  for (i = 1; i <= n_rows; i++) {
    printf "| %s |", rows[i]
    for (j = 1; j <= n_phases; j++) {
      if ((rows[i], phases[j], metric) in value) printf " %.5g |", value[rows[i], phases[j], metric]
      else printf " |"
    }
    print ""
  }
  printf "| exponent |"
  for (j = 1; j <= n_phases; j++) { v = fit(phases[j], metric, "", 1); printf v == "" ? " |" : " %.2f |", v }
  print ""
  if (metric != "memory") return
  printf "| KiB a unit |"
  for (j = 1; j <= n_phases; j++) { v = fit(phases[j], metric, "", 0); printf v == "" ? " |" : " %.1f |", v * 1024 }
  printf "\n| KiB a unit, private |"
  for (j = 1; j <= n_phases; j++) { v = fit(phases[j], metric, "_private", 0); printf v == "" ? " |" : " %.1f |", v * 1024 }
  print ""
}
END {
  print_metric("virtual", "Virtual time")
  print_metric("wall", "Wall time")
  print_metric("processor", "Processor time")
  print_metric("memory", "Memory after the phase, VmRSS + VmPTE")
  if (n_ways == 0) exit
  print_head("Processor time of a put in strict order, so many outstanding of each of 5 units (ns)", "outstanding", way, n_ways)
  for (i = 1; i <= n_depths; i++) {
    printf "| %s |", depth[i]
    for (j = 1; j <= n_ways; j++) printf " %.4g |", of[depth[i], way[j]]
    print ""
  }
}
