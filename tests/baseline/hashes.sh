#!/bin/sh
# hashes.sh BUILD_DIR [--write] - the trace hashes of hashes.tsv: programs, orders, platforms,
# engines and seeds whose events must not
# change while files move and names change. Names every row that differs; --write writes what it
# sees as the new expectation, and fails if a row did not run, which keeps its old one.
# SPDX-License-Identifier: BSD-3-Clause
#
# hashes.tsv, tab-separated: tool (eyotrun, eyotcheck), units, options, program (of tests/bin, or
# of examples), arguments, expected.
# expected: of eyotrun, the trace hash; of eyotcheck, runs:steps:failed, and of a failing run also
# its trace hash and number of choices.
# Options and arguments are cut at blanks; - is none. Each row runs without the EYOT_* variables of
# the caller, in an empty folder; mistakes that programs make on purpose are returned.
set -u
ROWS_LEAST=40 ROW_SECONDS=120
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?hashes.sh BUILD_DIR [--write]}" && pwd) || exit 2
write=${2:-}
case $write in '' | --write) ;; *) echo "hashes: unknown option $write" >&2; exit 2 ;; esac
table=${HASHES_TSV:-$here/hashes.tsv}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 2
set -f
tab=$(printf '\t')

# run COMMAND...: its output in the file `said`; the exit code is that of the command.
run() {
  env -i PATH="$PATH" HOME="$work" LC_ALL=C EYOT_ERRORS=return ${LD_LIBRARY_PATH:+LD_LIBRARY_PATH="$LD_LIBRARY_PATH"} \
    timeout $ROW_SECONDS "$@" >said 2>&1 </dev/null
}

# The expected column of a row, as this build has it; empty if the row did not run as it should.
trace_of_run() { # UNITS OPTIONS PROGRAM ARGUMENTS
  run "$build/bin/eyotrun" --fabric sim -n "$1" --trace-hash --log silent $2 "$3" $4 || return 0
  sed -n 's/^trace hash: \([0-9a-f]\{16\}\)$/\1/p' said
}
trace_of_check() { # UNITS OPTIONS PROGRAM ARGUMENTS
  rm -f run
  run "$build/bin/eyotcheck" -n "$1" --log silent --save run --fewer-units=off $2 "$3" $4
  [ $? -le 1 ] || return 0
  counts=$(sed -n 's/^eyotcheck: .* units, \([0-9]*\) runs, \([0-9]*\) steps .* \([0-9]*\) failed$/\1:\2:\3/p' said)
  case $counts in
    '' | *:0) echo "$counts" ;;
    *) [ -f run ] && echo "$counts:$(awk '$1 == "trace" { t = $2 } $1 == "choices" { c = $2 } END { print t ":" c }' run)" ;;
  esac
}

# all-but:REGEX: the cases that the program lists, without those whose name matches.
cases() { # PROGRAM ARGUMENTS
  case $2 in
    all-but:*) run "$build/bin/eyotrun" --fabric sim -n 1 "$1" --list && awk -v not="${2#all-but:}" '$1 !~ not { print $1 }' said ;;
    *) echo "$2" ;;
  esac
}

rows=0 differ=0 missing=0
: >new
while IFS= read -r line; do
  case $line in '#'* | '') printf '%s\n' "$line" >>new; continue ;; esac
  # A tab is white space for read: an empty column would vanish, hence the -.
  IFS=$tab read -r tool units options program arguments expected <<END
$line
END
  shown="$tool -n $units $options $program $arguments"
  [ "$options" = - ] && o= || o=$options
  [ "$arguments" = - ] && a= || a=$arguments
  path=
  for dir in tests/bin examples; do [ -x "$build/$dir/$program" ] && path=$build/$dir/$program; done
  got=
  [ -z "$path" ] || a=$(cases "$path" "$a")
  [ -n "$path" ] || echo "there is no $program in $build/tests/bin or $build/examples" >said
  case $path:$tool in
    :*) ;;
    *:eyotrun) got=$(trace_of_run "$units" "$o" "$path" "$a") ;;
    *:eyotcheck) got=$(trace_of_check "$units" "$o" "$path" "$a") ;;
    *) echo "'$tool' is not a tool" >said ;;
  esac
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$tool" "$units" "$options" "$program" "$arguments" "${got:-$expected}" >>new
  if [ -z "$got" ]; then
    differ=$((differ + 1)) missing=$((missing + 1))
    echo "hashes: no hash: $shown"
    tail -n 5 said | sed 's/^/  | /'
    continue
  fi
  rows=$((rows + 1))
  [ "$got" = "$expected" ] || { differ=$((differ + 1)); echo "hashes: differs: $shown: $got, expected $expected"; }
done <"$table"

if [ -n "$write" ]; then
  cat new >"$table"
  echo "hashes: written: $rows rows, $((differ - missing)) changed, $missing without a hash as they were"
  [ $rows -ge $ROWS_LEAST ] && [ $missing -eq 0 ]
  exit
fi
echo "hashes: rows=$rows differ=$differ"
[ $rows -ge $ROWS_LEAST ] || { echo "hashes: $rows rows ran, expected at least $ROWS_LEAST"; exit 1; }
[ $differ -eq 0 ]
