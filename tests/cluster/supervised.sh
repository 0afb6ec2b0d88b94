#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# supervised.sh EYOTRUN RUN_END - the exit codes of eyotrun over MPI, whatever the launcher makes of them.
set -u
eyotrun=$1 program=$2 bad=0

# ends NAME CODE REGEX ARGUMENTS...: the exit code, and what eyotrun prints.
ends() {
  name=$1 want=$2 regex=$3
  shift 3
  # Hydra writes to the proxy of a process that has failed at once, and may be killed for that: 1 of 250 bare runs of "never 7" under load.
  for again in 1 2 3; do
    output=$(timeout 60 "$eyotrun" --fabric mpi "$@" 2>&1 </dev/null)
    code=$?
    case $code$output in 141*"launcher"*"was killed by signal 13"*) continue ;; *) break ;; esac
  done
  line=$(printf '%s' "$output" | tr '\n' ' ')
  if [ $code -eq "$want" ] && printf '%s\n' "$line" | grep -Eq -- "$regex"; then
    echo "$name: ok"
  else
    echo "$name: exit code $code, expected $want and '$regex', got: $output"
    bad=1
  fi
}
ends "a unit leaves by a system call" 120 "unit (1 .process [0-9]+. ended with code 0|[01] .process [0-9]+. ended) without eyot_finalize" -n 2 "$program" raw 10
ends "a unit leaves so with a code" 7 "unit (1 .process [0-9]+. ended with code 7|[01] .process [0-9]+. ended) without eyot_finalize" -n 2 "$program" raw_7 10
ends "all units do" 120 "processes that initialized eyot did not finalize it" -n 2 "$program" raw_all
ends "exit_all with 0" 0 "found by unit 1" -n 2 "$program" exit_all 0
ends "exit_all with 9" 9 "found by unit 1" -n 2 "$program" exit_all 9
ends "no eyot_init, 0" 0 "^$" -n 2 "$program" never 0
ends "no eyot_init, 7" 7 "^" -n 2 "$program" never 7
ends "a code after eyot_finalize" 5 "^" -n 2 "$program" code 5
ends "a time limit" 124 "has not ended within 0.5 s .--time-limit." -n 2 --time-limit 0.5 "$program" hang
early="the process of rank 1 .process [0-9]+., before eyot_init, ended"
ends "a unit leaves before eyot_init" 3 "$early with code 3; 2 processes wait in eyot_init for it; the run ends" -n 3 "$program" early leave
ends "a unit returns before eyot_init" 120 "$early with code 0; 1 process waits in eyot_init for it" -n 2 "$program" early return
ends "a unit crashes before eyot_init" 139 "$early by signal 11" -n 2 "$program" early crash
ends "a unit aborts before eyot_init" 134 "$early by signal 6" -n 2 "$program" early abort
ends "a slow start" 0 "[12] of 2 processes have been in eyot_init for 0.[0-9]+ s eyotrun: who waits for what.*all finalized" -n 2 --start-limit 0.4 "$program" early late
ends "units that are scripts" 0 "^all finalized" -n 2 sh -c "$program work 100 && sleep 0.1"
ends "a script in place of a unit" 4 "before eyot_init, ended with code 4; 1 process waits" -n 2 sh -c "case \${PMI_RANK}\${OMPI_COMM_WORLD_RANK} in 1) exit 4 ;; esac; $program work 100"

# Who waits for what.
waits="in eyot_barrier, phase none: waits for its word at a control word of EYOT_TEAM_ALL to be >= [0-9]+; it is [0-9]+; for [0-9.]+ s; called at run_end.c:[0-9]+ .main."
computes="computes, .*last operation: eyot_init; called at run_end.c"
ends "a time limit says who waits and who computes" 124 "unit 0 .process [0-9]+.: $waits.*unit 1 .process [0-9]+.: $computes" -n 2 --time-limit 4 "$program" hang
ends "a deadlock" 3 "unit 1 .process [0-9]+.: in eyot_wait_until, phase trading: waits for its word at offset 0 of the memory .8 bytes, eyot_team_alloc at bad_end.c:[0-9]+ .mutual.. to be >= 5; it is 0; .*called at bad_end.c:[0-9]+" \
  -n 2 --watchdog 0.5 "$(dirname "$program")/bad_end" mutual
ends "a deadlock between nodes" 3 "unit 0 .process [0-9]+.: in eyot_wait_until, phase trading" -n 2 --node-size 1 --watchdog 0.5 "$(dirname "$program")/bad_end" mutual
ends "a stopped unit" 121 "unit 1 .process [0-9]+. is stopped .SIGSTOP. for 0.3 s" -n 2 --heartbeat 0.3 "$program" stop
said=$(mktemp) && trap 'rm -f "$said"' EXIT
"$eyotrun" --fabric mpi -n 2 "$program" hang >"$said" 2>&1 &
tries=0
sleep 1
until grep -Eq "unit 0 .process [0-9]+.: $waits" "$said" || [ $tries -ge 100 ]; do
  sleep 0.2
  kill -QUIT $!
  tries=$((tries + 1))
done
kill -INT $!
wait $!
code=$?
if [ $code -eq 130 ] && grep -Eq "unit 0 .process [0-9]+.: $waits" "$said"; then echo "SIGQUIT: ok"; else echo "SIGQUIT: exit code $code; $(cat "$said")"; bad=1; fi

# A suspended run has nothing to look after: its supervisor sleeps, too. Ticks are hundredths of a second of processor time.
"$eyotrun" --fabric mpi -n 2 --watchdog 0.1 "$program" hang >/dev/null 2>&1 &
supervisor=$(pgrep -P $! -x eyotrun || echo $!)
ticks() { awk '{ print $14 + $15 }' "/proc/$supervisor/stat"; }
sleep 0.3
kill -TSTP $!
sleep 0.3
before=$(ticks)
sleep 1
used=$(($(ticks) - before))
kill -CONT $!
kill -TERM $!
wait $!
code=$?
if [ $code -eq 143 ] && [ $used -lt 5 ]; then echo "a suspended run: ok"; else echo "a suspended run: exit code $code, expected 143; used $used ticks in 1 s"; bad=1; fi

# A signal, at once and later: the launcher alone returns 0 in the first tenth of a second.
for moment in 0 0.05 0.1 0.5; do
  "$eyotrun" --fabric mpi -n 2 "$program" hang >/dev/null 2>&1 &
  sleep $moment
  kill -TERM $!
  wait $!
  code=$?
  [ $code -eq 143 ] && echo "a signal after $moment s: ok" || { echo "a signal after $moment s: exit code $code, expected 143"; bad=1; }
done
exit $bad
