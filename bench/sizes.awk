# SPDX-License-Identifier: BSD-3-Clause
# sizes.awk - turns lines `value WAY[@BYTES] METRIC UNIT NUMBER` of the ways floor, eyot, eyot_nb,
# mpi, mpi_again and shmem into a Markdown table for each metric: medians, and ratios to MPI (and of
# eyot to a copy by hand) round by round, as their median and quartiles. OpenSHMEM runs in jobs of
# its own, so its ratios are of medians; the interval of eyot's to it is that of the quartiles.
# Variables: shmem=1: also eyot / OpenSHMEM (coll); over_what=units: the number after the @ is of
# units, not bytes (gups).
$1 == "value" && NF == 5 && $3 != "time" {
  split($2, part, "@")
  row = $3 SUBSEP part[2]
  if (!($3 in rows)) metric[++metrics] = $3
  if (!(row in known)) { known[row] = 1; size[$3, ++rows[$3]] = part[2] }
  unit[$3] = $4
  used[$3, part[1]] = 1
  sample[row, part[1], ++count[row, part[1]]] = $5 + 0
}
function sorted_n(n, i, j, v) {
  for (i = 2; i <= n; i++) {
    v = sorted[i]
    for (j = i - 1; j >= 1 && sorted[j] > v; j--) sorted[j + 1] = sorted[j]
    sorted[j + 1] = v
  }
  return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}
function median(row, way, i, n) {
  n = count[row, way]
  if (n == 0) return ""
  for (i = 1; i <= n; i++) sorted[i] = sample[row, way, i]
  return sprintf("%.4g", sorted_n(n))
}
function ratio(row, way, to, i, n, m) {
  n = count[row, way] < count[row, to] ? count[row, way] : count[row, to]
  if (n == 0) return ""
  for (i = 1; i <= n; i++) sorted[i] = sample[row, to, i] > 0 ? sample[row, way, i] / sample[row, to, i] : 0
  m = sorted_n(n)
  return sprintf("%.3g (%.3g to %.3g)", m, sorted[int((n + 3) / 4)], sorted[int((3 * n + 1) / 4)])
}
function quartile(row, way, upper, i, n) {
  n = count[row, way]
  for (i = 1; i <= n; i++) sorted[i] = sample[row, way, i]
  sorted_n(n)
  return sorted[upper ? int((3 * n + 1) / 4) : int((n + 3) / 4)]
}
function to_shmem(row) {
  if (count[row, "eyot"] == 0 || median(row, "shmem") + 0 == 0) return ""
  return sprintf("%.3g (%.3g to %.3g)", median(row, "eyot") / median(row, "shmem"), quartile(row, "eyot", 0) / quartile(row, "shmem", 1), quartile(row, "eyot", 1) / quartile(row, "shmem", 0))
}
function of_medians(row, way, a, b) {
  a = median(row, way)
  b = median(row, "mpi")
  return a == "" || b + 0 == 0 ? "" : sprintf("%.3g", a / b)
}
function bytes(b) { return over_what == "units" ? b : b == "" ? "-" : b >= 1048576 ? b / 1048576 " MiB" : b >= 1024 ? b / 1024 " KiB" : b " B" }
function better(u) { return u ~ /\/s$/ ? "more" : "less" }
function spaced(s) { gsub(/_/, " ", s); return s }
function line(m, r, row, k) {
  row = m SUBSEP size[m, r]
  printf "| %s ", bytes(size[m, r])
  for (k = 1; k <= ways; k++) if ((m, way[k]) in used) printf "| %s ", median(row, way[k])
  for (k = 1; k <= pairs; k++) if ((m, over[k]) in used && (m, under[k]) in used) printf "| %s ", over[k] == "shmem" ? of_medians(row, over[k]) : under[k] == "shmem" ? to_shmem(row) : ratio(row, over[k], under[k])
  print "|"
}
BEGIN {
  if (over_what == "") over_what = "size"
  ways = split("floor eyot eyot_nb eyot_xor mpi mpi_again shmem", way, " ")
  split((shmem ? "by hand" : "copy by hand") ",eyot,eyot non-blocking,eyot's xor atomics in flight,MPI,MPI again,OpenSHMEM", title, ",")
  pairs = split("eyot eyot eyot_nb mpi_again shmem" (shmem ? " eyot" : ""), over, " ")
  split("floor mpi mpi mpi mpi shmem", under, " ")
  split((shmem ? "eyot / by hand" : "eyot / copy") ",eyot / MPI,eyot non-blocking / MPI,MPI again / MPI (A/A),OpenSHMEM / MPI,eyot / OpenSHMEM", pair, ",")
}
END {
  for (i = 1; i <= metrics; i++) {
    m = metric[i]
    printf "\n### %s, %s (%s is better)\n\n| %s ", spaced(m), unit[m], better(unit[m]), over_what
    dashes = "|---"
    for (k = 1; k <= ways; k++) if ((m, way[k]) in used) { printf "| %s ", title[k]; dashes = dashes "|---" }
    for (k = 1; k <= pairs; k++) if ((m, over[k]) in used && (m, under[k]) in used) { printf "| %s ", pair[k]; dashes = dashes "|---" }
    print "|\n" dashes "|"
    for (r = 1; r <= rows[m]; r++) line(m, r)
  }
}
