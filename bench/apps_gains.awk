# SPDX-License-Identifier: BSD-3-Clause
# apps_gains.awk - the gains of the original beside those of the suite `apps`, as a Markdown table on
# stdout. Files: apps_gains.tsv, the lines of the suite. A gain is 100 * (1 - way / over) in percent,
# the median of the rounds with the least and the most; a case is PROGRAM_UNITS_one_node, wall time.
FILENAME == gains { if ($0 !~ /^#/) row[++rows] = $0; next }
$1 == "value" && $2 ~ /_one_node_/ { key = $2 SUBSEP $3; sample[key, ++count[key]] = $5 + 0; n = $2; sub(/_one_node_.*/, "", n); cases[n] = 1 }
# The median over the rounds of the gain in one round: in a round both were measured in one job.
function gain(name, way, over, metric, a, b, n, i, j, v, g) {
  a = name "_one_node_" way SUBSEP metric
  b = name "_one_node_" over SUBSEP metric
  n = count[a] < count[b] ? count[a] : count[b]
  if (n == 0) return ""
  for (i = 1; i <= n; i++) {
    v = 100 * (1 - sample[a, i] / sample[b, i])
    for (j = i - 1; j >= 1 && g[j] > v; j--) g[j + 1] = g[j]
    g[j + 1] = v
  }
  v = n % 2 ? g[(n + 1) / 2] : (g[n / 2] + g[n / 2 + 1]) / 2
  return n > 1 ? sprintf("%.1f (%.1f to %.1f)", v, g[1], g[n]) : sprintf("%.1f", v)
}
END {
  print "| program | way | over | figure | communication there, % | whole there, % | units here | communication here, % | whole here, % |"
  print "|---|---|---|---|---|---|---|---|---|"
  for (r = 1; r <= rows; r++) {
    split(row[r], f, "\t")
    shown = 0
    for (u = 2; u <= 16; u *= 2) {
      name = f[1] "_" u
      if (!(name in cases) || (c = gain(name, f[2], f[3], "communication_wall")) == "") continue
      printf "| %s | %s | %s | %s | %s | %s | %d | %s | %s |\n", f[1], f[2], f[3], f[4], f[5], f[6], u, c, gain(name, f[2], f[3], "step_wall")
      shown = 1
    }
    if (!shown) printf "| %s | %s | %s | %s | %s | %s | not measured | | |\n", f[1], f[2], f[3], f[4], f[5], f[6]
  }
}
