# SPDX-License-Identifier: BSD-3-Clause
# apps_gains.awk - the gains of the original beside those of the suite `apps`, as two Markdown tables on
# stdout: wall time on one node, and virtual time on the simulated cab. Files: apps_gains.tsv, the
# lines of the suite. A gain is 100 * (1 - way / over) in percent, the median of the rounds with the
# least and the most; a case is PROGRAM_UNITS_one_node_WAY, or PROGRAM_cab_UNITS_WAY.
FILENAME == gains { if ($0 !~ /^#/) row[++rows] = $0; next }
$1 == "value" { key = $2 SUBSEP $3; sample[key, ++count[key]] = $5 + 0 }
# The median over the rounds of the gain in one round: in a round both were measured in one job.
function gain(name, way, over, metric, a, b, n, i, j, v, g) {
  a = name "_" way SUBSEP metric
  b = name "_" over SUBSEP metric
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
# The rows of one clock; a row of the source without a measured case says so, but on cab, which is
# not the machine of foMPI's rows.
function print_rows(clock, r, u, f, name, shown, c) {
  for (r = 1; r <= rows; r++) {
    split(row[r], f, "\t")
    if (clock == "virtual" && f[4] ~ /^fo /) continue
    shown = 0
    for (u = 2; u <= 64; u *= 2) {
      name = clock == "wall" ? f[1] "_" u "_one_node" : f[1] "_cab_" u
      if ((c = gain(name, f[2], f[3], "communication_" clock)) == "") continue
      printf "| %s | %s | %s | %s | %s | %s | %d | %s | %s |", f[1], f[2], f[3], f[4], f[5], f[6], u, c, gain(name, f[2], f[3], "step_" clock)
      if (clock == "virtual") printf " %s |", gain(name, "mpi_again", "mpi", "communication_virtual")
      print ""
      shown = 1
    }
    if (!shown) printf "| %s | %s | %s | %s | %s | %s | not measured | | |%s\n", f[1], f[2], f[3], f[4], f[5], f[6], clock == "virtual" ? " |" : ""
  }
}
END {
  there = "| program | way | over | figure | communication there, % | whole there, % | "
  print "On mpi, one node, wall time:\n"
  print there "units here | communication here, % | whole here, % |"
  print "|---|---|---|---|---|---|---|---|---|"
  print_rows("wall")
  print "\nOn the simulated machine of the source (cab), virtual time; A/A: MPI's messages over the same once more:\n"
  print there "units | communication on cab, % | whole on cab, % | A/A, % |"
  print "|---|---|---|---|---|---|---|---|---|---|"
  print_rows("virtual")
}
