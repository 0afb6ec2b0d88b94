# SPDX-License-Identifier: BSD-3-Clause
# known.awk - reads tests/suites/known.tsv and the list of programs: which programs fail by themselves, or are not supported, in which runs.
#
# With want=todo, prints the lines of the list to run in `run`: all but those that are not supported. Else it is the first part of table.awk.
# Patterns of known.tsv are whole-name extended regular expressions: suite, program, run; and one that the printed reason has to match.
BEGIN { FS = OFS = "\t" }
FILENAME == ARGV[ARGC - (want == "todo" ? 2 : 3)] {
  if (/^#/ || /^$/) next
  if (NF < 5 || NF > 6 || ($4 != "own" && $4 != "unsupported" && $4 != "missed")) {
    print "suites: " FILENAME ":" FNR ": expected suite, program, run, own|unsupported|missed, reason, and what may follow" >"/dev/stderr"
    exit_code = 2
    exit 2
  }
  entries++
  for (i = 1; i <= 3; i++) pattern[entries, i] = "^(" $i ")$"
  kind[entries] = $4
  why[entries] = $5
  says[entries] = $6
  next
}
FILENAME == ARGV[ARGC - (want == "todo" ? 1 : 2)] {
  programs++
  suite[programs] = $1
  program[programs] = $2
  if (want == "todo" && known(programs, run, "") != "unsupported") print programs
}
# The kind of a run of a program, which failed with the text (none: before the run), "" if nothing is known. found is the entry.
function known(line, of_run, text, i) {
  for (i = 1; i <= entries; i++)
    if (suite[line] ~ pattern[i, 1] && program[line] ~ pattern[i, 2] && of_run ~ pattern[i, 3] && (says[i] == "" || text ~ says[i])) {
      found = i
      return kind[i]
    }
  return ""
}
