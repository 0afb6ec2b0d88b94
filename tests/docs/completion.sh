#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# completion.sh BUILD_DIR - what bash completes for the tools: every option of their help, the values of options with
# fixed values, and nothing that does not belong there.
set -u
build=$1
bad=0

# replies NAME WORD...: what the completion of the command NAME replies for the last word, sorted, on one line.
replies() {
  local command
  command=$(complete -p "$1") || return 1
  [[ $command =~ -F\ ([a-z_]+) ]] || return 1
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  "${BASH_REMATCH[1]}" "$1" "${@: -1}" "${@: -2:1}"
  # shellcheck disable=SC2005 # one line
  echo $(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort)
}
# expect WANTED WORD...
expect() {
  local wanted=$1 got
  shift
  got=$(replies "$@") || got="no completion"
  [ "$got" = "$wanted" ] || { echo "completion: '$*<TAB>' gives '$got', expected '$wanted'"; bad=1; }
}

for tool in eyotrun eyotcheck eyot-info eyot-calibrate eyotcc; do
  # shellcheck source=/dev/null
  . "$build/pages/completions/$tool" || { echo "completion: no file for $tool"; bad=1; continue; }
  options=$("$build/bin/$tool" --help | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*=\{0,1\}\).*/\2/p' | LC_ALL=C sort)
  [ "$(printf '%s\n' "$options" | wc -l)" -ge 5 ] || { echo "completion: $tool --help names too few options: $options"; bad=1; }
  # shellcheck disable=SC2086 # one line
  expect "$(echo $options)" $tool --
done
expect "--replay --result" eyotcheck --re
expect "--reduce-threads --result --resume" eyotrun --re
expect "--markdown" eyot-info --m
expect "--version" eyotcc -O2 -c prog.c --v
expect "--instrument=" eyotcxx --in
expect "accesses" eyotcc --instrument = a
expect "chaos rdma strict tso" eyotrun --order ""
expect "chaos" eyotcheck -n 4 --order c
expect "chaos" eyotcheck -n 4 --order = c
expect "chaos rdma strict tso" eyotcheck --order =
expect "--order=chaos" eyotcheck -n 4 --order=c
expect "mpi sim" eyotrun --races = on --fabric ""
expect "exhaustive guided pct random" eyotcheck --strategy ""
# Names of files are bash's own business: of a value that is a file, of the program, and of what follows it.
expect "" eyotcheck --replay ""
expect "" eyotrun -n 4 ""
expect "" eyotrun -n 4 ./program --
expect "" eyotrun --stats ./program --order ""
expect "--order" eyotrun --stats --json out --ord
expect "--order" eyotrun --stats --json = out --ord
[ $bad -ne 0 ] || echo "completion: ok"
exit $bad
