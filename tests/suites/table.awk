# SPDX-License-Identifier: BSD-3-Clause
# table.awk - the table of tests/suites/suites.sh: for each suite and kind of run, how many programs passed / failed / failed by themselves / are not
# supported; after it the failures with their reasons. Exit code 1: a failure that is not known. known.awk comes first.
FILENAME == ARGV[ARGC - 1] { result[$1, $2] = $3; reason[$1, $2] = $5; next }
# A program that was not built does not run: it is counted where it was built.
function word(line, of_run, k) {
  k = known(line, of_run, reason[line, of_run])
  if (k == "unsupported") return k
  if (result[line, of_run] == "passed") return "passed"
  if (result[line, of_run] == "") return "absent"
  if (k != "") return k
  return "failed"
}
END {
  if (exit_code) exit exit_code
  n = split(columns, column, " ")
  printf "%-20s %8s", "suite", "programs"
  for (c = 1; c <= n; c++) printf " %16s", column[c]
  print "\n(passed / failed / own failures / not supported)"
  for (i = 1; i <= programs; i++) {
    if (!(suite[i] in size)) order[++suites] = suite[i]
    size[suite[i]]++
    for (c = 1; c <= n; c++) {
      w = word(i, column[c])
      count[suite[i], column[c], w]++
      total[column[c], w]++
      if (w == "failed") bad[++failures] = suite[i] "/" program[i] " " column[c] ": " reason[i, column[c]]
      if ((w == "own" || w == "missed") && !((i, found) in told)) { told[i, found]; own[++owns] = suite[i] "/" program[i] " (" w "): " why[found] }
    }
  }
  for (s = 1; s <= suites; s++) {
    printf "%-20s %8d", order[s], size[order[s]]
    for (c = 1; c <= n; c++) printf " %16s", cell(order[s], column[c])
    print ""
  }
  printf "%-20s %8d", "all", programs
  for (c = 1; c <= n; c++)
    printf " %16s", (total[column[c], "passed"] + 0) "/" (total[column[c], "failed"] + 0) "/" (total[column[c], "own"] + total[column[c], "missed"]) "/" (total[column[c], "unsupported"] + 0)
  print ""
  if (owns > 0) print "\nfailures of the programs' own (own), and races that are not found (missed):"
  for (o = 1; o <= owns; o++) print "  " own[o]
  if (failures > 0) print "\nfailures (logs: " logs "):"
  for (f = 1; f <= failures; f++) print "  " bad[f]
  exit failures > 0
}
function cell(of_suite, of_run) {
  return (count[of_suite, of_run, "passed"] + 0) "/" (count[of_suite, of_run, "failed"] + 0) "/" (count[of_suite, of_run, "own"] + count[of_suite, of_run, "missed"]) "/" (count[of_suite, of_run, "unsupported"] + 0)
}
