# SPDX-License-Identifier: BSD-3-Clause
# node.awk - turns lines `value WHAT_{floor,eyot,again,PEER} time ns NUMBER` and `goal WHAT
# plus|times|PEER|near|least LIMIT` (suite_node.sh and others) into a Markdown table. Variables:
# peers, "PEER=NAME;..." (mpi=MPI;shmem=OpenSHMEM); floor_name and eyot_name, the titles of their
# columns. least: a limit of the values of metric availability, in %; near: times the floor, or
# within the floor's difference from itself (its upper quartile). Differences and ratios are taken
# round by round, between values measured right after each other; the table shows their median and
# quartiles.
function middle(a, n, i, j, v) {
  for (i = 2; i <= n; i++) {
    v = a[i]
    for (j = i - 1; j >= 1 && a[j] > v; j--) a[j + 1] = a[j]
    a[j + 1] = v
  }
  return n == 0 ? 0 : n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}
function median_of(key, i) {
  for (i = 1; i <= count[key]; i++) sorted[i] = sample[key, i]
  return middle(sorted, count[key])
}
function shown(key) { return count[key] ? sprintf("%.6g", median_of(key)) : "" }
# The relation of a's rounds to b's, as "median (lower to upper quartile)".
function relation(a, b, minus, i, n, m) {
  n = count[a] < count[b] ? count[a] : count[b]
  for (i = 1; i <= n; i++) sorted[i] = minus ? sample[a, i] - sample[b, i] : sample[b, i] > 0 ? sample[a, i] / sample[b, i] : 0
  m = middle(sorted, n)
  related = m
  upper = sorted[int((3 * n + 1) / 4)]
  return n == 0 ? "" : sprintf(minus ? "%+.2f (%+.2f to %+.2f)" : "%.2f (%.2f to %.2f)", m, sorted[int((n + 3) / 4)], sorted[int((3 * n + 1) / 4)])
}
# The goals for shares of time.
function print_shares(r, i, n, m, shares) {
  for (r = 1; r <= goals; r++) {
    if (kind[r] != "least") continue
    if (!shares++) print "| what | rounds | median % (quartiles) | lowest to highest | goal: at least | reached |\n|---|---|---|---|---|---|"
    n = rounds[name[r]]
    for (i = 1; i <= n; i++) sorted[i] = share[name[r], i]
    m = middle(sorted, n)
    if (n == 0) printf "| %s | 0 | not measured: others had the processors | | %g | |\n", name[r], limit[r]
    if (n > 0) printf "| %s | %d | %.1f (%.1f to %.1f) | %.1f to %.1f | %g | %s |\n", name[r], n, m, sorted[int((n + 3) / 4)], sorted[int((3 * n + 1) / 4)], sorted[1], sorted[n], limit[r], limit[r] <= m ? "yes" : "no"
  }
  return shares
}
function print_head(i, names, rule) {
  for (i = 1; i <= npeers; i++) { names = names " " title[i] " ns |"; rule = rule "---|" }
  print "| what | " floor_name " ns | " eyot_name " ns |" names " compared | eyot: median (quartiles) | " floor_name " again (A/A) | goal | reached |"
  print "|---|---|---|" rule "---|---|---|---|---|"
}
BEGIN {
  if (peers == "") peers = "mpi=MPI;shmem=OpenSHMEM"
  if (floor_name == "") floor_name = "floor"
  if (eyot_name == "") eyot_name = "eyot"
  npeers = split(peers, part, ";")
  for (i = 1; i <= npeers; i++) {
    split(part[i], pair, "=")
    peer[i] = pair[1]; title[i] = pair[2]
    is_peer[peer[i]] = title[i]
  }
}
$1 == "value" && $3 ~ /^availability/ { share[$2, ++rounds[$2]] = $5 + 0 }
$1 == "value" && $3 == "time" && NF == 5 { sample[$2, ++count[$2]] = $5 + 0 }
$1 == "value" && $3 == "count" { counted[++ncounted] = $2; instructions[$2] = $5 }
$1 == "goal" { name[++goals] = $2; kind[goals] = $3; limit[goals] = $4 }
END {
  if (print_shares()) exit
  print_head()
  for (r = 1; r <= goals; r++) {
    floor = name[r] "_floor"; eyot = name[r] "_eyot"; again = name[r] "_again"
    if (!(eyot in count)) continue
    minus = kind[r] == "plus"
    other = kind[r] in is_peer ? name[r] "_" kind[r] : floor
    aa = relation(again, floor, minus)
    within = kind[r] == "near" ? upper : ""
    us = relation(eyot, other, minus)
    compared = minus ? floor_name " + ns" : kind[r] in is_peer ? "of " is_peer[kind[r]] : kind[r] == "near" ? "of MPI, the floor here" : "of " floor_name
    want = limit[r] == "" ? "" : minus ? sprintf("+%g", limit[r]) : sprintf("%.2f", limit[r])
    columns = ""
    for (i = 1; i <= npeers; i++) columns = columns " " shown(name[r] "_" peer[i]) " |"
    printf "| %s | %s | %s |%s %s | %s | %s | %s | %s |\n", name[r], shown(floor), shown(eyot), columns, compared, us, aa, want, limit[r] == "" ? "" : related <= limit[r] ? "yes" : within != "" && related <= within ? "within A/A" : "no"
  }
  if (ncounted == 0) exit
  print "\n| what | instructions | goal: below | reached |\n|---|---|---|---|"
  below["put_instructions"] = 30; below["get_instructions"] = 30; below["flush_instructions"] = 10
  for (i = 1; i <= ncounted; i++) {
    w = counted[i]
    asks = w in below
    printf "| %s | %.1f | %s | %s |\n", w, instructions[w], asks ? below[w] : "", asks ? (instructions[w] < below[w] ? "yes" : "no") : ""
  }
}
