# SPDX-License-Identifier: BSD-3-Clause
# apps_gains.awk - the gains of the original beside those of the suite `apps`, as a Markdown table on
# stdout. Files: apps_gains.tsv, the lines of the suite. A gain is 100 * (1 - way / over), of medians
# over the rounds; a case is PROGRAM_UNITS_one_node, wall time.
FILENAME == gains { if ($0 !~ /^#/) row[++rows] = $0; next }
$1 == "value" && $2 ~ /_one_node_/ { key = $2 SUBSEP $3; sample[key, ++count[key]] = $5 + 0; n = $2; sub(/_one_node_.*/, "", n); cases[n] = 1 }
function median(name, metric, key, n, i, j, v) {
  key = name SUBSEP metric
  n = count[key]
  if (n == 0) return 0
  for (i = 2; i <= n; i++) { v = sample[key, i]; for (j = i - 1; j >= 1 && sample[key, j] > v; j--) sample[key, j + 1] = sample[key, j]; sample[key, j + 1] = v }
  return n % 2 ? sample[key, (n + 1) / 2] : (sample[key, n / 2] + sample[key, n / 2 + 1]) / 2
}
function gain(name, way, over, metric, a, b) {
  a = median(name "_one_node_" way, metric)
  b = median(name "_one_node_" over, metric)
  return a > 0 && b > 0 ? sprintf("%.1f", 100 * (1 - a / b)) : ""
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
