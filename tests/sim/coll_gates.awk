# SPDX-License-Identifier: BSD-3-Clause
# coll_gates.awk - judges the self-consistency of collectives (coll_gates.sh). First file: the gates
# that are known to fail, a line each: rule, tab, places, tab, reason; a place is UNITS/BYTES or
# FIRST..LAST/BYTES. Second: lines of bench_coll_scale. Prints each rule with the number of places
# where it holds, and those where it fails; exits with 1 if a gate fails that is not in the list, or
# one of the list holds or was not measured; whole=1: also if a rule was judged nowhere. write=1:
# prints the list of those that fail instead.
# Source: J. L. Träff, W. D. Gropp, R. Thakur, Self-consistent MPI performance guidelines, IEEE TPDS
# 21(5), 2010, sections 3 and 4.
BEGIN { STEP = 1.05; EQUAL = 1.02 }
FNR == 1 { file++ }
function list_places(rule, text, place, part, range, n, i, p, last) {
  n = split(text, place, " ")
  for (i = 1; i <= n; i++) {
    split(place[i], part, "/")
    last = split(part[1], range, "[.][.]") > 1 ? range[2] : range[1]
    for (p = range[1] + 0; p <= last + 0; p++) listed[rule, p, part[2] + 0] = 1
  }
}
file == 1 {
  if ($0 ~ /^#/ || $0 == "") next
  if (split($0, field, "\t") != 3 || field[3] == "") { print "coll_gates: expected rule, places and reason with tabs between: " $0; bad = 1 }
  list_places(field[1], field[2])
  reason[field[1]] = field[3]
  next
}
$1 == "case" {
  ns[$2, $6, $4] = $8
  if (!($2 in is_what)) { is_what[$2] = 1; what[++whats] = $2 }
  if (!(($6, $4) in is_at)) { is_at[$6, $4] = 1; at_p[++ats] = $6; at_bytes[ats] = $4 }
}
function known(w, p, b) { return (w, p, b) in ns }
function judge(rule, p, b, left, right, is_listed) {
  if (!(rule in is_rule)) { is_rule[rule] = 1; rules[++n_rules] = rule; holds[rule] = 0 }
  seen[rule, p, b] = 1
  is_listed = (rule, p, b) in listed
  if (left <= right) {
    holds[rule]++
    if (is_listed) { wrong = wrong "coll_gates: holds, but is listed as failing: " rule " " p "/" b "\n" }
    return
  }
  failing[rule, ++fails[rule]] = p "/" b
  text[rule] = text[rule] sprintf("    %d/%d: %d ns, limit %d ns%s\n", p, b, left, right, is_listed ? " (listed)" : "")
  if (!is_listed) { wrong = wrong "coll_gates: fails: " rule " " p "/" b ": " left " ns, limit " right " ns\n" }
}
# less(A, B [, C]): A <= B, or A <= B + C, wherever all were measured.
function less(a, b, c, i, p, n) {
  n_asked++; asked[n_asked] = a "<=" b (c == "" ? "" : "+" c)
  for (i = 1; i <= ats; i++) {
    p = at_p[i]; n = at_bytes[i]
    if (known(a, p, n) && known(b, p, n) && (c == "" || known(c, p, n)))
      judge(a "<=" b (c == "" ? "" : "+" c), p, n, ns[a, p, n], ns[b, p, n] + (c == "" ? 0 : ns[c, p, n]))
  }
}
# The failing places of a rule; runs of units with the same bytes as one.
function places(rule, i, part, p, b, first, last, bytes, out) {
  for (i = 1; i <= fails[rule] + 1; i++) {
    if (i <= fails[rule]) { split(failing[rule, i], part, "/"); p = part[1] + 0; b = part[2] }
    if (i > 1 && i <= fails[rule] && b == bytes && p == last + 1) { last = p; continue }
    if (i > 1) out = out (out == "" ? "" : " ") first (last > first ? ".." last : "") "/" bytes
    first = last = p; bytes = b
  }
  return out
}
END {
  less("allreduce", "reduce", "broadcast")
  less("reduce", "allreduce")
  less("gather", "allgather")
  less("allgather", "alltoall")
  less("scan", "exscan")
  less("gather", "gatherv")
  less("scatter", "scatterv")
  less("allgather", "allgatherv")
  less("alltoall", "alltoallv")
  for (i = 1; i <= ats; i++) {
    p = at_p[i]; b = at_bytes[i]
    if (known("barrier", p, 0) && known("allreduce", p, b) && b > 0)
      judge("barrier<=allreduce", p, b, ns["barrier", p, 0], ns["allreduce", p, b])
    if (known("allgather", p, b) && known("gather", p, b) && known("broadcast", p, b * p))
      judge("allgather<=gather+broadcast", p, b, ns["allgather", p, b], ns["gather", p, b] + ns["broadcast", p, b * p])
    if (known("scatter", p, b) && known("allgather", p, b) && known("broadcast", p, b * p))
      judge("broadcast<=scatter+allgather", p, b * p, ns["broadcast", p, b * p], ns["scatter", p, b] + ns["allgather", p, b])
    for (k = 1; k <= whats; k++) {
      w = what[k]
      if (known(w, p, b) && known(w, p, 2 * b) && b > 0) {
        judge(w ":bytes<=2*bytes", p, b, ns[w, p, b], EQUAL * ns[w, p, 2 * b])
        judge(w ":2*bytes<=twice", p, 2 * b, ns[w, p, 2 * b], STEP * 2 * ns[w, p, b])
      }
      if (known(w, p, b) && known(w, p + 1, b))
        judge(w ":p<=p+1", p, b, ns[w, p, b], STEP * ns[w, p + 1, b])
    }
  }
  for (r = 1; r <= n_rules; r++) {
    if (write && fails[rules[r]]) printf "%s\t%s\t%s\n", rules[r], places(rules[r]), reason[rules[r]]
    if (!write) printf "%s: %d hold, %d fail\n%s", rules[r], holds[rules[r]], fails[rules[r]], text[rules[r]]
    total += holds[rules[r]]
  }
  if (write) exit
  for (gate in listed)
    if (!(gate in seen)) { split(gate, part, SUBSEP); wrong = wrong "coll_gates: listed, but not measured: " part[1] " " part[2] "/" part[3] "\n" }
  asked[++n_asked] = "barrier<=allreduce"; asked[++n_asked] = "allgather<=gather+broadcast"; asked[++n_asked] = "broadcast<=scatter+allgather"
  for (i = 1; whole && i <= n_asked; i++)
    if (!(asked[i] in is_rule)) wrong = wrong "coll_gates: judged nowhere: " asked[i] "\n"
  if (total == 0) wrong = wrong "coll_gates: no gate was judged\n"
  printf "%s", wrong
  exit bad || wrong != ""
}
