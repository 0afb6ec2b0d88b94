#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# one.sh WORK LINE RUN - builds (RUN is build) or runs one program of WORK/programs.tsv, and writes a line of the result to WORK/results/LINE.RUN.
#
# suites.sh calls it, several at a time. RUN is sim.N, chaos.N (schedules that MPI allows, several seeds), races.N, check.N (eyotcheck) or mpi.N.
# The result has tab-separated fields: line, run, passed or failed, seconds, reason. Environment: SUITES_DIR, SUITES_INCLUDE, SUITES_BIN (eyot's tools),
# SUITES_LIMIT (seconds of a run), SUITES_SEEDS, SUITES_RUNS, SUITES_LIST (all runs).
set -u
work=$1 line=$2 run=$3
tab=$(printf '\t')
fields=$(sed -n "${line}p" "$work/programs.tsv")
oldifs=$IFS
IFS=$tab
# shellcheck disable=SC2086 # fields of the line
set -f && set -- $fields
IFS=$oldifs
suite=$1 name=$2 folder=$3 compiler=$4 sources=$5 flags=$6 args=$7 environment=$8 judge=$9
[ "$flags" != - ] || flags=
[ "$args" != - ] || args=
[ "$environment" != - ] || environment=
exe=$work/bin/$suite/${name%%:*}
log=$work/logs/$suite.$name.$run
mkdir -p "${exe%/*}" "$work/logs" "$work/results"
code=0 began=$(date +%s)

# result WORD [REASON]
result() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$line" "$run" "$1" "$(($(date +%s) - began))" "${2:-}" >"$work/results/$line.$run"
  [ "$1" != passed ] || [ -n "${SUITES_KEEP:-}" ] || rm -f "$log"
  exit 0
}

# The line of the log that tells why.
reason() {
  tr -d '\r' <"$log" | sed 's/\x1b\[[0-9;]*m//g' | awk -v code="$code" -v limit="$SUITES_LIMIT" '
    function keep(k) { if (!(k in best)) best[k] = $0 }
    /undefined reference|error:|fatal error|multiple definition/ { keep(1) }
    /: race: |[Dd]eadlock/ { keep(2) }
    /^eyot|^\[[0-9]+\] *eyot|eyot: / { keep(/shmem_|_pe|failed/ ? 3 : 5) }
    /FAIL|[Ff]ail|ERROR|[Ee]rror|mismatch|MISMATCH|expected|wrong|invalid|[Aa]ssert/ { keep(4) }
    NF { keep(6) }
    END {
      why = code == 124 || code == 137 ? "no end within " limit " s" : "exit code " code
      for (k = 1; k <= 6; k++) if (k in best) { text = best[k]; break }
      if (code == 0 && text == "") why = ""
      gsub(/\t/, " ", text)
      print why (text != "" ? ": " substr(text, 1, 200) : "")
    }'
}

if [ "$run" = build ]; then
  # A part of an executable: its first part has built it. The file without an ending holds the reason if it could not be built.
  case $name in *:*) exec 8>"$exe.lock" && flock 8 ;; esac
  if [ -s "$exe" ]; then result failed "$(cat "$exe")"; elif [ -f "$exe" ]; then result passed; fi
  # compile EXECUTABLE OPTIONS
  compile() {
    # shellcheck disable=SC2086 # words of the list are words
    (cd "$SUITES_DIR/$folder" && eval timeout "$SUITES_LIMIT" '"$SUITES_BIN/eyot-osh$compiler"' $2 -w $flags -o '"$1"' $sources -lm) >"$log" 2>&1 8>&- || code=$?
    [ $code -eq 0 ] && [ -x "$1" ] && return 0
    reason >"$exe"
    result failed "$(cat "$exe")"
  }
  # The race detector sees loads and stores of instrumented programs. The part's lock holds until both are there.
  case $judge in race | norace) ;; *) compile "$exe.plain" "" ;; esac
  case " $SUITES_LIST" in *" races."* | *" check."*) compile "$exe.seen" "-g --instrument=accesses" ;; esac
  : >"$exe"
  result passed
fi

n=${run##*.}
# The race benchmark says in each program how many PEs it needs.
case $judge in race | norace) n=$(sed -n "s/.*\"NPROCS\": *\([0-9]*\).*/\1/p" "$SUITES_DIR/$folder/$sources") ;; esac
case $run in races.* | check.*) exe=$exe.seen ;; *) exe=$exe.plain ;; esac
[ -x "$exe" ] || result failed "not built"
scratch=$work/scratch/$line.$run
mkdir -p "$scratch" && cd "$scratch" || exit 2
case $run in
  sim.*) set -- eyotrun --fabric sim --watchdog "${SUITES_LIMIT}s" -n "$n" ;;
  chaos.*) set -- eyotrun --fabric sim --watchdog "${SUITES_LIMIT}s" -n "$n" --order chaos --seeds "$SUITES_SEEDS" --run-limit "$SUITES_LIMIT" ;;
  races.*) set -- eyotrun --fabric sim --watchdog "${SUITES_LIMIT}s" -n "$n" --races ;;
  check.*) set -- eyotcheck --watchdog "${SUITES_LIMIT}s" -n "$n" --runs "$SUITES_RUNS" --no-shrink ;;
  mpi.*) set -- eyotrun --fabric mpi -n "$n" ;;
  *) echo "suites: unknown run '$run'" >&2; exit 2 ;;
esac
tool=$1
shift
# shellcheck disable=SC2086 # words of the list are words
env $environment SHMEMVV_LOG_DIR="$scratch/" timeout -k 5 "$SUITES_LIMIT" "$SUITES_BIN/$tool" "$@" "$exe" $args >"$log" 2>&1 </dev/null || code=$?
cd "$work" && rm -rf "$scratch"

reported=
case $judge in race | norace) ! grep -q ': race: ' "$log" || reported=1 ;; esac
case $judge in
  race)
    [ -z "$reported" ] || result passed
    [ $code -eq 0 ] && result failed "the race is not reported"
    ;;
  norace) [ -z "$reported" ] || result failed "false report: $(reason)" ;;
  exit:*) [ $code -ne "${judge#exit:}" ] || result passed ;;
  text:*) [ $code -ne 0 ] || ! grep -q -e "${judge#text:}" "$log" || result failed "$(reason)" ;;
esac
[ $code -eq 0 ] || result failed "$(reason)"
result passed
